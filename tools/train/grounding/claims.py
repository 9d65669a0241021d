"""All claims that the models of support are fitted on and scored with, measured."""
import random, re

import numpy as np

import suite
import texts as base_texts
from models import SEED, fold_of
from work import BY_HAND_PAIRS, QA

# Every how many answers are held against the sources of another question.
STRANGERS = 8
# Weight of a claim held against the sources of another question, and of a generated claim that says something of its own.
STRANGE, INVENTED = 0.08, 0.05
# The same for a real sentence of another text with two things of the sources in it.
GRAFTED = 0.15
INVENTIONS = ("fabrication", "other_source")


def fresh_pages(work):
    """Documentation pages of which no measured case speaks: their names and paragraphs."""
    for page in sorted((work.data / "documents").rglob("*.md")):
        text = re.sub(r"^---.*?---", "", page.read_text(), flags=re.S)
        paragraphs = [p for p in text.split("\n\n") if len(p) > 100 and p[0].isalpha()]
        if base_texts.fresh(page.stem, [base_texts.plain(p) for p in paragraphs]):
            yield page.stem, paragraphs


def left_out(work):
    """Sentences of a documentation page, of which no measured case speaks, held against the paragraphs around their own: on the subject,
    and not said."""
    items = []
    for name, paragraphs in fresh_pages(work):
        for i, paragraph in enumerate(paragraphs):
            flat = re.sub(r"\s+", " ", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph))
            sentences = [s for s in re.split(r"(?<=[.!?])\s+(?=[A-Z`])", flat) if 40 < len(s) < 220 and s.endswith(".")]
            around = paragraphs[max(0, i - 3):i] + paragraphs[i + 1:i + 4]
            if sentences and len(around) >= 3:
                items.append({"id": f"{name}-{i}", "question": "", "answer": sentences[len(sentences) // 2],
                              "sources": [{"id": str(n), "text": t} for n, t in enumerate(around)]})
    return items


# A noun behind an article, where what follows shows that it ends there.
THING = re.compile(r"\b((?:[Tt]he|[Aa]n?|[Ii]ts|[Tt]heir|[Yy]our) )([a-z]{4,})(?= (?:is|are|was|were|has|can|will|may|must|should|of|in|to|and|or|for|with|on|by|from|that|when|if|before|after|does)\b|[.,;])")


def grafted(work, data):
    """Real sentences with two things of other sources in the place of their own: what an invention looks like that speaks of things
    that the sources know."""
    draw = random.Random(SEED)
    whole = lambda text: [s for s in re.split(r"(?<=[.!?])\s+(?=[A-Z`])", re.sub(r"\s+", " ", text)) if 30 < len(s) < 200 and s.endswith(".") and THING.search(s) and not re.search(r"[Pp]assage|\d\.$", s)]
    told = [s for r in data if r["gold"]["supported"] for s in whole(r["answer"])[:2]]
    targets = [[s["text"] for s in r["sources"]] for r in data]
    for _, paragraphs in fresh_pages(work):
        plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", p) for p in paragraphs]
        told += [s for p in plain[::2] for s in whole(p)[:1]]
        targets += [plain[i:i + 4] for i in range(0, len(plain) - 3, 3)]
    draw.shuffle(targets)
    items = []
    for number, (sentence, sources) in enumerate(zip(told, targets)):
        things = sorted({m[2] for m in THING.finditer(" ".join(sources))} - {m[2] for m in THING.finditer(sentence)})
        if len(things) >= 2:
            names = iter(draw.sample(things, 2))
            items.append({"id": f"grafted-{number}", "question": "", "answer": THING.sub(lambda m: m[1] + next(names, m[2]), sentence),
                          "sources": [{"id": str(n), "text": text} for n, text in enumerate(sources)]})
    return items


# What the rules say of a claim.
RULE = [("floor", float), ("decided", bool), ("cost", "U16")]


def overlap(answer, start, end, spans):
    return any(sum(c.isalnum() for c in answer[max(start, s):min(end, e)]) >= 3 for s, e, *_ in spans)


def rule_of(c):
    """The least probability that stands for a claim word by word, whether a rule decides, and the name of what the rules cost it."""
    return c["floor"], c["decided"], c["cost"]


def table(items, out, label):
    """Claims of a set: measures, label (1 is supported), what the rules say, and the number of the item."""
    found = [(c["features"], label(item, c), rule_of(c), i) for i, (item, o) in enumerate(zip(items, out)) for c in o["claims"]]
    x, y, rule, of = zip(*found)
    return np.array(x, float), np.array(y, bool), np.array(list(rule), RULE), np.array(of)


def measures(out):
    """Measures of all claims of a set."""
    return np.array([c["features"] for o in out for c in o["claims"]], float)


def marked(answer, claim):
    """Whether people left a claim of a real answer unmarked."""
    return not overlap(answer["answer"], claim["start"], claim["end"], answer["gold"]["unsupported"])


def generated(work):
    """Cases of the generators, and the pairs written by hand to be fitted on."""
    cases = suite.generated(work.data, SEED)
    for file in BY_HAND_PAIRS:
        cases += [case | {"label": case["label"] | {"generator": "taught"}} for case in suite.load(file)]
    return cases, work.said("claims", [suite.asked(c) for c in cases])


class Claims:
    """All claims that the models of support are fitted on and scored with.

    `x`, `y`, `rule`, `of`, `fold`: real claims. `gx`, `gy`, `grule`, `gof`, `label`, `generator`, `base`: generated claims and those by hand.
    `sx`, `sweight`: claims held against sources that do not know them, only fitted on.
    """

    def __init__(self, work):
        self.work = work
        self.data = work.rows(QA)
        self.out = work.said("claims", self.data)
        self.x, self.y, self.rule, self.of = table(self.data, self.out, marked)
        self.groups = np.array([r["group"] for r in self.data])
        self.fold = np.array([fold_of(g) for g in self.groups])[self.of]
        data = self.data
        # Claims held against the sources of another question: what an invention looks like. Fitted on, never scored.
        strangers = [dict(r, sources=data[(i + len(data) // 2) % len(data)]["sources"], question="") for i, r in enumerate(data)][::STRANGERS]
        away, sprung = strangers + left_out(work), grafted(work, data)
        sout = work.said("claims", away + sprung)
        self.sweight = np.concatenate([np.full(len(o["claims"]), STRANGE if i < len(away) else GRAFTED) for i, o in enumerate(sout)])
        self.sx = measures(sout)
        self.cases, gout = generated(work)
        gx, gy, grule, gof = table(self.cases, gout, lambda case, _: case["label"]["good"])
        # A changed case that makes several claims is left out: which of them changed is not known.
        one = gy | (np.bincount(gof, minlength=len(self.cases))[gof] == 1)
        self.gy, self.grule, self.gof = gy[one], grule[one], gof[one]
        self.gx = gx[one]
        self.label = [self.cases[i]["label"] for i in self.gof]
        self.generator = np.array([l["generator"] for l in self.label])
        self.base = np.array([fold_of(l["base"]) for l in self.label])

    def outside(self, items):
        """Claims of a set that nothing is fitted on: measures, what the rules say, and the number of the item."""
        out = self.work.said("claims", items)
        x, _, rule, of = table(items, out, lambda *_: True)
        return x, rule, of
