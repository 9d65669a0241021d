#!/usr/bin/env python3
"""Measure the search alone: nDCG@10 of each leg and of both, over questions that name the lines that answer them.

usage: search.py ASSAY DATA FILE... [--keep DIR] [--split dev|kept] [--dump OUT.jsonl] [--json]

ASSAY is the program, DATA the folder with the development data. FILE is a set such as names.jsonl, with graded passages,
or open.jsonl, whose lines all count the same. A hit is relevant if it shares a line with a marked passage, at the grade
of that passage; a second hit on the same passage counts nothing. --keep uses (and keeps) the data folder DIR. --dump
writes every hit of both legs with its grade, for fitting. Exits 69 if pages are missing.
"""
import argparse, collections, json, math, pathlib, sys, tempfile

import score

MODES = {"bm25": "bm25_only", "knn": "knn_only", "hybrid": "hybrid"}
DEPTH = 10


def folder(data, corpus):
    """Folder of the pages of a corpus."""
    return score.folder(data, "guide" if corpus == "avap" else corpus)


def questions(path, split):
    """Questions of a file that have an answer, in one shape."""
    for line in path.read_text().splitlines():
        item = json.loads(line)
        if "query" not in item:
            marked = [{"path": at["path"], "lines": [at["first"], at["last"]], "grade": 1} for at in item["lines"]]
            item = {**item, "query": item["question"], "corpus": item["set"], "relevant": marked, "kind": path.stem}
        if item["relevant"] and split in (None, item.get("split")):
            yield item


def grades(item, name, hits):
    """Grade of each hit of the pages below a folder of that name."""
    used = set()
    for hit in hits:
        fits = [
            (at["grade"], -number) for number, at in enumerate(item["relevant"])
            if f"/{hit['path']}".endswith(f"/{name}/{at['path']}") and number not in used
            and hit["first_line"] <= at["lines"][1] and at["lines"][0] <= hit["last_line"]]
        grade, number = max(fits, default=(0, None))
        if number is not None:
            used.add(-number)
        yield grade


def ndcg(found, item):
    """nDCG@10 with gain 2^grade - 1."""
    gain = lambda values: sum((2**grade - 1) / math.log2(place + 2) for place, grade in enumerate(values[:DEPTH]))
    ideal = gain(sorted((at["grade"] for at in item["relevant"]), reverse=True))
    return gain(list(found)) / ideal


def searched(assay, keep, corpus, items, mode, k):
    """Hits of every question, in order."""
    lines = "".join(json.dumps({"id": item["id"], "text": item["query"]}) + "\n" for item in items)
    out = score.run(assay, keep, "search", "--collection", corpus, "--mode", mode, "--k", str(k), "--jsonl", "-", lines=lines)
    return [json.loads(line)["hits"] for line in out.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assay")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--split", choices=["dev", "kept"])
    parser.add_argument("--dump", type=pathlib.Path)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    items = [item for path in args.files for item in questions(path, args.split)]
    corpora = sorted({item["corpus"] for item in items})
    if lacking := [name for name in corpora if not folder(args.data, name).is_dir()]:
        print(f"SKIPPED: no pages of {', '.join(lacking)}", file=sys.stderr)
        return 69
    keep = args.keep or pathlib.Path(tempfile.mkdtemp())
    figures, dump = collections.defaultdict(lambda: collections.defaultdict(list)), []
    for corpus in corpora:
        name = folder(args.data, corpus).name
        asked = [item for item in items if item["corpus"] == corpus]
        score.run(args.assay, keep, "ingest", str(folder(args.data, corpus)), "--collection", corpus)
        for leg, mode in MODES.items():
            for item, hits in zip(asked, searched(args.assay, keep, corpus, asked, mode, DEPTH), strict=True):
                value = ndcg(list(grades(item, name, hits)), item)
                for group in ("all", corpus, item["kind"]):
                    figures[group][leg].append(value)
        if args.dump:
            for item, hits in zip(asked, searched(args.assay, keep, corpus, asked, "hybrid", 100), strict=True):
                rows = [{**hit, "grade": grade} for hit, grade in zip(hits, grades(item, name, hits), strict=True)]
                dump.append({**item, "hits": rows})
    if args.dump:
        args.dump.write_text("".join(json.dumps(row) + "\n" for row in dump))
    means = {group: {name: round(sum(v) / len(v), 4) for name, v in by.items()} | {"questions": len(by["bm25"])}
             for group, by in figures.items()}
    if args.json:
        print(json.dumps(means))
        return 0
    for group, mean in sorted(means.items(), key=lambda pair: (pair[0] != "all", pair[0])):
        print(f"{group:18} {mean['questions']:4} questions   " + "   ".join(f"{name} {mean[name]:.3f}" for name in MODES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
