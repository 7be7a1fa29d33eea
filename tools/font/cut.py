"""Makes the typeface from its sources: `cut.py COLLECTION WESTERN CHARACTERS OUT`, in a Python that has fonttools."""

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from extend import extend

JAPANESE = 0  # The index of the Japanese face in the collection.
FAMILY = "Kaisatsu Map Sans"
COPYRIGHT = "© 2010-2024 Adobe (http://www.adobe.com/)"

# Kerning for Latin, composed letters, narrow brackets, and the upright forms of what is written downwards.
FEATURES = ["kern", "ccmp", "halt", "vhal", "vert", "vrt2"]
# Tables that the renderer does not use: hints, baselines of other scripts, the digital signature.
DROPPED = ["BASE", "DSIG", "hdmx", "VDMX", "gasp", "LTSH"]


def cut(font: TTFont, text: str) -> None:
    options = Options()
    options.layout_features = FEATURES
    options.layout_scripts = ["DFLT", "latn", "kana", "hani", "grek", "cyrl"]
    options.hinting = False
    options.desubroutinize = False
    options.notdef_outline = True
    options.name_IDs = [0, 13, 14]
    options.drop_tables += DROPPED
    options.recalc_timestamp = False
    subsetter = Subsetter(options)
    subsetter.populate(text=text)
    subsetter.subset(font)


def rename(font: TTFont) -> None:
    """Gives the modified font a name of its own, as its licence demands, and names its sources."""
    names = font["name"]
    style = "Medium"
    names.names = [record for record in names.names if record.platformID == 3 and record.langID == 0x409]
    texts = {
        0: COPYRIGHT,
        1: f"{FAMILY} {style}",
        2: "Regular",
        3: f"{FAMILY} {style}; version 1.0",
        4: f"{FAMILY} {style}",
        5: "Version 1.0",
        6: f"{FAMILY.replace(' ', '')}-{style}",
        10: f"Made of Noto Sans CJK JP {style} 2.004 and, for letters that it lacks, Source Sans 3 {style} 3.052.",
        16: FAMILY,
        17: style,
    }
    for name_id, text in texts.items():
        names.setName(text, name_id, 3, 1, 0x409)
    table = font["CFF "].cff
    table.fontNames = [texts[6]]
    top = table.topDictIndex[0]
    top.FullName, top.FamilyName = texts[4], FAMILY
    for entry in ("Notice", "version"):
        if hasattr(top, entry):
            delattr(top, entry)


def main(collection: str, western: str, characters: str, out: str) -> int:
    text = Path(characters).read_text(encoding="utf-8")
    font = TTFont(collection, fontNumber=JAPANESE, recalcTimestamp=False)
    cut(font, text)
    added = extend(font, TTFont(western), text)
    rename(font)
    font.save(out, reorderTables=False)
    has = TTFont(out).getBestCmap()
    missing = "".join(char for char in text if ord(char) not in has)
    print(f"{out}: {Path(out).stat().st_size} bytes, {len(has)} characters, {font['maxp'].numGlyphs} glyphs")
    print(f"{len(added)} characters from the western font; in none of the two: {missing}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
