"""A guess at the Latin character set of text in one byte for a letter, by the alphabets of its languages.

Central Europe, Turkey and the Baltic have other letters where Windows-1252 has those of the west. In which of these
sets the words have the letters of one language, is the set of the text. In doubt it is Windows-1252.
"""

# ruff: noqa: RUF001 - the letters of these alphabets

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

JUDGED_BYTES: Final = 65_536
WORDS_MAX: Final = 2_000
COVERED_MIN: Final = 0.95
"""The share of words with foreign letters that one language must have, so that its set is taken."""
TURKISH: Final = "windows-1254"
_WEST: Final[Mapping[str, tuple[str, str]]] = {
    "da": ("æøåéüöä", "qwxz"),
    "de": ("äöüßéèáàñç", ""),
    "es": ("áéíñóúü", ""),
    "et": ("äõöü", "qwxy"),
    "fr": ("àâæçéèêëîïôœùûüÿ", ""),
    "is": ("áðéíóúýþæö", "cqwz"),
    "it": ("àèéìòùî", ""),
    "nl": ("ëïéèöüáó", ""),
    "pt": ("ãáâàçéêíóôúüõ", ""),
    "sv": ("åäöéü", ""),
}
_ALPHABETS: Final[Mapping[str, tuple[str, Mapping[str, tuple[str, str]]]]] = {
    TURKISH: ("cp1254", {"tr": ("çğıöşüâîûi", "qwx")}),
    "windows-1250": (
        "cp1250",
        {
            "cs": ("áčďéěíňóřšťúůýž", "qwx"),
            "hr": ("čćđšž", "qwxy"),
            "hu": ("áéíóöőúüű", "qx"),
            "pl": ("ąćęłńóśźż", "qvx"),
            "ro": ("ăâîşţ", "qwy"),
            "sk": ("áäčďéíĺľňóôŕšťúýž", "qwx"),
        },
    ),
    "windows-1257": (
        "cp1257",
        {
            "et": ("äõöüšž", "qwxy"),
            "lt": ("ąčęėįšųūž", "qwx"),
            "lv": ("āčēģīķļņšūž", "qwxy"),
        },
    ),
}
"""The codec of each set, and the letters of its languages: those beside ASCII, and those of ASCII that it lacks."""
_BYTES: Final = re.compile(rb"[A-Za-z\x80-\xff]+")
_OUT_OF_PLACE: Final = {
    "is": re.compile("^ð|[aeiouyáéíóúýöæ]þ"),
    "pt": re.compile("õ(?!e)"),
}
"""Letters where the words of a language do not have them."""
_RISING: Final = re.compile(r"[a-zß-öø-ÿ][A-Z\u00c0-\u00de\u0160\u017d]")


def guess_latin(chunk: bytes) -> str | None:
    """Return the set of a text whose words are those of one of its languages, and less often western ones; else None.

    Only words that are not the same in Windows-1252 count.
    """
    words = list({word for word in _BYTES.findall(chunk[:JUDGED_BYTES]) if not word.isascii()})[:WORDS_MAX]
    best, most = None, 0.0
    for name, (codec, languages) in _ALPHABETS.items():
        pairs = [(word.decode(codec, "replace"), word.decode("cp1252", "replace")) for word in words]
        other = [(own, western) for own, western in pairs if own != western]
        covered = _covered([own for own, _ in other], languages)
        if covered < COVERED_MIN or covered * len(other) <= most:
            continue
        from_west = _western([western for _, western in other])
        if covered > from_west or (name == TURKISH and _is_rather(pairs, languages)):
            best, most = name, covered * len(other)
    return best


def _is_rather(pairs: Sequence[tuple[str, str]], languages: Mapping[str, tuple[str, str]]) -> bool:
    """Return whether all words, those that are the same in both sets among them, have one language, and none western.

    The letters of Turkish are those of Icelandic in the western set, so a few words alone do not tell them apart.
    """
    covered = _covered([own for own, _ in pairs], languages)
    return covered >= COVERED_MIN and covered > _covered([western for _, western in pairs], _WEST)


def _covered(words: Sequence[str], languages: Mapping[str, tuple[str, str]]) -> float:
    """Return the share of words that the language with the most of them has."""
    counts = (sum(_is_of(word, language, *letters) for word in words) for language, letters in languages.items())
    return max(counts) / len(words) if words else 0.0


def _western(words: Sequence[str]) -> float:
    """Return the share of words that some western language has."""
    count = sum(any(_is_of(word, language, *letters) for language, letters in _WEST.items()) for word in words)
    return count / len(words) if words else 0.0


@lru_cache(maxsize=WORDS_MAX)
def _is_of(word: str, language: str, letters: str, lacking: str) -> bool:
    if _RISING.search(word) or not word.isalpha():
        return False
    plain = word.replace("İ", "i").lower()
    misplaced = _OUT_OF_PLACE.get(language)
    return (
        all(letter in letters for letter in plain if not letter.isascii())
        and not any(letter in lacking for letter in plain)
        and (misplaced is None or misplaced.search(plain) is None)
    )
