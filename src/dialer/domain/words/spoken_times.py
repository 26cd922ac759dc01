"""Times of the day in the words that people say, for a voice that reads them sign by sign.

espeak-ng 1.51 says `14:30 Uhr` as "vierzehn Uhr dreißig Uhr", `14h30` as fourteen, the letter h and thirty, and
`10:00 am` as "ten zero zero am".
"""

import re
from collections.abc import Callable
from typing import Final

from dialer.domain.words.late_pattern import LatePattern

_HOUR: Final = r"(?<![\d:.,/])([01]?\d|2[0-4])"
_MINUTE: Final = r"([0-5]\d)(?![\d:/]|[.,]\d)"
_VOICE: Final = LatePattern(r"(?:mb-|[a-z]+/)?([a-z]{2,3})(?![a-z])((?:-[a-z0-9]+)*)")
"""The language of a voice of espeak-ng, such as `de`, `en-us+f3`, `mb-fr1`, `roa/pt` or `cmn`, and its region."""
_HOURS_ALONE: Final = LatePattern(r"(?<![\d:.,/])(\d{1,3}) ?h(?!\w)")
"""Hours without minutes, such as `14h` or `48 h`."""
_HOURS: Final[dict[str, tuple[str, dict[int, str]]]] = {
    "es": ("hora", {1: "una", 21: "veintiuna"}),
    "fr": ("heure", {0: "zéro", 1: "une", 21: "vingt et une"}),
    "pt": ("hora", {1: "uma", 2: "duas", 21: "vinte e uma", 22: "vinte e duas"}),
}
"""The hour by language, with the numbers that follow its gender."""
_WITH_NOUGHT: Final = 10
"""Minutes before which a nought is said in English; the voice reads later ones well."""
_HALF_A_DAY_H: Final = 12


def as_said(text: str, voice: str) -> str:
    """Return a text whose times are in words, such as `14 Uhr 30` for `14:30 Uhr`.

    The language is that of `voice`, a voice of espeak-ng. Texts in other languages than German, English, Spanish,
    French and Portuguese are returned as they are.
    """
    for pattern, words in _RULES.get(language_of_voice(voice), ()):
        text = pattern.compiled.sub(words, text)
    return text


def language_of_voice(voice: str) -> str:
    """Return the language of a voice of espeak-ng, of two or three letters; empty if it is not known."""
    language = _VOICE.compiled.match(voice)
    return language[1] if language else ""


def code_of_voice(voice: str) -> str:
    """Return the language of a voice of espeak-ng with its region, such as `en-us`; empty if it is not known."""
    language = _VOICE.compiled.match(voice.lower())
    return language[1] + language[2] if language else ""


def _german(time: re.Match[str]) -> str:
    hour, minute = int(time[1]), int(time[2])
    return f"{'ein' if hour == 1 else hour} Uhr{f' {minute}' if minute else ''}"


def _english(time: re.Match[str]) -> str:
    hour, minute, half = int(time[1]), int(time[2]), time[3] or ""
    if minute >= _WITH_NOUGHT or not (minute or half or 1 <= hour <= _HALF_A_DAY_H):
        return time[0]
    said = f" oh {minute}" if minute else "" if half else " o'clock"
    return f"{hour}{said}{half}"


def _spanish(time: re.Match[str]) -> str:
    hour, minute = int(time[1]), int(time[2])
    return f"{_number('es', hour)} {f'y {minute}' if minute else 'en punto'}"


def _french(time: re.Match[str]) -> str:
    minute = int(time[2])
    return f"{_french_hours(time)}{f' {minute}' if minute else ''}"


def _portuguese(time: re.Match[str]) -> str:
    minute = int(time[2])
    return f"{_portuguese_hours(time)}{f' e {minute}' if minute else ''}"


def _spanish_hours(time: re.Match[str]) -> str:
    return _hours("es", int(time[1]), is_one=int(time[1]) == 1)


def _french_hours(time: re.Match[str]) -> str:
    return _hours("fr", int(time[1]), is_one=int(time[1]) <= 1)


def _portuguese_hours(time: re.Match[str]) -> str:
    return _hours("pt", int(time[1]), is_one=int(time[1]) == 1)


def _hours(language: str, number: int, *, is_one: bool) -> str:
    return f"{_number(language, number)} {_HOURS[language][0]}{'' if is_one else 's'}"


def _number(language: str, number: int) -> str:
    return _HOURS[language][1].get(number, str(number))


_RULES: Final[dict[str, tuple[tuple[LatePattern, Callable[[re.Match[str]], str]], ...]]] = {
    "de": (
        (LatePattern(rf"{_HOUR}:{_MINUTE}(?: ?(?:Uhr|h)\b)?"), _german),
        (LatePattern(rf"{_HOUR}\.{_MINUTE} ?Uhr\b"), _german),
    ),
    "en": ((LatePattern(rf"{_HOUR}:{_MINUTE}( ?[AaPp]\.?[Mm]\b)?"), _english),),
    "es": (
        (LatePattern(rf"{_HOUR}:{_MINUTE}(?: ?(?:h|hrs|horas)\b)?"), _spanish),
        (LatePattern(rf"{_HOUR}\.{_MINUTE} ?(?:h|hrs|horas)\b"), _spanish),
        (_HOURS_ALONE, _spanish_hours),
    ),
    "fr": ((LatePattern(rf"{_HOUR} ?[h:] ?{_MINUTE}"), _french), (_HOURS_ALONE, _french_hours)),
    "pt": ((LatePattern(rf"{_HOUR} ?[h:] ?{_MINUTE}(?: ?min\b)?"), _portuguese), (_HOURS_ALONE, _portuguese_hours)),
}
