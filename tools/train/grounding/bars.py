#!/usr/bin/env python3
"""Every bar of the perturbation suite and what each rule does, in one go, as the checks are shipped.

usage: bars.py TOOL DATA [--misses FILE]
TOOL is the program grounding-features of tools/train; DATA the folder with the public development sets. Prints, with Wilson
bounds, what is caught and falsely rejected of every file of suite/ beside this file, at the shipped bar and by the rules
alone, by kind of change; then how often each rule decides, and rightly, over those files and over the answers of RAGTruth.
The generated cases, with generator and base texts left out, are fit.py's matter. With --misses what goes wrong is written to
a file, but for the cases of suite/held.jsonl, which are only counted.
"""
import collections, gzip, json, pathlib, subprocess, sys

import suite

HERE = pathlib.Path(__file__).resolve().parent


def ask(tool, mode, cases):
    lines = "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in cases)
    done = subprocess.run([tool, mode], input=lines, text=True, stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def line(name, hits, n):
    low, high = suite.wilson(hits, n)
    return f"  {name:16} {hits:5}/{n:<6} {hits / n:6.3f}  [{low:.3f}, {high:.3f}]"


def rules(title, claims):
    """How often each rule decides, and which share of it is bad; `claims` are (claim, whether it is bad)."""
    count = collections.defaultdict(lambda: [0, 0])
    for claim, bad in claims:
        if claim["decided"]:
            name = claim["reason"].split(":")[0]
            count[name][0] += 1
            count[name][1] += bad
    good = sum(not bad for _, bad in claims)
    print(f"\nRules that decide, {title}: {len(claims)} claims, {good} of them good, {sum(n - b for n, b in count.values()) / max(1, good):.4f} of these decided against")
    for name, (n, bad) in sorted(count.items(), key=lambda e: -e[1][0]):
        print(line(name, bad, n) + "  bad")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tool, data = sys.argv[1], pathlib.Path(sys.argv[2])
    misses = []
    for path in sorted((HERE / "suite").glob("*.jsonl")):
        cases = suite.load(path)
        asked = [suite.asked(case) for case in cases]
        judged, claims = ask(tool, "judge", asked), ask(tool, "claims", asked)
        shipped = [any(c["status"] in suite.BAD for c in o["claims"]) for o in judged]
        ruled = [any(c["decided"] for c in o["claims"]) for o in claims]
        print(f"\n=== {path.stem}: {len(cases)} cases")
        for title, flagged in (("as shipped", shipped), ("by rules alone", ruled)):
            print(f"{title}:")
            groups = collections.defaultdict(lambda: [0, 0])
            for case, bad in zip(cases, flagged):
                label = case["label"]
                for name in ("false",) if label["good"] else ("caught", label["change"]):
                    groups[name][0] += bad
                    groups[name][1] += 1
            for name, (hits, n) in sorted(groups.items(), key=lambda e: (e[0] not in ("caught", "false"), e[0])):
                print(line(name, hits, n))
        rules(path.stem, [(c, not case["label"]["good"]) for case, o in zip(cases, claims) for c in o["claims"]])
        if path.stem != "held":
            misses += [{"set": path.stem, **case["label"], "answer": case["answer"], "claims": o["claims"], "sources": case["sources"]}
                       for case, o, bad in zip(cases, judged, shipped) if bad == case["label"]["good"]]
    answers = [json.loads(row) for row in gzip.decompress((data / "grounding/ragtruth_qa_train.jsonl.gz").read_bytes()).decode().splitlines()]
    said = lambda answer, claim: any(sum(c.isalnum() for c in answer["answer"][max(claim["start"], s):min(claim["end"], e)]) >= 3 for s, e, *_ in answer["gold"]["unsupported"])
    rules("RAGTruth", [(c, said(answer, c)) for answer, o in zip(answers, ask(tool, "claims", answers)) for c in o["claims"]])
    if "--misses" in sys.argv:
        pathlib.Path(sys.argv[sys.argv.index("--misses") + 1]).write_text("".join(json.dumps(m, ensure_ascii=False) + "\n" for m in misses))


if __name__ == "__main__":
    main()
