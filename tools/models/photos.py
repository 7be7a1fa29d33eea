#!/usr/bin/env python3
"""Installs photographs to test the models with.

    python3 tools/models/photos.py [--pairs] [FOLDER]

FOLDER is ${XDG_CACHE_HOME:-~/.cache}/kaisatsu/photos unless given. The photographs come with scikit-image (pip).
--pairs adds pictures of OpenCV that show one thing twice, for local features. No wheel carries them, so they come out
of Debian's package opencv-doc (95 MB, by `apt-get download`; nothing is installed and no root is needed).
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import registry

HERE = Path(__file__).resolve().parent
REQUIREMENT = HERE / "photos-requirement.txt"
WHEEL_FOLDER = "skimage/data"
PHOTOS = ["astronaut.png", "brick.png", "camera.png", "chelsea.png", "clock_motion.png", "coffee.png", "coins.png",
          "grass.png", "gravel.png", "horse.png", "hubble_deep_field.jpg", "moon.png", "motorcycle_left.png",
          "motorcycle_right.png", "page.png", "retina.jpg", "rocket.jpg", "text.png"]
DEBIAN_FOLDER = "./usr/share/doc/opencv-doc/examples/data"
# The package differs between Debian's releases; the pictures do not, so it is they that are pinned.
PAIRS = {
    "box.png": "1094629c1e2ebbc8a9ae2c9c63e18c1dff0f5f1481146e02f3b11a3d30feb20a",
    "box_in_scene.png": "8b0225ff76244a42bd1400c0904f8b7afea7d97b7d8115495e42e98ad347bd51",
    "graf1.png": "1504b769303c7bde00fa578eeaad3c68e02aceabeb1242e556f1f8d19e4bdea5",
    "graf3.png": "492e0e96f21748d093e1a29f4dbfd46528bd75966937e85ce7c8abc0f361fc15",
    "leuvenA.jpg": "b2977cdbd9fb3f94dadd6f76cf586d145676deb8a22b5f0f42149d21c058c09f",
    "leuvenB.jpg": "5bb41a60038a2baa5d8ea0eaba55e6e3050d721b254cf79d8d8998d7e49d664a",
}


def main() -> int:
    words = [word for word in sys.argv[1:] if word != "--pairs"]
    if len(words) > 1 or any(word.startswith("-") for word in words):
        sys.exit(__doc__)
    folder = Path(words[0] if words else default_folder()).expanduser().absolute()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        if not all((folder / name).exists() for name in PHOTOS):
            take_photos(folder)
        if "--pairs" in sys.argv and not all((folder / name).exists() for name in PAIRS):
            take_pairs(folder)
    except (registry.RegistryError, subprocess.CalledProcessError, OSError, ValueError) as error:
        sys.exit(f"photos: {error}")
    print(f"photos: all in place in {folder}")
    return 0


def default_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kaisatsu/photos"


def take_photos(folder: Path) -> None:
    print("photos: fetching scikit-image (13 MB)", flush=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".building-") as building:
        line = registry.requirement(REQUIREMENT, "scikit-image")
        package = registry.unpack(line, Path(building), registry.platform_flags("win_amd64"))
        for name in PHOTOS:
            (package / WHEEL_FOLDER / name).replace(folder / name)


def take_pairs(folder: Path) -> None:
    if not shutil.which("apt-get"):
        raise ValueError("--pairs needs apt-get, which this system lacks")
    print("photos: fetching opencv-doc (95 MB)", flush=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".building-") as building:
        download = ["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=", "opencv-doc"]
        subprocess.run(download, cwd=building, check=True)
        (package,) = Path(building).glob("*.deb")
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as unpacking:
            with tarfile.open(fileobj=unpacking.stdout, mode="r|") as archive:
                found = {Path(entry.name).name: archive.extractfile(entry).read() for entry in archive
                         if str(Path(entry.name).parent) == str(Path(DEBIAN_FOLDER)) and Path(entry.name).name in PAIRS}
        for name, pinned in PAIRS.items():
            if hashlib.sha256(found.get(name, b"")).hexdigest() != pinned:
                raise ValueError(f"opencv-doc carries another {name} than expected")
            partial = Path(building) / name
            partial.write_bytes(found[name])
            partial.replace(folder / name)


if __name__ == "__main__":
    sys.exit(main())
