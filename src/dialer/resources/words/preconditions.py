"""Entity tags, and the headers `If-Match` and `If-None-Match` that make a request conditional (RFC 9110, 13).

The tag of a record has two parts, `"<version>.<state>"`. The version changes with the fields that clients write, and
the state with anything in the answer. `If-Match` compares the versions: a campaign that dials changes its counters all
the time, and a client that pauses it does not overwrite them. `If-None-Match` compares whole tags, so a cached record
never has old counters.
"""

import re
from http import HTTPStatus
from typing import Final

import msgspec
from litestar.types import HTTPScope

from dialer.resources.words.errors import AnsweredError, MalformedError
from dialer.resources.words.headers import joined_header

ETAG_HEADER: Final = "ETag"
TAGS_MAX: Final = 64
"""Entity tags in one header."""

_ANY: Final = "*"
_TAG: Final = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
_SAFE: Final = frozenset({"GET", "HEAD"})


class EntityTag(msgspec.Struct, frozen=True):
    """The strong entity tag of a record, or of a file, which has no state besides its version."""

    version: str
    state: str = ""

    @property
    def header(self) -> str:
        """Return the tag as a header has it, in quotes."""
        return f'"{self.opaque}"'

    @property
    def opaque(self) -> str:
        """Return the tag without its quotes."""
        return f"{self.version}.{self.state}" if self.state else self.version


class _Given(msgspec.Struct, frozen=True):
    """The tags of one header; `is_any` stands for `*`."""

    strong: frozenset[str] = frozenset()
    weak: frozenset[str] = frozenset()
    is_any: bool = False

    def names_version(self, tag: EntityTag) -> bool:
        """Return whether a strong tag has the version."""
        return self.is_any or any(tag_text.partition(".")[0] == tag.version for tag_text in self.strong)

    def names(self, tag: EntityTag) -> bool:
        """Return whether a tag, weak or strong, is the whole tag."""
        return self.is_any or tag.opaque in self.strong or tag.opaque in self.weak


class PreconditionFailedError(AnsweredError):
    """An error for a record that is not in the state that the request requires: 412."""

    def __init__(self, tag: EntityTag, detail: str = "") -> None:
        changed = f"The record has changed, its ETag is now {tag.header}. Read it again, and repeat the request."
        super().__init__(HTTPStatus.PRECONDITION_FAILED, detail or changed, {ETAG_HEADER: tag.header})


class Preconditions(msgspec.Struct, frozen=True):
    """The conditions of a request."""

    match: _Given | None = None
    none_match: _Given | None = None

    def check(self, tag: EntityTag) -> None:
        """Check the If-Match and If-None-Match conditions of a write, in the transaction of the write.

        Raises:
            PreconditionFailedError: a condition is not met.
        """
        if self.match is not None and not self.match.names_version(tag):
            raise PreconditionFailedError(tag)
        if self.none_match is not None and self.none_match.names_version(tag):
            named = "*, which stands for every version" if self.none_match.is_any else "that version"
            detail = f"The record exists with the ETag {tag.header}, but If-None-Match has {named}. Leave it out."
            raise PreconditionFailedError(tag, detail)

    def is_known(self, tag: EntityTag) -> bool:
        """Return whether the client of a request that reads has this state already, so that 304 is the answer.

        Raises:
            PreconditionFailedError: the client wants the record only in another state.
        """
        if self.match is not None and not self.match.names_version(tag):
            raise PreconditionFailedError(tag)
        return self.none_match is not None and self.none_match.names(tag)


UNCONDITIONAL: Final = Preconditions()


def if_version(version: str) -> Preconditions:
    """Return the condition that a record still has this version."""
    return Preconditions(match=_Given(strong=frozenset({version})))


def parse_preconditions(scope: HTTPScope) -> Preconditions:
    """Return the conditions of a request.

    A malformed condition is ignored in a request that reads, which then gets the whole answer.

    Raises:
        MalformedError: a condition of a request that writes is malformed. To ignore it could overwrite a change.
    """
    is_lenient = scope["method"] in _SAFE
    match, none_match = _parse(scope, b"if-match", is_lenient), _parse(scope, b"if-none-match", is_lenient)
    return UNCONDITIONAL if match is none_match is None else Preconditions(match, none_match)


def _parse(scope: HTTPScope, name: bytes, is_lenient: bool) -> _Given | None:  # noqa: FBT001 - private
    text = joined_header(scope, name)
    if text is None:
        return None
    if text.strip() == _ANY:
        return _Given(is_any=True)
    tags = _tags(text)
    if tags is None and not is_lenient:
        shown = name.decode().title()
        raise MalformedError(f'{shown} has 1 to {TAGS_MAX} ETags in double quotes, such as {shown}: "0a1b", or *.')
    return tags


def _tags(text: str) -> _Given | None:
    """Return the tags of a header; None if it has none, too many, or anything else."""
    strong: set[str] = set()
    weak: set[str] = set()
    position = 0
    while position < len(text):
        if text[position] in " \t,":
            position += 1
            continue
        match = _TAG.match(text, position)
        if match is None or len(strong) + len(weak) >= TAGS_MAX:
            return None
        (weak if match[1] else strong).add(match[2])
        position = match.end()
    return _Given(frozenset(strong), frozenset(weak)) if strong or weak else None
