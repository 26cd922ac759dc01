"""Texts with placeholders in braces: `Dear {first_name}, …`."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

BUILT_IN: Final = ("full_name", "first_name", "last_name", "contact", "phone_number")
"""The placeholders that every person has, whatever their variables are."""
NAME_MAX: Final = 64
"""Characters of a placeholder's name."""
TAG: Final = re.compile(rf"\{{([^{{}}]{{1,{NAME_MAX}}})\}}")
FILLED_CHARACTERS_MAX: Final = 64_000
"""Characters of a text whose placeholders are filled in: an hour of speech. No text that users write is longer."""
_WORD: Final = re.compile(r"\w+")
_BETWEEN_DIGITS: Final = re.compile(r"(?<=[0-9])(?=[0-9])")


def fill(
    text: str,
    full_name: str,
    additional_vars: str,
    number: str = "",
    *,
    is_spoken: bool = False,
    most: int = FILLED_CHARACTERS_MAX,
) -> str:
    """Return the text with each `{name}` replaced from `additional_vars` (JSON text of an object), else the contact.

    `{full_name}` is used as given, `{first_name}` is its first word, and `{last_name}` is the rest. `{contact}` and
    `{phone_number}` are the `number`, digit by digit where the text is spoken. A name may have blanks around it, and
    may be that of any variable. Unknown placeholders are removed; braces around other texts stay.

    The text ends after `most` characters: each of hundreds of placeholders may stand for thousands of them.
    """
    if "{" not in text:
        return text[:most]
    names = values_of(full_name, additional_vars, _BETWEEN_DIGITS.sub(" ", number) if is_spoken else number)
    pieces, length, begin = [], 0, 0
    for tag in TAG.finditer(text):
        piece = text[begin : tag.start()] + _filled(tag, names)
        pieces.append(piece)
        length, begin = length + len(piece), tag.end()
        if length >= most:
            break
    return "".join([*pieces, text[begin:]])[:most]


def placeholders_of(text: str) -> Iterator[str]:
    """Yield the names in braces of a text, each once, in their order."""
    yield from dict.fromkeys(tag[1].strip() for tag in TAG.finditer(text))


def is_word(name: str) -> bool:
    """Return whether a name has letters, digits and underscores only, so that it can only be a placeholder's."""
    return _WORD.fullmatch(name) is not None


def variable(additional_vars: str, name: str) -> str:
    """Return the value of a name in `additional_vars` (JSON text of an object); empty if it is missing."""
    return _as_text(variables_of(additional_vars).get(name)).strip()


def values_of(full_name: str, additional_vars: str, number: str = "") -> dict[str, str]:
    """Return the texts that stand for the placeholders of a person, by name."""
    first_name, _, last_name = full_name.strip().partition(" ")
    values = {
        "full_name": full_name,
        "first_name": first_name,
        "last_name": last_name.strip(),
        "contact": number,
        "phone_number": number,
    }
    values.update({key: _as_text(value) for key, value in variables_of(additional_vars).items()})
    return values


def name_of(full_name: str, additional_vars: str) -> str:
    """Return the name of a person, from `first_name` and `last_name` of the variables if need be; empty if unknown."""
    if full_name or "_name" not in additional_vars:
        return full_name
    known = variables_of(additional_vars)
    return " ".join(filter(None, (_as_text(known.get(part, "")).strip() for part in ("first_name", "last_name"))))


def variables_of(additional_vars: str) -> Mapping[str, Any]:
    """Return the variables of a person from JSON text; none if it is no object."""
    if not additional_vars:
        return {}
    try:
        return msgspec.json.decode(additional_vars, type=dict[str, Any])
    except msgspec.DecodeError:
        return {}


def _filled(tag: re.Match[str], names: Mapping[str, str]) -> str:
    name = tag[1].strip()
    return names.get(name, "" if is_word(name) else tag[0])


def _as_text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
