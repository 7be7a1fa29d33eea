"""Reads an inference model of PaddlePaddle: `.pdmodel` (the program) and `.pdiparams` (its weights).

The numbers are the field numbers of Paddle's framework.proto.
"""

import struct
from dataclasses import dataclass
from math import prod
from typing import Any

from .onnx_graph import Tensor
from .protobuf import grouped, signed

FLOAT32 = 5  # VarType.Type


@dataclass(frozen=True)
class Operator:
    kind: str
    inputs: dict[str, list[str]]
    outputs: dict[str, list[str]]
    attributes: dict[str, Any]


def read_program(program: bytes, weights: bytes) -> tuple[list[Operator], dict[str, Tensor]]:
    blocks = grouped(program)[1]
    if len(blocks) != 1:
        raise ValueError(f"a program of one block was expected, not of {len(blocks)}")
    block = grouped(blocks[0])
    return [_operator(grouped(operator)) for operator in block[4]], _weights(block[3], weights)


def _operator(fields: dict[int, list]) -> Operator:
    return Operator(fields[3][0].decode(), _slots(fields.get(1, [])), _slots(fields.get(2, [])),
                    dict(_attribute(grouped(attribute)) for attribute in fields.get(4, [])))


def _slots(slots: list[bytes]) -> dict[str, list[str]]:
    found = (grouped(slot) for slot in slots)
    return {slot[1][0].decode(): [name.decode() for name in slot.get(2, [])] for slot in found}


def _attribute(fields: dict[int, list]) -> tuple[str, Any]:
    """The kinds that the models here use; another one reads as None, which no translation accepts silently."""
    def number(value: bytes) -> float:
        return struct.unpack("<f", value)[0]

    name, kind = fields[1][0].decode(), fields[2][0]
    match kind:
        case 0:
            return name, signed(fields[3][0])
        case 1:
            return name, number(fields[4][0])
        case 2:
            return name, fields[5][0].decode()
        case 3:
            return name, [signed(item) for item in fields.get(6, [])]
        case 4:
            return name, [number(item) for item in fields.get(7, [])]
        case 6:
            return name, bool(fields[10][0])
    return name, None


def _weights(variables: list[bytes], data: bytes) -> dict[str, Tensor]:
    """The weights follow one another in the order of their names; only the program knows the names."""
    persistable = []
    for variable in map(grouped, variables):
        name = variable[1][0].decode()
        if variable.get(3, [0])[0] and name not in ("feed", "fetch"):
            persistable.append(name)
    tensors, at = {}, 0
    for name in sorted(persistable):
        version, levels, tensor_version, length = struct.unpack_from("<IQIi", data, at)
        if (version, levels, tensor_version) != (0, 0, 0):
            raise ValueError(f"{name}: not a plain tensor")
        at += struct.calcsize("<IQIi")
        description = grouped(data[at:at + length])
        at += length
        if description[1][0] != FLOAT32:
            raise ValueError(f"{name}: float32 was expected")
        shape = tuple(description.get(2, []))
        tensors[name] = Tensor(shape, data[at:at + 4 * prod(shape)])
        at += 4 * prod(shape)
    if at != len(data):
        raise ValueError("the weights file is longer than the program says")
    return tensors
