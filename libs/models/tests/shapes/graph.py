"""Writes ONNX graphs node by node, with the patterns that the exporters of PyTorch models use."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LOWEST = np.float32(np.finfo(np.float32).min)


class Graph:
    """A graph in the making. `op` and its like return the name of the value they add."""

    def __init__(self, opset, seed, inputs):
        self.opset, self.nodes, self.weights, self.inputs = opset, [], [], inputs
        self.random, self.known = np.random.default_rng(seed), {}

    def name(self, kind):
        return f"{kind}_{len(self.nodes) + len(self.weights)}"

    def op(self, kind, *inputs, outputs=1, **attributes):
        names = [self.name(kind) + (f"_{n}" if n else "") for n in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=names[0], **attributes))
        return names[0] if outputs == 1 else names

    def const(self, value, kind=np.int64):
        """A constant; equal ones are written once."""
        value = np.asarray(value, dtype=kind)
        key = (value.dtype.str, value.shape, value.tobytes())
        if key not in self.known:
            self.known[key] = self.tensor("const", value)
        return self.known[key]

    def tensor(self, kind, value):
        name = self.name(kind)
        self.weights.append(numpy_helper.from_array(value, name))
        return name

    def weight(self, *shape, scale=1.0):
        """A matrix of random numbers that keeps the size of what passes through it."""
        deviation = np.float32(scale / np.sqrt(shape[0]) if len(shape) > 1 else 0.02)
        return self.tensor("weight", self.random.standard_normal(shape, dtype=np.float32) * deviation)

    def table(self, rows, size, deviation=1.0):
        """One random vector a row, for tokens, places or kinds."""
        values = self.random.standard_normal((rows, size), dtype=np.float32)
        return self.tensor("weight", values * np.float32(deviation))

    # Small steps.

    def f(self, value):
        return self.const(value, np.float32)

    def add(self, a, b):
        return self.op("Add", a, b)

    def mul(self, a, b):
        return self.op("Mul", a, b)

    def cast(self, x, to):
        return self.op("Cast", x, to=to)

    def unsqueeze(self, x, *axes):
        return self.op("Unsqueeze", x, self.const(axes))

    def squeeze(self, x, *axes):
        return self.op("Squeeze", x, self.const(axes))

    def slice(self, x, start, end, axis):
        start, end = [v if isinstance(v, str) else self.const([v]) for v in (start, end)]
        return self.op("Slice", x, start, end, self.const([axis]), self.const([1]))

    def dim(self, x, axis):
        """Size of a dimension as a tensor of one number."""
        return self.unsqueeze(self.op("Gather", self.op("Shape", x), self.const(axis), axis=0), 0)

    def reshape(self, x, *sizes):
        sizes = [size if isinstance(size, str) else self.const([size]) for size in sizes]
        return self.op("Reshape", x, self.op("Concat", *sizes, axis=0))

    def transpose(self, x, *order):
        return self.op("Transpose", x, perm=order)

    # Layers.

    def matmul(self, x, rows, columns, scale=1.0):
        return self.op("MatMul", x, self.weight(rows, columns, scale=scale))

    def linear(self, x, rows, columns, scale=1.0):
        return self.add(self.weight(columns), self.matmul(x, rows, columns, scale))

    def gemm(self, x, rows, columns, scale=1.0):
        weight = self.table(columns, rows, scale / np.sqrt(rows))
        return self.op("Gemm", x, weight, self.weight(columns), alpha=1.0, beta=1.0, transB=1)

    def norm(self, x, size, epsilon=1e-12, bias=True):
        """Layer normalisation: one node from opset 17, its parts before."""
        scale = self.tensor("weight", 1 + 0.05 * self.random.standard_normal(size, dtype=np.float32))
        shift = [self.weight(size)] if bias else []
        if self.opset >= 17:
            return self.op("LayerNormalization", x, scale, *shift, axis=-1, epsilon=epsilon)
        centred = self.op("Sub", x, self.op("ReduceMean", x, axes=[-1]))
        square = self.op("ReduceMean", self.op("Pow", centred, self.f(2)), axes=[-1])
        out = self.mul(self.op("Div", centred, self.op("Sqrt", self.add(square, self.f(epsilon)))), scale)
        return self.add(out, shift[0]) if bias else out

    def gelu(self, x):
        tail = self.add(self.op("Erf", self.op("Div", x, self.f(np.sqrt(2)))), self.f(1))
        return self.mul(self.mul(x, tail), self.f(0.5))

    def heads(self, x, like, count, size):
        """[batch, length, count·size] to [batch, count, length, size]."""
        shape = (self.dim(like, 0), self.dim(like, 1), count, size)
        return self.transpose(self.reshape(x, *shape), 0, 2, 1, 3)

    def joined(self, x, size):
        """[batch, count, length, size] back to [batch, length, count·size]."""
        x = self.transpose(x, 0, 2, 1, 3)
        return self.reshape(x, self.dim(x, 0), self.dim(x, 1), size)

    def mask(self, attention, query):
        """0 where a token may be looked at, the lowest number where not: [batch, 1, length, length]."""
        wide = self.unsqueeze(attention, 1, 2)
        length = self.dim(query, 1)
        shape = self.op("Concat", self.dim(attention, 0), self.const([1]), length, length, axis=0)
        left = self.op("Sub", self.f(1), self.cast(self.op("Expand", wide, shape), TensorProto.FLOAT))
        return self.op("Where", self.cast(left, TensorProto.BOOL), self.f(LOWEST), left)

    def attention(self, query, key, value, size, mask):
        """Scaled dot products as `scaled_dot_product_attention` is exported."""
        share = self.f(1 / np.sqrt(np.sqrt(size)))
        scores = self.op("MatMul", self.mul(query, share), self.mul(self.transpose(key, 0, 1, 3, 2), share))
        return self.op("MatMul", self.op("Softmax", self.add(scores, mask), axis=-1), value)

    def model(self, output):
        """The finished model with one output of unknown shape."""
        self.nodes.append(helper.make_node("Identity", [output], ["logits"], name="logits"))
        shape = ["batch_size", "sequence_length"]
        given = [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in self.inputs]
        found = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)]
        graph = helper.make_graph(self.nodes, "main", given, found, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        model.ir_version = 8
        return onnx.shape_inference.infer_shapes(model)
