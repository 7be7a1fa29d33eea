#!/usr/bin/env python3
"""Runs the installed models in Python on photographs with known answers: the proof that the conversion is right.

    python3 tools/models/check.py [MODELS] [--save FOLDER]

MODELS is where install.py put them. --save keeps the exact input and output tensors (.npy) and what they mean (.json),
for comparison with the server's own code. The photographs come from photos.py. Needs Python 3.11 … 3.13, and a font
that has Japanese for the part that reads text. Sets up a virtual environment of its own once, in the cache folder.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

import install
import photos

HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE / "check-requirements.txt"


def environment() -> Path:
    """The Python of the virtual environment, made when it does not exist or the requirements changed."""
    key = hashlib.sha256(REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = photos.default_folder().parent / f"models-check-{key}"
    if not (folder / "complete").exists():
        print("check: setting up a virtual environment (once)", flush=True)
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                        "--no-deps", "--only-binary=:all:", "--require-hashes", "-r", REQUIREMENTS], check=True)
        (folder / "complete").touch()
    return folder / "bin/python"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="?", type=Path, default=install.default_folder())
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    subprocess.run([sys.executable, HERE / "photos.py", "--pairs"], check=True)
    arguments = [options.models, photos.default_folder(), *([options.save] if options.save else [])]
    # One thread: the outputs are compared with other code, and several threads add up in another order.
    command = [environment(), HERE / "reference.py", *arguments]
    return subprocess.call(command, env={**os.environ, "OMP_NUM_THREADS": "1"})


if __name__ == "__main__":
    sys.exit(main())
