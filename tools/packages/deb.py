"""The Debian package: the program as a service of its own user."""

import gzip
import os
import shutil
from pathlib import Path

from binary import Binary, PackagingError, output
from tree import files

DATE = 315532800  # 1980, as in the wheel: the same files give the same bytes


def make(binary: Binary, root: Path, tree: Path, output_folder: Path) -> Path:
    if not shutil.which("dpkg-deb"):
        raise PackagingError("dpkg-deb is missing. Install the package dpkg and try again.")
    packaging = root / "packaging"
    stage = tree.parent / "deb"
    shutil.copytree(tree, stage / "usr")
    place(packaging / "kaisatsu.service", stage / "usr/lib/systemd/system/kaisatsu.service")
    place(packaging / "kaisatsu.toml", stage / "etc/kaisatsu/kaisatsu.toml", 0o640)
    place(packaging / "kaisatsu-admin", stage / "usr/sbin/kaisatsu-admin", 0o755)
    # What Debian expects: compressed manual pages, a file `copyright` instead of the licence, compressed changes.
    for page in (stage / "usr/share/man").rglob("*.1"):
        compress(page)
    documents = stage / "usr/share/doc/kaisatsu"
    (documents / "LICENSE").unlink()
    place(packaging / "deb/copyright", documents / "copyright")
    (documents / "CHANGELOG.md").rename(documents / "changelog")
    compress(documents / "changelog")
    # zsh looks for functions of packages here.
    (stage / "usr/share/zsh/site-functions").rename(stage / "usr/share/zsh/vendor-completions")
    size = sum(path.stat().st_size for path in files(stage))
    facts = {"VERSION": binary.version, "ARCHITECTURE": binary.debian_architecture, "SIZE": str(size // 1024),
             "GLIBC": ".".join(map(str, binary.glibc))}
    control = (packaging / "deb/control").read_text()
    for name, value in facts.items():
        control = control.replace(f"@{name}@", value)
    debian = stage / "DEBIAN"
    for script in ("postinst", "prerm", "postrm"):
        place(packaging / "deb" / script, debian / script, 0o755)
    place(packaging / "deb/conffiles", debian / "conffiles")
    (debian / "control").write_text(control)
    (debian / "control").chmod(0o644)
    for path in [stage, *stage.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
        os.utime(path, (DATE, DATE))
    target = output_folder / f"kaisatsu_{binary.version}_{binary.debian_architecture}.deb"
    os.environ["SOURCE_DATE_EPOCH"] = str(DATE)
    output("dpkg-deb", "--root-owner-group", "-Zxz", "--build", stage, target)
    return target


def place(source: Path, target: Path, mode: int = 0o644) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def compress(path: Path) -> None:
    target = path.with_name(path.name + ".gz")
    target.write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    target.chmod(0o644)
    path.unlink()
