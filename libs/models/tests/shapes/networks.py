"""BERT, DeBERTa-v3 and ModernBERT as ONNX graphs of the real shapes, with random weights."""

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


def deberta(vocabulary, outputs, opset, layers=12, size=384, heads=6, inner=1536, buckets=256):
    """DeBERTa-v3-xsmall: content to content, content to position, position to content."""
    g = Graph(opset, 2, ["input_ids", "attention_mask"])
    x = g.norm(g.op("Gather", g.table(vocabulary, size), "input_ids", axis=0), size, 1e-7)
    x = g.mul(x, g.cast(g.unsqueeze("attention_mask", 2), FLOAT))
    wide = g.unsqueeze("attention_mask", 1, 2)
    both = g.mul(wide, g.unsqueeze(g.squeeze(wide, 2), 3))
    hidden = g.op("Not", g.cast(both, BOOL))
    relative = distances(g, x, buckets)
    places = g.norm(g.table(2 * buckets, size), size, 1e-7)
    batch, length = g.dim(x, 0), g.dim(x, 1)
    each = size // heads

    def split(value):
        return g.reshape(g.heads(value, x, heads, each), -1, length, each)

    def split_places(value):
        value = g.transpose(g.reshape(value, -1, 2 * buckets, heads, each), 0, 2, 1, 3)
        value = g.reshape(value, heads, 2 * buckets, each)
        return g.transpose(g.op("Tile", value, g.op("Concat", batch, g.const([1, 1]), axis=0)), 0, 2, 1)

    def place(by):
        by = g.op("Clip", g.add(by, g.const(buckets)), g.const(0), g.const(2 * buckets - 1))
        rows = g.mul(batch, g.const([heads]))
        return g.op("Expand", g.squeeze(by, 0), g.op("Concat", rows, length, length, axis=0))

    for _ in range(layers):
        # One weight for the content and the positions, as the checkpoints share them.
        weights = [(g.weight(size, size, scale=2), g.weight(size)) for _ in range(3)]
        apply = lambda value, n: g.add(weights[n][1], g.op("MatMul", value, weights[n][0]))
        query, key, value = (split(apply(x, n)) for n in range(3))
        scale = g.op("Sqrt", g.f(each * 3))
        scores = g.op("MatMul", query, g.op("Div", g.transpose(key, 0, 2, 1), scale))
        to_place = g.op("MatMul", query, split_places(apply(places, 1)))
        to_place = g.op("GatherElements", to_place, place(relative), axis=2)
        from_place = g.op("MatMul", key, split_places(apply(places, 0)))
        from_place = g.op("GatherElements", from_place, place(g.op("Neg", backward(g, x, relative))), axis=2)
        from_place = g.transpose(from_place, 0, 2, 1)
        bias = g.add(g.op("Div", to_place, scale), g.op("Div", from_place, scale))
        scores = g.reshape(g.add(scores, bias), -1, heads, length, length)
        seen = g.op("Softmax", g.op("Where", hidden, g.f(LOWEST), scores), axis=-1)
        seen = g.op("MatMul", g.reshape(seen, -1, length, length), value)
        seen = g.joined(g.reshape(seen, -1, heads, length, each), size)
        x = g.norm(g.add(g.linear(seen, size, size), x), size, 1e-7)
        x = g.norm(g.add(g.linear(g.gelu(g.linear(x, size, inner)), inner, size), x), size, 1e-7)
    first = g.op("Gather", x, g.const(0), axis=1)
    return g.model(g.gemm(g.gelu(g.gemm(first, size, size)), size, outputs, 4))


def distances(g, x, buckets, longest=512):
    """Distance of each two tokens, [1, length, length]: exact when near, in growing steps when far."""
    length = g.squeeze(g.dim(x, 1), 0)
    places = g.op("Range", g.const(0), length, g.const(1))
    by = g.op("Sub", g.unsqueeze(places, 1), g.unsqueeze(places, 0))
    middle = buckets // 2
    near = g.op("And", g.op("Less", by, g.const(middle)), g.op("Greater", by, g.const(-middle)))
    size = g.op("Where", near, g.const(middle - 1), g.op("Abs", by))
    steps = g.op("Log", g.op("Div", g.cast(size, FLOAT), g.f(middle)))
    steps = g.mul(g.op("Div", steps, g.f(np.log((longest - 1) / middle))), g.f(middle - 1))
    far = g.mul(g.add(g.op("Ceil", steps), g.f(middle)), g.cast(g.op("Sign", by), FLOAT))
    close = g.op("LessOrEqual", size, g.const(middle))
    return g.unsqueeze(g.cast(g.op("Where", close, g.cast(by, FLOAT), far), INT64), 0)


def backward(g, x, relative):
    """The distances again, chosen by a branch on the sizes, which exporters leave in the graph."""
    differ = g.op("Not", g.op("Equal", g.squeeze(g.dim(x, 1), 0), g.squeeze(g.dim("input_ids", 1), 0)))

    def branch(kind):
        out = g.name(kind)
        node = helper.make_node(kind, [relative], [out])
        value = helper.make_tensor_value_info(out, INT64, None)
        return helper.make_graph([node], kind, [], [value])

    return g.op("If", differ, then_branch=branch("Abs"), else_branch=branch("Identity"))


def modernbert(vocabulary, outputs, opset, layers=22, size=768, heads=12, inner=1152, reach=128):
    """ModernBERT-base: rotary positions, every third layer looks at all tokens, the others at their neighbours."""
    g = Graph(opset, 3, ["input_ids", "attention_mask"])
    norm = lambda x: g.norm(x, size, 1e-5, bias=False)
    x = norm(g.op("Gather", g.table(vocabulary, size), "input_ids", axis=0))
    everywhere = g.mask("attention_mask", "input_ids")
    places = g.op("Range", g.const(0), g.squeeze(g.dim("input_ids", 1), 0), g.const(1))
    apart = g.op("Abs", g.op("Sub", g.unsqueeze(places, 0), g.unsqueeze(places, 1)))
    near = g.unsqueeze(g.op("LessOrEqual", apart, g.const(reach // 2)), 0, 1)
    nearby = g.op("Where", g.op("Not", near), g.f(LOWEST), everywhere)
    each = size // heads
    turns = [rotation(g, places, each, base) for base in (160_000.0, 10_000.0)]
    for layer in range(layers):
        everyone = layer % 3 == 0
        h = x if layer == 0 else norm(x)
        h = g.reshape(g.matmul(h, size, 3 * size), g.dim(x, 0), g.dim(x, 1), 3, heads, each)
        parts = g.op("Split", g.transpose(h, 0, 3, 2, 1, 4), g.const([1, 1, 1]), outputs=3, axis=2)
        query, key, value = (g.squeeze(part, 2) for part in parts)
        query, key = (turned(g, part, each, *turns[not everyone]) for part in (query, key))
        seen = g.attention(query, key, value, each, everywhere if everyone else nearby)
        x = g.add(x, g.matmul(g.joined(seen, size), size, size))
        wide, gate = g.op("Split", g.matmul(norm(x), size, 2 * inner), g.const([inner, inner]), outputs=2, axis=-1)
        x = g.add(x, g.matmul(g.mul(g.gelu(wide), gate), inner, size))
    x = norm(g.gelu(g.matmul(norm(x), size, size)))
    return g.model(g.linear(x, size, outputs, 2))


def rotation(g, places, size, base):
    """Cosines and sines of the angles, each [1, 1, length, size]."""
    steps = base ** (-np.arange(0, size, 2, dtype=np.float32) / size)
    angles = g.op("MatMul", g.f(steps[None, :, None]), g.cast(g.unsqueeze(places, 0, 1), FLOAT))
    angles = g.transpose(angles, 0, 2, 1)
    angles = g.op("Concat", angles, angles, axis=-1)
    return [g.unsqueeze(g.op(kind, angles), 1) for kind in ("Cos", "Sin")]


def turned(g, x, size, cosines, sines):
    left, right = g.slice(x, 0, size // 2, 3), g.slice(x, size // 2, 2**63 - 1, 3)
    return g.add(g.mul(x, cosines), g.mul(g.op("Concat", g.op("Neg", right), left, axis=-1), sines))
