"""The licences of everything that is compiled into the binary: most of them ask that their text goes along."""

import json
from pathlib import Path

from binary import output

NAMES = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT", "UNLICENSE")
HEADING = "Licences of the third-party software, typeface and pages that are part of the program kaisatsu.\n"


def collect(root: Path) -> str:
    """One text: each licence once, below the names of those that it is for."""
    owners: dict[str, list[str]] = {}
    for owner, folder, licence in [*crates(root), *bundled(root)]:
        texts = [path.read_text(errors="replace") for path in licence_files(folder)]
        for text in texts or [f"{licence} (its package has no copy of the text)"]:
            owners.setdefault(text.replace("\r\n", "\n").strip(), []).append(owner)
    parts = sorted((sorted(names), text) for text, names in owners.items())
    rule = "\n" + "=" * 80 + "\n"
    return HEADING + "".join(f"{rule}{', '.join(names)}{rule}\n{text}\n" for names, text in parts)


def crates(root: Path) -> list[tuple[str, Path, str]]:
    """The crates of the registry in the binary, with the folders of their sources."""
    manifest = root / "Cargo.toml"
    metadata = json.loads(output("cargo", "metadata", "--locked", "--format-version", "1", "--manifest-path", manifest))
    tree = output("cargo", "tree", "--locked", "--manifest-path", manifest, "--package", "kaisatsu",
                  "--edges", "normal", "--prefix", "none", "--format", "{p}")
    linked = {tuple(line.split()[:2]) for line in tree.splitlines()}
    return [(f"{package['name']} {package['version']}", Path(package["manifest_path"]).parent, package["license"] or "")
            for package in metadata["packages"]
            if package["source"] and (package["name"], "v" + package["version"]) in linked]


def bundled(root: Path) -> list[tuple[str, Path, str]]:
    """What is in the binary and is no crate."""
    return [("Kaisatsu Map Sans", root / "crates/render/fonts", "OFL-1.1"),
            ("Svelte", root / "web/node_modules/svelte", "MIT")]


def licence_files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir()
                  if path.is_file() and (path.name.upper().startswith(NAMES) or path.name == "OFL.txt"))
