"""Compares the CPU time of our engine and of ONNX Runtime: same model, same texts, same run, one core, by turns.

    python libs/models/benches/peer.py SPEED FOLDER TEXTS [ROUNDS]

SPEED is the built example `speed` (`cargo build --release -p assay-models --example speed`), FOLDER holds model.onnx and
tokenizer.json, TEXTS one text a line, or pairs with a tab between. Both get the inputs in order of length; a graph that
quantises activations gets one input at a time, as our engine does, and once more in batches of up to 2048 tokens.
"""

import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from tokenizers import Tokenizer


def inputs(folder, texts):
    tokens = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokens.enable_truncation(256)
    tokens.no_padding()
    lines = [tuple(line.split("\t", 1)) for line in texts.read_text().splitlines() if line]
    return sorted((tokens.encode(*line) for line in lines), key=len, reverse=True)


def batches(rows, together):
    at = 0
    while at < len(rows):
        count = max(1, min(32, 2048 // len(rows[at]))) if together else 1
        yield rows[at:at + count]
        at += count


def seconds(session, rows, together):
    """CPU seconds over all rows."""
    def column(batch, of):
        longest = max(map(len, batch))
        return np.array([getattr(row, of) + [0] * (longest - len(row)) for row in batch], dtype=np.int64)
    fields = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
    names = [given.name for given in session.get_inputs()]
    before = time.process_time()
    for batch in batches(rows, together):
        session.run(None, {name: column(batch, fields[name]) for name in names})
    return time.process_time() - before


def main(speed, folder, texts, rounds=3):
    model = folder / "model.onnx"
    dynamic = any(node.op_type == "DynamicQuantizeLinear" for node in onnx.load(model).graph.node)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    rows = inputs(folder, texts)
    seconds(session, rows[-1:], False)
    ours, alone, together = [], [], []
    for _ in range(int(rounds)):
        if dynamic:
            alone.append(len(rows) / seconds(session, rows, False))
        together.append(len(rows) / seconds(session, rows, True))
        out = subprocess.run([speed, folder, texts], check=True, capture_output=True, text=True).stdout
        ours.append(float(re.search(r"([0-9.]+) a CPU second", out)[1]))
    print(out.strip())
    mean = sum(map(len, rows)) / len(rows)
    print(f"{len(rows)} inputs of {mean:.0f} tokens; inputs a CPU second, median of {rounds} turns:")
    own = statistics.median(ours)
    print(f"  ours                       {own:7.1f}")
    for name, found in (("one at a time", alone), ("in batches", together)):
        if found:
            other = statistics.median(found)
            print(f"  ONNX Runtime {onnxruntime.__version__} {name:14}{other:6.1f}   ours / theirs {own / other:.2f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), *sys.argv[4:])
