"""BERT as an ONNX graph of the real shape, with random weights."""

import numpy as np
from graph import LOWEST, Graph
from onnx import TensorProto, helper

INT64, FLOAT, BOOL = TensorProto.INT64, TensorProto.FLOAT, TensorProto.BOOL


def bert(vocabulary, outputs, types, opset, layers=6, size=384, heads=12, inner=1536):
    """MiniLM-L6. No outputs: the states of the tokens; else a classifier over the first token."""
    inputs = ["input_ids", "attention_mask"] + (["token_type_ids"] if types else [])
    g = Graph(opset, 1, inputs)
    kind = "token_type_ids" if types else g.op("ConstantOfShape", g.op("Shape", "input_ids"),
                                               value=helper.make_tensor("zero", INT64, [1], [0]))
    x = g.op("Gather", g.table(vocabulary, size), "input_ids", axis=0)
    x = g.add(x, g.op("Gather", g.table(2, size, 0.3), kind, axis=0))
    places = g.slice(g.const(np.arange(512)[None]), 0, g.dim("input_ids", 1), 1)
    x = g.norm(g.add(x, g.op("Gather", g.table(512, size, 0.3), places, axis=0)), size)
    mask = g.mask("attention_mask", "input_ids")
    for _ in range(layers):
        query, key, value = (g.heads(g.linear(x, size, size, 2), x, heads, size // heads) for _ in range(3))
        seen = g.joined(g.attention(query, key, value, size // heads, mask), size)
        x = g.norm(g.add(g.linear(seen, size, size), x), size)
        x = g.norm(g.add(g.linear(g.gelu(g.linear(x, size, inner)), inner, size), x), size)
    if outputs == 0:
        return g.model(x)
    first = g.op("Gather", x, g.const(0), axis=1)
    return g.model(g.gemm(g.op("Tanh", g.gemm(first, size, size)), size, outputs, 4))
