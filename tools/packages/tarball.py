"""The tarball: a folder that can be unpacked anywhere, with the unit and the settings as examples."""

import gzip
import shutil
import tarfile
from pathlib import Path

from binary import Binary

EXAMPLES = ("kaisatsu.service", "kaisatsu.toml", "kaisatsu-admin")


def make(binary: Binary, root: Path, tree: Path, output: Path) -> Path:
    name = f"kaisatsu-{binary.version}-{binary.machine}-linux"
    tree = shutil.copytree(tree, tree.parent / "tarball")
    examples = tree / "share/doc/kaisatsu/examples"
    examples.mkdir()
    for example in EXAMPLES:
        shutil.copy(root / "packaging" / example, examples)
    target = output / f"{name}.tar.gz"
    with (target.open("wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as zipped,
          tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive):
        archive.add(tree, name, recursive=False, filter=plain)
        for path in sorted(tree.rglob("*")):
            archive.add(path, f"{name}/{path.relative_to(tree)}", recursive=False, filter=plain)
    return target


def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Nobody's files of no date, whatever the umask: the same files give the same bytes."""
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mtime = 315532800
    return entry
