"""Texts with placeholders in braces: `Dear {first_name}, …`."""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

_TAG: Final = re.compile(r"\{(\w{1,64})\}")
_BETWEEN_DIGITS: Final = re.compile(r"(?<=[0-9])(?=[0-9])")


def fill(text: str, full_name: str, additional_vars: str, number: str = "", *, is_spoken: bool = False) -> str:
    """Return the text with each `{name}` replaced from `additional_vars` (JSON text of an object), else the contact.

    `{full_name}` is used as given, `{first_name}` is its first word, and `{last_name}` is the rest. `{contact}` and
    `{phone_number}` are the `number`, digit by digit where the text is spoken. Unknown placeholders are removed.
    """
    if "{" not in text:
        return text
    names = _contact_values(full_name, _BETWEEN_DIGITS.sub(" ", number) if is_spoken else number)
    names.update({key: _as_text(value) for key, value in _variables(additional_vars).items()})
    return _TAG.sub(lambda tag: names.get(tag[1], ""), text)


def variable(additional_vars: str, name: str) -> str:
    """Return the value of a name in `additional_vars` (JSON text of an object); empty if it is missing."""
    value = _variables(additional_vars).get(name)
    return "" if value is None else _as_text(value).strip()


def _contact_values(full_name: str, number: str) -> dict[str, str]:
    first_name, _, last_name = full_name.strip().partition(" ")
    return {
        "full_name": full_name,
        "first_name": first_name,
        "last_name": last_name.strip(),
        "contact": number,
        "phone_number": number,
    }


def _variables(additional_vars: str) -> Mapping[str, Any]:
    if not additional_vars:
        return {}
    try:
        return msgspec.json.decode(additional_vars, type=dict[str, Any])
    except msgspec.DecodeError:
        return {}


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
