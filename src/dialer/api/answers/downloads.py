"""Downloads of files from the media folder: whole, in part, or their headers alone (RFC 9110, 14).

A file is read piece by piece, and is closed between the pieces. No transaction is open meanwhile, so a slow client
delays nobody, and a recording that is erased during its download is not sent any further.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import anyio.to_thread
from litestar import Response
from litestar.response import Stream

from dialer.api.service import ApiRequest
from dialer.resources.crud.versions import digest
from dialer.resources.words.errors import AnsweredError, RecordNotFoundError
from dialer.resources.words.headers import header, is_head
from dialer.resources.words.preconditions import ETAG_HEADER, EntityTag, parse_preconditions
from dialer.store.media.recordings import facts_of, read_piece
from dialer.store.media.store_threads import HEARERS

WAV: Final = "audio/wav"
ECHO_MAX: Final = 100
"""Characters of a header that an error repeats."""
STORE_AWAY: Final = "The place of the recordings does not answer just now. Try again in a minute."
_LATER: Final = {"Retry-After": "60"}
_RANGE: Final = re.compile(r"bytes=(?P<first>[0-9]{0,18})-(?P<last>[0-9]{0,18})\Z", re.ASCII)


async def answer_file(request: ApiRequest, name: str, shown_name: str, within: str = "") -> Response[Any]:
    """Return a WAV file of the media folder, or of a folder `within` it, or the part that the request asks for.

    Several ranges at once, and ranges that are malformed, get the whole file.

    Raises:
        RecordNotFoundError: there is no such file.
        AnsweredError: 412 if the file is another one than the client expects; 416 if it has no such part.
    """
    media, place = request.service.media, f"{within}/{name}" if within else name
    facts = await anyio.to_thread.run_sync(facts_of, media, place)
    if facts is None:
        raise RecordNotFoundError
    tag = EntityTag(digest(f"{name}:{facts.size}:{facts.changed_ns}".encode()))

    async def read(start: int) -> bytes | None:
        return await anyio.to_thread.run_sync(read_piece, media, place, start)

    return await answer_sound(request, Sound(facts.size, tag, read), shown_name)


class Sound(NamedTuple):
    """A WAV file that is sent: its size, its version, and the function that returns some of its bytes from a place."""

    size: int
    tag: EntityTag
    read: Callable[[int], Awaitable[bytes | None]]
    """No bytes, or None, mean that there are no more."""


class SoundEndedError(Exception):
    """A file ended before the length that was told: it was deleted, or is damaged. The connection is cut."""


@contextmanager
def asking_store() -> Iterator[None]:
    """Refuse the request if the place of a file does not answer: the file may be there, so it is no 404."""
    try:
        yield
    except OSError as error:
        raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, STORE_AWAY, _LATER) from error


async def answer_sound(request: ApiRequest, sound: Sound, shown_name: str) -> Response[Any]:
    """Return a WAV file, or the part that the request asks for.

    Raises:
        RecordNotFoundError: its first bytes are not there.
        AnsweredError: as for `answer_file`; 503 if the place of the file does not answer.
    """
    tag = sound.tag
    headers = {ETAG_HEADER: tag.header}
    if parse_preconditions(request.scope).is_known(tag):
        return Response(b"", status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    part = part_of(request, sound)
    headers |= {
        "Accept-Ranges": "bytes",
        "Content-Disposition": content_disposition(shown_name),
        "Content-Length": str(len(part)),
    }
    # The status says if nothing can be read. Later, only the connection can say it.
    with asking_store():
        first = b"" if is_head(request.scope) or not part else await sound.read(part.start)
    if part and not first and not is_head(request.scope):
        raise RecordNotFoundError
    status = HTTPStatus.OK
    if len(part) < sound.size:
        status = HTTPStatus.PARTIAL_CONTENT
        headers["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{sound.size}"
    content = no_content() if is_head(request.scope) else _pieces(sound.read, part, first or b"")
    return Stream(content, status_code=status, media_type=WAV, headers=headers)


def part_of(request: ApiRequest, sound: Sound) -> range:
    """Return the bytes to send, as a range of positions in the file.

    Raises:
        AnsweredError: 416 if the file has none of the wanted bytes.
    """
    whole, scope = range(sound.size), request.scope
    wanted, only_if = header(scope, b"range"), header(scope, b"if-range")
    is_stale = only_if is not None and only_if.strip() != sound.tag.header
    if wanted is None or is_stale or is_head(scope):
        return whole
    part = parse_range(wanted, sound.size)
    if part is not None and not part:
        detail = f"The file has {sound.size} bytes, so {wanted[:ECHO_MAX]!r} is not a part of it."
        refused = {"Content-Range": f"bytes */{sound.size}", ETAG_HEADER: sound.tag.header}
        raise AnsweredError(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, detail, refused)
    return whole if part is None else part


def parse_range(text: str, size: int) -> range | None:
    """Return the positions that a `Range` header names, none if the file does not have them.

    Return None if the header is to be ignored: it is malformed, names several ranges, or another unit than bytes.
    """
    match = _RANGE.match(text.strip())
    if match is None or match["first"] == match["last"] == "":
        return None
    if match["first"] == "":
        return range(max(0, size - int(match["last"])), size)
    first, last = int(match["first"]), int(match["last"] or size)
    if match["last"] and last < first:
        return None
    return range(first, min(last + 1, size))


def content_disposition(name: str) -> str:
    """Return the header that offers a file name, safe for any name (RFC 6266)."""
    plain = "".join(letter if letter.isascii() else "_" for letter in name)
    offered = f'attachment; filename="{plain}"'
    return offered if plain == name else f"{offered}; filename*=UTF-8''{quote(name, safe='')}"


async def _pieces(read: Callable[[int], Awaitable[bytes | None]], part: range, first: bytes) -> AsyncIterator[bytes]:
    """Yield the bytes at the positions in `part`, of which the `first` ones are read.

    Raises:
        SoundEndedError: the file is deleted meanwhile, or the rest cannot be read.
    """
    piece: bytes | None = first
    while part:
        if not piece:
            raise SoundEndedError
        yield piece[: len(part)]
        part = part[len(piece) :]
        try:
            piece = await read(part.start) if part else None
        except OSError as error:
            raise SoundEndedError from error


async def no_content() -> AsyncIterator[bytes]:
    """Yield nothing: the body of the answer to a HEAD."""
    nothing: tuple[bytes, ...] = ()
    for piece in nothing:
        yield piece


async def in_threads(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Yield pieces that are made in threads, one at a time, so that a slow client delays nobody."""
    while (piece := await HEARERS.run(next, pieces, None)) is not None:
        if piece:
            yield piece
