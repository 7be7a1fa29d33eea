"""Adds the Latin, Greek and Cyrillic letters that the Japanese font lacks.

The Latin of Noto Sans CJK is that of Source Sans, enlarged; so the missing letters come from there and look the same.
"""

from fontTools.misc.roundTools import otRound
from fontTools.misc.transform import Scale
from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont


def height(font: TTFont, char: str) -> float:
    glyphs = font.getGlyphSet()
    pen = BoundsPen(glyphs)
    glyphs[font.getBestCmap()[ord(char)]].draw(pen)
    return pen.bounds[3]


def extend(font: TTFont, western: TTFont, text: str) -> list[str]:
    """Copies the characters of the text that only `western` has into the font, and returns them."""
    scale = height(font, "H") / height(western, "H")
    had, has = font.getBestCmap(), western.getBestCmap()
    added = [char for char in sorted(set(text)) if ord(char) not in had and ord(char) in has]
    glyphs, top = western.getGlyphSet(), font["CFF "].cff.topDictIndex[0]
    strings, order = top.CharStrings, list(font.getGlyphOrder())
    taken = {int(name[3:]) for name in order if name.startswith("cid")}
    free = (f"cid{number:05d}" for number in range(1, 65535) if number not in taken)
    # The letter H is in the part of the font whose settings fit Latin letters.
    part = top.FDSelect[font.getGlyphID(had[ord("H")])]
    private = top.FDArray[part].Private
    names = {}
    for char in added:
        name, glyph = next(free), glyphs[has[ord(char)]]
        width = otRound(glyph.width * scale)
        pen = T2CharStringPen(width - private.nominalWidthX, None)
        glyph.draw(TransformPen(pen, Scale(scale)))
        string = pen.getCharString(private, top.GlobalSubrs)
        strings.charStrings[name] = len(strings.charStringsIndex)
        strings.charStringsIndex.append(string)
        top.FDSelect.gidArray.append(part)
        bounds = string.calcBounds(None) or (0, 0, 0, 0)
        font["hmtx"][name] = (width, otRound(bounds[0]))
        font["vmtx"][name] = (1000, 880 - otRound(bounds[3]))
        order.append(name)
        names[ord(char)] = name
    font.setGlyphOrder(order)
    top.charset = order
    font["maxp"].numGlyphs = len(order)
    for table in font["cmap"].tables:
        if table.isUnicode() and table.format in (4, 12):
            table.cmap.update(names)
    return added
