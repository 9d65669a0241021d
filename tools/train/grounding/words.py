"""Word weights: how many passages hold a stem."""
import collections

from work import QA, ROOT

# A stem that fewer passages hold weighs as one that none does: rarer rows of the table moved no figure.
FEWEST = 12


def texts(work):
    """Passages, abstracts and documentation: the body of prose that word weights are counted over."""
    found = [s["text"] for r in work.rows(QA) for s in r["sources"]]
    found += [r["title"] + ". " + r["text"] for r in work.rows("retrieval/scifact/corpus.jsonl.gz")]
    for page in sorted((work.data / "documents").rglob("*.md")):
        found += [p for p in page.read_text().split("\n\n") if len(p) > 80]
    return sorted({" ".join(t.split()) for t in found})


def idf(work):
    found = texts(work)
    counts = collections.Counter(stem for line in work.tool("idf", found) for stem in line.split())
    kept = sorted(((n, s) for s, n in counts.items() if n >= FEWEST), key=lambda e: (-e[0], e[1]))
    (ROOT / "libs/evidence/data/idf.tsv").write_text(f"#{len(found)}\n" + "".join(f"{s}\t{n}\n" for n, s in kept))
