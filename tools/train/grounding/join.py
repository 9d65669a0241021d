"""How what an entailment model says is joined with our own probability: a logistic, fitted for one model on pairs written by hand."""
import numpy as np

import suite
from models import Logistic
from work import BY_HAND_PAIRS, SUITE

SCORES = "grounding/entailment_scores.jsonl"
# The sets that are only counted.
COUNTED = ("held", "open", "written")


def scored(work):
    """What the model says of each case, by set: cases in the order of the file, and its difference of logits."""
    cases = {name: {case["id"]: case for case in suite.load(SUITE / f"{name}.jsonl")} for name in COUNTED}
    cases["fit"] = {case["id"]: case for file in BY_HAND_PAIRS for case in suite.load(file)}
    rows = [row for row in work.rows(SCORES) if row["id"] in cases[row["set"]]]
    return {name: ([cases[name][r["id"]] for r in rows if r["set"] == name], np.array([r["d"] for r in rows if r["set"] == name])) for name in cases}


class Joined:
    """Probability from our own log-odds and the model's difference of logits. The model says most near the middle of its range, so that the
    distance from the agreement it was seen to show counts, on each side by itself."""

    NAMES = ["own", "below", "above"]
    AGREES = 0.5

    def __init__(self, own, d, good):
        self.model = Logistic(self.NAMES, 1.0).fit(self.measures(own, d), good)

    def measures(self, own, d):
        return np.column_stack([own, np.maximum(0, self.AGREES - d), np.maximum(0, d - self.AGREES)])

    def p(self, own, d):
        return self.model.p(self.measures(own, d))
