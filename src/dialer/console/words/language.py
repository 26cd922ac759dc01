"""The texts of the console in the language of whoever looks at it.

The English text is the key of its translations. A value in a text has a name: `%(count)s`. The API answers in
English. A catalogue is read from its `.po` file when the first page in its language is shown.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import cache, lru_cache
from gettext import c2py
from importlib.resources import files
from typing import Final, NamedTuple

from litestar.types import Scope

from dialer.console.words.formats import ENGLISH_FORMATS, FORMATS, Formats
from dialer.domain.words.languages import ENGLISH, LANGUAGES
from dialer.resources.words.headers import header

ACCEPTED_MAX: Final = 256
"""Characters of an `Accept-Language` that count."""
ACCEPTED_KEPT_MAX: Final = 256
"""Values of `Accept-Language` whose language is remembered."""
_PLURAL: Final = "plural="
"""The part of a catalogue's header before the rule of its plurals."""


class Language(NamedTuple):
    """A language: its texts by the English ones, its rule of plurals, and its dates and numbers."""

    code: str
    forms: Mapping[str, tuple[str, ...]]
    """The forms of each translated text: one, or one for each kind of number."""
    form_of: Callable[[int], int]
    """Return the place of the form that fits a number."""
    formats: Formats


_ENGLISH: Final = Language(ENGLISH, {}, lambda number: int(number != 1), ENGLISH_FORMATS)
_viewers: Final[ContextVar[Language]] = ContextVar("language", default=_ENGLISH)


def gettext(text: str) -> str:
    """Return a text in the viewer's language; in English if it has no translation."""
    return _viewers.get().forms.get(text, (text,))[0]


def ngettext(singular: str, plural: str, number: int) -> str:
    """Return the form of a text that fits a number, in the viewer's language."""
    language = _viewers.get()
    forms = language.forms.get(singular, ())
    if len(forms) > 1:
        return forms[min(language.form_of(number), len(forms) - 1)]
    return singular if number == 1 else plural


def gettext_noop(text: str) -> str:
    """Return a text as it is, and mark it for translation, to be translated when it is shown."""
    return text


def viewers_language() -> Language:
    """Return the language of the viewer."""
    return _viewers.get()


def speak(language: Language) -> None:
    """Show texts in a language from here on: in this request, with its threads and its stream."""
    _viewers.set(language)


def language_of(scope: Scope, chosen: str = "") -> Language:
    """Return the language that a user has chosen, or else the first known one that the browser asks for."""
    return read_language(chosen if chosen in LANGUAGES else _accepted(header(scope, b"accept-language") or ""))


@lru_cache(maxsize=ACCEPTED_KEPT_MAX)
def _accepted(header_value: str) -> str:
    """Return the known language with the greatest weight in an `Accept-Language`; English if there is none."""
    weights: dict[str, float] = {}
    for part in header_value[:ACCEPTED_MAX].split(","):
        tag, _, weight = part.partition(";")
        code = tag.strip().partition("-")[0].lower()
        if code in LANGUAGES:
            weights[code] = max(weights.get(code, 0), _weight(weight.strip()))
    best = max(weights, key=lambda code: weights[code], default=ENGLISH)
    return best if weights.get(best) else ENGLISH


def _weight(text: str) -> float:
    digits = text.removeprefix("q=")
    return float(digits) if digits.replace(".", "", 1).isascii() and digits.replace(".", "", 1).isdecimal() else 1.0


@cache
def read_language(code: str) -> Language:
    """Return one of `LANGUAGES`. The first call for a language reads its catalogue."""
    if code == ENGLISH:
        return _ENGLISH
    text = (files("dialer.console") / "translations" / f"{code}.po").read_text("utf-8")
    forms = dict(read_entries(text))
    rule = forms.pop("")[0].partition(_PLURAL)[2].partition(";")[0]
    return Language(code, forms, c2py(rule), FORMATS[code])


def read_entries(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the English text and the forms of each entry of a `.po` file; the header has an empty text."""
    for block in text.split("\n\n"):
        fields: dict[str, str] = {}
        name = ""
        for line in block.splitlines():
            keyword, quote, _ = line.partition('"')
            if not quote or line.startswith("#"):
                continue
            name = keyword.strip() or name
            fields[name] = fields.get(name, "") + json.loads(line[len(keyword) :])
        forms = tuple(value for name, value in fields.items() if name.startswith("msgstr"))
        if forms and all(forms):
            yield fields["msgid"], forms
