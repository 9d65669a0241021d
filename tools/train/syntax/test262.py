#!/usr/bin/env python3
"""Hold the parser against the parser tests of ECMAScript.

usage: test262.py ASSAY PACKAGE [--misses OUT.jsonl]

ASSAY is the program, PACKAGE the unpacked npm package `test262-parser-tests` (`npm pack` fetches it). `pass` and
`pass-explicit` hold programs to accept, `fail` and `early` programs to reject. Strict programs begin with "use strict";
the row `grammar` is `pass` and `fail` alone, of every goal. Exits 69 if the package is not there.
"""
import argparse, json, pathlib, subprocess, sys

FOLDERS = {"pass": True, "pass-explicit": True, "fail": False, "early": False}


def goal(name, code):
    """What a file is parsed as."""
    if ".module." in name:
        return "module"
    return "strict" if code.lstrip().startswith(('"use strict"', "'use strict'")) else "script"


def programs(package):
    """Every test as a line for the program, with its label and goal."""
    for folder, valid in FOLDERS.items():
        for file in sorted((package / folder).glob("*.js")):
            code = file.read_bytes().decode()
            yield {"id": f"{folder}/{file.name}", "code": code}, valid, goal(file.name, code)


def judged(assay, items):
    """Whether the program accepts each item, in their order."""
    lines = "".join(json.dumps(item | {"language": "javascript"}) + "\n" for item in items)
    done = subprocess.run([assay, "parse", "--jsonl", "-"], input=lines, text=True, stdout=subprocess.PIPE, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()]


def share(right):
    """A share with its number of cases."""
    return f"{sum(right) / len(right):.3f} of {len(right):4}" if right else "none"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("assay")
    parser.add_argument("package", type=pathlib.Path)
    parser.add_argument("--misses", type=pathlib.Path, help="write the cases that are judged otherwise")
    args = parser.parse_args()
    if not (args.package / "pass").is_dir():
        print(f"SKIPPED: {args.package} is no unpacked test262-parser-tests", file=sys.stderr)
        return 69
    cases = list(programs(args.package))
    replies = judged(args.assay, [item for item, *_ in cases])
    if len(replies) != len(cases):
        sys.exit(f"{len(cases)} programs, {len(replies)} replies")
    rows, misses = [], []
    for (item, valid, kind), reply in zip(cases, replies):
        right = reply.get("valid") == valid
        rows.append((kind, valid, right, item["id"].startswith(("pass/", "fail/"))))
        if not right:
            misses.append(item | {"goal": kind, "valid": valid, "reply": reply})
    for kind in ["script", "strict", "module", "grammar", "all"]:
        chosen = [row for row in rows if kind in (row[0], "all") or kind == "grammar" and row[3]]
        accepted = share([right for _, valid, right, _ in chosen if valid])
        rejected = share([right for _, valid, right, _ in chosen if not valid])
        agreed = share([right for *_, right, _ in chosen])
        print(f"{kind:7}  agreement {agreed}  valid accepted {accepted}  invalid rejected {rejected}")
    if args.misses:
        args.misses.write_text("".join(json.dumps(miss) + "\n" for miss in misses))
    return 0


if __name__ == "__main__":
    sys.exit(main())
