#!/usr/bin/env python3
"""Fit the models of libs/grounding, step by step: word weights, claim support, relevance.

usage: fit.py DATA [idf] [support] [relevance] [--tool PROGRAM] [--cache FOLDER] [--left-out FILE]

DATA is the folder with the public development sets (grounding/, relevance/, retrieval/, documents/). Needs the packages of requirements.txt
beside this file; writes libs/grounding/data/ and libs/evidence/data/idf.tsv. Everything is seeded: the same data give the same files. Measures are computed by the crate
itself (the program grounding-features of tools/train, built here unless --tool names one), so training and use cannot differ. With --cache
what it measured is kept in a folder, by the program and its input. What the fit is worth `measure.py` prints.

"""
import argparse, json

import models  # Before numpy: it sets the number of threads.
import relevance
import support
import words
from work import Work

STEPS = ("idf", "support", "relevance")


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("data"), ask.add_argument("steps", nargs="*", choices=[*STEPS, []])
    for option in ("tool", "cache", "left-out"):
        ask.add_argument(f"--{option}")
    told = ask.parse_args()
    work = Work(told.data, told.tool, told.cache)
    names = json.loads(work.tool("names")[0])
    for step in told.steps or STEPS:
        match step:
            case "idf":
                words.idf(work)
            case "support":
                support.fit(work, names, told.left_out)
            case "relevance":
                relevance.fit(work, names)


if __name__ == "__main__":
    main()
