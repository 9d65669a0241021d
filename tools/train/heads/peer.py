#!/usr/bin/env python3
"""Prints accuracy and time of the package semantic-router over the same utterances, messages and embedding model.

    tools/train/heads/peer.py MODEL_FOLDER SEED… TEST

Lines are {text, label}. MODEL_FOLDER holds model.onnx and tokenizer.json of the embedding model that ships. Needs the
packages semantic-router, onnxruntime, tokenizers.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime
from semantic_router import Route
from semantic_router.encoders import DenseEncoder
from semantic_router.routers import IndexedRouter
from tokenizers import Tokenizer


class Encoder(DenseEncoder):
    """The embedding model: mean of the tokens, unit length; every text is embedded once."""

    name: str = "minilm"
    type: str = "local"
    folder: str
    known: dict = {}

    def model(self):
        if "model" not in self.known:
            session = onnxruntime.InferenceSession(f"{self.folder}/model.onnx")
            tokenizer = Tokenizer.from_file(f"{self.folder}/tokenizer.json")
            tokenizer.enable_truncation(256)
            tokenizer.enable_padding()
            self.known["model"] = session, tokenizer
        return self.known["model"]

    def __call__(self, docs):
        session, tokenizer = self.model()
        new = [doc for doc in dict.fromkeys(docs) if ("text", doc) not in self.known]
        for start in range(0, len(new), 64):
            batch = new[start : start + 64]
            encoded = tokenizer.encode_batch(batch)
            ids = np.array([one.ids for one in encoded], dtype=np.int64)
            mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
            given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            names = {one.name for one in session.get_inputs()}
            states = session.run(None, {name: given[name] for name in names})[0]
            mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
            for doc, vector in zip(batch, mean / np.linalg.norm(mean, axis=1, keepdims=True), strict=True):
                self.known[("text", doc)] = vector.tolist()
        return [self.known[("text", doc)] for doc in docs]


def lines(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines() if line.strip()]


def main():
    folder, *seeds, test = sys.argv[1:]
    seed = [row for path in seeds for row in lines(path)]
    rows = lines(test)
    labels = sorted({row["label"] for row in seed})
    encoder = Encoder(folder=folder)
    encoder([row["text"] for row in seed + rows])
    for top_k, aggregation in [(5, "mean"), (5, "max"), (1, "max"), (20, "sum")]:
        routes = [
            Route(name=label, utterances=[row["text"] for row in seed if row["label"] == label])
            for label in labels
        ]
        router = IndexedRouter(encoder, routes, top_k=top_k, aggregation=aggregation)
        begun = time.perf_counter()
        right = sum(router(row["text"]).name == row["label"] for row in rows)
        spent = (time.perf_counter() - begun) / len(rows)
        print(f"top_k {top_k}, {aggregation}: accuracy {right / len(rows):.3f} of {len(rows)}, {spent * 1e6:.0f} µs a message without the embedding", flush=True)


main()
