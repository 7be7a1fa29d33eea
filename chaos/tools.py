"""Things of the repository and the machine that the other files use."""

import importlib.util
import os
import shutil
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))  # which the scripts there import from too

from ports import free_port, release  # noqa: E402, F401


def tool(name: str):
    """A script of tools/ as a module."""
    sys.dont_write_bytecode = True
    loader = SourceFileLoader(name.replace("-", "_"), str(ROOT / "tools" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def privileged(*command: object) -> bool:
    """Runs a command as it is, or with `sudo` where that is not allowed."""
    words = [str(word) for word in command]
    return any(subprocess.run([*front, *words], capture_output=True).returncode == 0
               for front in ([], ["sudo", "-n"]) if not front or shutil.which("sudo"))


class SmallDisk:
    """A file system in memory that can be filled."""

    def __init__(self, folder: Path, megabytes: int, owner: int = os.getuid()) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        options = f"size={megabytes}m,mode=700,uid={owner}"
        if not privileged("mount", "-t", "tmpfs", "-o", options, "none", folder):
            sys.exit("chaos: a small disk has to be mounted: run this as root, or allow `sudo -n mount`")

    def fill(self) -> None:
        block = bytes(64 << 10)
        with open(self.folder / "filler", "wb", buffering=0) as file:
            while block:
                try:
                    file.write(block)
                except OSError:
                    block = block[:len(block) // 2]  # to the last byte

    def make_room(self) -> None:
        (self.folder / "filler").unlink(missing_ok=True)

    def unmount(self) -> None:
        privileged("umount", "--lazy", self.folder)


def tail(path: Path, lines: int = 15) -> str:
    """The last lines of a log, without those of the balancer's questions."""
    text = path.read_text(errors="replace") if path.exists() else ""
    return "\n".join([line for line in text.splitlines() if '"/readyz"' not in line][-lines:])
