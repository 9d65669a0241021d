#!/usr/bin/env python3
"""Fit how the composer chooses a window and when it stays silent.

usage: fit.py TOOL ITEMS.jsonl:ANSWERS.jsonl... [--out FILE] [--wrong SHARE] [--drop NAME,...]

TOOL is the example `windows` of assay-extractive: it measures by the code of the product. ANSWERS is what `score.py
--answers` kept: the sources that each question found. Several pairs (other embedders, other questions) are fitted together
and measured one by one. A window is right if it lies on lines that answer and holds the fact. Two logistics are fitted: one ranks the
windows of a question, one says whether the best answers. The bar is set where SHARE of all answers are wrong, on scores
that were cross-validated by page. Prints these figures; --out writes the model.
"""
import argparse, collections, json, pathlib, random, subprocess

import numpy as np
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from score import holds

RIDGE, STRENGTH, FOLDS, SECOND = 3.0, 0.03, 5, 2.0


def read(tool, items, file):
    """(item, measures, labels, sources and sections of the windows, what is known besides) of each question."""
    answers = {answer["id"]: answer for answer in map(json.loads, file.read_text().splitlines())}
    asked = "".join(json.dumps({
        "id": item["id"], "question": item["question"], "context_relevant": answers[item["id"]].get("context_relevant"),
        "sources": answers[item["id"]].get("sources") or []}) + "\n" for item in items)
    lines = subprocess.run([tool], input=asked, text=True, stdout=subprocess.PIPE, check=True).stdout.splitlines()
    names = json.loads(lines[0])
    rows = []
    for item, line in zip(items, map(json.loads, lines[1:])):
        sources = answers[item["id"]].get("sources") or []
        labels = [item["answerable"] and right(item, sources[window["source"]], window) for window in line["windows"]]
        measures = np.array([window["measures"] for window in line["windows"]]).reshape(-1, len(names["measures"]))
        places = [(window["source"], window["section"]) for window in line["windows"]]
        rows.append((item, measures, np.array(labels, bool), places, line["besides"]))
    return names, rows


def right(item, source, window):
    """Whether a window lies on lines that answer and holds the fact."""
    above = source["lines"][0] - 1
    ranges = [(above + first, above + last) for first, last in window["pieces"]]
    there = any(source["path"].endswith(at["path"]) and first <= at["last"] and at["first"] <= last
                for at in item["lines"] for first, last in ranges)
    return there and holds(window["text"], item["fact"])


def rank(rows, ridge=RIDGE):
    """Weights that put a right window of each question first: a conditional logistic."""
    rows = [(measures, labels) for _, measures, labels, _, _ in rows if labels.any() and not labels.all()]
    every = np.concatenate([measures for measures, _ in rows])
    scale = every.std(0) + 1e-6

    def loss(weights):
        total, slope = ridge * weights @ weights / 2, ridge * weights
        for measures, labels in rows:
            scores = measures / scale @ weights
            share = np.exp(scores - scores.max())
            share /= share.sum()
            held = share[labels].sum() + 1e-12
            total -= np.log(held)
            slope = slope - (measures / scale).T @ (np.where(labels, share / held, 0) - share)
        return total, slope

    return minimize(loss, np.zeros(every.shape[1]), jac=True, method="L-BFGS-B").x / scale


def chosen(row, weights):
    """Whether the windows that are chosen hold the answer, and what the odds weigh; none without a window."""
    _, measures, labels, places, besides = row
    if not len(measures):
        return False, None
    scores = measures @ weights
    order = np.argsort(-scores, kind="stable")
    best = order[0]
    rival = next((scores[at] for at in order if places[at][0] != places[best][0]), scores[order[-1]])
    second = next((at for at in order if places[at][1] != places[best][1]), None)
    hit = labels[best] or (second is not None and scores[best] - scores[second] <= SECOND and labels[second])
    return bool(hit), np.concatenate([measures[best], [scores[best], scores[best] - rival], besides[2:]])


def odds(picked):
    """Weights and bias of the odds that what was chosen answers."""
    inputs = np.array([values for _, values in picked if values is not None])
    hits = np.array([hit for hit, values in picked if values is not None])
    mean, scale = inputs.mean(0), inputs.std(0) + 1e-6
    fitted = LogisticRegression(C=STRENGTH, max_iter=5000).fit((inputs - mean) / scale, hits)
    weights = fitted.coef_[0] / scale
    return weights, float(fitted.intercept_[0] - mean @ weights)


def crossed(sets, seed):
    """Cross-validated (item, hit, odds) of each set: no page is on both sides."""
    page = lambda row: row[0]["lines"][0]["path"] if row[0]["lines"] else row[0]["id"]
    order = sorted({page(row) for rows in sets for row in rows})
    random.Random(seed).shuffle(order)
    place = {name: at % FOLDS for at, name in enumerate(order)}
    fold = lambda row: place[page(row)]
    out = [[] for _ in sets]
    for left in range(FOLDS):
        rest = [row for rows in sets for row in rows if fold(row) != left]
        weights = rank(rest)
        # What the odds see must be as foreign to the weights as what they will judge.
        picked = []
        for part in sorted(set(range(FOLDS)) - {left}):
            without = rank([row for row in rest if fold(row) != part])
            picked += [chosen(row, without) for row in rest if fold(row) == part]
        scale, bias = odds(picked)
        for rows, into in zip(sets, out):
            for row in rows:
                if fold(row) == left:
                    hit, values = chosen(row, weights)
                    into.append((row[0], hit, -99.0 if values is None else float(values @ scale + bias)))
    return out


def at_bar(judged, bar):
    """Right of the answerable and wrong of all where everything from the bar on is answered."""
    answered = [(item, hit) for item, hit, value in judged if value >= bar]
    rights = sum(hit for _, hit in answered)
    return rights / sum(item["answerable"] for item, _, _ in judged), (len(answered) - rights) / len(judged)


def bar_for(judged, wrong):
    """The lowest bar that keeps the share of wrong answers."""
    best = max(value for _, _, value in judged)
    for bar in sorted({value for _, _, value in judged}, reverse=True):
        if at_bar(judged, bar)[1] <= wrong:
            best = bar
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("pairs", nargs="+", metavar="ITEMS:ANSWERS")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--wrong", type=float, default=0.10)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--drop", default="", help="measures to leave out, for an ablation")
    told = parser.parse_args()
    told.answers, read_sets = [], []
    for pair in told.pairs:
        items, answers = map(pathlib.Path, pair.split(":"))
        told.answers.append(answers)
        read_sets.append(read(told.tool, [json.loads(line) for line in items.read_text().splitlines() if line], answers))
    names, sets = read_sets[0][0], [rows for _, rows in read_sets]
    for name in filter(None, told.drop.split(",")):
        for rows in sets:
            for row in rows:
                row[1][:, names["measures"].index(name)] = 0
    figures, bars = collections.defaultdict(list), []
    for seed in range(told.seeds):
        judged = crossed(sets, seed)
        bars.append(bar_for([entry for one in judged for entry in one], told.wrong))
        for file, one in zip(told.answers, judged):
            figures[file.name].append(
                [at_bar(one, -98)[0]] + [at_bar(one, bar_for(one, wrong))[0] for wrong in (0.05, 0.10, 0.15)])
    for (file, rows), many in zip(zip(told.answers, sets), figures.values()):
        there = sum(bool(labels.any()) for _, _, labels, _, _ in rows) / sum(row[0]["answerable"] for row in rows)
        every, low, middle, high = np.mean(many, 0)
        print(f"{file.name}: of the answerable {there:.3f} have a right window, {every:.3f} are right where all are answered; "
              f"right with 5 / 10 / 15 % wrong: {low:.3f} / {middle:.3f} / {high:.3f}")
    if told.out:
        rows = [row for one in sets for row in one]
        weights = rank(rows)
        picked = []
        for at in range(FOLDS):
            ids = sorted({row[0]["id"] for row in rows})
            own = {name for place, name in enumerate(ids) if place % FOLDS == at}
            without = rank([row for row in rows if row[0]["id"] not in own])
            picked += [chosen(row, without) for row in rows if row[0]["id"] in own]
        scale, bias = odds(picked)
        keep = lambda names, values: {name: float(f"{value:.5g}") for name, value in zip(names, values) if abs(value) > 1e-9}
        model = {"window": keep(names["measures"], weights), "answer": keep(names["measures"] + names["besides"], scale),
                 "bias": round(bias, 5), "bar": round(float(np.mean(bars)), 4), "second": SECOND}
        told.out.write_text(json.dumps(model, indent=1) + "\n")


if __name__ == "__main__":
    main()
