"""Which claims and answers a policy flags, and bars that are fitted on real answers, pairs by hand and generated edits together."""
import numpy as np

import suite
from models import answer_measures

# Share of bad answers where answers are really given.
DEPLOYED = 0.26


class Judged:
    """What models and rules say of the claims of a set of items.

    `p`, `ruled`: of each claim its probability, and whether a rule decides against it.
    `of`: the item of each claim. `against`: items of which a clause or a bare figure is ruled out, which no claim by itself shows.
    """

    def __init__(self, fitted, answers, p, ruled, of, count, against=None):
        self.bar, self.p, self.ruled, self.of, self.count = fitted.bar, p, ruled, of, count
        self.against = np.zeros(count, bool) if against is None else against
        has = np.isin(np.arange(count), of)
        places = [np.where(of == i)[0] for i in range(count)] if count < 5000 else np.split(np.argsort(of, kind="stable"), np.cumsum(np.bincount(of, minlength=count))[:-1])
        self.worst = np.array([p[at].min() if len(at) else 0.5 for at in places])
        measures = np.array([answer_measures(p[at]) if len(at) else [0.0] * len(answers.names) for at in places])
        self.support = np.where(has, answers.model(answers.has).p(measures), 0.5)

    def flagged(self, budget="fr_3"):
        """Whether some claim of an item is flagged."""
        return (np.bincount(self.of, self.ruled | (self.p < self.bar[budget]), self.count) > 0) | self.against

    @classmethod
    def of_real(cls, fitted, answers):
        """Real answers, by models without their question."""
        had = fitted.had
        judged = cls(fitted, answers, fitted.final, fitted.decided, had.of, len(had.data), against(had.work.said("judge balanced", had.data)))
        judged.support = answers.p
        return judged

    @classmethod
    def of_generated(cls, fitted, answers):
        """Generated claims, each by itself, by models without generator and base text."""
        count = len(fitted.gfinal)
        return cls(fitted, answers, fitted.gfinal, fitted.gdecided, np.arange(count), count)

    @classmethod
    def of_cases(cls, fitted, answers, cases, bases=None, shipped=False):
        """Items of a set; with `bases` by models that saw no case of these documents; with `shipped` by those in the program."""
        asked = [suite.asked(case) for case in cases]
        told = fitted.had.work.said("judge balanced", asked)
        if shipped:
            return Shipped(told)
        rows, rules, of = fitted.had.outside(asked)
        p, ruled = fitted.said(rows, rules) if bases is None else fitted.without(bases, rows, rules)
        return cls(fitted, answers, p, ruled, of, len(cases), against(told))


class Shipped:
    """The same as the program says it."""

    def __init__(self, told):
        of = lambda o: [c["support"] for c in o["claims"] if c["support"] is not None]
        self.support = np.array([0.5 if o["support"] is None else o["support"] for o in told])
        self.worst = np.array([min(of(o), default=0.5) for o in told])
        self.said = np.array([any(c["status"] in suite.BAD for c in o["claims"]) for o in told])

    def flagged(self, budget="fr_3"):
        return self.said


def against(told):
    """Items of which a clause is contradicted, or a figure without words stands in no source, whatever the models say."""
    ruled = lambda c: c["status"] == "CONTRADICTED" or c["status"] == "UNSUPPORTED" and c["reason"].startswith("number: no source holds")
    return np.array([any(ruled(c) for c in o["claims"]) for o in told])
