"""Word weights and added words: how many passages hold a stem, and how often it stands in what people marked."""
import collections, re

import numpy as np
import scipy.sparse
from sklearn.utils.extmath import randomized_svd

from models import FOLDS, SEED
from work import OUT, QA

# Dimensions of the word vectors, and the ridge on them; sightings at which a stem's own share counts half.
DIMENSIONS, RIDGE, SIGHTINGS = 200, 1000.0, 40.0
# As in libs/grounding/src/novelty.rs.
NONE, LIFT = -0.3, 0.15


def texts(work):
    """Passages, abstracts and documentation: the body of prose that word weights and word vectors are counted over."""
    found = [s["text"] for r in work.rows(QA) for s in r["sources"]]
    found += [r["title"] + ". " + r["text"] for r in work.rows("retrieval/scifact/corpus.jsonl.gz")]
    for page in sorted((work.data / "documents").rglob("*.md")):
        found += [p for p in page.read_text().split("\n\n") if len(p) > 80]
    return sorted({" ".join(t.split()) for t in found})


def idf(work):
    found = texts(work)
    counts = collections.Counter(stem for line in work.tool("idf", found) for stem in line.split())
    kept = sorted(((n, s) for s, n in counts.items() if n >= 4), key=lambda e: (-e[0], e[1]))[:9000]
    (OUT / "idf.tsv").write_text(f"#{len(found)}\n" + "".join(f"{s}\t{n}\n" for n, s in kept))


def vectors(work):
    """Word vectors from which stems stand in one sentence with which: positive pointwise mutual information, factored."""
    sentences = sorted({s for t in texts(work) for s in re.split(r"(?<=[.!?])\s+", t) if len(s) > 20})
    bags = [line.split() for line in work.tool("idf", sentences)]
    counts = collections.Counter(s for bag in bags for s in bag)
    stems = sorted(s for s, n in counts.items() if n >= 3)
    place = {s: i for i, s in enumerate(stems)}
    cells = [(a, place[s], len(bag) ** -0.5) for a, bag in enumerate(bags) for s in bag if s in place]
    held = scipy.sparse.csr_matrix(([c[2] for c in cells], ([c[0] for c in cells], [c[1] for c in cells])), (len(bags), len(stems)))
    together = (held.T @ held).tocsr()
    together.setdiag(0)
    together.eliminate_zeros()
    row = np.asarray(together.sum(1)).ravel() + 1e-9
    column = row**0.75 / (row**0.75).sum()
    together = together.tocoo()
    value = np.log(together.data / (row[together.row] * column[together.col]))
    kept = value > 0
    positive = scipy.sparse.csr_matrix((value[kept], (together.row[kept], together.col[kept])), together.shape)
    u, strength, _ = randomized_svd(positive, DIMENSIONS, n_iter=4, random_state=SEED)
    found = u * np.sqrt(strength)
    found /= np.linalg.norm(found, axis=1, keepdims=True) + 1e-9
    return stems, found / found.std()


class Words:
    """The content words of all claims of a set, one a row."""

    def __init__(self, out, stems):
        place = {s: i for i, s in enumerate(stems)}
        claims = [c for o in out for c in o["claims"]]
        self.claims = len(claims)
        flat = [(i, w) for i, c in enumerate(claims) for w in c["words"]]
        self.claim = np.array([i for i, _ in flat], int)
        self.stem = np.array([place.get(w[1], -1) for _, w in flat], int)
        self.weight = np.array([w[2] for _, w in flat], float)
        bits = np.array([w[3] for _, w in flat], int)
        self.held, self.begun, self.word = bits & 1 > 0, bits & 2 > 0, bits & 4 > 0
        self.clause = np.array([w[4] for _, w in flat], int)
        self.text = [w[0] for _, w in flat]

    def surroundings(self):
        """What else tells an added word: rarity, length of the run of such words, share of them around it, a capital."""
        out = np.zeros((len(self.claim), 6))
        start = np.searchsorted(self.claim, np.arange(self.claims + 1))
        for a, b in zip(start, start[1:]):
            open_, weight, clause = ~self.held[a:b], self.weight[a:b], self.clause[a:b]
            run = 0
            runs = np.zeros(b - a)
            for at, free in enumerate(open_):
                run = run + 1 if free else 0
                runs[at] = run
            for at in range(b - a - 2, -1, -1):
                if runs[at] and runs[at + 1]:
                    runs[at] = runs[at + 1]
            for at in range(b - a):
                near = np.r_[open_[max(0, at - 2):at], open_[at + 1:at + 3]]
                around = slice(max(0, at - 5), at + 6)
                alike = clause == clause[at]
                out[a + at] = [weight[at], runs[at], near.mean() if len(near) else 0.5, (weight * open_)[around].sum() / weight[around].sum(),
                               weight[alike & open_].sum() / weight[alike].sum(), self.text[a + at][:1].isupper()]
        return out

    def measures(self, values):
        """The measures of libs/grounding/src/novelty.rs for every claim; the last value is that of unknown stems."""
        value, columns = values[self.stem], []
        for chosen in (self.word & ~self.held, self.word & ~self.begun):
            claim, v = self.claim[chosen], value[chosen]
            total = np.bincount(claim, v, self.claims)
            worst = np.full(self.claims, NONE)
            np.maximum.at(worst, claim, v)
            columns += [total, worst, total / np.maximum(1, np.bincount(claim, minlength=self.claims)),
                        np.bincount(claim, np.maximum(0, v + LIFT) * self.weight[chosen], self.claims)]
        return np.column_stack(columns)


class Added:
    """How often an added word stands in what people marked, by its stem: over word vectors, beside what surrounds it, and by
    the stem's own share where it was seen often."""

    def __init__(self, work, data, out, fold):
        self.stems, self.vectors = vectors(work)
        self.words = words = Words(out, self.stems)
        claims = [(i, c) for i, o in enumerate(out) for c in o["claims"]]
        label = np.full(len(words.claim), -1)
        at, before = 0, -1
        for row, number in enumerate(words.claim):
            i, c = claims[number]
            answer = data[i]["answer"]
            if number != before:
                at, before = c["start"], number
            found = answer.find(words.text[row], at, c["end"] + 1)
            if found >= 0:
                at = found + len(words.text[row])
                label[row] = any(found < e and at > s for s, e, *_ in data[i]["gold"]["unsupported"])
        self.use = words.word & ~words.held & (label >= 0)
        self.label, self.fold = label == 1, fold[words.claim]
        known = words.stem >= 0
        self.design = np.column_stack([np.where(known[:, None], self.vectors[words.stem], 0), ~known, np.ones(len(known)), words.surroundings()])
        self.parts = {}
        for k in range(FOLDS):
            z = self.design[self.use & (self.fold == k)]
            self.parts[k] = z.T @ z, z.T @ self.label[self.use & (self.fold == k)]

    def values(self, folds):
        """Value of each stem and, last, of every other word; fitted on some folds, in thousandths as in the table."""
        folds = list(folds)
        ridge = np.r_[np.full(DIMENSIONS, RIDGE), np.ones(self.design.shape[1] - DIMENSIONS)]
        w = np.linalg.solve(sum(self.parts[k][0] for k in folds) + np.diag(ridge), sum(self.parts[k][1] for k in folds))
        seen = self.use & np.isin(self.fold, folds) & (self.words.stem >= 0)
        by_stem = self.vectors @ w[:DIMENSIONS]
        middle = by_stem[self.words.stem[seen]].mean()
        rest = self.label[seen] - self.design[seen] @ w
        n = len(self.stems)
        by_stem += np.bincount(self.words.stem[seen], rest, n) / (np.bincount(self.words.stem[seen], minlength=n) + SIGHTINGS)
        return np.round(np.r_[by_stem - middle, w[DIMENSIONS] - middle], 3)

    def nested(self):
        """Measures of the claims, none of them with a table that its own question had a part in: for each fold that is kept
        aside, once more without it; and for all."""
        every = range(FOLDS)
        apart = {frozenset((k, j)): self.words.measures(self.values(f for f in every if f not in (k, j))) for k in every for j in every if j >= k}
        rows_of = self.fold_of_claims = np.zeros(self.words.claims, int)
        rows_of[self.words.claim] = self.fold
        pick = lambda k: np.choose(rows_of[:, None], [apart[frozenset((k, j))] for j in every])
        return [pick(k) for k in every], np.choose(rows_of[:, None], [apart[frozenset((j,))] for j in every])


def write_table(stems, values):
    lines = [f"{stem}\t{round(value * 1000)}\n" for stem, value in zip(stems, values)]
    (OUT / "novelty.tsv").write_text(f"#{round(values[-1] * 1000)}\n" + "".join(lines))
