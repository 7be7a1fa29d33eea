"""Measures whether the scores of the built-in classifiers mean what they say, on photographs of three packages.

    make bench-accuracy

The cut-out photographs of Debian's tuxpaint-stamps-default are those on which the temperatures were fitted. The twenty
of the Python package foolbox, which are ImageNet's, and those of scikit-image and OpenCV were left out of it.
"""

import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image

HERE = Path(__file__).resolve().parent

from check import send  # noqa: E402
from compare import Kaisatsu, arguments  # noqa: E402
from probe import BINS, CALIBRATED, cache, calibration_error, chance_level  # noqa: E402

MODELS = ["general", "general-fast", "general-lcnet"]
FOOLBOX = "foolbox==3.3.4"
STAMPS = "tuxpaint-stamps-default"


def main() -> int:
    options = arguments(__doc__).parse_args()
    labels = options.models / "general/labels.tsv"
    names = [row.split("\t")[1] for row in labels.read_text(encoding="utf-8").splitlines()[1:]]
    known = tomllib.loads((HERE / "labels.toml").read_text(encoding="utf-8"))["classify"]
    wrong = []
    with tempfile.TemporaryDirectory() as name, Kaisatsu(options.kaisatsu, options.models, Path(name)) as server:
        sets = {
            "stamps": stamps(Path(name)),
            "foolbox, scikit-image, OpenCV": imagenet(names)
            | {options.photos / photo: wanted for photo, wanted in known.items()},
        }
        print(f"scores of the built-in classifiers, {BINS} bins\n")
        print("| model | set | photographs | right | mean score | calibration error | by chance alone |")
        print("|---|---|---|---|---|---|---|")
        for model in MODELS:
            for what, photos in sets.items():
                found = [send(server, "concept/classify", one, modelName=model, numOfCandidates=1) for one in photos]
                best = [one["candidates"][0] if one["candidates"] else None for one in found]
                scores = np.array([one["score"] if one else 0.0 for one in best])
                right = np.array([bool(one) and one["tag"] in wanted for one, wanted in zip(best, photos.values())])
                off, chance = calibration_error(scores, right), chance_level(scores)
                print(
                    f"| {model} | {what} | {len(right)} | {right.mean():.1%} | {scores.mean():.1%} | {off:.1%} | {chance:.1%} |",
                    flush=True,
                )
                if off > CALIBRATED + chance:
                    wrong.append(f"{model} on {what}: the scores are off by more than {CALIBRATED:.0%} and chance")
    print("\n" + ("\n".join(wrong) or "all checks passed"))
    return 1 if wrong else 0


def stamps(folder: Path) -> dict[Path, list[str]]:
    """The stamps of which the class is known, on white; none where Debian's packages cannot be fetched."""
    stored = cache() / STAMPS
    if not stored.exists():
        fetched = subprocess.run(["apt-get", "download", STAMPS], cwd=folder, stdout=subprocess.DEVNULL, check=False)
        if fetched.returncode:
            print(f"{STAMPS} cannot be fetched with apt-get: left out\n")
            return {}
        (package,) = folder.glob("*.deb")
        subprocess.run(["dpkg-deb", "--extract", package, stored], check=True)
    root, photos = stored / "usr/share/tuxpaint/stamps", {}
    for number, (stamp, tag) in enumerate(tomllib.loads((HERE / "stamps.toml").read_text(encoding="utf-8")).items()):
        image = Image.open(root / f"{stamp}.png").convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        white.alpha_composite(image)
        photos[folder / f"stamp-{number}.png"] = [tag]
        white.convert("RGB").save(folder / f"stamp-{number}.png")
    return photos


def imagenet(names: list[str]) -> dict[Path, list[str]]:
    """The photographs of foolbox, whose names end in the number of their class."""
    stored = cache() / FOOLBOX.replace("==", "-")
    if not stored.exists():
        with tempfile.TemporaryDirectory() as name:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", name, FOOLBOX]
            subprocess.run(command, check=True)
            (wheel,) = Path(name).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(stored, [one for one in archive.namelist() if "/imagenet_" in one])
    return {file: [names[int(file.stem.rsplit("_", 1)[1])]] for file in sorted(stored.rglob("imagenet_*.jpg"))}


if __name__ == "__main__":
    sys.exit(main())
