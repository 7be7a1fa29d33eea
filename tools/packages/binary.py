"""What the packages have to know about the binary, asked of the binary itself."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

MACHINES = {62: ("x86_64", "amd64"), 183: ("aarch64", "arm64")}  # e_machine: the kernel's name, and Debian's
# What the program may load when it starts. Anything else would have to be a dependency of the packages.
LIBRARIES = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


class PackagingError(Exception):
    """Something that the person who runs this can act on."""


@dataclass(frozen=True)
class Binary:
    path: Path
    version: str
    machine: str
    debian_architecture: str
    glibc: tuple[int, int]  # the oldest that it runs on

    @staticmethod
    def examine(path: Path) -> "Binary":
        if not path.is_file():
            raise PackagingError(f"there is no {path}; `make package` builds it, BINARY=PATH names another")
        with path.open("rb") as file:
            header = file.read(20)
        if header[:4] != b"\x7fELF" or header[18] not in MACHINES:
            raise PackagingError(f"{path} is not a program for Linux on x86-64 or 64-bit ARM")
        machine, debian = MACHINES[header[18]]
        foreign = set(re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("--dynamic", path))) - LIBRARIES
        if foreign:
            raise PackagingError(f"{path} is linked against {', '.join(sorted(foreign))}, which the packages do not name")
        versions = re.findall(r"GLIBC_(\d+)\.(\d+)", readelf("--version-info", path))
        glibc = max((int(major), int(minor)) for major, minor in versions)
        return Binary(path, output(path, "--version").split()[-1], machine, debian, glibc)


def readelf(what: str, path: Path) -> str:
    return output("readelf", "--wide", what, path)


def output(*command: str | Path) -> str:
    """The standard output of a command that must succeed."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    except OSError as error:
        raise PackagingError(f"{command[0]} cannot be run: {error.strerror}") from error
    if done.returncode != 0:
        raise PackagingError(f"`{' '.join(map(str, command))}` failed: {done.stderr.strip()}")
    return done.stdout
