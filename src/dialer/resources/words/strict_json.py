"""JSON objects from untrusted clients: doubtful documents are refused, at little cost."""

import json
import re
from typing import Any, Final, NoReturn

DEPTH_MAX: Final = 64
"""Levels of nested objects and lists."""
NAME_SHOWN_MAX: Final = 40
"""Characters of a name that an error repeats."""
MEMBERS_MAX: Final = 30_000
"""Commas, objects and lists of one document together. Parsing more would delay other requests."""

_STRINGS: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKETS: Final = bytes.maketrans(b"{}", b"[]")
_NOT_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_ESCAPED_NUL: Final = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


class StrictJsonError(ValueError):
    """An error for a text that is not an acceptable JSON object; the message is for the client."""


def read_object(document: bytes) -> dict[str, Any]:
    """Parse a JSON object in UTF-8.

    Raises:
        StrictJsonError: it is not UTF-8, not JSON or not an object; or it has NaN, a name twice in one object, a NUL,
            half a surrogate pair, more than 64 levels or more than 30,000 members.
    """
    _refuse_bombs(document)
    try:
        text = document.decode("utf-8")
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
        _refuse_surrogates(text, value)
    except UnicodeError:
        raise StrictJsonError("JSON parse error - the text is not valid UTF-8.") from None
    except json.JSONDecodeError as error:
        raise StrictJsonError(f"JSON parse error - {error.msg}: character {error.pos}.") from None
    except RecursionError:
        raise StrictJsonError(f"JSON parse error - more than {DEPTH_MAX} levels.") from None
    except StrictJsonError:
        raise
    except ValueError:
        raise StrictJsonError("JSON parse error - a number is too long.") from None
    if "\\u0000" in text and _ESCAPED_NUL.search(text):
        raise StrictJsonError("JSON parse error - NUL characters are not accepted.")
    if not isinstance(value, dict):
        raise StrictJsonError("JSON parse error - an object is required.")
    return value


def _refuse_bombs(document: bytes) -> None:
    """Check nesting and size before the parser runs, with byte searches only."""
    if document.count(b"{") + document.count(b"[") <= DEPTH_MAX and document.count(b",") <= MEMBERS_MAX - DEPTH_MAX:
        return
    # Two quotes in a row end at most two strings, so more of them than this cannot be JSON of few members.
    is_long = document.count(b'""') > 2 * MEMBERS_MAX
    bare = b"" if is_long else _STRINGS.sub(b"", document)
    if is_long or bare.count(b",") + bare.count(b"{") + bare.count(b"[") > MEMBERS_MAX:
        raise StrictJsonError(f"JSON parse error - more than {MEMBERS_MAX} members.")
    nesting = bare.translate(_BRACKETS, _NOT_BRACKETS)
    if b"[" * (DEPTH_MAX + 1) in nesting:
        raise StrictJsonError(f"JSON parse error - more than {DEPTH_MAX} levels.")
    for _ in range(DEPTH_MAX):
        if not nesting:
            return
        nesting = nesting.replace(b"[]", b"")
    if nesting:
        raise StrictJsonError(f"JSON parse error - more than {DEPTH_MAX} levels, or brackets that do not match.")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise StrictJsonError("JSON parse error - a name occurs twice in one object.")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise StrictJsonError(f"JSON parse error - {name} is not JSON.")


def _refuse_surrogates(text: str, document: object) -> None:
    """Refuse half of a surrogate pair. It can only come from an escape, so other texts need no search."""
    if "\\ud" not in text and "\\uD" not in text:
        return
    members = document.items() if isinstance(document, dict) else [("", document)]
    for name, value in members:
        try:
            json.dumps([name, value], ensure_ascii=False).encode("utf-8")
        except UnicodeError:
            shown = name.encode("utf-8", "replace").decode()[:NAME_SHOWN_MAX]
            raise StrictJsonError(f"JSON parse error - {shown!r} has half of a surrogate pair.") from None
