"""The wheel: the program as a script of a Python package without Python modules."""

import base64
import hashlib
import zipfile
from pathlib import Path

from binary import Binary
from tree import files

DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip file can have: the same files give the same bytes
METADATA = """\
Metadata-Version: 2.4
Name: kaisatsu
Version: {version}
Summary: A server for route maps and image recognition
License-Expression: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.11
Requires-Dist: pip
Description-Content-Type: text/markdown

{readme}"""
WHEEL = "Wheel-Version: 1.0\nGenerator: kaisatsu tools/package\nRoot-Is-Purelib: false\nTag: {tag}\n"
# pip replaces the first line by the path of its Python.
MODELS = """\
#!python
\"\"\"Installs the models and ONNX Runtime: kaisatsu-models [FOLDER]\"\"\"
import runpy
import sys
from pathlib import Path

folder = Path(sys.prefix, "share/kaisatsu/models")
sys.dont_write_bytecode = True
sys.path.insert(0, str(folder))
runpy.run_path(str(folder / "install.py"), run_name="__main__")
"""


def make(binary: Binary, root: Path, tree: Path, output: Path) -> Path:
    tag = f"py3-none-manylinux_{binary.glibc[0]}_{binary.glibc[1]}_{binary.machine}"
    name = f"kaisatsu-{binary.version}"
    info = f"{name}.dist-info"
    content = {}
    for path in files(tree):
        place = path.relative_to(tree).as_posix()
        if place != "bin/kaisatsu-models":
            content[f"{name}.data/" + (f"scripts/{path.name}" if path.parent.name == "bin" else f"data/{place}")] = path
    readme = (root / "README.md").read_text(encoding="utf-8")
    content |= {
        f"{name}.data/scripts/kaisatsu-models": MODELS.encode(),
        f"{info}/licenses/LICENSE": root / "LICENSE",
        f"{info}/METADATA": METADATA.format(version=binary.version, readme=readme).encode(),
        f"{info}/WHEEL": WHEEL.format(tag=tag).encode(),
    }
    target = output / f"{name}-{tag}.whl"
    record = []
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for place, source in content.items():
            data = source.read_bytes() if isinstance(source, Path) else source
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{place},sha256={digest},{len(data)}\n")
            add(archive, place, data)
        record.append(f"{info}/RECORD,,\n")
        add(archive, f"{info}/RECORD", "".join(record).encode())
    return target


def add(archive: zipfile.ZipFile, place: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(place, DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100755 if "/scripts/" in place else 0o100644) << 16
    archive.writestr(entry, data)
