"""Settles how each station's name is read: two dictionaries must agree, or we settle it by hand."""

import re

HIRAGANA = re.compile(r"^[ぁ-ゖー]+$")
# The dictionaries write these differently from the railways.
VARIANTS = [("ケ", "ヶ"), ("ヶ", "ケ"), ("ケ", "が"), ("ヶ", "が"), ("が", "ヶ"), ("が", "ケ"),
            ("ツ", "ッ"), ("ッ", "ツ"), ("ノ", "之"), ("ノ", "の"), ("の", "ノ"), ("之", "ノ")]
WIDE_DIGITS = str.maketrans("0123456789", "０１２３４５６７８９")
KANJI_DIGITS = str.maketrans("0123456789", "〇一二三四五六七八九")


def to_hiragana(text: str) -> str:
    """Katakana to hiragana; the long mark stays."""
    return "".join(chr(ord(c) - 0x60) if "ァ" <= c <= "ヶ" else c for c in text)


def spellings(name: str) -> list[str]:
    found = [name]
    for old, new in VARIANTS:
        found += [s.replace(old, new) for s in list(found) if old in s]
    found += [s.translate(WIDE_DIGITS) for s in found] + [s.translate(KANJI_DIGITS) for s in found]
    return list(dict.fromkeys(found))


def skk_candidates(name: str, skk: dict[str, list[str]]) -> list[str]:
    """Every reading the station dictionary knows for the name, with or without 駅."""
    found = []
    for spelling in spellings(name):
        found += skk.get(spelling, [])
        found += [y.removesuffix("えき") for y in skk.get(spelling + "駅", []) if y.endswith("えき")]
    return list(dict.fromkeys(y for y in found if HIRAGANA.match(y)))


def settle(names: list[str], skk: dict, sudachi: dict, by_hand: dict[str, str]):
    """Returns (readings, names settled by hand, problems)."""
    readings, hand, problems = {}, [], []
    for name in names:
        candidates = skk_candidates(name, skk)
        second = to_hiragana(sudachi[name])
        if name in by_hand:
            readings[name] = by_hand[name]
            hand.append(name)
            if candidates == [second] == [by_hand[name]]:
                problems.append(f"{name}: settled by hand for nothing, both dictionaries agree")
        elif candidates == [second]:
            readings[name] = second
        else:
            problems.append(f"{name}: station dictionary {candidates or 'none'}, SudachiDict {second}")
    unused = sorted(set(by_hand) - set(names))
    problems += [f"{name}: settled by hand, but not on the map" for name in unused]
    return readings, hand, problems
