"""The check of placeholders: names in braces that nobody has, values that some people lack, and braces gone wrong."""

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Final, NamedTuple

from dialer.domain.messages.templates import BUILT_IN, TAG, is_word, placeholders_of
from dialer.domain.survey.findings import FindingCode, FindingLevel, Remark
from dialer.domain.words.sentences import Sentence, counting_sentence, cut_name

NAMES_SHOWN_MAX: Final = 10
"""Names that a message lists."""
SLIPS_MAX: Final = 5
"""Wrong braces of one text that are explained."""
EXCERPT_MAX: Final = 24
_NEAR: Final = 0.6
_DOUBLE: Final = re.compile(r"\{\{\s*(\w{1,64})\s*\}\}")
_BRACE: Final = re.compile(r"\{\}|[{}]")


class Having(NamedTuple):
    """The numbers of contacts that have a name, and of those whose value of it is not empty."""

    contacts: int
    filled: int


class KnownNames(NamedTuple):
    """The names that placeholders of a campaign's people can have."""

    people: int
    """Number of the contacts."""
    names: Mapping[str, Having]
    """By name; the built-in ones are among them."""
    is_complete: bool
    """True if nobody can have another name."""


NOTHING_KNOWN: Final = KnownNames(0, {}, is_complete=False)


def remarks_on_text(text: str, place: str, known: KnownNames = NOTHING_KNOWN) -> Iterator[Remark]:
    """Yield findings about the placeholders of a text that stands in the section `place`, empty for a campaign's text.

    Without known names, only those that are probably meant to be built-in ones are doubted.
    """
    if "{" not in text and "}" not in text:
        return
    for level, code, message in (*_of_names(text, known), *_of_braces(text)):
        yield Remark(level, code, in_section(place, message) if place else message)


def in_section(place: str, message: str) -> Sentence:
    """Return a message that begins with the name of its section."""
    return Sentence("Section “%(section)s”: %(message)s", section=cut_name(place), message=message)


def names_section(message: str) -> bool:
    """Return whether a message begins with the name of its section."""
    return isinstance(message, Sentence) and "section" in message.values


def nearest_name(name: str, names: Iterable[str]) -> str:
    """Return the name that was probably meant; empty if none is near."""
    by_key: dict[str, str] = {}
    for other in names:
        by_key.setdefault(_key(other), other)
    near = get_close_matches(_key(name), by_key, n=1, cutoff=_NEAR)
    return by_key[near[0]] if near else ""


def _key(name: str) -> str:
    """Return a name without capitals, blanks and underscores, by which names are compared."""
    return "".join(letter for letter in name.casefold() if letter.isalnum()) or name


def _of_names(text: str, known: KnownNames) -> Iterator[Remark]:
    for name in placeholders_of(text):
        if name in known.names and known.people:
            yield from _lacking(name, known)
        elif name in BUILT_IN:
            continue
        elif not is_word(name):
            yield _warning(FindingCode.WRONG_PLACEHOLDER, _not_a_name(name, known))
        elif known.people and known.is_complete:
            yield Remark(FindingLevel.ERROR, FindingCode.UNKNOWN_PLACEHOLDER, _unknown(name, known))
        elif (doubt := _doubt(name, known)) is not None:
            yield _warning(FindingCode.UNKNOWN_PLACEHOLDER, doubt)


def _unknown(name: str, known: KnownNames) -> Sentence:
    near = nearest_name(name, (*known.names, *BUILT_IN))
    if near:
        return Sentence("No contact has a value for {%(name)s}. Did you mean {%(nearest)s}?", name=name, nearest=near)
    own = sorted(other for other in known.names if other not in BUILT_IN)[:NAMES_SHOWN_MAX]
    names = ", ".join(f"{{{other}}}" for other in (*own, *BUILT_IN[:1]))
    return Sentence("No contact has a value for {%(name)s}. There are values for %(names)s.", name=name, names=names)


def _doubt(name: str, known: KnownNames) -> Sentence | None:
    """Return the doubt about a name where it is not known which names people have; None if there is no doubt."""
    near = nearest_name(name, (*known.names, *BUILT_IN)) if known.people else _like_built_in(name)
    if near:
        return Sentence(
            "{%(name)s} is left out for contacts without a value of exactly this name. Did you mean {%(nearest)s}?",
            name=name,
            nearest=near,
        )
    if known.people:
        return Sentence("It is not known whether the contacts have a value for {%(name)s}.", name=name)
    return None


def _like_built_in(name: str) -> str:
    """Return the built-in name that differs from a name in capitals and underscores only; empty if none does."""
    return next((other for other in BUILT_IN if _key(other) == _key(name)), "")


def _lacking(name: str, known: KnownNames) -> Iterator[Remark]:
    lacking = known.people - known.names[name].filled
    if lacking <= 0:
        return
    yield _warning(
        FindingCode.EMPTY_PLACEHOLDER,
        counting_sentence(
            "%(count)s of %(people)s contacts has no value for {%(name)s}: it is left out there.",
            "%(count)s of %(people)s contacts have no value for {%(name)s}: it is left out there.",
            lacking,
            name=name,
            people=known.people,
        ),
    )
    without = known.people - known.names[name].contacts
    if without > 0 and not is_word(name):
        yield _warning(
            FindingCode.WRONG_PLACEHOLDER,
            counting_sentence(
                "%(count)s contact without {%(name)s} gets it as it is written, with its braces.",
                "%(count)s contacts without {%(name)s} get it as it is written, with its braces.",
                without,
                name=name,
            ),
        )


def _not_a_name(name: str, known: KnownNames) -> Sentence:
    """Return the explanation of a text in braces that can only be a placeholder if a contact has a value for it."""
    near = nearest_name(name, (*known.names, *BUILT_IN))
    if near:
        return Sentence(
            "{%(name)s} goes out as it is written, with its braces. Did you mean {%(nearest)s}?",
            name=name,
            nearest=near,
        )
    return Sentence(
        "{%(name)s} goes out as it is written, with its braces, to contacts without a value of this name.", name=name
    )


def _of_braces(text: str) -> list[Remark]:
    """Return a warning for each brace that makes no placeholder, up to `SLIPS_MAX`, in their order."""
    slips = [(double.start(), _double(double)) for double in _DOUBLE.finditer(text)]
    without_doubles = _DOUBLE.sub(lambda double: "\0" * len(double[0]), text)
    rest = TAG.sub(lambda tag: "\0" * len(tag[0]), without_doubles)
    slips += [(brace.start(), _stray(text, brace)) for brace in _BRACE.finditer(rest)]
    first = sorted(slips, key=lambda slip: slip[0])[:SLIPS_MAX]
    return [_warning(FindingCode.WRONG_PLACEHOLDER, message) for _, message in first]


def _double(double: re.Match[str]) -> Sentence:
    return Sentence(
        "“%(written)s” goes out with a brace on each side. Write {%(name)s}.", written=double[0], name=double[1]
    )


def _stray(text: str, brace: re.Match[str]) -> Sentence:
    start, end = brace.span()
    match brace[0]:
        case "{":
            after = text[start : start + EXCERPT_MAX]
            return Sentence("The brace at the start of “%(excerpt)s” is not closed. Write {name}.", excerpt=after)
        case "}":
            before = text[max(0, end - EXCERPT_MAX) : end]
            return Sentence("The brace at the end of “%(excerpt)s” is not opened. Write {name}.", excerpt=before)
        case _:
            return Sentence("There is no name in {}. Write {name}.")


def _warning(code: FindingCode, message: Sentence) -> Remark:
    return Remark(FindingLevel.WARNING, code, message)
