"""Tests all mutants of a crate with a single build: `python3 tools/mutants.py CRATE [REGULAR EXPRESSION]`.

cargo-mutants makes the list of mutants, and otherwise builds the crate once for each of them. Here every function gets
one more body for each of its mutants, and an environment variable chooses the body when the tests run. A mutant outside
a function, in a `const fn` or in a function that returns `impl Trait` is built on its own. A mutant that the compiler
refuses is not viable.

The results are kept in target/mutants-at-once, and another run repeats only the mutants that were not caught. Tests
named in the environment variable LAST, separated by commas, run only if no other test catches the mutant.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
SIGNATURE = re.compile(r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?(const\s+)?(?:async\s+)?(?:unsafe\s+)?fn\s+\w+", re.MULTILINE)
SWITCH = """
#[allow(missing_docs)]
pub(crate) fn __mutant() -> usize {
    static ACTIVE: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *ACTIVE.get_or_init(|| std::env::var("MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0))
}
"""
# A mutant that runs longer never ends.
TIMEOUT = float(os.environ.get("TIMEOUT", "120"))


class Source:
    """A file of the crate, with the mutants in it."""

    def __init__(self, path, mutants):
        self.path = path
        self.text = (ROOT / path).read_text(encoding="utf-8")
        self.starts = [0]
        for line in self.text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.mutants = [mutant for mutant in mutants if mutant["file"] == path]

    def span(self, span):
        """The offsets of a span, which counts lines and columns from 1."""
        return tuple(self.starts[end["line"] - 1] + end["column"] - 1 for end in (span["start"], span["end"]))

    def changed(self, mutant, begin, end):
        """The text from `begin` to `end` with the mutant applied."""
        first, last = self.span(mutant["span"])
        return f"{self.text[begin:first]} {mutant['replacement']} {self.text[last:end]}"

    def body(self, function):
        """Where the body of a function begins and ends; `None` if it cannot choose between bodies."""
        _, end = self.span(function["span"])
        signature = SIGNATURE.search(self.text, self.starts[function["span"]["start"]["line"] - 1], end)
        if not signature or signature.group(1) or "impl " in (function["return_type"] or ""):
            return None
        depth, at = 0, signature.end()
        while self.text[at] != "{" or depth > 0:
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(self.text[at], 0)
            at += 1
        return at, end

    def with_all(self, skipped):
        """The text with all mutants but the skipped ones, and the lines of each."""
        bodies = {}
        for mutant in self.mutants:
            body = self.body(mutant["function"]) if mutant["function"] else None
            if body is None:
                skipped.setdefault(mutant["name"], "alone")
            elif mutant["name"] not in skipped:
                bodies.setdefault(body, []).append(mutant)
        out, done, lines = "", 0, []
        for (begin, end), mutants in sorted(bodies.items(), key=lambda entry: entry[0]):
            out += self.text[done:begin] + "{ match crate::__mutant() {\n"
            for mutant in mutants:
                first = out.count("\n") + 1
                out += f"{mutant['id']} => {self.changed(mutant, begin, end)}\n"
                lines.append((self.path, first, out.count("\n"), mutant))
            out += f"_ => {self.text[begin:end]}\n}} }}"
            done = end
        return out + self.text[done:], lines


class Crate:
    """A copy of the workspace in which the crate is changed."""

    def __init__(self, name, wanted):
        self.name = name
        self.home = TARGET / "mutants-at-once" / name
        self.copy = self.home / "workspace"
        command = ["cargo", "mutants", "--list", "--json", "--package", f"kaisatsu-{name}"]
        listed = json.loads(subprocess.check_output(command, cwd=ROOT))
        self.mutants = [mutant for mutant in listed if re.search(wanted, mutant["name"])]
        for at, mutant in enumerate(self.mutants):
            mutant["id"] = at + 1
        self.library = f"crates/{name}/src/lib.rs"
        files = sorted({mutant["file"] for mutant in listed} | {self.library})
        self.sources = [Source(path, self.mutants) for path in files]
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        for path in subprocess.check_output(command, cwd=ROOT, text=True).splitlines():
            if (ROOT / path).is_file() and path not in files:
                self.write(path, (ROOT / path).read_bytes())

    def write(self, path, content):
        """Writes a file, unless it is the same: cargo goes by the time of the last change."""
        to = self.copy / path
        if not to.exists() or to.read_bytes() != content:
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(content)

    def build(self):
        """Builds the tests. Returns the programs, or `None` and the places of the errors."""
        command = ["cargo", "test", "--no-run", "--quiet", "--message-format=json", "--profile=mutants"]
        command += [f"--package=kaisatsu-{self.name}", "--lib", "--tests"]
        environment = dict(os.environ, CARGO_TARGET_DIR=str(TARGET))
        run = subprocess.run(command, cwd=self.copy, env=environment, capture_output=True, text=True, check=False)
        programs, errors = [], []
        for message in map(json.loads, filter(lambda line: line.startswith("{"), run.stdout.splitlines())):
            if message["reason"] == "compiler-artifact" and message["executable"] and message["profile"]["test"]:
                programs.append(message["executable"])
            elif message["reason"] == "compiler-message" and message["message"]["level"] == "error":
                errors += [(one["file_name"], one["line_start"]) for one in message["message"]["spans"]
                           if one["is_primary"]]
        return (programs if run.returncode == 0 else None), errors

    def build_all(self, skipped):
        """Builds all mutants at once. Those that the compiler refuses are added to `skipped`."""
        while True:
            places = []
            for source in self.sources:
                text, lines = source.with_all(skipped)
                places += lines
                self.write(source.path, (text + (SWITCH if source.path == self.library else "")).encode())
            programs, errors = self.build()
            if programs is not None:
                return programs
            refused = {mutant["name"]: mutant["genre"] for path, first, last, mutant in places
                       if any(path == file and first <= line <= last for file, line in errors)}
            if not refused:
                sys.exit("the crate cannot be built; try `cargo test`")
            # Only the value of a whole function is certain to be refused for itself.
            skipped.update({name: "unviable" if genre == "FnValue" else "alone" for name, genre in refused.items()})
            print(f"{len(refused)} mutants cannot be built with the others", flush=True)

    def build_alone(self, mutant):
        """Builds a single mutant. Returns `None` if it is not viable."""
        for source in self.sources:
            is_changed = source.path == mutant["file"]
            text = source.changed(mutant, 0, len(source.text)) if is_changed else source.text
            self.write(source.path, text.encode())
        return self.build()[0]

    def test(self, programs, number, options=(), timeout=TIMEOUT):
        """Runs the tests until the first fails."""
        environment = dict(os.environ, MUTANT=str(number), RUSTC_BOOTSTRAP="1", PROPTEST_MAX_SHRINK_ITERS="0")
        environment.setdefault("PROPTEST_RNG_SEED", "1")
        for program in programs:
            command = [program, "--quiet", "-Zunstable-options", "--fail-fast", *options]
            try:
                run = subprocess.run(command, cwd=self.copy / "crates" / self.name, env=environment,
                                     capture_output=True, timeout=timeout, check=False)
            except subprocess.TimeoutExpired:
                return "timeout"
            if run.returncode != 0:
                return "caught"
        return "missed"


def nearest(file, last):
    """Options that select the tests of the mutant's own file, and those of its folder. They find most mutants."""
    modules = [part for part in Path(file).with_suffix("").parts[3:] if part not in ("lib", "mod")]
    return [["::".join(modules[:count]) + "::", *last] for count in sorted({len(modules), 1}, reverse=True) if modules]


def main():
    crate = Crate(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
    last = [word for name in os.environ.get("LAST", "").split(",") if name for word in ("--skip", name)]
    file = crate.home / "results.json"
    results = json.loads(file.read_text()) if file.exists() else {}
    skipped = {name: result for name, result in results.items() if result == "unviable"}
    programs = crate.build_all(skipped)
    if crate.test(programs, 0, timeout=None) != "missed":
        sys.exit("the tests fail without a mutant")
    results.update({name: why for name, why in skipped.items() if why == "unviable"})
    for mutant in sorted(crate.mutants, key=lambda mutant: mutant["name"] in skipped):
        name = mutant["name"]
        if results.get(name) in ("caught", "unviable"):
            continue
        if name in skipped:
            programs = crate.build_alone(mutant)
        result = "missed" if programs else "unviable"
        for options in [*nearest(mutant["file"], last), *([last] if last else []), []] if programs else []:
            if result == "missed":
                result = crate.test(programs, mutant["id"], options)
        results[name] = result
        file.write_text(json.dumps(results, indent=1))
        if result in ("missed", "timeout"):
            print(result, name, flush=True)
    found = Counter(results[mutant["name"]] for mutant in crate.mutants)
    print(len(crate.mutants), "mutants:", ", ".join(f"{count} {result}" for result, count in found.items()))


if __name__ == "__main__":
    if len(sys.argv) < 2 or shutil.which("cargo-mutants") is None:
        sys.exit(__doc__)
    main()
