"""Models and their figures: logistic regression, boosted trees, bars, calibration, intervals."""
import hashlib, os

# One thread everywhere: sums in one order, and no waiting for one another on a busy machine.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import lightgbm
import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

FOLDS = 5
SEED = 1
# What share of the good claims that fall below some probability by the model for free wording may fall below it by that for near
# copies.
BESIDE = 0.2
TREES = {"objective": "binary", "num_leaves": 15, "min_data_in_leaf": 40, "bagging_fraction": 0.8, "bagging_freq": 1, "feature_fraction": 0.4,
         "lambda_l2": 5.0, "max_bin": 63, "num_threads": 1, "verbose": -1, "seed": SEED, "deterministic": True, "force_row_wise": True}
FREE = (TREES | {"learning_rate": 0.05, "extra_trees": True}, 350)
NEAR = (TREES | {"learning_rate": 0.05}, 220)



def fold_of(group):
    """Fold of a question, and of a base text: a base text of passages belongs to their question."""
    return int(hashlib.sha256(group.removeprefix("web/").encode()).hexdigest(), 16) % FOLDS


class Logistic:
    """Standardised logistic regression, written out for our own inference."""

    def __init__(self, names, c=0.3):
        self.names, self.c = names, c

    def fit(self, x, y, weight=None):
        self.mean, self.scale = x.mean(0), x.std(0) + 1e-6
        self.model = LogisticRegression(C=self.c, max_iter=3000).fit((x - self.mean) / self.scale, y, weight)
        return self

    def p(self, x):
        return 1 / (1 + np.exp(-self.model.decision_function((x - self.mean) / self.scale)))

    def dump(self):
        r = lambda a: [round(float(v), 6) for v in a]
        return {"features": self.names, "mean": r(self.mean), "scale": r(self.scale), "weights": r(self.model.coef_[0]),
                "intercept": round(float(self.model.intercept_[0]), 6)}


class Boosted:
    """Boosted trees that say how likely a claim is supported, written out for our own inference."""

    def __init__(self, names, settings):
        self.names, (self.settings, self.rounds) = names, settings

    def fit(self, x, y, weight=None):
        self.model = lightgbm.train(self.settings, lightgbm.Dataset(x, y.astype(int), weight=weight, feature_name=self.names), self.rounds)
        return self

    def margin(self, x):
        return self.model.predict(x, raw_score=True)

    def calibrate(self, margin, y, weight=None):
        """Isotonic over margins that were computed without their own labels, thinned to a few knots."""
        curve = IsotonicRegression(y_min=0.004, y_max=0.996, out_of_bounds="clip").fit(margin, y, weight)
        at = np.unique(np.quantile(margin, np.linspace(0, 1, 33)))
        # Mean over each stretch, so that no two margins share a probability and the order of claims is kept.
        p = np.maximum.accumulate(np.convolve(np.pad(curve.predict(at), 1, mode="edge"), [0.25, 0.5, 0.25], "valid"))
        p = np.clip(p + np.linspace(-0.003, 0.003, len(p)), 0.001, 0.999)
        self.knots = [[round(float(a), 5), round(float(b), 5)] for a, b in zip(at, np.maximum.accumulate(p))]
        return self

    def match(self, margin, other):
        """A curve by which as many of the good real claims, times BESIDE, fall below each probability as by another model's
        probabilities of them: half of what this model was fitted on was changed, of what it is used on nearly nothing."""
        at = np.quantile(margin, np.r_[np.linspace(0, 0.1, 21), np.linspace(0.15, 1, 18)])
        p = np.quantile(other, np.minimum(1, np.searchsorted(np.sort(margin), at, side="right") / len(margin) / BESIDE))
        p = np.maximum.accumulate(np.clip(p + np.linspace(-0.003, 0.003, len(p)), 0.001, 0.999))
        self.knots = [[round(float(a), 5), round(float(b), 5)] for a, b in zip(at, p)]

    def p(self, margin):
        return np.interp(margin, [k[0] for k in self.knots], [k[1] for k in self.knots])

    def dump(self):
        def grow(tree):
            flat = {"split": [], "at": [], "left": [], "right": [], "leaf": []}

            def walk(node):
                if "leaf_value" in node:
                    flat["leaf"].append(round(node["leaf_value"], 6))
                    return -len(flat["leaf"])
                here = len(flat["split"])
                assert node["decision_type"] == "<="
                flat["split"].append(node["split_feature"])
                flat["at"].append(round(node["threshold"], 6))
                flat["left"].append(0)
                flat["right"].append(0)
                flat["left"][here] = walk(node["left_child"])
                flat["right"][here] = walk(node["right_child"])
                return here

            walk(tree["tree_structure"])
            return flat

        return {"features": self.names, "trees": [grow(t) for t in self.model.dump_model()["tree_info"]], "calibration": self.knots}


def logit(p):
    p = np.clip(p, 1e-4, 1 - 1e-4)
    return np.log(p / (1 - p))


def lowered(p, cost):
    """A probability with something taken from its log-odds, as libs/grounding/src/support/ does."""
    odds = p / np.maximum(1 - p, 1e-9) * np.exp(-cost)
    return odds / (1 + odds)


def answer_measures(ps):
    ordered = sorted(ps)
    return [logit(ordered[0]), logit(ordered[1] if len(ordered) > 1 else 0.98), float(np.log(np.clip(ps, 1e-4, 1)).sum()), np.log(len(ps)), float(np.log1p((1 - np.asarray(ps)).sum()))]


def bars(p, weight):
    order = np.argsort(p)
    share = np.cumsum(weight[order]) / weight.sum()
    at = lambda q: round(float(p[order][np.searchsorted(share, q)]), 6)
    return {"fr_1": at(0.01), "fr_3": at(0.03), "fr_5": at(0.05)}


def calibration_error(p, y, bins=10):
    """Expected calibration error over bins of equal width."""
    which = np.minimum((p * bins).astype(int), bins - 1)
    return float(sum(abs(p[which == b].mean() - y[which == b].mean()) * (which == b).mean() for b in range(bins) if (which == b).any()))


def debiased_square(p, y, bins=10):
    """Squared calibration error over bins of equal mass, less what chance alone gives: the mean squared gap, from which the variance
    of each bin's mean is taken. The debiased estimator of Kumar, Liang and Ma (Verified uncertainty calibration, 2019), which is the
    reliability term of Bröcker (Estimating reliability and resolution of probability forecasts, 2012). Below 0 by chance."""
    parts = np.array_split(np.argsort(p, kind="stable"), bins)
    square = lambda b: (p[b].mean() - y[b].mean()) ** 2 - y[b].mean() * (1 - y[b].mean()) / (len(b) - 1)
    return float(sum(square(b) * len(b) for b in parts) / len(p))


def root(square):
    return float(max(0.0, square) ** 0.5)


def debiased_interval(many, y, parts=30):
    """Debiased calibration error of several predictions of the same items, its mean over them, with a 95 % interval: by the jackknife
    over groups of items, on the square, of which the root is taken."""
    over = lambda kept: np.mean([debiased_square(p[kept], y[kept]) for p in many])
    group = np.random.default_rng(SEED).permutation(len(y)) % parts
    left = np.array([over(group != k) for k in range(parts)])
    middle, spread = over(np.ones(len(y), bool)), 1.96 * ((parts - 1) / parts * ((left - left.mean()) ** 2).sum()) ** 0.5
    return [root(v) for v in (middle, middle - spread, middle + spread)]


def interval(values, scores, groups, draws=200):
    """95 % bootstrap interval of an AUROC over groups."""
    draw = np.random.default_rng(SEED)
    names, place = np.unique(groups, return_inverse=True)
    members = [np.where(place == k)[0] for k in range(len(names))]
    found = []
    for _ in range(draws):
        pick = np.concatenate([members[k] for k in draw.integers(0, len(names), len(names))])
        if 0 < values[pick].mean() < 1:
            found.append(roc_auc_score(values[pick], scores[pick]))
    return [round(float(q), 3) for q in np.quantile(found, [0.025, 0.975])]
