#!/usr/bin/env python3
"""Fit the models of libs/grounding: word weights, claim support, answer support, relevance.

usage: tools/train/grounding/fit.py DATA
DATA is the folder with the public development sets (grounding/, relevance/, retrieval/, documents/). Needs numpy and
scikit-learn (versions in requirements.txt beside this file) and cargo; writes libs/grounding/data/. Everything is
seeded: the same data give the same files. Measures are computed by the Rust crate itself (the binary
grounding-features of tools/train), so training and use cannot differ.
"""
import collections, gzip, hashlib, json, os, pathlib, re, subprocess, sys

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

ROOT = pathlib.Path(__file__).resolve().parents[3]
OUT = ROOT / "libs/grounding/data"
DATA = pathlib.Path(sys.argv[1])
FOLDS = 5
# Every how many answers are held against the sources of another question.
STRANGERS = 8


def raw(path):
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def rows(name):
    return [json.loads(line) for line in raw(DATA / name).decode().splitlines() if line.strip()]


def digest(name):
    return hashlib.sha256((DATA / name).read_bytes()).hexdigest()


def tool(mode, lines=()):
    run = subprocess.run([os.environ.get("CARGO", "cargo"), "run", "-q", "--release", "-p", "assay-train", "--bin", "grounding-features", "--", mode],
                         cwd=ROOT, input="".join(line + "\n" for line in lines), text=True, stdout=subprocess.PIPE, check=True)
    return run.stdout.splitlines()


def fold_of(group):
    return int(hashlib.sha256(group.encode()).hexdigest(), 16) % FOLDS


class Logistic:
    """Standardised logistic regression, written out for our own inference."""

    def __init__(self, names, c=0.3):
        self.names, self.c = names, c

    def fit(self, x, y, weight=None):
        self.mean, self.scale = x.mean(0), x.std(0) + 1e-6
        self.model = LogisticRegression(C=self.c, max_iter=3000).fit((x - self.mean) / self.scale, y, weight)
        return self

    def margin(self, x):
        return self.model.decision_function((x - self.mean) / self.scale)

    def p(self, x):
        return 1 / (1 + np.exp(-self.margin(x)))

    def dump(self):
        r = lambda a: [round(float(v), 6) for v in a]
        return {"features": self.names, "mean": r(self.mean), "scale": r(self.scale), "weights": r(self.model.coef_[0]),
                "intercept": round(float(self.model.intercept_[0]), 6)}


def idf():
    texts = [s["text"] for r in rows("grounding/ragtruth_qa_train.jsonl.gz") for s in r["sources"]]
    texts += [r["title"] + " " + r["text"] for r in rows("retrieval/scifact/corpus.jsonl.gz")]
    for page in sorted((DATA / "documents").rglob("*.md")):
        texts += [p for p in page.read_text().split("\n\n") if len(p) > 80]
    texts = sorted({" ".join(t.split()) for t in texts})
    counts = collections.Counter(stem for line in tool("idf", texts) for stem in line.split())
    kept = sorted(((n, s) for s, n in counts.items() if n >= 4), key=lambda e: (-e[0], e[1]))[:9000]
    (OUT / "idf.tsv").write_text(f"#{len(texts)}\n" + "".join(f"{s}\t{n}\n" for n, s in kept))


def left_out():
    """Sentences of a documentation page held against the paragraphs around their own: on the subject, and not said."""
    items = []
    for page in sorted((DATA / "documents").rglob("*.md")):
        text = re.sub(r"^---.*?---", "", page.read_text(), flags=re.S)
        paragraphs = [p for p in text.split("\n\n") if len(p) > 100 and p[0].isalpha()]
        for i, paragraph in enumerate(paragraphs):
            flat = re.sub(r"\s+", " ", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph))
            sentences = [s for s in re.split(r"(?<=[.!?])\s+(?=[A-Z`])", flat) if 40 < len(s) < 220 and s.endswith(".")]
            around = paragraphs[max(0, i - 3):i] + paragraphs[i + 1:i + 4]
            if sentences and len(around) >= 3:
                items.append({"id": f"{page.stem}-{i}", "question": "", "answer": sentences[len(sentences) // 2],
                              "sources": [{"id": str(n), "text": t} for n, t in enumerate(around)]})
    return items


def claims_of(data):
    out = [json.loads(line) for line in tool("claims", [json.dumps(r) for r in data])]
    assert [o["id"] for o in out] == [r["id"] for r in data]
    return out


def overlap(answer, start, end, spans):
    return any(sum(c.isalnum() for c in answer[max(start, s):min(end, e)]) >= 3 for s, e, *_ in spans)


def logit(p):
    p = np.clip(p, 1e-4, 1 - 1e-4)
    return np.log(p / (1 - p))


def answer_measures(ps):
    ordered = sorted(ps)
    return [logit(ordered[0]), logit(ordered[1] if len(ordered) > 1 else 0.98), logit(np.prod(ps)), np.log(len(ps))]


def bars(p, good):
    quantile = lambda share: round(float(np.quantile(p[good], share)), 6)
    return {"fr_1": quantile(0.01), "fr_3": quantile(0.03), "fr_5": quantile(0.05)}


def support(names):
    file = "grounding/ragtruth_qa_train.jsonl.gz"
    data = rows(file)
    out = claims_of(data)
    x, y, fold, of = [], [], [], []
    for i, (r, o) in enumerate(zip(data, out)):
        for c in o["claims"]:
            x.append(c["features"])
            y.append(not overlap(r["answer"], c["start"], c["end"], r["gold"]["unsupported"]))
            fold.append(fold_of(r["group"]))
            of.append(i)
    # Claims held against the sources of another question: what an invention looks like. Fitted on, never scored.
    strangers = [dict(r, sources=data[(i + len(data) // 2) % len(data)]["sources"], question="") for i, r in enumerate(data)][::STRANGERS]
    invented = strangers + left_out()
    sx = np.array([c["features"] for o in claims_of(invented) for c in o["claims"]])
    fit = lambda c: Logistic(names["claim"]).fit(np.vstack([x[c], sx]), np.concatenate([y[c], np.zeros(len(sx), bool)]),
                                                 np.concatenate([np.ones(c.sum()), np.full(len(sx), 0.5)]))
    x, y, fold, of = np.array(x), np.array(y), np.array(fold), np.array(of)
    # The rules decide before the model does; the model is fitted on the measures alone.
    p = np.zeros(len(y))
    for k in range(FOLDS):
        p[fold == k] = fit(fold != k).p(x[fold == k])
    ruled = np.array([c["cap"] for o in out for c in o["claims"]])
    kinds = np.array(["contradicted" if c["contradicted"] else "added" if c["reason"] else "" for o in out for c in o["claims"]])
    final = np.minimum(p, ruled)
    ax, ay, af = [], [], []
    for i, r in enumerate(data):
        mine = final[of == i] if (of == i).any() else None
        if mine is not None:
            ax.append(answer_measures(mine))
            ay.append(r["gold"]["supported"])
            af.append(fold_of(r["group"]))
    ax, ay, af = np.array(ax), np.array(ay), np.array(af)
    ap = np.zeros(len(ay))
    for k in range(FOLDS):
        ap[af == k] = Logistic(names["answer"], 1.0).fit(ax[af != k], ay[af != k]).p(ax[af == k])
    held = {"sentence_auroc_model": roc_auc_score(~y, -p), "sentence_auroc": roc_auc_score(~y, -final), "answer_auroc": roc_auc_score(~ay, -ap),
            "bad_sentences": float((~y).mean()), "bad_answers": float((~ay).mean())}
    print("support, cross-validated by question:", {k: round(v, 4) for k, v in held.items()})
    for name in ("contradicted", "added"):
        hit = kinds == name
        print(f"  {name}: {hit.sum()} claims, {(~y[hit]).mean():.2f} of them bad")
    model = {"version": 1, "claim": fit(fold >= 0).dump(), "answer": Logistic(names["answer"], 1.0).fit(ax, ay).dump(),
             "bars": bars(p, y), "training": {"files": {file: digest(file)}, "items": len(y), "held_out": {k: round(v, 4) for k, v in held.items()}}}
    print("  bars", model["bars"])
    (OUT / "support.json").write_text(json.dumps(model, indent=1) + "\n")
    return model


def relevance(names):
    file = "relevance/clapnq_dev_a.jsonl"
    data = rows(file)
    out = [json.loads(line) for line in tool("relevance", [json.dumps(r) for r in data])]
    x, y = np.array([o["features"] for o in out]), np.array([r["gold"]["answerable"] for r in data])
    fold = np.array([fold_of(r["id"]) for r in data])
    p = np.zeros(len(y))
    for k in range(FOLDS):
        p[fold == k] = Logistic(names["relevance"], 0.1).fit(x[fold != k], y[fold != k]).p(x[fold == k])
    held = {"auroc": roc_auc_score(y, p), "answerable": float(y.mean())}
    print("relevance, cross-validated:", {k: round(v, 4) for k, v in held.items()})
    for i, name in enumerate(names["relevance"]):
        print(f"  {name:20} alone {roc_auc_score(y, x[:, i]):.3f}")
    model = {"version": 1, "relevance": Logistic(names["relevance"], 0.1).fit(x, y).dump(), "bars": bars(p, y),
             "training": {"files": {file: digest(file)}, "items": len(y), "held_out": {k: round(v, 4) for k, v in held.items()}}}
    (OUT / "relevance.json").write_text(json.dumps(model, indent=1) + "\n")


if __name__ == "__main__":
    steps = sys.argv[2:] or ["idf", "support", "relevance"]
    NAMES = json.loads(tool("names")[0])
    if "idf" in steps:
        idf()
    if "support" in steps:
        support(NAMES)
    if "relevance" in steps:
        relevance(NAMES)
