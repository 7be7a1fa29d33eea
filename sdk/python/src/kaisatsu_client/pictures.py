"""Pictures as callers have them: paths, bytes, open files, Pillow images and numpy arrays."""

from __future__ import annotations

import io
import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol, Union, cast, runtime_checkable

_LARGE = 1_000_000  # pixels from which on JPEG is sent, because a photograph as PNG can exceed the server's limit


@runtime_checkable
class PillowImage(Protocol):
    """What is used of `PIL.Image.Image`."""

    @property
    def size(self) -> tuple[int, int]: ...
    @property
    def mode(self) -> str: ...
    def convert(self, mode: str, /) -> Any: ...
    def save(self, fp: Any, format: str | None = None, **params: Any) -> None: ...


@runtime_checkable
class Array(Protocol):
    """What is used of `numpy.ndarray`: height × width of grey, or height × width × 3 or 4, of type uint8."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> Any: ...
    def tobytes(self) -> bytes: ...


Picture = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, IO[bytes], PillowImage, Array]
"""A picture: the path of a file, its bytes, an open file, a Pillow image or a numpy array."""


@dataclass(frozen=True)
class Encoded:
    """The bytes of a picture file."""

    content: bytes
    name: str


def encode(picture: Picture) -> Encoded:
    """The bytes to send. Files are sent as they are: the server reads their format out of them."""
    if isinstance(picture, (bytes, bytearray)):
        return Encoded(bytes(picture), "image")
    if isinstance(picture, (str, os.PathLike)):
        path = Path(picture)
        return Encoded(path.read_bytes(), path.name)
    if hasattr(picture, "read"):
        name = getattr(picture, "name", None)
        content = cast("IO[bytes]", picture).read()
        return Encoded(content, os.path.basename(name) if isinstance(name, str) else "image")
    if isinstance(picture, Array) and not isinstance(picture, memoryview):
        return _encode_array(picture)
    if isinstance(picture, PillowImage):
        return _encode_pillow(picture)
    if isinstance(picture, memoryview):
        return Encoded(bytes(picture), "image")
    raise TypeError(f"a picture cannot be of type {type(picture).__name__}")


def _encode_pillow(image: PillowImage) -> Encoded:
    stream = io.BytesIO()
    width, height = image.size
    if width * height >= _LARGE and image.mode in ("RGB", "L", "YCbCr", "CMYK"):
        image.convert("RGB").save(stream, format="JPEG", quality=95)
        return Encoded(stream.getvalue(), "image.jpg")
    plain = image if image.mode in ("1", "L", "LA", "P", "RGB", "RGBA") else image.convert("RGB")
    plain.save(stream, format="PNG")
    return Encoded(stream.getvalue(), "image.png")


def _encode_array(array: Array) -> Encoded:
    shape = array.shape
    channels = 1 if len(shape) == 2 else shape[2] if len(shape) == 3 else 0
    if channels not in (1, 3, 4) or 0 in shape:
        raise ValueError(f"an array of shape {shape} is no picture: (height, width), or with 3 or 4 channels")
    if str(array.dtype) != "uint8":
        raise ValueError(f"an array of {array.dtype} is no picture: convert it to uint8, 0 to 255")
    height, width, pixels = shape[0], shape[1], array.tobytes()
    if width * height >= _LARGE:
        try:
            from PIL import Image  # noqa: PLC0415
        except ImportError:
            pass
        else:
            return _encode_pillow(Image.frombytes({1: "L", 3: "RGB", 4: "RGBA"}[channels], (width, height), pixels))
    return Encoded(_png(pixels, width, height, channels), "image.png")


def _png(pixels: bytes, width: int, height: int, channels: int) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    colour_type = {1: 0, 3: 2, 4: 6}[channels]
    stride = width * channels
    rows = b"".join(b"\0" + pixels[start : start + stride] for start in range(0, stride * height, stride))
    header = struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
