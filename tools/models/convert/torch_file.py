"""Reads the weights out of a file that PyTorch saved, in both of its formats, without PyTorch.

Such a file is a pickle, which can name any function to call. The reader here resolves the few names that weights
need and refuses all others, so a file cannot run code.
"""

import collections
import io
import pickle
import struct
import sys
import zipfile
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .onnx_graph import Tensor

MAGIC = 0x1950A86A20F9469CFC6C
ITEM_SIZES = {"FloatStorage": 4, "LongStorage": 8}


@dataclass
class Storage:
    """The bytes behind one or more tensors. The old format brings them after the tensors that refer to them."""

    kind: str
    data: bytes = b""


@dataclass
class View:
    """A tensor as the pickle describes it: a window into a storage."""

    storage: Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def read_weights(path: Path) -> dict[str, Tensor]:
    """The float32 tensors by name. (The only others are counters of training steps.)"""
    views = _read_zip(path) if zipfile.is_zipfile(path) else _read_old(path)
    return {name: _tensor(view) for name, view in views.items() if view.storage.kind == "FloatStorage"}


def _tensor(view: View) -> Tensor:
    items = array("f")
    items.frombytes(view.storage.data)
    if sys.byteorder == "big":
        raise NotImplementedError("the weights are little-endian, this machine is not")
    axes = [(side, stride) for side, stride in zip(view.shape, view.strides) if side > 1]
    rows = array("f")
    _gather(items, view.offset, axes, rows)
    return Tensor(tuple(view.shape), rows.tobytes())


def _gather(items: array, start: int, axes: list[tuple[int, int]], rows: array) -> None:
    """Copies a window row by row. (Weights that came from TensorFlow are stored with their axes in another order.)"""
    if not axes:
        rows.append(items[start])
        return
    (side, stride), inner = axes[0], axes[1:]
    if not inner:
        rows.extend(items[start:start + (side - 1) * stride + 1:stride])
        return
    for index in range(side):
        _gather(items, start + index * stride, inner, rows)


class _Reader(pickle.Unpickler):
    """Understands tensors, and nothing else that is not built into pickle."""

    def __init__(self, file: io.BufferedIOBase, storages: dict[str, Storage]) -> None:
        super().__init__(file)
        self.storages = storages

    def find_class(self, module: str, name: str) -> Any:
        match module, name:
            case "torch._utils", "_rebuild_tensor_v2":
                return lambda storage, offset, shape, strides, *_: View(storage, offset, shape, strides)
            case "collections", "OrderedDict":
                return collections.OrderedDict
            case "torch", ("FloatStorage" | "LongStorage") as kind:
                return kind
        raise pickle.UnpicklingError(f"weights have no business with {module}.{name}")

    def persistent_load(self, reference: tuple) -> Storage:
        _, kind, key, *_ = reference
        return self.storages.setdefault(key, Storage(kind))


def _read_zip(path: Path) -> dict[str, View]:
    with zipfile.ZipFile(path) as archive:
        pickled = next(name for name in archive.namelist() if name.endswith("/data.pkl"))
        storages: dict[str, Storage] = {}
        views = _Reader(io.BytesIO(archive.read(pickled)), storages).load()
        for key, storage in storages.items():
            storage.data = archive.read(pickled.removesuffix("data.pkl") + f"data/{key}")
    return views


def _read_old(path: Path) -> dict[str, View]:
    """Five pickles one after the other (magic number, protocol, system, weights, order of storages), then the bytes."""
    with path.open("rb") as file:
        storages: dict[str, Storage] = {}
        if _Reader(file, storages).load() != MAGIC:
            raise ValueError(f"{path.name} is not a file of PyTorch")
        _protocol, _system, views, keys = (_Reader(file, storages).load() for _ in range(4))
        for key in keys:
            (items,) = struct.unpack("<q", file.read(8))
            storages[key].data = file.read(items * ITEM_SIZES[storages[key].kind])
    return views
