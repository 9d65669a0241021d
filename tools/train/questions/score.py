#!/usr/bin/env python3
"""Ask labelled questions over documentation sets and decide which answers are right.

usage: score.py ASSAY DATA FILE... [--keep DIR] [--misses OUT.jsonl] [--answers OUT.jsonl] [--json]

ASSAY is the program, DATA the folder with the development data (its `documents/` holds etcd and rust-reference), FILE
a set such as open.jsonl. Right: the delivered text cites lines that hold the answer and has the fact. Wrong: any other
answer, and any answer to a question that the pages do not answer. Silent: no answer. Of a request for code such as in
code.jsonl right means an example of the pool that does what was asked, by its id in the text. --keep uses (and keeps) the data
folder DIR, so that a second run need not index again. --answers keeps what the program said, with its sources. Exits 69
if pages are missing or differ from those the set was written for.
"""
import argparse, collections, hashlib, json, math, pathlib, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent


def folder(data, name):
    """Folder of the pages of a set."""
    return HERE.parents[2] / "docs/avap" if name == "guide" else data / "documents" / name


def read(line):
    """An item; a request for code has examples of the pool in place of lines of pages."""
    item = json.loads(line)
    if "examples" in item:
        item |= {"set": "guide", "lines": [], "answerable": bool(item["examples"]), "query_type": "CODE_GENERATION"}
    return item


def missing(data, items):
    """Pages that are not there, or not as they were when the questions were written."""
    seen = {(item["set"], line["path"]): line["sha256"] for item in items for line in item["lines"]}
    for (name, path), digest in sorted(seen.items()):
        file = folder(data, name) / path
        if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            yield f"{name}/{path}"


def run(assay, keep, *arguments, lines=None):
    """Output of the program on a data folder."""
    command = [assay, "--data", str(keep), *arguments]
    return subprocess.run(command, input=lines, text=True, stdout=subprocess.PIPE, check=False).stdout


def cited(answer):
    """(path, first, last) of every citation that is in range."""
    for citation in answer.get("citations") or []:
        number = citation["marker"]
        if citation["in_range"] and 0 < number <= len(answer["sources"]):
            source = answer["sources"][number - 1]
            yield (source["path"], *(citation["lines"] or source["lines"]))


def holds(text, fact):
    """Whether each group of a fact has an alternative in the text; case and white space do not matter."""
    fold = lambda words: " ".join(words.casefold().split())
    text = fold(text)
    return all(any(fold(words) in text for words in group) for group in fact)


def outcome(item, answer):
    """right, wrong or silent."""
    if answer.get("outcome") != "ANSWERED":
        return "silent"
    if not item["answerable"]:
        return "wrong"
    if "examples" in item:
        return "right" if any(example in answer["text"] for example in item["examples"]) else "wrong"
    places = [(line["path"], line["first"], line["last"]) for line in item["lines"]]
    found = any(
        path.endswith(at) and first <= high and low <= last
        for path, first, last in cited(answer) for at, low, high in places)
    return "right" if found and holds(answer["text"], item["fact"]) else "wrong"


def wilson(hits, n, z=1.96):
    """95 % interval of a share."""
    if n == 0:
        return 0.0, 1.0
    p, d = hits / n, 1 + z * z / n
    middle, half = (p + z * z / (2 * n)) / d, z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / d
    return middle - half, middle + half


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assay")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--misses", type=pathlib.Path)
    parser.add_argument("--answers", type=pathlib.Path)
    parser.add_argument("--json", action="store_true")
    told = parser.parse_args()
    items = [read(line) for file in told.files for line in file.read_text().splitlines() if line]
    lost = list(missing(told.data, items))
    if lost:
        print(f"SKIPPED: {len(lost)} pages are missing or changed, such as {lost[0]}", file=sys.stderr)
        sys.exit(69)
    scratch = tempfile.TemporaryDirectory()
    keep = told.keep or pathlib.Path(scratch.name)
    answers = {}
    for name in sorted({item["set"] for item in items}):
        run(told.assay, keep, "ingest", str(folder(told.data, name)), "--collection", name)
        asked = [{"id": item["id"], "query": item["question"], "query_type": item.get("query_type", "RETRIEVAL")} for item in items if item["set"] == name]
        lines = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in asked)
        for line in run(told.assay, keep, "ask", "--collection", name, "--jsonl", "-", lines=lines).splitlines():
            answer = json.loads(line)
            answers[answer.get("id")] = answer
    count, misses = collections.defaultdict(collections.Counter), []
    for item in items:
        said = outcome(item, answers.get(item["id"], {}))
        for group in ("all", f"set {item['set']}", f"language {item['lang']}"):
            count[group][said, item["answerable"]] += 1
        if (said != "right") if item["answerable"] else (said == "wrong"):
            answer = answers.get(item["id"], {})
            misses.append({**item, "said": said, "outcome": answer.get("outcome"), "text": answer.get("text")})
    if told.answers:
        told.answers.write_text("".join(json.dumps(answer, ensure_ascii=False) + "\n" for answer in answers.values()))
    if told.misses:
        told.misses.write_text("".join(json.dumps(miss, ensure_ascii=False) + "\n" for miss in misses))
    table = {}
    for group, of in count.items():
        answerable = sum(n for (_, can), n in of.items() if can)
        total = sum(of.values())
        right, wrong = of["right", True], of["wrong", True] + of["wrong", False]
        table[group] = {
            "answerable": answerable, "right": right, "silent": of["silent", True], "wrong_answerable": of["wrong", True],
            "unanswerable": total - answerable, "wrong_unanswerable": of["wrong", False],
            "right_share": right / max(1, answerable), "right_interval": wilson(right, answerable),
            "wrong_share": wrong / max(1, total), "wrong_interval": wilson(wrong, total),
        }
    if told.json:
        print(json.dumps(table, indent=1))
        return
    for group, row in table.items():
        low, high = row["right_interval"]
        below, above = row["wrong_interval"]
        print(f"{group:24} right {row['right']:3}/{row['answerable']:<3} {row['right_share']:.3f} [{low:.3f}, {high:.3f}]"
              f"   silent {row['silent']:3}   wrong {row['wrong_share']:.3f} [{below:.3f}, {above:.3f}]"
              f" ({row['wrong_answerable']} answerable, {row['wrong_unanswerable']} of {row['unanswerable']} others)")


if __name__ == "__main__":
    main()
