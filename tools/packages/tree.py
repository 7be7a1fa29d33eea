"""The files that every package has, as they lie below /usr."""

import shutil
from pathlib import Path

import notices
from binary import Binary, output

COMPLETIONS = {
    "bash": "share/bash-completion/completions/kaisatsu",
    "fish": "share/fish/vendor_completions.d/kaisatsu.fish",
    "zsh": "share/zsh/site-functions/_kaisatsu",
}
DOCUMENTS = ("LICENSE", "CHANGELOG.md", "SECURITY.md", "docs/install.md", "docs/upgrading.md", "docs/licences.md")
# What `kaisatsu-models` runs; the rest of tools/models is for development.
MODELS = ("install.py", "registry.py", "requirements.txt", "classes", "convert", "labels", "manifests")


def make_tree(binary: Binary, root: Path, tree: Path) -> Path:
    """Fills the folder `tree`."""
    bin_folder = tree / "bin"
    bin_folder.mkdir(parents=True)
    output("strip", "-o", bin_folder / "kaisatsu", binary.path)
    shutil.copy(root / "packaging/kaisatsu-models", bin_folder)
    for shell, place in COMPLETIONS.items():
        write(tree / place, output(binary.path, "completions", shell))
    output(binary.path, "man", tree / "share/man/man1")
    documents = tree / "share/doc/kaisatsu"
    documents.mkdir(parents=True)
    for name in DOCUMENTS:
        shutil.copyfile(root / name, documents / Path(name).name)
    shutil.copytree(root / "packaging/proxy", documents / "proxy")
    write(documents / "third-party-licences.txt", notices.collect(root))
    for name in MODELS:
        source, target = root / "tools/models" / name, tree / "share/kaisatsu/models" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, target)
    for path in tree.rglob("*"):  # whatever the umask and the modes in the working copy
        path.chmod(0o755 if path.is_dir() or path.parent == bin_folder else 0o644)
    return tree


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def files(tree: Path) -> list[Path]:
    return sorted(path for path in tree.rglob("*") if path.is_file())
