"""Reads TensorFlow Lite files. The numbers are the field numbers of its schema.fbs."""

import sys
from array import array
from dataclasses import dataclass
from math import inf, prod

from . import flatbuffer
from .flatbuffer import Table
from .onnx_graph import Tensor

FLOAT32, INT32, UINT8 = 0, 2, 3  # TensorType
OPERATORS = {
    0: "ADD", 1: "AVERAGE_POOL_2D", 3: "CONV_2D", 4: "DEPTHWISE_CONV_2D", 6: "DEQUANTIZE", 9: "FULLY_CONNECTED",
    22: "RESHAPE", 25: "SOFTMAX", 114: "QUANTIZE",
}
NO_OPTIONS = Table(bytes([4, 0, 4, 0, 4, 0, 0, 0]), 4)  # a table of which every field has its default


@dataclass(frozen=True)
class Value:
    """A tensor of the graph: weights, or what a node computes."""

    shape: tuple[int, ...]
    kind: int
    data: bytes
    scale: float | None  # of 8-bit values: a number is (value - zero) * scale
    zero: int

    def weights(self) -> Tensor:
        """The weights as 32-bit floats."""
        if self.kind == FLOAT32:
            return Tensor(self.shape, self.data)
        if self.scale is None or self.kind not in (UINT8, INT32):
            raise ValueError(f"weights of type {self.kind} without a scale")
        numbers = array("B" if self.kind == UINT8 else "i", self.data)
        if sys.byteorder == "big" and self.kind == INT32:
            numbers.byteswap()
        return Tensor(self.shape, _little_endian(array("f", ((n - self.zero) * self.scale for n in numbers))))

    def range(self) -> tuple[float, float]:
        """The least and the greatest number that the value can have: what 8 bits can say, if it has 8 bits."""
        if self.kind != UINT8 or self.scale is None:
            return -inf, inf
        return (0 - self.zero) * self.scale, (255 - self.zero) * self.scale


@dataclass(frozen=True)
class Operator:
    kind: str
    inputs: list[int]
    output: int
    options: Table


@dataclass(frozen=True)
class Model:
    values: list[Value]
    operators: list[Operator]
    input: int


def read(file: bytes) -> Model:
    model = flatbuffer.root(file)
    buffers = model.tables(4)
    codes = [_operator(code) for code in model.tables(1)]
    (graph,) = model.tables(2)
    values = [_value(tensor, buffers) for tensor in graph.tables(0)]
    operators = [
        Operator(codes[node.scalar(0, "I")], list(node.vector(1, "i")), node.vector(2, "i")[0],
                 node.table(4) or NO_OPTIONS)
        for node in graph.tables(3)
    ]
    return Model(values, operators, graph.vector(1, "i")[0])


def _operator(code: Table) -> str:
    number = max(code.scalar(0, "b"), code.scalar(3, "i"))  # the first is of files from before there were 127
    if number not in OPERATORS:
        raise ValueError(f"the operator {number} of TensorFlow Lite is unknown here")
    return OPERATORS[number]


def _value(tensor: Table, buffers: list[Table]) -> Value:
    quantisation = tensor.table(4)
    scales = quantisation.vector(2, "f") if quantisation else ()
    zeros = quantisation.vector(3, "q") if quantisation else ()
    if len(scales) > 1:
        raise ValueError("weights with a scale for each channel are unknown here")
    return Value(tensor.vector(0, "i"), tensor.scalar(1, "b"), buffers[tensor.scalar(2, "I")].data(0),
                 scales[0] if scales else None, zeros[0] if zeros else 0)


def channels_first(weights: Tensor, *, depthwise: bool) -> Tensor:
    """The kernel of a convolution in the order of ONNX, (out, in, height, width); the file has the channels last."""
    out, height, width, channels = weights.shape
    if depthwise and out != 1:
        raise ValueError("a depthwise kernel has one filter for each channel")
    area = height * width
    numbers = array("f", weights.data)
    ordered = array("f")
    for filter_at in range(0, prod(weights.shape), area * channels):
        for channel in range(channels):
            ordered.extend(numbers[filter_at + channel:filter_at + area * channels:channels])
    shape = (channels, 1, height, width) if depthwise else (out, channels, height, width)
    return Tensor(shape, ordered.tobytes())


def _little_endian(numbers: array) -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
