#!/usr/bin/env python3
"""Prints the accuracy of `assay router train` by cross-validation over labelled lines {text, label}.

    tools/train/heads/folds.py ASSAY LINES [--folds 5] [--buckets N]

Lines go to folds by a shuffle with a fixed seed. Each fold is judged by a head that did not see it, with
`assay router classify --head-only`. ASSAY is the program; its environment chooses the embedding model.
"""

import argparse
import json
import random
import subprocess
import tempfile
from pathlib import Path


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def judge(assay, train, test, buckets, folder):
    write(folder / "train.jsonl", [{"text": row["text"], "label": row["label"]} for row in train])
    write(folder / "test.jsonl", [{"id": index, "text": row["text"]} for index, row in enumerate(test)])
    extra = [] if buckets is None else ["--buckets", str(buckets)]
    command = [assay, "router", "train", "--data", folder / "train.jsonl", "--out", folder / "head.json", *extra]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    command = [assay, "router", "classify", "--head-only", "--model", folder / "head.json", "--jsonl", folder / "test.jsonl"]
    found = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    labels = [json.loads(line)["label"] for line in found.splitlines()]
    return sum(label == row["label"] for label, row in zip(labels, test, strict=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("assay")
    parser.add_argument("lines", type=Path)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--buckets", type=int)
    args = parser.parse_args()
    rows = [json.loads(line) for line in args.lines.read_text().splitlines() if line.strip()]
    random.Random(0).shuffle(rows)
    right = 0
    for fold in range(args.folds):
        test = rows[fold :: args.folds]
        train = [row for index, row in enumerate(rows) if index % args.folds != fold]
        with tempfile.TemporaryDirectory() as folder:
            mine = judge(args.assay, train, test, args.buckets, Path(folder))
        right += mine
        print(f"fold {fold + 1}: {mine / len(test):.4f} of {len(test)}", flush=True)
    print(f"accuracy {right / len(rows):.4f} of {len(rows)}")


if __name__ == "__main__":
    main()
