"""Writes ONNX files node by node. The numbers are the field numbers of onnx.proto."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, prod

from .protobuf import chunk, grouped, integer, real

OPSET = 13
IR_VERSION = 8  # what belongs to opset 13 … 15
FLOAT, INT64 = 1, 7  # TensorProto.DataType

Attribute = int | float | str | Sequence[int]
Shape = Sequence[int | str]  # a string names an axis that may have any length


@dataclass(frozen=True)
class Tensor:
    """Weights as they lie in the file they came from: little-endian float32, row by row."""

    shape: tuple[int, ...]
    data: bytes

    def __post_init__(self) -> None:
        if len(self.data) != 4 * prod(self.shape):
            raise ValueError(f"{len(self.data)} bytes do not fill a float32 tensor of shape {self.shape}")

    def reshaped(self, *shape: int) -> "Tensor":
        return Tensor(shape, self.data)


def floats(*values: float) -> Tensor:
    return Tensor((len(values),), struct.pack(f"<{len(values)}f", *values))


def same_padding(side: int, kernel: int, stride: int) -> list[int]:
    """TensorFlow's "SAME": an odd pixel of padding goes to the right and the bottom. Depends on the picture's side."""
    total = max((ceil(side / stride) - 1) * stride + kernel - side, 0)
    return [total // 2, total // 2, total - total // 2, total - total // 2]


class Graph:
    """Collects nodes and weights; `add` returns the name of a node's (first) output."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.nodes: list[bytes] = []
        self.weights: dict[str, bytes] = {}
        self.inputs: list[bytes] = []
        self.outputs: list[bytes] = []

    def input(self, name: str, shape: Shape) -> str:
        self.inputs.append(_value_info(name, shape))
        return name

    def output(self, name: str, shape: Shape) -> None:
        self.outputs.append(_value_info(name, shape))

    def weight(self, name: str, tensor: Tensor) -> str:
        """The same weights may serve several nodes: they are stored once."""
        self._store(name, FLOAT, tensor.shape, tensor.data)
        return name

    def integers(self, name: str, values: Sequence[int]) -> str:
        self._store(name, INT64, (len(values),), struct.pack(f"<{len(values)}q", *values))
        return name

    def _store(self, name: str, kind: int, shape: Sequence[int], data: bytes) -> None:
        dims = b"".join(integer(1, side) for side in shape)
        encoded = dims + integer(2, kind) + chunk(8, name) + chunk(9, data)
        if self.weights.setdefault(name, encoded) != encoded:
            raise ValueError(f"two different weights are called {name}")

    def add(
        self, operator: str, inputs: Sequence[str], outputs: str | Sequence[str] = "", **attributes: Attribute
    ) -> str:
        names = [outputs or f"{operator}_{len(self.nodes)}"] if isinstance(outputs, str) else list(outputs)
        self.nodes.append(b"".join([
            *(chunk(1, name) for name in inputs),
            *(chunk(2, name) for name in names),
            chunk(4, operator),
            *(chunk(5, _attribute(name, value)) for name, value in attributes.items()),
        ]))
        return names[0]

    def serialised(self) -> bytes:
        graph = b"".join([
            *(chunk(1, node) for node in self.nodes),
            chunk(2, self.name),
            *(chunk(5, weight) for weight in self.weights.values()),
            *(chunk(11, value) for value in self.inputs),
            *(chunk(12, value) for value in self.outputs),
        ])
        opset = chunk(1, "") + integer(2, OPSET)
        return integer(1, IR_VERSION) + chunk(2, "kaisatsu") + chunk(7, graph) + chunk(8, opset)


def metadata(model: bytes) -> dict[str, str]:
    """The key-value pairs that a publisher put into an ONNX file."""
    pairs = (grouped(pair) for pair in grouped(model).get(14, []))
    return {pair[1][0].decode(): pair[2][0].decode() for pair in pairs}


def _attribute(name: str, value: Attribute) -> bytes:
    """Field 20 says which of the value fields counts."""
    match value:
        case int():
            return chunk(1, name) + integer(3, value) + integer(20, 2)
        case float():
            return chunk(1, name) + real(2, value) + integer(20, 1)
        case str():
            return chunk(1, name) + chunk(4, value) + integer(20, 3)
        case _:
            return chunk(1, name) + b"".join(integer(8, item) for item in value) + integer(20, 7)


def _value_info(name: str, shape: Shape) -> bytes:
    sides = b"".join(chunk(1, chunk(2, side) if isinstance(side, str) else integer(1, side)) for side in shape)
    return chunk(1, name) + chunk(2, chunk(1, integer(1, FLOAT) + chunk(2, sides)))
