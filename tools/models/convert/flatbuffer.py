"""FlatBuffers: as much of the format as TensorFlow Lite files need.

A table begins with the distance back to its vtable, which lists where each of its fields is, or 0 for a field that has
its default value. Distances are 32 bits, little-endian.
"""

import struct
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A table: the whole file, and where in it the table begins."""

    file: bytes
    at: int

    def _field(self, number: int) -> int | None:
        vtable = self.at - struct.unpack_from("<i", self.file, self.at)[0]
        (size,) = struct.unpack_from("<H", self.file, vtable)
        entry = 4 + 2 * number
        if entry >= size:
            return None  # written before this field was invented
        (offset,) = struct.unpack_from("<H", self.file, vtable + entry)
        return self.at + offset if offset else None

    def _target(self, number: int) -> int | None:
        """Where the field leads, for those that hold a distance."""
        at = self._field(number)
        return None if at is None else at + struct.unpack_from("<I", self.file, at)[0]

    def scalar(self, number: int, kind: str, default: int = 0) -> int:
        """A number; `kind` is its letter of the module `struct`."""
        at = self._field(number)
        return default if at is None else struct.unpack_from(f"<{kind}", self.file, at)[0]

    def table(self, number: int) -> "Table | None":
        at = self._target(number)
        return None if at is None else Table(self.file, at)

    def tables(self, number: int) -> "list[Table]":
        return [Table(self.file, at + self._distance(at)) for at in self._elements(number, 4)]

    def vector(self, number: int, kind: str) -> tuple:
        """The numbers of a vector."""
        at = self._target(number)
        if at is None:
            return ()
        return struct.unpack_from(f"<{self._distance(at)}{kind}", self.file, at + 4)

    def data(self, number: int) -> bytes:
        """A vector of bytes, or a string."""
        at = self._target(number)
        return b"" if at is None else self.file[at + 4:at + 4 + self._distance(at)]

    def _elements(self, number: int, size: int) -> range:
        at = self._target(number)
        return range(0) if at is None else range(at + 4, at + 4 + size * self._distance(at), size)

    def _distance(self, at: int) -> int:
        return struct.unpack_from("<I", self.file, at)[0]


def root(file: bytes) -> Table:
    return Table(file, struct.unpack_from("<I", file)[0])
