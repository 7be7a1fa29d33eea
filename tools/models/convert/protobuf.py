"""The wire format of protocol buffers: as much of it as ONNX and Paddle files need."""

import struct
from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def read(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message in file order: (number, value). Nested messages stay bytes."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            yield number, varint()
            continue
        if kind not in (FIXED64, BYTES, FIXED32):
            raise ValueError(f"field {number} has the unknown wire type {kind}")
        length = varint() if kind == BYTES else {FIXED64: 8, FIXED32: 4}[kind]
        yield number, message[at:at + length]
        at += length


def grouped(message: bytes) -> dict[int, list]:
    """The same, gathered by field number."""
    fields: dict[int, list] = {}
    for number, value in read(message):
        fields.setdefault(number, []).append(value)
    return fields


def signed(value: int) -> int:
    """Negative integers travel as 64-bit two's complement."""
    return value - (1 << 64) if value >> 63 else value


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(number: int, value: int) -> bytes:
    return varint(number << 3 | VARINT) + varint(value)


def real(number: int, value: float) -> bytes:
    return varint(number << 3 | FIXED32) + struct.pack("<f", value)


def chunk(number: int, value: bytes | str) -> bytes:
    """A string, raw bytes or a nested message."""
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | BYTES) + varint(len(data)) + data
