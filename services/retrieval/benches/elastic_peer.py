"""Compares our Elasticsearch backend with a plain Python client that sends the same searches over one connection.

    cargo bench -p assay-retrieval --bench size -- 20000 --elasticsearch URL --keep FOLDER
    python services/retrieval/benches/elastic_peer.py URL FOLDER          (numpy)

The first command prints our figures and leaves the index and the queries; this one prints those of Python: build the two
bodies, send them as one `_msearch`, read the JSON. Both are the median over the same 200 queries on the same index.
"""

import http.client
import json
import statistics
import sys
import time
import urllib.parse
from pathlib import Path

import numpy as np

DEPTH = 50
# As `adapters/elastic/snapshot.rs` and `text/mod.rs` have them.
MARGIN, CANDIDATES, OVERSAMPLE = 32, 200, 3.0
BOOSTS = {"content": 1.0, "title": 0.2, "headings": 0.3, "identifiers": 0.3}


def bodies(words, vector):
    should = [
        {"term": {field: {"value": word, "boost": boost}}} for word in words for field, boost in BOOSTS.items()]
    wanted = DEPTH + MARGIN
    common = {"size": wanted, "_source": ["stored"], "track_total_hits": False}
    knn = {"field": "vector", "query_vector": vector, "k": wanted, "num_candidates": max(2 * wanted, CANDIDATES),
           "filter": [], "rescore_vector": {"oversample": OVERSAMPLE}}
    return [{"query": {"bool": {"should": should, "minimum_should_match": 1, "filter": []}}, **common}, {"knn": knn, **common}]


def main(url, folder):
    where = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname, where.port)

    def ask(method, path, body=None):
        connection.request(method, path, body, {"content-type": "application/x-ndjson"})
        return json.loads(connection.getresponse().read())

    index = next(iter(ask("GET", "/_alias/size-current-*")))
    words = [line.split() for line in (folder / "queries.txt").read_text().splitlines()]
    vectors = np.fromfile(folder / "queries.f32", dtype=np.float32).reshape(len(words), -1).tolist()
    for legs, name in (([0], "BM25"), ([1], "kNN"), ([0, 1], "both")):
        times = []
        for query, vector in zip(words, vectors, strict=True):
            start = time.perf_counter()
            sent = [bodies(query, vector)[leg] for leg in legs]
            lines = "".join(f'{{"allow_partial_search_results":false}}\n{json.dumps(body)}\n' for body in sent)
            found = ask("POST", f"/{index}/_msearch", lines)
            times.append((time.perf_counter() - start) * 1e3)
            assert all(answer["hits"]["hits"] for answer in found["responses"]), found
        times.sort()
        print(f"Python {name}: p50 {statistics.median(times):.2f} ms, p99 {times[int(len(times) * 0.99) - 1]:.2f} ms")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
