"""Which characters the typeface of the maps has."""

import json
import subprocess
from pathlib import Path

TRAIN_DATA = "japan-train-data@0.6.0"

# Whole blocks, as far as the source has them.
BLOCKS = [
    (0x0020, 0x007E),  # ASCII
    (0x00A0, 0x00FF),  # Latin-1
    (0x0100, 0x017F),  # Latin Extended-A, which has the long vowels of romanised Japanese
    (0x01CD, 0x01DC),  # vowels with a caron: pinyin
    (0x0218, 0x021B),  # Romanian
    (0x0370, 0x03FF),  # Greek
    (0x0400, 0x045F),  # Cyrillic
    (0x1E00, 0x1EFF),  # Latin Extended Additional: Vietnamese
    (0x2010, 0x2027),  # dashes, quotation marks, the ellipsis
    (0x2030, 0x203E),
    (0x2160, 0x217F),  # Roman numerals
    (0x2190, 0x2199),  # arrows
    (0x2460, 0x2473),  # numbers in circles
    (0x3000, 0x301C),  # Japanese punctuation and brackets
    (0x3041, 0x3096),  # hiragana
    (0x309D, 0x309F),
    (0x30A0, 0x30FF),  # katakana
    (0xFF01, 0xFF5E),  # full-width forms
    (0xFF61, 0xFF9F),  # half-width katakana
]
SINGLE = "€№℃™々〆〇※■□▲△●○◎★☆♪￥〜～−"

# The bundle is a circular object: take nothing but the names.
NAMES_JS = """
const data = require(process.argv[1]);
const names = new Set();
for (const line of data.lines) {
  names.add(line.name.ja);
  for (const station of line.stations) names.add(station.name.ja);
}
process.stdout.write(JSON.stringify([...names]));
"""


def level_one() -> set[str]:
    """The 2,965 kanji of JIS X 0208 level 1: rows 16 to 47."""
    found = set()
    for row in range(16, 48):
        for cell in range(1, 95):
            try:
                found.add(bytes([0xA0 + row, 0xA0 + cell]).decode("euc_jp"))
            except UnicodeDecodeError:
                continue
    if len(found) != 2965:
        raise ValueError(f"JIS X 0208 level 1 has 2965 kanji, not {len(found)}")
    return found


def unpack(package: str, folder: Path) -> None:
    """Fetches an npm package, by name and exact version."""
    folder.mkdir(parents=True, exist_ok=True)
    packed = subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True, stdout=subprocess.PIPE)
    archive = folder / packed.stdout.decode().strip()
    subprocess.run(["tar", "-xzf", archive, "-C", folder], check=True)
    archive.unlink()


def of_names(cache: Path) -> set[str]:
    """Every character in the names of the train data."""
    bundle = cache / "train-data" / "package" / "dist" / "bundle.cjs.js"
    if not bundle.exists():
        unpack(TRAIN_DATA, bundle.parents[2])
    names = subprocess.run(["node", "-e", NAMES_JS, bundle], check=True, stdout=subprocess.PIPE).stdout
    return set("".join(json.loads(names)))


def wanted(cache: Path, maps: list[Path]) -> set[str]:
    """All characters of the typeface, whether the source has them or not."""
    blocks = {chr(code) for first, last in BLOCKS for code in range(first, last + 1)}
    on_maps = {char for file in maps for char in file.read_text(encoding="utf-8")}
    every = blocks | set(SINGLE) | level_one() | of_names(cache) | on_maps
    return {char for char in every if char.isprintable() or char == "\u3000"}
