"""Relevance: whether sources can answer a question, a logistic over few measures."""
import json

import numpy as np
from sklearn.metrics import roc_auc_score

from models import FOLDS, SEED, Logistic, bars, calibration_error, debiased_interval
from work import OUT

FILE = "relevance/clapnq_dev_a.jsonl"
# Weight of a question held against the sources of another question.
STRANGE = 0.3
# Ways to cut the folds: so few questions that the folds decide.
CUTS = 20


class Questions:
    """Questions with their sources (`x`, label `y`), and with those of another question (`strange`): fitted on, never scored. Without them
    only passages on the subject are known."""

    def __init__(self, work, names):
        self.names = names["relevance"]
        data = work.rows(FILE)
        measured = lambda items: np.array([o["features"] for o in work.said("relevance", items)])
        self.x, self.y = measured(data), np.array([r["gold"]["answerable"] for r in data])
        self.strange = measured([dict(r, sources=data[(i + len(data) // 2) % len(data)]["sources"]) for i, r in enumerate(data)])

    def fit(self, kept):
        weight = np.r_[np.ones(kept.sum()), np.full(kept.sum(), STRANGE)]
        return Logistic(self.names, 0.1).fit(np.vstack([self.x[kept], self.strange[kept]]), np.r_[self.y[kept], np.zeros(kept.sum(), bool)], weight)

    def scored(self, fold, draw):
        """Probabilities of questions and of strangers, each by a model without its fold, and the figures over them."""
        p, strange = np.zeros(len(self.y)), np.zeros(len(self.y))
        for k in range(FOLDS):
            model = self.fit(fold != k)
            p[fold == k], strange[fold == k] = model.p(self.x[fold == k]), model.p(self.strange[fold == k])
        # What a model that is calibrated perfectly shows on so few items.
        chance = np.mean([calibration_error(p, draw.random(len(p)) < p) for _ in range(50)])
        return p, strange, {"auroc": roc_auc_score(self.y, p), "calibration_error": calibration_error(p, self.y), "calibration_error_by_chance": chance}


def cuts(asked):
    """Means over all ways to cut the folds: of probabilities, of those of strangers, and of the figures; and all probabilities."""
    draw = np.random.default_rng(SEED)
    found = [asked.scored(draw.permutation(len(asked.y)) % FOLDS, draw) for _ in range(CUTS)]
    p, strange = (np.mean([c[i] for c in found], 0) for i in (0, 1))
    return p, strange, {name: float(np.mean([c[2][name] for c in found])) for name in found[0][2]}, [c[0] for c in found]


def cross_validated(work, names, draws=300):
    """AUROC with its interval over questions."""
    asked = Questions(work, names)
    _, _, held, many = cuts(asked)
    draw, found = np.random.default_rng(SEED), []
    for _ in range(draws):
        at, p = draw.integers(0, len(asked.y), len(asked.y)), many[draw.integers(0, len(many))]
        found.append(roc_auc_score(asked.y[at], p[at]))
    return held | {"interval": np.quantile(found, [0.025, 0.975])}


def fit(work, names):
    """Fits and writes the model of relevance."""
    asked = Questions(work, names)
    p, strange, held, many = cuts(asked)
    y = asked.y
    bar = bars(p[y], np.ones(y.sum()))
    held |= {"answerable": y.mean(), "strangers_below_fr_1": (strange < bar["fr_1"]).mean(), "strangers_below_fr_3": (strange < bar["fr_3"]).mean()}
    held |= dict(zip(("calibration_error_debiased", "calibration_error_debiased_low", "calibration_error_debiased_high"), debiased_interval(many, y)))
    held = {k: round(float(v), 4) for k, v in held.items()}
    print(f"relevance, cross-validated, means over {CUTS} ways to cut the folds:", held)
    for i, name in enumerate(asked.names):
        print(f"  {name:20} alone {roc_auc_score(y, asked.x[:, i]):.3f}")
    model = {"version": 1, "relevance": asked.fit(y | ~y).dump(), "bars": bar, "training": {"files": {FILE: work.digest(FILE)}, "items": len(y), "held_out": held}}
    (OUT / "relevance.json").write_text(json.dumps(model, indent=1) + "\n")
