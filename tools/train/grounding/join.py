"""How what an entailment model says is joined with our own probability: a logistic for one model, fitted on pairs written by hand."""
import json, pathlib

import numpy as np

import suite
from models import logit
from policies import Judged
from work import BY_HAND_PAIRS, SUITE

SCORES = "grounding/entailment_scores.jsonl"
# The sets that are only counted.
COUNTED = ("held", "open", "written")
# Greatest difference of logits that counts, as in libs/grounding/src/join.
MOST = 12.0


def scored(work):
    """What the model says, by set: cases, and its difference of logits."""
    cases = {name: {case["id"]: case for case in suite.load(SUITE / f"{name}.jsonl")} for name in COUNTED}
    cases["fit"] = {case["id"]: case for file in BY_HAND_PAIRS for case in suite.load(file)}
    rows = [row for row in work.rows(SCORES) if row["id"] in cases[row["set"]]]
    return {name: ([cases[name][r["id"]] for r in rows if r["set"] == name], np.array([r["d"] for r in rows if r["set"] == name])) for name in cases}


class Join:
    """A join as libs/grounding reads it, fitted by the crate itself on probabilities of words, differences of logits and labels."""

    def __init__(self, work, own, difference, good, name="unnamed", digest="0"):
        rows = [json.dumps({"own": float(p), "difference": float(d), "supported": bool(g)}) for p, d, g in zip(own, difference, good)]
        self.data = json.loads(work.tool(f"join {name} {digest}", rows)[0])

    def p(self, own, difference):
        of = {"own": logit(own), "difference": np.clip(difference, -MOST, MOST)}
        total = self.data["bias"]
        for term in self.data["terms"]:
            value = of[term["of"]]
            if term.get("above") is not None:
                value = np.maximum(0, value - term["above"])
            elif term.get("below") is not None:
                value = np.maximum(0, term["below"] - value)
            total = total + term["weight"] * value
        return 1 / (1 + np.exp(-total))


def judged(fitted, answers, cases, name):
    """What words say of a set: of pairs that are fitted on, by models that saw no case of their documents."""
    return Judged.of_cases(fitted, answers, cases, {c["label"]["base"] for c in cases} if name == "fit" else None)


def fit(work, fitted, answers, name, digest, out):
    """Fits the join of the model whose scores are at hand and writes it to a file."""
    cases, difference = scored(work)["fit"]
    own = judged(fitted, answers, cases, "fit").worst
    join = Join(work, own, difference, [c["label"]["good"] for c in cases], name, digest)
    join.data["fitted_on"]["sha256"] = work.digest(SCORES)
    pathlib.Path(out).write_text(json.dumps(join.data, indent=1) + "\n")
    print(f"join of {name}: {len(cases)} pairs, terms {join.data['terms']}, bars {join.data['bars']}")
