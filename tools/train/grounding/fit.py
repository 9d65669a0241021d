#!/usr/bin/env python3
"""Fit the models of libs/grounding, step by step: word weights, claim support, relevance, join.

usage: fit.py DATA [idf] [support] [relevance] [--tool PROGRAM] [--cache FOLDER] [--left-out FILE]
       fit.py DATA join --name NAME --model SHA256 --out FILE [--tool PROGRAM] [--cache FOLDER]

DATA is the folder with the public development sets (grounding/, relevance/, retrieval/, documents/). Needs the packages of requirements.txt
beside this file; writes libs/grounding/data/ and libs/evidence/data/idf.tsv. Everything is seeded: the same data give the same files. Measures are computed by the crate
itself (the program grounding-features of tools/train, built here unless --tool names one), so training and use cannot differ. With --cache
what it measured is kept in a folder, by the program and its input. What the fit is worth `measure.py` prints.

`join` fits the join of the one model whose scores are at hand, by the SHA-256 of its file; the models of support are fitted for it and not
written.
"""
import argparse, json

import models  # Before numpy: it sets the number of threads.
import join
import relevance
import support
import words
from claims import Claims
from work import Work

STEPS = ("idf", "support", "relevance")


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("data"), ask.add_argument("steps", nargs="*", choices=[*STEPS, "join", []])
    for option in ("tool", "cache", "left-out", "name", "model", "out"):
        ask.add_argument(f"--{option}")
    told = ask.parse_args()
    if "join" in told.steps and not (told.name and told.model and told.out):
        ask.error("join needs --name, --model (SHA-256 of the model file) and --out")
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
            case "join":
                fitted = support.Support(Claims(work), names)
                join.fit(work, fitted, support.Answers(fitted), told.name, told.model, told.out)


if __name__ == "__main__":
    main()
