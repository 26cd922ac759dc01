"""A guess at the character set of text in another script than the Latin one, by its letters.

One byte for a letter: most words must have letters of one script only, in the order of capitals that words have, and
the letters that are common in its languages. Two bytes for a letter: all bytes must be valid, and most characters be
among the common ones, which these sets have in rows of their own.
"""

# ruff: noqa: RUF001 - the letters of these scripts

import re
from collections.abc import Mapping
from typing import Final

JUDGED_BYTES: Final = 65_536
SHARE_MIN: Final = 0.5
"""The share of the characters, weighed by how common they are, from which a text is one of a script."""
TWO_BYTES_SHARE_MIN: Final = 0.7
HIGH_PAIRS_MIN: Final = 0.25
"""The share of characters whose second byte is no ASCII. Western capitals before a small letter have none."""
_CASED: Final = r"(?<![^\W\d_])(?:[{upper}]?[{lower}]+|[{upper}]{{2,}})(?![^\W\d_])"
_ONE_BYTE: Final[Mapping[str, tuple[str, re.Pattern[str], frozenset[str]]]] = {
    "windows-1251": (
        "cp1251",
        re.compile(_CASED.format(upper="А-ЯЁІЇЄҐЎ", lower="а-яёіїєґў")),
        frozenset("оеаинтсрвлкмдпуяыьгій"),
    ),
    "windows-1253": (
        "cp1253",
        re.compile(_CASED.format(upper="Α-ΡΣ-ΩΆΈΉΊΌΎΏ", lower="ά-ία-ώ")),
        frozenset("αοιετσνηυρπκμλςωάίόέήύγδ"),
    ),
    "windows-1255": ("cp1255", re.compile(r"(?<![^\W\d_])[א-ת]+(?![^\W\d_])"), frozenset("אבדהוילמנפרשתםןטחק")),
    "windows-1256": (
        "cp1256",
        re.compile(r"(?<![^\W\d_])[\u0621-\u063a\u0640-\u064a\u067e\u0686\u0698\u06a9\u06af]+(?![^\W\d_])"),
        frozenset("اليمنروتبةعدسفهكحقأجشصخ"),
    ),
    "tis-620": ("cp874", re.compile(r"[\u0e01-\u0e3a\u0e40-\u0e4e]+"), frozenset("านรอกเงลมวดทสยปคัิีุู่้ะแพบชตห์ไโขจ")),
}
_TWO_BYTES: Final[Mapping[str, tuple[str, re.Pattern[bytes]]]] = {
    "shift_jis": ("cp932", re.compile(rb"\x82[\x9f-\xf1]|\x83[\x40-\x96]|[\x88-\x97][\x40-\x7e\x80-\xfc]|\x81\x5b")),
    "euc-kr": ("cp949", re.compile(rb"[\xb0-\xc8][\xa1-\xfe]")),
    "gbk": ("gb18030", re.compile(rb"[\xb0-\xd7][\xa1-\xfe]")),
    "big5": ("cp950", re.compile(rb"[\xa4-\xc6][\x40-\x7e\xa1-\xfe]")),
}
"""Hangul before Chinese: the rows of hangul are rows of common Chinese characters, too."""
_SIGNS: Final = frozenset("\xa0«»“”„‘’‚–—…№€•°·\u3000\u3001\u3002\u30fb（）：，")
"""Signs that say nothing of the script."""


def guess_script(chunk: bytes) -> str | None:
    """Return the character set of a text in another script than the Latin one; None if its letters do not tell it."""
    judged = chunk[:JUDGED_BYTES]
    if len(judged) < len(chunk):
        judged = judged[: judged.rfind(b"\n") + 1] or judged
    scores = {charset: _of_two_bytes(judged, *rule) for charset, rule in _TWO_BYTES.items()}
    best = max(scores, key=lambda charset: scores[charset])
    if scores[best] >= TWO_BYTES_SHARE_MIN:
        return best
    scores = {charset: _of_one_byte(judged, *rule) for charset, rule in _ONE_BYTE.items()}
    best = max(scores, key=lambda charset: scores[charset])
    return best if scores[best] >= SHARE_MIN else None


def _of_one_byte(chunk: bytes, codec: str, word: re.Pattern[str], common: frozenset[str]) -> float:
    try:
        text = chunk.decode(codec)
    except UnicodeDecodeError:
        return 0.0
    count = _foreign(text)
    words = [found for found in word.findall(text) if len(found) > 1]
    letters = "".join(words)
    if not count or not letters:
        return 0.0
    usual = sum(letter in common for letter in letters.lower())
    return len(letters) / count * usual / len(letters)


def _of_two_bytes(chunk: bytes, codec: str, common: re.Pattern[bytes]) -> float:
    try:
        text = chunk.decode(codec)
    except UnicodeDecodeError:
        return 0.0
    characters = [mark.encode(codec) for mark in text if not mark.isascii() and mark not in _SIGNS]
    if not characters:
        return 0.0
    high = sum(len(mark) > 1 and not mark[1:].isascii() for mark in characters)
    if high < HIGH_PAIRS_MIN * len(characters):
        return 0.0
    return sum(common.fullmatch(mark) is not None for mark in characters) / len(characters)


def _foreign(text: str) -> int:
    """Return how many characters are neither ASCII nor signs of all scripts."""
    return sum(not mark.isascii() and mark not in _SIGNS for mark in text)
