"""Claim support: two boosted models, cross-validated and fitted on all, with their bars and the model of whole answers."""
import json

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score

import suite
from claims import INVENTED, INVENTIONS, Claims
from models import FOLDS, FREE, NEAR, Boosted, Logistic, answer_measures, bars, calibration_error, fold_of, interval, logit, lowered
from work import OUT

# Weight of a pair written by hand and of a real near copy beside a generated case in the model for near copies.
BY_HAND, REAL = 3.0, 3.0
# What shares real claims, generated ones and those by hand have when costs are fitted and bars are chosen.
SHARES = {"real": 0.45, "generated": 0.45, "by hand": 0.1}
# Weight of the squares of the costs beside a likelihood over as many claims as there are.
RIDGE = 2.0
# Greatest cost.
MOST = 4.0


class Support:
    """The models of support, and what models say of claims that they did not see.

    `final`, `decided`: of real claims, by models without their question. `gfinal`, `gdecided`: of generated claims, without their generator
    and base text; of pairs by hand, without their document. `bar`: bars by false-rejection budget.
    """

    def __init__(self, had, names):
        self.had, self.names = had, names
        self.aligned = names["claim"].index("aligned")
        self.taught = had.generator == "taught"
        self.invented = np.isin([l["change"] for l in had.label], INVENTIONS) & ~self.taught
        self.gx = had.gx
        self.close = had.x[:, self.aligned] >= names["aligned"]
        self.free, self.near = Boosted(names["claim"], FREE), Boosted(names["claim"], NEAR)
        self.cross_validate()
        self.fit()
        self.bar = self.bars()

    def with_strangers(self, c, seen):
        """Real claims `c`, strangers, and of the generated claims that are `seen` those that say something of their own."""
        had = self.had
        ix = had.gx[self.invented & seen]
        return (np.vstack([had.x[c], had.sx, ix]), np.concatenate([had.y[c], np.zeros(len(had.sx) + len(ix), bool)]),
                np.concatenate([np.ones(c.sum()), had.sweight, np.full(len(ix), INVENTED)]))

    def with_real(self, g, r):
        """Generated cases and pairs by hand, and real near copies beside them: a model that has only seen invented changes
        suspects every paraphrase."""
        had = self.had
        return np.vstack([had.gx[g], had.x[r]]), np.concatenate([had.gy[g], had.y[r]]), np.concatenate([np.where(self.taught[g], BY_HAND, 1.0), np.full(r.sum(), REAL)])

    def cross_validate(self):
        """Margins of claims by models that saw nothing of theirs."""
        had, free, near = self.had, self.free, self.near
        x, y, fold, base, generator, gx = had.x, had.y, had.fold, had.base, had.generator, self.gx
        self.margin, self.nmargin = np.zeros(len(y)), np.zeros(len(y))
        self.gfree, self.gmargin = np.zeros(len(had.gy)), np.zeros(len(had.gy))
        for k in range(FOLDS):
            self.margin[fold == k] = free.fit(*self.with_strangers(fold != k, base != k)).margin(x[fold == k])
        free.calibrate(self.margin, y)
        for k in range(FOLDS):
            # Pairs by hand are scored without all cases of their base texts.
            scored = self.taught & (base == k)
            near.fit(*self.with_real(base != k, self.close & (fold != k)))
            self.nmargin[fold == k], self.gmargin[scored] = near.margin(x[fold == k]), near.margin(gx[scored])
        for name in np.unique(generator):
            for half in range(2):
                # Neither the generator nor the base texts of what is scored were seen, nor real answers from them.
                scored, seen = (generator == name) & (base % 2 == half), (generator != name) & (base % 2 != half)
                others = ~np.isin(had.groups[had.of], [l["base"].removeprefix("web/") for l, mine in zip(had.label, scored) if mine])
                self.gfree[scored] = free.fit(*self.with_strangers(others, seen)).margin(gx[scored])
                if name != "taught":
                    self.gmargin[scored] = near.fit(*self.with_real(seen, self.close & others)).margin(gx[scored])

    def fit(self):
        """Both models on everything, and what both come to of what was cross-validated."""
        had, free, near = self.had, self.free, self.near
        p_free = free.p(self.margin)
        free.fit(*self.with_strangers(np.ones(len(had.y), bool), np.ones(len(had.gy), bool)))
        settled = had.y & (had.rule["cost"] == "") & (had.rule["floor"] == 0)
        near.match(self.nmargin[settled], p_free[settled])
        near.fit(*self.with_real(np.ones(len(had.gy), bool), self.close))
        self.p_free = p_free
        self.costs = self.fitted_costs()
        self.final, self.decided = self.joined(self.margin, self.nmargin, had.x, had.rule)
        self.gfinal, self.gdecided = self.joined(self.gfree, self.gmargin, self.gx, had.grule)

    def trees(self, margins, near_margins, rows, rules):
        """What both models come to, and at least what stands for a claim word by word."""
        p = self.free.p(margins)
        p = np.where(rows[:, self.aligned] >= self.names["aligned"], np.minimum(p, self.near.p(near_margins)), p)
        return np.where(rules["floor"] >= self.names["verbatim"], rules["floor"], np.maximum(p, rules["floor"]))

    def joined(self, margins, near_margins, rows, rules):
        """What both models and the rules come to: probability, and whether a rule decides."""
        cost = np.array([self.costs.get(name, 0.0) for name in rules["cost"]])
        return lowered(self.trees(margins, near_margins, rows, rules), cost), rules["decided"]

    def fitted_costs(self):
        """What each mismatch takes from the log-odds of the models: a logistic beside their cross-validated log-odds. None raises them."""
        had = self.had
        own = logit(np.concatenate([self.trees(self.margin, self.nmargin, had.x, had.rule), self.trees(self.gfree, self.gmargin, self.gx, had.grule)]))
        good, said = np.concatenate([had.y, had.gy]), np.concatenate([had.rule["cost"], had.grule["cost"]])
        names = sorted(set(said) - {""})
        fires = np.array([said == name for name in names], float).T
        weight = self.shares(np.ones(len(good), bool)) * len(good)

        def loss(told):
            # The log-odds are not scaled, since the product takes a cost from them as they are.
            odds = told[-1] + own - fires @ told[:-1]
            slope = weight * (1 / (1 + np.exp(-odds)) - good)
            value = (weight * (np.logaddexp(0, odds) - good * odds)).sum() + RIDGE * (told[:-1] ** 2).sum()
            return value, np.r_[-fires.T @ slope + 2 * RIDGE * told[:-1], slope.sum()]

        found = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B", bounds=[(0, MOST)] * len(names) + [(None, None)]).x
        return {str(name): round(float(cost), 3) for name, cost in zip(names, found)}

    def shares(self, counted):
        """Weights of real and of generated claims and those by hand, of which some are `counted`; their sum is 1."""
        kind = np.concatenate([np.full(len(self.had.y), "real     "), np.where(self.taught, "by hand", "generated")])
        kind = np.char.strip(kind)
        return sum(np.where(counted & (kind == name), share / (counted & (kind == name)).sum(), 0.0) for name, share in SHARES.items())

    def said(self, rows, rules):
        """The same of claims that nothing was fitted on."""
        return self.joined(self.free.margin(rows), self.near.margin(rows), rows, rules)

    def without(self, bases, rows, rules):
        """The same of claims by models that saw neither real answers to the questions nor cases of the documents in `bases`."""
        seen = ~np.isin([l["base"] for l in self.had.label], sorted(bases))
        free, near = Boosted(self.names["claim"], FREE), Boosted(self.names["claim"], NEAR)
        free.fit(*self.with_strangers(np.ones(len(self.had.y), bool), seen))
        near.fit(*self.with_real(seen, self.close))
        return self.joined(free.margin(rows), near.margin(rows), rows, rules)

    def bars(self):
        good = np.concatenate([self.had.y, self.had.gy])
        return bars(np.concatenate([self.final, self.gfinal])[good], self.shares(good)[good])


class Answers:
    """Every real answer counts. One that only refuses has no claim, and the share of such answers that people left unmarked; one
    of talk alone has nothing to go by."""

    def __init__(self, fitted):
        had = fitted.had
        self.names = fitted.names["answer"]
        self.refuses = np.array([o["refuses"] for o in had.out])
        self.y = np.array([r["gold"]["supported"] for r in had.data])
        self.fold = np.array([fold_of(g) for g in had.groups])
        self.has = np.isin(np.arange(len(had.data)), had.of)
        self.x = np.zeros((len(had.data), len(self.names)))
        self.x[self.has] = [answer_measures(fitted.final[had.of == i]) for i in np.where(self.has)[0]]
        self.p, self.chosen = np.full(len(self.y), 0.5), np.zeros(len(self.y), bool)
        for k in range(FOLDS):
            train = self.fold != k
            said = np.where(self.has, self.model(train).p(self.x), np.where(self.refuses, self.unmarked(train), 0.5))
            # The best F1 of calibrated probabilities is where a bad answer is half as likely as that F1 (Lipton, Elkan and Naryanaswamy,
            # Optimal thresholding of classifiers to maximize F1 measure, 2014): steadier than the threshold that was best by chance.
            bar = 1 - max(f1(said[train] < b, ~self.y[train]) for b in np.quantile(said[train], np.linspace(0.05, 0.9, 86))) / 2
            self.p[~train], self.chosen[~train] = said[~train], said[~train] < bar

    def model(self, kept):
        return Logistic(self.names, 1.0).fit(self.x[kept & self.has], self.y[kept & self.has])

    def unmarked(self, c):
        return (self.y[c & self.refuses].sum() + 1) / ((c & self.refuses).sum() + 2)


def f1(said, bad):
    return 2 * (said & bad).sum() / max(1, said.sum() + bad.sum())


def figures(fitted, answers):
    """What is cross-validated, by name."""
    had, y = fitted.had, answers.y
    gclose = fitted.gx[:, fitted.aligned] >= fitted.names["aligned"]
    tp, fp, fn = (answers.chosen & ~y).sum(), (answers.chosen & y).sum(), (~answers.chosen & ~y).sum()
    return {
        "sentence_auroc_free": roc_auc_score(had.y, fitted.p_free), "sentence_auroc": roc_auc_score(had.y, fitted.final), "answer_auroc": roc_auc_score(y, answers.p),
        "answer_f1": f1(answers.chosen, ~y), "answer_precision": tp / (tp + fp), "answer_recall": tp / (tp + fn),
        "sentence_calibration_error": calibration_error(fitted.final, had.y), "answer_calibration_error": calibration_error(answers.p, y),
        "bad_sentences": float((~had.y).mean()), "bad_answers": float((~y).mean()), "answers_that_only_refuse": int((answers.refuses & ~answers.has).sum()),
        "answer_auroc_with_claims": roc_auc_score(y[answers.has], answers.p[answers.has]),
        "near_auroc": roc_auc_score(had.gy[gclose], fitted.gmargin[gclose]), "changed_auroc": roc_auc_score(had.gy, fitted.gfinal),
    }


def fit(work, names, left_out=None):
    """Fits and writes the models of support; the claims, the models, the answers and the figures."""
    had = Claims(work)
    fitted = Support(had, names)
    answers = Answers(fitted)
    held, bar = figures(fitted, answers), fitted.bar
    print("support, cross-validated by question:", {k: round(float(v), 4) for k, v in held.items()})
    held["intervals"] = [interval(had.y, fitted.final, had.groups[had.of]), interval(answers.y, answers.p, had.groups)]
    print("  intervals: sentence", held["intervals"][0], "answer", held["intervals"][1])
    flagged = fitted.decided | (fitted.final < bar["fr_5"])
    print("  costs", fitted.costs)
    print("  bars", bar, f"; at the last, real claims: {flagged[had.y].mean():.3f} of the good and {flagged[~had.y].mean():.3f} of the bad flagged;"
          f" decided by rule {fitted.decided.mean():.3f}, {(~had.y)[fitted.decided].mean():.2f} of them bad")
    if left_out:
        suite.keep(left_out, had.label, fitted.gfinal, fitted.gdecided, bar)
    every = {k: round(float(v), 4) for k, v in held.items() if k != "intervals"}
    model = {"version": 3, "free": fitted.free.dump(), "near": fitted.near.dump(), "answer": answers.model(answers.has).dump(),
             "refusal": round(float(answers.unmarked(answers.has | ~answers.has)), 6), "costs": fitted.costs, "bars": bar,
             "training": {"files": work.digests(), "items": int(len(had.y) + len(had.gy)), "held_out": every}}
    (OUT / "support.json").write_text(json.dumps(model, separators=(",", ":")) + "\n")
    return fitted, answers, held
