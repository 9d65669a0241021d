"""Base texts of the perturbation suite: paragraphs of real documentation and prose of several kinds, with their sentences."""
import gzip, json, pathlib, random, re

ROOT = pathlib.Path(__file__).resolve().parents[3]


def rows(path):
    raw = path.read_bytes()
    raw = gzip.decompress(raw) if path.suffix == ".gz" else raw
    return [json.loads(line) for line in raw.decode().splitlines() if line.strip()]


def plain(text):
    """A Markdown paragraph on one line, links and emphasis taken off, inline code kept."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", " ", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\*\*|__", "", text)
    return re.sub(r"\s+", " ", text).strip()


def sentences(text):
    """Whole statements of a paragraph."""
    found = re.split(r"(?<=[.!?])\s+(?=[A-ZÁÉÍÓÚÑ`¿¡])", text)
    good = lambda s: 35 < len(s) < 230 and s.endswith(".") and len(s.split()) > 5 and not s.endswith("etc.") and s.count("`") % 2 == 0
    return [s for s in found if good(s) and not re.search(r"\b(this|these|that|those|above|below|following|e\.g|i\.e)\b", s[:40].lower())]


def pages(folder, pattern="*.md"):
    for page in sorted(folder.glob(pattern)):
        text = re.sub(r"^---.*?---", "", page.read_text(), flags=re.S)
        text = re.sub(r"```.*?```", "", text, flags=re.S)
        paragraphs = [plain(p) for p in text.split("\n\n") if not p.lstrip().startswith(("#", "|", "<", "{"))]
        paragraphs = [p for p in paragraphs if len(p) > 60]
        if len(paragraphs) >= 3:
            yield page.stem, paragraphs


def bases(data):
    """Texts as (kind, language, name, paragraphs)."""
    for name, paragraphs in pages(data / "documents/prometheus/docs", "**/*.md"):
        yield "manual", "en", name, paragraphs
    for name, paragraphs in pages(ROOT / "docs/avap"):
        yield "guide", "en", name, paragraphs
    for name, paragraphs in pages(ROOT / "docs/avap/es"):
        yield "guía", "es", name, paragraphs
    draw = random.Random(11)
    abstracts = rows(data / "retrieval/scifact/corpus.jsonl.gz")
    for r in draw.sample(abstracts, 160):
        yield "abstract", "en", r["id"], [" ".join(p) for p in in_threes(re.split(r"(?<=[.!?])\s+(?=[A-Z])", r["text"]))]
    questions = rows(data / "grounding/ragtruth_qa_train.jsonl.gz")[::4]
    for r in draw.sample(questions, 160):
        yield "web", "en", r["group"], [s["text"] for s in r["sources"]]
    passages = [r for r in rows(data / "relevance/clapnq_dev_a.jsonl")]
    for r in draw.sample(passages, 120):
        yield "encyclopedia", "en", r["id"], [s["text"] for s in r["sources"]]


def in_threes(items):
    return [items[i:i + 3] for i in range(0, len(items), 3)]


def cases(data, seed, per_page=6):
    """Sentences to say again, each with its sources: the paragraphs around it, and one of another text."""
    draw = random.Random(seed)
    everything = list(bases(data))
    for kind, language, name, paragraphs in everything:
        others = [p for k, l, n, ps in draw.sample(everything, 6) if l == language and n != name for p in ps[:1]]
        places = [(i, s) for i, p in enumerate(paragraphs) for s in sentences(p)]
        for i, sentence in draw.sample(places, min(per_page, len(places))):
            around = paragraphs[max(0, i - 2):i + 3] + others[:1]
            draw.shuffle(around)
            far = [p for j, p in enumerate(paragraphs) if abs(j - i) > 2]
            strange = [s for p in others[1:] + far for s in sentences(p)]
            yield {"kind": kind, "language": language, "base": f"{kind}/{name}", "sentence": sentence, "sources": around, "strange": strange,
                   "next": next((t for j, t in places if j == i and t != sentence), None)}
