"""Runs the steps of a stage of a Dockerfile in a folder with Debian in it, where there is no Docker.

    dockerfile.py [--copy-only] DOCKERFILE STAGE FOLDER CONTEXT [STAGE=FOLDER...]

FOLDER already has what the stage's FROM names. CONTEXT is what COPY copies from, but for what DOCKERFILE.dockerignore
leaves out; STAGE=FOLDER is what COPY --from copies from. With --copy-only no RUN is run. It ends by printing what
`docker run` would need to know, as JSON: user, folder, environment, command and health check. Every instruction of the
file has to be one that it knows, so that a mistyped one is found.
"""

import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

KNOWN = {"FROM", "ARG", "RUN", "COPY", "ENV", "USER", "WORKDIR", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"}


def main() -> int:
    words = [word for word in sys.argv[1:] if word != "--copy-only"]
    dockerfile, stage, folder, context = words[:4]
    sources = {name: Path(place) for name, place in (word.split("=", 1) for word in words[4:])}
    image = Image(Path(folder), Context(Path(context), Path(f"{dockerfile}.dockerignore")), sources)
    for instruction, text in stages(Path(dockerfile).read_text())[stage]:
        if instruction != "RUN" or len(words) == len(sys.argv) - 1:
            image.step(instruction, text)
    print(json.dumps(image.settings))
    return 0


def stages(text: str) -> dict[str, list[tuple[str, str]]]:
    """The instructions of each stage, without its FROM."""
    found: dict[str, list[tuple[str, str]]] = {}
    current: list[tuple[str, str]] = []  # what comes before the first FROM
    for line in re.sub(r"\\\n", "", re.sub(r"(?m)^\s*#.*\n", "", text)).splitlines():
        instruction, _, rest = line.strip().partition(" ")
        if not instruction:
            continue
        if instruction not in KNOWN:
            sys.exit(f"dockerfile: there is no instruction {instruction}")
        if instruction == "FROM":
            _, name = re.split(r"\s+AS\s+", rest)
            current = found.setdefault(name, [])
        else:
            current.append((instruction, rest.strip()))
    return found


class Context:
    """What the image is built from: a folder without what the rules leave out. The last rule that matches decides."""

    def __init__(self, folder: Path, rules: Path):
        lines = [line.strip() for line in rules.read_text().splitlines()]
        self.folder, self.rules = folder, [line for line in lines if line and not line.startswith("#")]

    def leaves_out(self, path: Path) -> bool:
        parts, out = path.relative_to(self.folder).parts, False
        for rule in self.rules:
            pattern = rule.removeprefix("!").split("/")
            anywhere, pattern = pattern[0] == "**", pattern[pattern[0] == "**":]
            starts = range(len(parts)) if anywhere else [0]
            ends = (parts[at:at + len(pattern)] for at in starts)
            if any(len(end) == len(pattern) and all(map(fnmatch.fnmatch, end, pattern)) for end in ends):
                out = not rule.startswith("!")
        return out

    def left_out(self, folder: str, names: list[str]) -> list[str]:
        return [name for name in names if self.leaves_out(Path(folder, name))]


class Image:
    def __init__(self, folder: Path, context: Context, sources: dict[str, Path]):
        self.folder, self.context, self.sources = folder, context, sources
        self.settings = {"user": "root", "folder": "/", "environment": {},
                         "entrypoint": [], "command": [], "health": []}

    def step(self, instruction: str, text: str) -> None:
        print(f"{instruction} {text[:100]}", file=sys.stderr)
        match instruction:
            case "RUN":
                self.run(text)
            case "COPY":
                self.copy(shlex.split(text))
            case "ENV":
                self.settings["environment"] |= dict(word.split("=", 1) for word in shlex.split(text))
            case "USER":
                self.settings["user"] = text
            case "WORKDIR":
                self.settings["folder"] = text
                self.inside(text).mkdir(parents=True, exist_ok=True)
            case "ENTRYPOINT":
                self.settings["entrypoint"] = json.loads(text)
            case "CMD":
                self.settings["command"] = json.loads(text)
            case "HEALTHCHECK":
                self.settings["health"] = json.loads(text.partition(" CMD ")[2])
            case "ARG" | "VOLUME" | "EXPOSE":  # no step of its own
                pass

    def run(self, script: str) -> None:
        if self.settings["user"] != "root":
            sys.exit("dockerfile: RUN as another user than root is not supported here")
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        environment |= {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
        environment |= self.settings["environment"]
        done = subprocess.run(["chroot", self.folder, "/bin/sh", "-c", script], env=environment, stdout=sys.stderr)
        if done.returncode != 0:
            sys.exit(f"dockerfile: this step ended with {done.returncode}: {script}")

    def copy(self, words: list[str]) -> None:
        flags = [word for word in words if word.startswith("--")]
        *sources, target = [word for word in words if not word.startswith("--")]
        origin, left_out = self.context.folder, self.context.left_out
        for flag in flags:
            name, _, value = flag.partition("=")
            if name != "--from":
                sys.exit(f"dockerfile: COPY {flag} is not supported here")
            origin, left_out = self.sources[value], None
        place = self.inside(target)
        for pattern in sources:
            found = sorted(origin.glob(pattern.lstrip("/")))
            if left_out is not None:
                found = [path for path in found if not self.context.leaves_out(path)]
            if not found:
                sys.exit(f"dockerfile: COPY finds no {pattern}")
            for path in found:
                if path.is_dir():
                    shutil.copytree(path, place, symlinks=True, dirs_exist_ok=True, ignore=left_out)
                else:
                    to = place / path.name if target.endswith("/") else place
                    to.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(path, to)

    def inside(self, path: str) -> Path:
        return self.folder / os.path.join(self.settings["folder"], path).lstrip("/")


if __name__ == "__main__":
    sys.exit(main())
