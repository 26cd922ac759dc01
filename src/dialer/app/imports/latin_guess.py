"""A guess at the Latin character set of text in one byte for a letter, by the alphabets of its languages.

Central Europe, Turkey and the Baltic have other letters where Windows-1252 has those of the west. In which of these
sets the words have the letters of one language, is the set of the text. In doubt it is Windows-1252, and somebody who
looks at the text is asked.
"""

# ruff: noqa: RUF001 - the letters of these alphabets

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final, NamedTuple

JUDGED_BYTES: Final = 65_536
WORDS_MAX: Final = 2_000
COVERED_MIN: Final = 0.95
"""The share of words with foreign letters that one language must have, so that its set is taken."""
WESTERN: Final = "windows-1252"
TURKISH: Final = "windows-1254"
EXAMPLES_MAX: Final = 3
"""Words that show how a text is read."""
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
LATIN_SETS: Final = frozenset({WESTERN, *_ALPHABETS})
_RARE: Final = frozenset({"et", "is"})
"""Languages with few speakers, whose words count in their own country only."""
_COMMON: Final = {language: letters for language, letters in _WEST.items() if language not in _RARE}
_LIKE: Final = {"nb": "da", "nn": "da", "no": "da", "bs_Latn": "hr", "bs": "hr", "sl": "hr", "sr_Latn": "hr"}
"""Languages with the letters of another one."""
_BYTES: Final = re.compile(rb"[A-Za-z\x80-\xff]+")
_OUT_OF_PLACE: Final = {
    "is": re.compile("^ð|[aeiouyáéíóúýöæ]þ"),
    "pt": re.compile("õ(?!e)"),
    "tr": re.compile("^ğ"),
}
"""Letters where the words of a language do not have them."""
_RISING: Final = re.compile(r"[a-zß-öø-ÿ][A-Z\u00c0-\u00de\u0160\u017d]")


def guess_latin(chunk: bytes) -> str | None:
    """Return the set of a text whose words are those of one of its languages, and less often western ones; else None.

    Only words that are not the same in Windows-1252 count.
    """
    words = _foreign_words(chunk)
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


class LatinReading(NamedTuple):
    """A character set that a text may have, and some of its words as they are read in it."""

    charset: str
    examples: tuple[str, ...]


def doubtful_readings(chunk: bytes, guessed: str, region: str) -> list[LatinReading]:
    """Return the character sets that a text may have, the likeliest first; none if it surely has the guessed one.

    A set is likely if one language has all foreign words in it. Languages of the country `region` count more than
    others, and common ones of the west more than those of other sets.
    """
    is_cut = len(chunk) >= JUDGED_BYTES
    words = _foreign_words(chunk[: chunk.rfind(b"\n") + 1] if is_cut else chunk)
    likely = _likely_sets(words, _languages_of(region))
    if not words or not likely or likely == [guessed]:
        return []
    sets = list(dict.fromkeys([*likely, guessed]))
    read = {charset: [word.decode(_codec_of(charset), "replace") for word in words] for charset in sets}
    differing = [place for place, one in enumerate(zip(*read.values(), strict=True)) if len({*one}) > 1]
    if not differing:
        return []
    return [LatinReading(one, tuple(read[one][place] for place in differing[:EXAMPLES_MAX])) for one in sets]


def _likely_sets(words: Sequence[bytes], languages: AbstractSet[str]) -> list[str]:
    """Return the sets in which one language has all words, of those that read them differently."""
    fitting: dict[str, set[str]] = {}
    seen: set[tuple[str, ...]] = set()
    for charset in (WESTERN, *_ALPHABETS):
        read = tuple(word.decode(_codec_of(charset), "replace") for word in words)
        alphabets = _WEST if charset == WESTERN else _ALPHABETS[charset][1]
        found = {one for one, letters in alphabets.items() if _covered(read, {one: letters}) >= COVERED_MIN}
        if found and read not in seen:
            fitting[charset] = found
        seen.add(read)
    spoken = [charset for charset, found in fitting.items() if found & languages]
    if spoken:
        return spoken
    if _western([word.decode("cp1252", "replace") for word in words], _COMMON) >= COVERED_MIN:
        return [WESTERN]
    return [charset for charset, found in fitting.items() if found - _RARE]


@lru_cache
def _languages_of(region: str) -> frozenset[str]:
    """Return the official languages of a country; none for no country. They are those of CLDR."""
    from babel.languages import get_official_languages  # noqa: PLC0415 - only lists with foreign letters need it

    official = get_official_languages(region, de_facto=True) if region else ()
    return frozenset(_LIKE.get(language, language) for language in official)


def _codec_of(charset: str) -> str:
    return "cp1252" if charset == WESTERN else _ALPHABETS[charset][0]


def _foreign_words(chunk: bytes) -> list[bytes]:
    """Return the words with letters beside ASCII, each once, in their order."""
    found = dict.fromkeys(word for word in _BYTES.findall(chunk[:JUDGED_BYTES]) if not word.isascii())
    return list(found)[:WORDS_MAX]


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


def _western(words: Sequence[str], languages: Mapping[str, tuple[str, str]] = _WEST) -> float:
    """Return the share of words that some western language has."""
    count = sum(any(_is_of(word, language, *letters) for language, letters in languages.items()) for word in words)
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
