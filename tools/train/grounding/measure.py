#!/usr/bin/env python3
"""Every figure of claim support and relevance, each with its interval, in one go.

usage: measure.py TOOL DATA [--json FILE] [--report FILE] [--cache FOLDER] [--shipped] [--without PART]

TOOL is the program grounding-features of tools/train, DATA the folder with the public development sets. The models are fitted anew on
what TOOL measures, so that figures of two programs can be held against one another; nothing is written to the tree. With --shipped the
hand-written suites and the outside sets are judged by the models in TOOL instead. With --cache what TOOL said is kept in a folder, by
the program and its input.

Cross-validated: answers of RAGTruth (five folds by question; bars of F1 without the fold), generated edits
(generator and base text left out), relevance (means over twenty ways to cut five folds). `hand0`: pairs by hand of 27 documents, by
models that saw no case of these documents. Calibration, costs and bars are counted over all claims. The other sets are never fitted on. A case is flagged
if a claim of it is UNSUPPORTED or CONTRADICTED under the policy `balanced`. Intervals are 95 %: Wilson's of rates, bootstrapped over
documents or questions of the rest.
"""
import argparse, json, sys, time

import numpy as np
from sklearn.metrics import roc_auc_score

import relevance
import suite
from claims import Claims
from models import SEED, answer_measures
from policies import DEPLOYED, Judged
from support import SHARES, Answers, Support
from work import BY_HAND_PAIRS, SUITE, Work

# The sets that are only counted.
COUNTED = ("held", "open", "written")


def resampled(groups, figure, draws=300):
    """95 % bootstrap interval of a figure of chosen places, over groups."""
    draw = np.random.default_rng(SEED)
    names, place = np.unique(groups, return_inverse=True)
    members = [np.where(place == k)[0] for k in range(len(names))]
    found = [figure(np.concatenate([members[k] for k in draw.integers(0, len(names), len(names))])) for _ in range(draws)]
    return [float(q) for q in np.quantile([f for f in found if f is not None], [0.025, 0.975])]


class Table:
    """Figures by name, printed as they come."""

    def __init__(self):
        self.rows = {}

    def row(self, name, value, bounds, note=""):
        self.rows[name] = {"value": round(float(value), 4), "low": round(float(bounds[0]), 4), "high": round(float(bounds[1]), 4), "note": note}
        print(f"{name:58} {value:6.3f}  [{bounds[0]:.3f}, {bounds[1]:.3f}]  {note}", flush=True)

    def rate(self, name, said, note=""):
        self.row(name, said.mean(), suite.wilson(int(said.sum()), len(said)), f"{int(said.sum())}/{len(said)} {note}".strip())

    def auroc(self, name, good, score, groups, note=""):
        area = lambda at: roc_auc_score(good[at], score[at]) if 0 < good[at].mean() < 1 else None
        self.row(name, area(np.arange(len(good))), resampled(groups, area), note)

    def at_budget(self, name, good, score, budget=0.05):
        """What is caught where `budget` of the good lie lower."""
        bar = np.quantile(score[good], budget)
        self.rate(name, score[~good] < bar)


def weighed_f1(said, good, share):
    """F1 of finding bad items, were their share `share`."""
    caught, wrong = said[~good].mean() * share, said[good].mean() * (1 - share)
    return 2 * caught / (caught + wrong + share)


def report(file, rows, fitted):
    """The page of figures."""
    lines = ["# Claim support: figures", "", "Written by `tools/train/grounding/measure.py TOOL DATA --report docs/grounding-report.md`, words alone unless said; do not edit by hand.",
             "Cross-validated or on sets that nothing was fitted on: see the help of `measure.py`. Intervals are 95 %.", "", "| figure | value | interval | cases |", "|---|---|---|---|"]
    lines += [f"| {name} | {row['value']:.3f} | {row['low']:.3f} to {row['high']:.3f} | {row['note']} |" for name, row in rows.items()]
    shares = ", ".join(f"{share:.0%} {name}" for name, share in SHARES.items())
    lines += ["", "Bars: " + ", ".join(f"{name.replace('fr_', '')} % at {bar:.3f}" for name, bar in fitted.bar.items()) + f", over claims of which are {shares}.",
              "Log-odds that a mismatch costs: " + ", ".join(f"{name} {cost:.2f}" for name, cost in fitted.costs.items()) + "."]
    with open(file, "w") as page:
        page.write("\n".join(lines) + "\n")


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("tool"), ask.add_argument("data"), ask.add_argument("--json"), ask.add_argument("--cache"), ask.add_argument("--report"), ask.add_argument("--without"), ask.add_argument("--shipped", action="store_true")
    told = ask.parse_args()
    start = time.time()
    work = Work(told.data, told.tool, told.cache, told.without)
    names = json.loads(work.tool("names")[0])
    fitted = Support(Claims(work), names)
    had, answers = fitted.had, Answers(fitted)
    out = Table()
    print(f"measured and fitted in {time.time() - start:.0f} s; bars {fitted.bar}")

    # Real answers.
    real = Judged.of_real(fitted, answers)
    out.auroc("RAGTruth: answer AUROC", answers.y, answers.p, had.groups)
    said = real.flagged()
    out.rate("RAGTruth: good answers that balanced does not pass", said[answers.y])
    out.rate("RAGTruth: bad answers that balanced does not pass", said[~answers.y])
    f1 = lambda at: weighed_f1(said[at], answers.y[at], DEPLOYED)
    out.row(f"RAGTruth: F1 at {DEPLOYED:.0%} bad", f1(np.arange(len(said))), resampled(had.groups, f1))

    # Generated edits.
    own = ~fitted.taught
    said = Judged.of_generated(fitted, answers).flagged()
    out.rate("edits, left out: changed caught", said[own & ~had.gy])
    out.rate("edits, left out: honest falsely rejected", said[own & had.gy])

    # Pairs and suites by hand.
    sets = {name: list(suite.load(SUITE / f"{name}.jsonl")) for name in COUNTED}
    sets["fit"] = [case for file in BY_HAND_PAIRS for case in suite.load(file)]
    hands = {name: Judged.of_cases(fitted, answers, cases, {c["label"]["base"] for c in cases} if name == "fit" else None, shipped=told.shipped)
             for name, cases in sets.items()}
    good = {name: np.array([c["label"]["good"] for c in cases]) for name, cases in sets.items()}
    bases = {name: np.array([c["label"]["base"] for c in cases]) for name, cases in sets.items()}
    for name, judged in hands.items():
        shown, said, kept = "hand0" if name == "fit" else name, judged.flagged(), good[name]
        out.auroc(f"{shown}: AUROC, words alone", kept, judged.support, bases[name])
        out.at_budget(f"{shown}: caught where 5 % of the honest fall", kept, judged.support)
        out.rate(f"{shown}: honest flagged", said[kept])
        out.rate(f"{shown}: changed caught", said[~kept])

    # Sets outside.
    for title, file in (("BEGIN dev", "grounding/begin_wow_dev.jsonl"), ("WiCE dev", "grounding/wice_claim_dev.jsonl.gz")):
        items = work.rows(file)
        kept, judged = np.array([r["gold"]["supported"] for r in items]), Judged.of_cases(fitted, answers, items, shipped=told.shipped)
        said, place = judged.flagged(), np.arange(len(items))
        out.auroc(f"{title}: AUROC", kept, judged.support, place)
        balanced = lambda at: (said[at][~kept[at]].mean() + 1 - said[at][kept[at]].mean()) / 2
        out.row(f"{title}: balanced accuracy", balanced(place), resampled(place, balanced))
        out.rate(f"{title}: caught", said[~kept]), out.rate(f"{title}: falsely rejected", said[kept])

    held = relevance.cross_validated(work, names)
    out.row("relevance: AUROC", held["auroc"], held["interval"])
    if told.json:
        with open(told.json, "w") as file:
            json.dump(out.rows, file, indent=1)
    if told.report:
        report(told.report, out.rows, fitted)
    print(f"{time.time() - start:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
