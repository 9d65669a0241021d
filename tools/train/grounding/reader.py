#!/usr/bin/env python3
"""What the reader adds to words: fits their join and prints its bars, as libs/grounding/src/join.rs holds them.

usage: reader.py CLAIMS [--count N] [--tool PROGRAM] [--read PROGRAM]

CLAIMS is the file of claims that the reader was trained with (JSON lines, may be xz): what is measured on them is too good. So the join is
fitted on as much weight of suite/open.jsonl, which no reader was trained on, and suite/held.jsonl is only counted. Figures are out of fold, by
tree of the claims and base text of the suite. Bars are quantiles of the honest claims. The product chooses the windows:
`grounding-features pairs` (PROGRAM of --tool). The reader reads them: `cargo run -p assay-models --example read` (PROGRAM of --read). Needs numpy.
"""
import argparse, collections, json, lzma, pathlib, random, subprocess

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LEAST, MOST = 1e-4, 0.99


def logit(p, least=LEAST):
    p = np.clip(p, least, 1 - least)
    return np.log(p / (1 - p))


def run(program, lines):
    done = subprocess.run(program, input="\n".join(json.dumps(line) for line in lines), capture_output=True, text=True, check=True, cwd=ROOT)
    return [json.loads(line) for line in done.stdout.splitlines()]


def suite(name):
    rows = [json.loads(line) for line in open(HERE / "suite" / f"{name}.jsonl")]
    for at, row in enumerate(rows):
        for case in row.get("cases", []):
            chosen = [row["sources"][i - 1] if isinstance(i, int) else i for i in case["sources"]]
            label = "entailment" if case["good"] else case["change"] or "bad"
            yield dict(group=f"{name}-{at}", question=case.get("question") or "", sources=chosen, claim=case["claim"], label=label)


def claims(path, count):
    rows = [json.loads(line) for line in (lzma.open(path, "rt") if path.endswith("xz") else open(path))]
    random.Random(7).shuffle(rows)
    for row in rows[:count]:
        yield dict(group=row["page"].split("/")[0], question="", sources=[row["evidence"]], claim=row["claim"], label=row["label"])


def measured(cases, tool, read):
    """For each claim that words leave open: own log-odds, mean log-odds of `says` over its windows, mean of `denies`, label, group."""
    cases = list(cases)
    lines = [dict(id=str(at), question=c["question"], answer=c["claim"], sources=[dict(id=str(i), text=text) for i, text in enumerate(c["sources"], 1)]) for at, c in enumerate(cases)]
    found = [(case, claim) for case, out in zip(cases, run([tool, "pairs"], lines)) for claim in out["claims"]]
    asked = [dict(window=window, statement=claim["statement"]) for _, claim in found for window in claim["windows"]]
    said = iter(run([read, "2"], asked))
    rows = []
    for case, claim in found:
        readings = np.array([next(said) for _ in claim["windows"]])
        rows.append((logit(claim["own"]), logit(readings[:, 0], 1 - MOST).mean(), readings[:, 2].mean(), case["label"], case["group"]))
    print(f"{len(cases)} cases, {len(rows)} claims left open by words, {len(asked)} pairs")
    own, says, denies = (np.array([row[i] for row in rows]) for i in range(3))
    label, group = np.array([row[3] for row in rows]), np.array([row[4] for row in rows])
    return np.column_stack([own, says]), denies, label, group


def fit(x, y, weight, rounds=50):
    """A logistic regression: weights of the columns, and a bias."""
    x, w = np.column_stack([x, np.ones(len(x))]), np.zeros(x.shape[1] + 1)
    for _ in range(rounds):
        p = sigmoid(x @ w)
        w += np.linalg.solve(x.T @ (x * (weight * p * (1 - p))[:, None]), x.T @ (weight * (y - p)))
    return w


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def auroc(good, p):
    v, inverse, count = np.unique(p, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[inverse]
    return (rank[good].sum() - good.sum() * (good.sum() + 1) / 2) / (good.sum() * (~good).sum())


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("claims"), ask.add_argument("--count", type=int, default=3000)
    ask.add_argument("--tool", default="target/debug/grounding-features"), ask.add_argument("--read", default="target/debug/examples/read")
    told = ask.parse_args()
    sets = {name: measured(suite(name), told.tool, told.read) for name in ("open", "held")}
    sets["claims"] = measured(claims(told.claims, told.count), told.tool, told.read)
    fitted = ("open", "claims")
    x = np.concatenate([sets[name][0] for name in fitted])
    good = np.concatenate([sets[name][2] == "entailment" for name in fitted])
    group = np.concatenate([sets[name][3] for name in fitted])
    weight = np.concatenate([np.full(len(sets[name][0]), 1 / len(sets[name][0])) for name in fitted]) * len(x)
    w = fit(x, good, weight)
    print(f"words {w[0]:.3f}, says {w[1]:.3f}, bias {w[2]:.3f}")
    out, names = np.zeros(len(x)), np.array(sorted(set(group)))
    for k in range(5):
        test = np.isin(group, names[k::5])
        out[test] = np.column_stack([x[test], np.ones(test.sum())]) @ fit(x[~test], good[~test], weight[~test])
    at = len(sets["open"][0])
    score = {"open": out[:at], "claims": out[at:], "held": np.column_stack([sets["held"][0], np.ones(len(sets["held"][0]))]) @ w}
    honest = {name: sets[name][2] == "entailment" for name in sets}
    bars = {n: sigmoid(np.quantile(score["claims"][honest["claims"]], n / 100)) for n in (1, 3, 5)}
    print("bars, by the honest claims:", ", ".join(f"{n} % {bar:.3f}" for n, bar in bars.items()))
    for name, (x, denies, label, _) in sets.items():
        good, p = honest[name], sigmoid(score[name])
        print(f"{name}: {good.sum()} honest, {(~good).sum()} bad; AUROC of words {auroc(good, x[:, 0]):.3f}, of the reader {auroc(good, x[:, 1]):.3f}, joined {auroc(good, p):.3f}")
        for n, bar in bars.items():
            print(f"  bar of {n} %: honest below it {(p[good] < bar).mean():.3f}, bad below it {(p[~good] < bar).mean():.3f}")
        for bar in (0.9, 0.95, 0.97, 0.98):
            fired = denies >= bar
            print(f"  denies >= {bar}: {fired.sum()} claims, {(fired & good).sum()} of them honest ({(fired & good).sum() / good.sum():.3f} of the honest), {(fired & ~good).sum() / (~good).sum():.3f} of the bad")


if __name__ == "__main__":
    main()
