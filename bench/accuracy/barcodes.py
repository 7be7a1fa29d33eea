"""Synthesises photographs of barcodes, reads them with Kaisatsu and with zxing-cpp, and counts the correct answers.

No set of real photographs with known numbers may be redistributed. Each synthetic one shows a label with spreading
ink, flat or around a bottle, in front of a photograph: in perspective, at any angle, under uneven light and glare,
blurred by focus or motion, with noise, as JPEG.
"""

import json
import subprocess
import time
from pathlib import Path

import cv2
import numpy as np
import zxingcpp

PLAIN = "0001101 0011001 0010011 0111101 0100011 0110001 0101111 0111011 0110111 0001011".split()
RIGHT = ["".join("10"[int(bit)] for bit in code) for code in PLAIN]
MIRRORED = [code[::-1] for code in RIGHT]
# Which digits of UPC-E are mirrored, by its check digit; the number system is 0.
SHORT_CHECK = "GGGLLL GGLGLL GGLLGL GGLLLG GLGGLL GLLGGL GLLLGG GLGLGL GLGLLG GLLGLG".split()
FIRST_DIGIT = "LLLLLL LLGLGG LLGGLG LLGGGL LGLLGG LGGLLG LGGGLL LGLGLG LGLGGL LGGLGL".split()
# Width of the narrowest bar on a label, in pixels.
DRAWN = 8
FORMATS = [
    zxingcpp.BarcodeFormat.EAN13,
    zxingcpp.BarcodeFormat.EAN8,
    zxingcpp.BarcodeFormat.UPCA,
    zxingcpp.BarcodeFormat.UPCE,
]


def check_digit(digits: str) -> str:
    odd = len(digits) % 2
    return str(-sum(int(digit) * (3 if at % 2 != odd else 1) for at, digit in enumerate(digits)) % 10)


def number(chance: np.random.Generator, kind: str) -> str:
    """As printed: thirteen digits (goods, books) or eight of EAN-8; for UPC-E eight with a dash before the last."""
    if kind == "UPC-E":
        six = "".join(map(str, chance.integers(0, 10, 6)))
        return f"0{six}-{check_digit(expanded(six))}"
    start = str(chance.choice(["45", "49", "978", "4", "0", "8", ""], p=[0.15, 0.15, 0.25, 0.15, 0.15, 0.08, 0.07]))
    length = 12 if start else 7
    digits = start + "".join(map(str, chance.integers(0, 10, length - len(start))))
    return digits + check_digit(digits)


def expanded(six: str) -> str:
    """The eleven digits of UPC-A, without the check digit, for the six of UPC-E."""
    a, b, c, d, e, rule = six
    if rule in "012":
        return f"0{a}{b}{rule}0000{c}{d}{e}"
    if rule == "3":
        return f"0{a}{b}{c}00000{d}{e}"
    return f"0{a}{b}{c}{d}00000{e}" if rule == "4" else f"0{six[:5]}0000{rule}"


def article(printed: str) -> str:
    """The thirteen digits that a catalogue looks up."""
    if "-" in printed:
        long = expanded(printed[1:7])
        return "0" + long + check_digit(long)
    return printed.zfill(13)


def bars(digits: str) -> str:
    if "-" in digits:
        sets = zip(digits[1:7], SHORT_CHECK[int(digits[-1])])
        return "101" + "".join((PLAIN if kind == "L" else MIRRORED)[int(digit)] for digit, kind in sets) + "010101"
    if len(digits) == 8:
        left, right = "".join(PLAIN[int(d)] for d in digits[:4]), "".join(RIGHT[int(d)] for d in digits[4:])
        return f"101{left}01010{right}101"
    left = zip(digits[1:7], FIRST_DIGIT[int(digits[0])])
    shown = "".join((PLAIN if kind == "L" else MIRRORED)[int(digit)] for digit, kind in left)
    return "101" + shown + "01010" + "".join(RIGHT[int(digit)] for digit in digits[7:]) + "101"


def label(chance: np.random.Generator, digits: str) -> tuple[np.ndarray, int]:
    """An image of a label, and the width of its bars in modules."""
    pattern = bars(digits)
    quiet, height = int(chance.integers(6, 12)), int(len(pattern) * chance.uniform(0.25, 0.7)) * DRAWN
    ink, paper = chance.integers(0, 70), chance.integers(190, 255)
    drawn = np.full((height + 16 * DRAWN, (len(pattern) + 2 * quiet) * DRAWN), paper, np.uint8)
    spread, at = chance.normal(0, 0.06) * DRAWN, 0
    while at < len(pattern):
        end = at
        while end < len(pattern) and pattern[end] == pattern[at]:
            end += 1
        if pattern[at] == "1":
            drawn[
                4 * DRAWN : 4 * DRAWN + height,
                round((quiet + at) * DRAWN - spread) : round((quiet + end) * DRAWN + spread),
            ] = ink
        at = end
    cv2.putText(drawn, digits, (quiet * DRAWN, height + 14 * DRAWN), cv2.FONT_HERSHEY_SIMPLEX, DRAWN / 3.2, int(ink), 2)
    pad = int(chance.integers(0, 40)) * DRAWN
    around = tuple(int(channel) for channel in chance.integers(60, 255, 3))
    return cv2.copyMakeBorder(
        cv2.cvtColor(drawn, cv2.COLOR_GRAY2BGR), pad, pad, pad, pad, cv2.BORDER_CONSTANT, value=around
    ), len(pattern)


def around_a_bottle(chance: np.random.Generator, flat: np.ndarray) -> np.ndarray:
    height, width = flat.shape[:2]
    reach = chance.uniform(0.4, 1.1)
    across = np.arcsin(np.linspace(-1, 1, width) * np.sin(reach)) / reach
    columns = ((across + 1) / 2 * (width - 1)).astype(np.float32)[None].repeat(height, 0)
    rows = np.arange(height, dtype=np.float32)[:, None].repeat(width, 1)
    return cv2.remap(flat, columns, rows, cv2.INTER_LINEAR)


def photograph(
    chance: np.random.Generator, backgrounds: list[np.ndarray], digits: str, size: int | None = None
) -> np.ndarray:
    """`size` is the longer side; the symbols in large photographs are those of small ones, not larger."""
    drawn, modules = label(chance, digits)
    if chance.random() < 0.25:
        drawn = around_a_bottle(chance, drawn)
    long = size or int(chance.choice([640, 800, 1024, 1280]))
    width, height = (long, long * 3 // 4) if chance.random() < 0.6 else (long * 3 // 4, long)
    scene = cv2.resize(backgrounds[chance.integers(len(backgrounds))], (width, height)).astype(np.float32)
    widest = 3 if size else 4.5
    module = min(float(np.exp(chance.uniform(0, np.log(widest)))), 0.95 * width / (modules + 14))
    scene = put(chance, scene, drawn.astype(np.float32), module / DRAWN)
    return spoiled(chance, scene, module)


def put(chance: np.random.Generator, scene: np.ndarray, drawn: np.ndarray, scale: float) -> np.ndarray:
    """Places the label in the scene: rotated a little, by quarters or at random, and sometimes in perspective."""
    how = chance.random()
    turn = (
        chance.normal(0, 6) + (0 if how < 0.5 else 90 * chance.integers(1, 4)) if how < 0.75 else chance.uniform(0, 360)
    )
    cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    (rows, columns), (height, width) = drawn.shape[:2], scene.shape[:2]
    corners = np.float32([[0, 0], [columns, 0], [columns, rows], [0, rows]])
    slant = chance.uniform(-0.08, 0.08, (4, 2)) * [columns, rows] * (chance.random() < 0.5)
    placed = (corners + slant - [columns / 2, rows / 2]) * scale @ np.array([[cos, sin], [-sin, cos]])
    reach = np.abs(placed).max(0)
    middle = [
        side / 2 if 2 * span >= side - 4 else chance.uniform(span, side - span)
        for side, span in zip((width, height), reach)
    ]
    # Drawn at twice the size and reduced, because a pixel of a camera integrates over an area.
    matrix = cv2.getPerspectiveTransform(corners, (2 * (placed + middle)).astype(np.float32))
    soft = cv2.GaussianBlur(drawn, (0, 0), max(0.3, 0.175 / scale))
    seen = cv2.resize(
        cv2.warpPerspective(soft, matrix, (2 * width, 2 * height)), (width, height), interpolation=cv2.INTER_AREA
    )
    mask = cv2.warpPerspective(np.ones((rows, columns), np.float32), matrix, (2 * width, 2 * height))
    mask = cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA)[..., None]
    scene = scene * (1 - mask) + seen * mask
    if chance.random() < 0.2:
        y, x = np.mgrid[0:height, 0:width]
        size = chance.uniform(10, 60) * max(1.0, scale * DRAWN)
        glare = np.exp(-((x - middle[0]) ** 2 + (y - middle[1]) ** 2) / (2 * size * size))[..., None]
        scene += (255 - scene) * glare * chance.uniform(0.5, 1)
    return scene


def spoiled(chance: np.random.Generator, scene: np.ndarray, module: float) -> np.ndarray:
    """Light, focus, motion, noise and compression."""
    height, width = scene.shape[:2]
    if chance.random() < 0.5:
        right, down = chance.uniform(-0.6, 0.6, 2)
        y, x = np.mgrid[0:height, 0:width]
        scene = scene * np.clip(1 + right * (x / width - 0.5) + down * (y / height - 0.5), 0.2, 1.6)[..., None]
    how = chance.random()
    if how < 0.45:
        scene = cv2.GaussianBlur(scene, (0, 0), chance.uniform(0.2, 0.95) * module)
    elif how < 0.6:
        length, angle = max(2, int(chance.uniform(0.5, 2.2) * module)), chance.uniform(0, np.pi)
        kernel = np.zeros((2 * length + 1, 2 * length + 1), np.float32)
        step = (length / 2 * np.cos(angle), length / 2 * np.sin(angle))
        cv2.line(
            kernel, (int(length - step[0]), int(length - step[1])), (int(length + step[0]), int(length + step[1])), 1
        )
        scene = cv2.filter2D(scene, -1, kernel / kernel.sum())
    scene = scene * chance.uniform(0.5, 1.05) + chance.normal(
        0, chance.choice([0, 3, 7, 14], p=[0.3, 0.35, 0.25, 0.1]), scene.shape
    )
    coded = cv2.imencode(
        ".jpg", np.clip(scene, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, int(chance.integers(40, 96))]
    )[1]
    return cv2.imdecode(coded, cv2.IMREAD_COLOR)


def by_zxing(image: np.ndarray) -> list[str]:
    found = zxingcpp.read_barcodes(image, formats=FORMATS)
    short = zxingcpp.BarcodeFormat.UPCE
    return [article(f"{one.text[:7]}-" if one.format == short and len(one.text) == 8 else one.text) for one in found]


def by_zxing_repeated(image: np.ndarray) -> list[str]:
    """What people do when one attempt finds nothing: other sizes, more contrast, sharpening, rotation."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    sharp = cv2.addWeighted(grey, 2.5, cv2.GaussianBlur(grey, (0, 0), 2), -1.5, 0)
    attempts = [lambda: image]
    attempts += [
        lambda scale=scale: cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
        for scale in (2, 0.5, 1.5, 3)
    ]
    attempts += [
        lambda: cv2.createCLAHE(3, (8, 8)).apply(grey),
        lambda: sharp,
        lambda: cv2.resize(sharp, None, fx=2, fy=2),
    ]
    attempts += [lambda degrees=degrees: turned(grey, degrees) for degrees in (15, 30, 45, 60, 75, -15, -30)]
    return next((found for found in (by_zxing(attempt()) for attempt in attempts) if found), [])


def turned(grey: np.ndarray, degrees: float) -> np.ndarray:
    height, width = grey.shape
    side = int(np.hypot(width, height))
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1)
    matrix[:, 2] += [(side - width) / 2, (side - height) / 2]
    return cv2.warpAffine(grey, matrix, (side, side), borderValue=128)


def report(bench: Path, photos: Path, folder: Path, count: int) -> None:
    backgrounds = [
        cv2.imread(str(photos / name))
        for name in (
            "astronaut.png",
            "brick.png",
            "chelsea.png",
            "coffee.png",
            "grass.png",
            "page.png",
            "rocket.jpg",
            "text.png",
        )
    ]
    for what, kind, size, part in (
        ("EAN-13, UPC-A and EAN-8", "EAN", None, 1),
        ("UPC-E", "UPC-E", None, 2),
        ("EAN, small in 12 megapixels", "EAN", 4032, 8),
    ):
        compare(bench, backgrounds, folder, (what, kind, size), count // part)


def compare(bench: Path, backgrounds: list[np.ndarray], folder: Path, drawn: tuple, count: int) -> None:
    """Draws `count` photographs of one kind, and prints what each reader makes of them."""
    what, kind, size = drawn
    chance = np.random.default_rng(2026)
    truth: dict[Path, str] = {}
    for at in range(count):
        digits = number(chance, kind)
        file = folder / f"{kind}-{size}-{at:04}.{'jpg' if size else 'png'}"
        cv2.imwrite(str(file), photograph(chance, backgrounds, digits, size))
        truth[file] = article(digits)
    read = json.loads(subprocess.run([bench, "codes", *truth], check=True, stdout=subprocess.PIPE).stdout)
    rows = {"Kaisatsu": ([one["codes"] for one in read], sum(one["ms"] for one in read) / count)}
    for name, reader in (("zxing-cpp, one attempt", by_zxing), ("zxing-cpp, up to 15 attempts", by_zxing_repeated)):
        images = [cv2.imread(str(file)) for file in truth]
        began = time.perf_counter()
        found = [reader(image) for image in images]
        rows[name] = (found, (time.perf_counter() - began) * 1e3 / count)
    print(f"| {what}, {count} drawn photographs | read | with a wrong number | ms a photograph |")
    print("|---|---|---|---|")
    for name, (found, milliseconds) in rows.items():
        right = sum(digits in codes for digits, codes in zip(truth.values(), found))
        wrong = sum(any(code != digits for code in codes) for digits, codes in zip(truth.values(), found))
        print(f"| {name} | {right} ({100 * right / count:.1f}%) | {wrong} | {milliseconds:.0f} |")
    print()
