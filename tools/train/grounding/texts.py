"""Base texts of the perturbation suite: paragraphs of real documentation and prose of several kinds, with their sentences."""
import functools, gzip, json, pathlib, random, re

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
# Sentences of a text beside those, for what few sentences can be made into.
SPARE = 40
# How many texts of the large collections, and how many sentences of a text at most.
SAMPLED = {"abstract": 110, "web": 90, "encyclopedia": 110}
SENTENCES = {"abstract": 2, "web": 2, "encyclopedia": 2, "manual": 6, "guide": 7, "handbook-en": 20, "handbook-es": 24, "leaflet-es": 16}


def rows(path):
    raw = path.read_bytes()
    raw = gzip.decompress(raw) if path.suffix == ".gz" else raw
    return [json.loads(line) for line in raw.decode().splitlines() if line.strip()]


def plain(text):
    """A Markdown paragraph on one line, links and emphasis taken off, inline code kept."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", " ", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\*\*|__(?=\w)|(?<=\w)__", "", text)
    return re.sub(r"\s+", " ", text).strip()


def joined(text):
    """Text that was taken apart at every mark, put together again; its title line is left out."""
    text = text.split("\n", 1)[-1]
    text = re.sub(r" ([,.;:!?%)\]])", r"\1", text)
    text = re.sub(r"([(\[$]) ", r"\1", text)
    text = re.sub(r"`` ?(.*?) ?''", r'"\1"', text)
    text = re.sub(r" ('s|'t|'re|'ll|n't|')(?=\W)", r"\1", text)
    text = re.sub(r"(?<=\w) (--?|–) (?=\w)", lambda m: "-" if len(m[1]) == 1 else m[0], text)
    return re.sub(r"\s+", " ", text).strip()


# What shows that a stretch of text is no whole statement that could stand in an answer: glued sentences, marks of lists and
# tables, steps with their numbers, questions, the first person, pieces of dialogue.
BROKEN = re.compile(r"[a-z)][.!?:][A-Z]|\w\.{2,}|\\n|^\W*[*•#|]|\s[*•|]\s|(?:^|[\s(])\d{1,2}[.)]?\s{1,2}[A-Z][a-z]+\b|\d\. [A-Z]|\?|!|\b(I|my|we|our|us|We|Our|My)\b|\bhttps?:|www\.|[{}<>=]|\*|:\s*$|"
                    r"\. \d+\.$|\b[Ff]eel free\b|\byour (?:piano|own)\b|\b(RESULTS|METHODS|OBJECTIVE|CONCLUSION|BACKGROUND|DESIGN)S?\b|[‘’“”]|\betc\b|…|\s[-–]\s")
# What points to something that is said elsewhere.
POINTS = re.compile(r"^(?:It|They|He|She|This|That|These|Those|Such|Here|There|But|And|Or|So|Then|However|Thus|Hence|Therefore|Also|Instead|Otherwise|Finally|Similarly|Likewise|Both|Another|One of them|For (?:more|example)|"
                    r"See|Note|Moreover|Furthermore|In (?:addition|contrast|this|that|these|summary|conclusion)|If (?:so|not|it|they|this)|Results|Methods|Éste?|Esto|Este|Esta|Ello|Así|Luego|Pero|Entonces|Por ejemplo|Además)\b")
VERB = re.compile(r"\b(is|are|was|were|has|have|had|can|may|must|should|will|does|do|es|son|está|están|hay|puede|pueden|debe|deben|tiene|tienen|se|no|\w{2,}(?:ed|es|s|an|en|a|e))\b")


def sentences(text):
    """Whole statements of a paragraph, in order."""
    found = re.split(r"(?<=[.!?])(?<![A-Z]\.)\s+(?=[A-ZÁÉÍÓÚÑ`¿¡])", text)
    whole = lambda s: 30 < len(s) < 230 and re.match(r"[A-ZÁÉÍÓÚÑ`]", s) and re.search(r"[\w)`\"%]\.$", s) and 5 < len(s.split()) < 36
    even = lambda s: s.count("`") % 2 == 0 and s.count('"') % 2 == 0 and s.count("(") == s.count(")")
    prose = lambda s: not BROKEN.search(re.sub(r"`[^`]*`", "x", s)) and not POINTS.match(s) and VERB.search(s)
    return [s for s in found if whole(s) and even(s) and prose(s) and not re.search(r"\b(above|below|following|as follows|e\.g|i\.e)\b", s.lower())]


def pages(folder, pattern="*.md"):
    for page in sorted(folder.glob(pattern)):
        text = re.sub(r"^---.*?---", "", page.read_text(), flags=re.S)
        text = re.sub(r"```.*?```", "", text, flags=re.S)
        paragraphs = [plain(p) for p in text.split("\n\n") if not p.lstrip().startswith(("#", "|", "<", "{"))]
        paragraphs = [p for p in paragraphs if len(p) > 60]
        if len(paragraphs) >= 3:
            yield page.stem, paragraphs


@functools.cache
def blind():
    """What the cases that are measured on speak of: names of pages, and the sentences of what was written or copied for them."""
    named, told = set(), set()
    for file in ("open", "held", "written"):
        for row in rows(HERE / f"suite/{file}.jsonl"):
            for source in row.get("sources", [row.get("text", "")]):
                if isinstance(source, dict):
                    named.add(pathlib.PurePath(source["page"]).stem)
                else:
                    told |= {plain(s).lower() for s in re.split(r"(?<=[.!?:;])\s+", source) if len(s) > 40}
    return named, told


def fresh(name, paragraphs):
    """Whether no measured case speaks of a page, by its name and by its sentences."""
    named, told = blind()
    said = {s.lower() for p in paragraphs for s in re.split(r"(?<=[.!?:;])\s+", p)}
    return name not in named and not said & told


def bases(data):
    """Texts as (kind, language, name, paragraphs), without the pages that cases measured on speak of. Passages of a question are
    named `web/` and the question's group, so that they can be left out with it."""
    for kind, language, folder, pattern in (("manual", "en", data / "documents/prometheus/docs", "**/*.md"), ("guide", "en", ROOT / "docs/avap", "*.md"), ("guía", "es", ROOT / "docs/avap/es", "*.md")):
        for name, paragraphs in pages(folder, pattern):
            if fresh(name, paragraphs):
                yield kind, language, f"{kind}/{name}", paragraphs
    # Written for this, and the documents of the pairs that are fitted on: those keep their name, to be left out with their pairs.
    for row in rows(HERE / "handbook.jsonl"):
        yield f"handbook-{row['language']}", row["language"], f"handbook/{row['base']}", row["sources"]
    for row in (row for row in rows(HERE / "suite/taught.jsonl") if not row["base"].startswith("handbook/")):
        yield f"leaflet-{row['language']}", row["language"], row["base"], [s.split(". ", 1)[-1] if s.index(". ") < 40 else s for s in row["sources"] if isinstance(s, str)]
    draw = random.Random(11)
    abstracts = rows(data / "retrieval/scifact/corpus.jsonl.gz")
    for r in draw.sample(abstracts, SAMPLED["abstract"]):
        yield "abstract", "en", f"abstract/{r['id']}", [" ".join(p) for p in in_threes(re.split(r"(?<=[.!?])\s+(?=[A-Z])", r["text"]))]
    questions = rows(data / "grounding/ragtruth_qa_train.jsonl.gz")[::4]
    for r in draw.sample(questions, SAMPLED["web"]):
        yield "web", "en", f"web/{r['group']}", [s["text"] for s in r["sources"]]
    passages = [r for r in rows(data / "relevance/clapnq_dev_a.jsonl")]
    for r in draw.sample(passages, SAMPLED["encyclopedia"]):
        yield "encyclopedia", "en", f"encyclopedia/{r['id']}", [joined(s["text"]) for s in r["sources"]]


def in_threes(items):
    return [items[i:i + 3] for i in range(0, len(items), 3)]


@functools.cache
def stems(text):
    return {w[:6] for w in re.findall(r"[a-záéíóúñ0-9_]{4,}", text.lower())}


def unsaid(sentences, paragraphs):
    """Those of the sentences of which no place of the paragraphs says much the same."""
    every = [stems(s) for p in paragraphs for s in re.split(r"(?<=[.!?])\s+", p)]
    places = [a | b for a, b in zip(every, every[1:] + [set()])]
    return [s for s in sentences if not any(len(stems(s) & place) > 0.5 * len(stems(s)) for place in places)]


def cases(data, seed):
    """Sentences to say again, each with its sources: the paragraphs around it (`own`), and one of another text.
    `next` is the sentence that follows; `strange` are sentences of texts and paragraphs that are no source. The cases that are `spare`
    come beside the sampled ones, for what few sentences can be made into."""
    draw = random.Random(seed)
    everything = list(bases(data))
    said = {p: list(dict.fromkeys(sentences(p))) for _, _, _, paragraphs in everything for p in paragraphs}
    for kind, language, name, paragraphs in everything:
        others = [p for k, l, n, ps in draw.sample(everything, 40) if l == language and n != name for p in draw.sample(ps, 1)][:6]
        places = [(i, s) for i, p in enumerate(paragraphs) for s in said[p]]
        draw.shuffle(places)
        most = SENTENCES.get(kind, 12)
        for number, (i, sentence) in enumerate(places[:most + SPARE]):
            own = paragraphs[max(0, i - 2):i + 3]
            around = own + others[:1]
            draw.shuffle(around)
            far = [p for j, p in enumerate(paragraphs) if abs(j - i) > 2][:8]
            strange = unsaid([s for p in others[1:] + far for s in said[p]], around)
            follows = paragraphs[i].split(sentence, 1)[1].strip()
            after = next((s for s in said[paragraphs[i]] if follows.startswith(s)), None)
            yield {"kind": kind, "language": language, "base": name, "sentence": sentence, "sources": around, "own": own, "strange": strange, "next": after, "spare": number >= most}
