"""Draws the small pictures of the story: three kinds of things, four of each, and a barcode. Standard library only."""

import math
import random
import struct
import zlib
from pathlib import Path

Colour = tuple[int, int, int]
KINDS = ("disc", "stripes", "checks")
BARCODE = "4901234567894"


def draw_all(folder: Path) -> None:
    """Writes disc-1.png … checks-5.png (the fifth of each is there to be asked about) and barcode.png."""
    for kind in KINDS:
        for number in range(1, 6):
            (folder / f"{kind}-{number}.png").write_bytes(_png(_thing(kind, number)))
    (folder / "barcode.png").write_bytes(_png(_barcode(BARCODE)))
    (folder / "not-a-picture.txt").write_text("this is no picture\n")


def _thing(kind: str, number: int) -> list[list[Colour]]:
    # The same seed draws the same pictures everywhere, so that every client is asked the same.
    chance = random.Random(f"{kind} {number}")
    size, shift = 160, chance.randrange(20)
    grey = 200 + chance.randrange(40)

    def colour(x: int, y: int) -> Colour:
        if kind == "disc":
            inside = math.hypot(x - 70 - shift, y - 75) < 45 + number
            return (200, 30 + number * 5, 40) if inside else (grey, grey, grey)
        if kind == "stripes":
            return (30, 60, 160) if (x + y + shift) // (10 + number) % 2 else (240, 240, 220)
        return (20, 20, 20) if ((x + shift) // (14 + number) + y // (14 + number)) % 2 else (250, 210, 40)

    return [[colour(x, y) for x in range(size)] for y in range(size)]


def _barcode(digits: str) -> list[list[Colour]]:
    """EAN-13."""
    left = "0001101 0011001 0010011 0111101 0100011 0110001 0101111 0111011 0110111 0001011".split()
    right = ["".join("10"[int(bit)] for bit in code) for code in left]
    mirrored = [code[::-1] for code in right]
    parity = "LLLLLL LLGLGG LLGGLG LLGGGL LGLLGG LGGLLG LGGGLL LGLGLG LGLGGL LGGLGL".split()[int(digits[0])]
    halves = [(left if form == "L" else mirrored)[int(digit)] for form, digit in zip(parity, digits[1:7], strict=True)]
    modules = "101" + "".join(halves) + "01010" + "".join(right[int(digit)] for digit in digits[7:]) + "101"
    row = [255] * 36 + [0 if bit == "1" else 255 for bit in modules for _ in range(4)] + [255] * 36
    blank = [(255, 255, 255)] * len(row)
    return [blank] * 40 + [[(value,) * 3 for value in row]] * 160 + [blank] * 40


def _png(rows: list[list[Colour]]) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    pixels = b"".join(b"\0" + bytes(value for pixel in row for value in pixel) for row in rows)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")
