"""Draws covers of books that do not exist, and photographs that show some of them.

No set of covers may be passed on. Each drawn one has a ground, shapes, and lines of text; the same seed draws the same
covers. A photograph shows them in front of a picture: in perspective, turned, in uneven light, blurred, as JPEG.
"""

import math
import random
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

COVER = (480, 680)
SYLLABLES = "ka ri to mo sen ba lu ne vo shi ter an dor mi la qu est ro pha zen".split()
# What a photograph shows: the name of the kind, how many covers, their length as a part of the picture's shorter side,
# and their turn in degrees.
KINDS = {
    "upright": (1, (0.6, 0.95), (-12, 12)),
    "on its side": (1, (0.6, 0.95), (78, 102)),
    "upside down": (1, (0.6, 0.95), (168, 192)),
    "at an angle": (1, (0.6, 0.95), (30, 60)),
    "small": (1, (0.3, 0.45), (-12, 12)),
    "small on its side": (1, (0.4, 0.55), (78, 102)),
    "three": (3, (0.4, 0.5), (-8, 8)),
}


def cover(seed: int) -> Image.Image:
    chance = random.Random(seed)

    def colour() -> tuple[int, ...]:
        return tuple(chance.randrange(256) for _ in range(3))

    image = gradient(COVER, colour(), colour(), chance.random() < 0.5)
    draw = ImageDraw.Draw(image)
    for _ in range(chance.randrange(6, 30)):
        x, y = chance.randrange(-60, COVER[0]), chance.randrange(-60, COVER[1])
        across, down = chance.randrange(15, 240), chance.randrange(15, 240)
        shape = chance.choice(["ellipse", "rectangle", "polygon", "line", "arc"])
        if shape == "polygon":
            corners = [
                (x + chance.randrange(across), y + chance.randrange(down)) for _ in range(chance.randrange(3, 7))
            ]
            draw.polygon(corners, fill=colour())
        elif shape == "line":
            draw.line((x, y, x + across, y + down), fill=colour(), width=chance.randrange(2, 14))
        elif shape == "arc":
            draw.arc(
                (x, y, x + across, y + down), 0, chance.randrange(90, 360), fill=colour(), width=chance.randrange(3, 12)
            )
        else:
            getattr(draw, shape)((x, y, x + across, y + down), fill=colour())
    for _ in range(chance.randrange(3, 14)):
        size = chance.choice([16, 20, 26, 34, 48, 64])
        words = " ".join(
            "".join(chance.choices(SYLLABLES, k=chance.randrange(1, 4))) for _ in range(chance.randrange(1, 5))
        )
        place = (chance.randrange(0, COVER[0] // 2), chance.randrange(0, COVER[1] - size))
        draw.text(place, words.title(), fill=colour(), font=ImageFont.load_default(size))
    return image


def gradient(size: tuple[int, int], first: tuple, second: tuple, across: bool) -> Image.Image:
    ramp = Image.linear_gradient("L")
    ramp = (ramp.rotate(90) if across else ramp).resize(size)
    return Image.composite(Image.new("RGB", size, first), Image.new("RGB", size, second), ramp)


def photograph(seed: int, covers: list[Image.Image], kind: str, ground: Image.Image, long: int) -> Image.Image:
    """A photograph, `long` pixels long, of some covers."""
    chance = random.Random(seed)
    _, lengths, turns = KINDS[kind]
    size = (long, long * 3 // 4)
    scene = ground.convert("RGB").resize(size, Image.Resampling.BICUBIC)
    for at, shown in enumerate(covers):
        length = chance.uniform(*lengths) * size[1]
        turn = chance.uniform(*turns) + 90 * (chance.randrange(4) if kind == "at an angle" else 0)
        turn += 180 * chance.randrange(2) if "side" in kind else 0
        room = size[0] / len(covers)
        middle = (room * (at + 0.5) + chance.uniform(-0.05, 0.05) * room, size[1] * chance.uniform(0.47, 0.53))
        paste(chance, scene, shown, middle, length, turn)
    light = gradient(size, (chance.randrange(190, 256),) * 3, (chance.randrange(190, 256),) * 3, chance.random() < 0.5)
    scene = ImageChops.multiply(scene, light).filter(ImageFilter.GaussianBlur(chance.uniform(0, 1.2) * long / 1600))
    noise = Image.effect_noise(size, chance.uniform(4, 20)).convert("RGB")
    return ImageChops.add(scene, noise, 1, -128)


def paste(
    chance: random.Random,
    scene: Image.Image,
    shown: Image.Image,
    middle: tuple[float, float],
    length: float,
    turn: float,
) -> None:
    """Puts a cover into a scene, turned to the right, and in perspective."""
    across, down = length * shown.width / shown.height, length
    cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    corners = []
    for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        x, y = u * across / 2 * chance.uniform(0.92, 1.0), v * down / 2 * chance.uniform(0.92, 1.0)
        corners.append((middle[0] + x * cos - y * sin, middle[1] + x * sin + y * cos))
    whole = [(0, 0), (shown.width, 0), (shown.width, shown.height), (0, shown.height)]
    map_back = perspective(corners, whole)
    seen = shown.transform(scene.size, Image.Transform.PERSPECTIVE, map_back, Image.Resampling.BICUBIC)
    mask = Image.new("L", scene.size, 0)
    ImageDraw.Draw(mask).polygon(corners, fill=255)
    scene.paste(seen, (0, 0), mask)


def perspective(places: list[tuple], shown: list[tuple]) -> list[float]:
    """The eight numbers of the map from places in a photograph to those in what it shows."""
    rows = []
    for (x, y), (u, v) in zip(places, shown):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, u])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y, v])
    for at in range(8):
        best = max(range(at, 8), key=lambda row: abs(rows[row][at]))
        rows[at], rows[best] = rows[best], rows[at]
        rows[at] = [value / rows[at][at] for value in rows[at]]
        for other in range(8):
            if other != at:
                rows[other] = [a - rows[other][at] * b for a, b in zip(rows[other], rows[at])]
    return [row[8] for row in rows]


def draw_covers(folder: Path, count: int) -> list[Path]:
    files = []
    for number in range(count):
        file = folder / f"cover-{number:04}.jpg"
        cover(number).save(file, quality=90)
        files.append(file)
    return files


def draw_photographs(
    folder: Path, grounds: list[Path], count: int, of_each: int, long: int
) -> dict[Path, tuple[str, list[int]]]:
    """Photographs of each kind, with their kind and the numbers of the covers that they show."""
    files = {}
    for row, (kind, (many, _, _)) in enumerate(KINDS.items()):
        for at in range(of_each):
            seed = row * 1000 + at
            shown = random.Random(seed).sample(range(count), many)
            ground = Image.open(grounds[seed % len(grounds)])
            file = folder / f"{kind.replace(' ', '-')}-{at}.jpg"
            photograph(seed, [cover(number) for number in shown], kind, ground, long).save(file, quality=88)
            files[file] = (kind, shown)
    return files
