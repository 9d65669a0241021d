#!/usr/bin/env python3
"""The bars of the perturbation suite in one go, with the decision that is shipped: fitted models, bars and rules.

usage: bars.py DATA [--cases FOLDER] [--misses FILE]
Fits the model for near copies with each generator and half of the base texts left out in turn, and prints what is caught
and falsely rejected, with Wilson bounds, of the generated cases so left out, of every file of FOLDER (suite/ beside this
file), and what each rule does to generated, written and real claims. With --misses the cases of the generated and the
written set that go wrong are written to a file; those of suite/held.jsonl never are.
"""
import collections, json, pathlib, sys

import numpy as np

import fit, suite

HERE = pathlib.Path(__file__).resolve().parent


def option(name):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else None


class Rows:
    """Claims of a set of cases: measures, what the rules leave, the number of the case and the rule that spoke."""

    def __init__(self, out):
        claims = [(i, c) for i, o in enumerate(out) for c in o["claims"]]
        self.x = np.array([c["features"] for _, c in claims])
        self.cap = np.array([c["cap"] for _, c in claims])
        self.floor = np.array([c.get("floor", 0.0) for _, c in claims])
        self.of = np.array([i for i, _ in claims])
        self.rule = np.array([(c["reason"] or "").split(":")[0] for _, c in claims])
        self.why = [c["reason"] for _, c in claims]

    def flagged(self, p, bar, n):
        """For each case whether some claim of it is rejected."""
        bad = np.zeros(n, bool)
        np.logical_or.at(bad, self.of, (p < bar) | (self.cap < 1))
        return bad


def rules(title, rows, bad):
    """How often each rule decides, and how often rightly."""
    count = collections.defaultdict(lambda: [0, 0])
    for rule, cap, wrong in zip(rows.rule, rows.cap, bad):
        if cap < 1:
            count[rule][0] += 1
            count[rule][1] += bool(wrong)
    print(f"\nRules that decide, {title} ({len(bad)} claims, {bad.mean():.3f} bad): claims, share that is bad")
    for rule, (n, hits) in sorted(count.items(), key=lambda e: -e[1][0]):
        print(f"  {rule:12} {n:6} {n / len(bad):.4f}  {hits / n:.3f}")


def decide():
    names = json.loads(fit.tool("names")[0])
    aligned, least = names["claim"].index("aligned"), names["aligned"]
    data = fit.rows(fit.QA)
    out = fit.claims_of(data)
    real = Rows(out)
    good = np.array([not fit.overlap(r["answer"], c["start"], c["end"], r["gold"]["unsupported"]) for r, o in zip(data, out) for c in o["claims"]])
    cases = suite.generated(fit.DATA, fit.SEED)
    made = Rows(fit.claims_of([suite.asked(c) for c in cases]))
    per = np.bincount(made.of, minlength=len(cases))
    label = [c["label"] for c in cases]
    kept = np.array([label[i]["good"] or per[i] == 1 for i in made.of])
    gy = np.array([label[i]["good"] for i in made.of])
    generator = np.array([label[i]["generator"] for i in made.of])
    half = np.array([fit.fold_of(label[i]["base"]) % 2 for i in made.of])
    fold = np.array([fit.fold_of(r["group"]) for r in data])[real.of]
    close = real.x[:, aligned] >= least

    free = fit.Boosted(names["claim"], fit.FREE)
    margin = np.zeros(len(good))
    for k in range(2):
        margin[fold % 2 == k] = free.fit(real.x[fold % 2 != k], good[fold % 2 != k]).margin(real.x[fold % 2 == k])
    free.calibrate(margin, good).fit(real.x, good)

    def near(rows, others):
        x = np.vstack([made.x[rows & kept], real.x[others]])
        y = np.concatenate([gy[rows & kept], good[others]])
        return fit.Boosted(names["claim"], fit.NEAR).fit(x, y, np.concatenate([np.ones((rows & kept).sum()), np.full(others.sum(), fit.REAL)]))

    gmargin, nmargin = np.zeros(len(gy)), np.zeros(len(good))
    for name in np.unique(generator):
        for side in range(2):
            scored = (generator == name) & (half == side)
            gmargin[scored] = near((generator != name) & (half != side), close).margin(made.x[scored])
    every = np.ones(len(gy), bool)
    for k in range(2):
        nmargin[fold % 2 == k] = near(every, close & (fold % 2 != k)).margin(real.x[fold % 2 == k])
    final = near(every, close)
    final.draw(fit.SHIFT)

    def joined(rows, free_margin, near_margin):
        p = free.p(free_margin)
        p = np.where(rows.x[:, aligned] >= least, np.minimum(p, final.p(near_margin)), p)
        return np.minimum(np.maximum(p, rows.floor), rows.cap)

    gp, rp = joined(made, free.margin(made.x), gmargin), joined(real, margin, nmargin)
    weight = np.concatenate([np.full(good.sum(), 0.5 / good.sum()), np.full(gy.sum(), 0.5 / gy.sum())])
    bars = fit.bars(np.concatenate([rp[good], gp[gy]]), weight)
    bar = bars["fr_3"]
    print("bars", bars, "; real claims at the default:", f"{((rp < bar) | (real.cap < 1))[good].mean():.3f} of the good, {((rp < bar) | (real.cap < 1))[~good].mean():.3f} of the bad flagged; by margin alone {(rp < bar)[good & (real.cap == 1)].mean():.3f}")
    sets = [("generated, left out", cases, made, gp)]
    folder = pathlib.Path(option("--cases") or HERE / "suite")
    for path in sorted(folder.glob("*.jsonl")):
        own = suite.load(path)
        rows = Rows(fit.claims_of([suite.asked(c) for c in own]))
        sets.append((path.stem, own, rows, joined(rows, free.margin(rows.x), final.margin(rows.x))))
    misses = []
    for title, own, rows, p in sets:
        print(f"\n=== {title}: {len(own)} cases")
        flagged = rows.flagged(p, bar, len(own))
        suite.report(own, flagged)
        if title != "held":
            rules(title, rows, np.array([not own[i]["label"]["good"] for i in rows.of]))
            worst = {}
            for n, i in enumerate(rows.of):
                if i not in worst or p[n] < p[worst[i]]:
                    worst[i] = n
            for i, case in enumerate(own):
                if flagged[i] == case["label"]["good"]:
                    n = worst.get(i)
                    misses.append({"set": title, **case["label"], "p": None if n is None else round(float(p[n]), 3), "rule": None if n is None else rows.why[n],
                                   "decided": n is not None and bool(rows.cap[n] < 1), "answer": case["answer"], "origin": case.get("origin"), "sources": case["sources"]})
    rules("RAGTruth", real, ~good)
    if option("--misses"):
        pathlib.Path(option("--misses")).write_text("".join(json.dumps(m, ensure_ascii=False) + "\n" for m in misses))
    # For a closer look at the join.
    if option("--save"):
        np.savez_compressed(option("--save"), gp=gp, rp=rp, gy=gy, good=good, gmargin=gmargin, nmargin=nmargin, gfree=free.margin(made.x), rfree=margin, gcap=made.cap, rcap=real.cap,
                            galigned=made.x[:, aligned], raligned=real.x[:, aligned], gof=made.of)


if __name__ == "__main__":
    decide()
