"""Texts with names in braces: `Dear {first_name}, …`."""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

_TAG: Final = re.compile(r"\{(\w{1,64})\}")


def fill(text: str, full_name: str, additional_vars: str) -> str:
    """The text with each `{name}` replaced: from `additional_vars` (JSON text of an object), else the person's name.

    `{full_name}` is as given, `{first_name}` its first word, `{last_name}` the rest. A name nobody knows is removed.
    """
    if "{" not in text:
        return text
    first_name, _, last_name = full_name.strip().partition(" ")
    names = {"full_name": full_name, "first_name": first_name, "last_name": last_name.strip()}
    names.update({key: _plain(value) for key, value in _variables(additional_vars).items()})
    return _TAG.sub(lambda tag: names.get(tag[1], ""), text)


def _variables(additional_vars: str) -> Mapping[str, Any]:
    if not additional_vars:
        return {}
    try:
        return msgspec.json.decode(additional_vars, type=dict[str, Any])
    except msgspec.DecodeError:
        return {}


def _plain(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
