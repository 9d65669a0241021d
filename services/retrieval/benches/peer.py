"""Compares the two legs with peers over the same texts, vectors and queries, by turns, on this machine.

    cargo bench -p assay-retrieval --bench size -- 100000 --keep FOLDER
    python services/retrieval/benches/peer.py FOLDER          (numpy, bm25s)

The first command prints our figures and leaves the texts; this one prints those of bm25s (BM25, k1 1.2, b 0.75) and of
numpy (float32 matrix times vector, then a partial sort), each the median over the same 200 queries.
"""

import statistics
import sys
import time
from pathlib import Path

import bm25s
import numpy as np

DEPTH = 50


def median(search, queries):
    times = []
    for query in queries:
        start = time.perf_counter()
        search(query)
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def main(folder):
    texts = [line.split() for line in (folder / "texts.txt").read_text().splitlines()]
    words = [line.split() for line in (folder / "queries.txt").read_text().splitlines()]
    vectors = np.fromfile(next(folder.glob("bench/size/g-*/vectors.f32")), dtype=np.float32).reshape(len(texts), -1)
    queries = np.fromfile(folder / "queries.f32", dtype=np.float32).reshape(len(words), -1)

    index = bm25s.BM25(k1=1.2, b=0.75)
    start = time.perf_counter()
    index.index(texts, show_progress=False)
    print(f"bm25s: {time.perf_counter() - start:.1f} s to index {len(texts)} texts")
    lexical = median(lambda query: index.retrieve([query], k=DEPTH, show_progress=False), words)

    def nearest(query):
        scores = vectors @ query
        best = np.argpartition(-scores, DEPTH)[:DEPTH]
        return best[np.argsort(-scores[best])]

    semantic = median(nearest, queries)
    print(f"| bm25s ms | numpy ms |\n|---|---|\n| {lexical:.2f} | {semantic:.2f} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
