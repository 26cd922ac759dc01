"""Multipart forms from untrusted clients: a few short texts and one file, all of limited size."""

from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Any, Final

import msgspec
from multipart import (  # type: ignore[import-untyped] # it comes without types
    MultipartError,
    MultipartSegment,
    PushMultipartParser,
)

from dialer.api.answers.streams import expect_type, pieces
from dialer.api.service import ApiRequest
from dialer.domain.words.sentences import Sentence
from dialer.resources.words.errors import AnsweredError, InvalidError, MalformedError

MULTIPART: Final = "multipart/form-data"
FILE_NAME: Final = "file name"
PARTS_MAX: Final = 20
TEXT_BYTES_MAX: Final = 4_096
"""Bytes of one text that are kept; no field is longer."""
FORM_OVERHEAD_BYTES_MAX: Final = 64 * 1024
"""Bytes that a body may have besides the file."""


class Form(msgspec.Struct):
    """The parts of a form: texts by name, and the file, if there is one."""

    texts: dict[str, str]
    file: bytes | None = None


async def read_form(request: ApiRequest, *, file_field: str, file_bytes_max: int) -> Form:
    """Read the form in the body of a request.

    Raises:
        AnsweredError: it is no multipart body (415, 400), has more than `PARTS_MAX` parts or one name twice (400), or
            too large a file (413).
    """
    reader = _FormReader(file_field, file_bytes_max)
    async for event in _events(request):
        reader.take(event)
    return reader.form


async def file_pieces(
    request: ApiRequest, *, file_field: str, texts: dict[str, str] | None = None
) -> AsyncIterator[bytes]:
    """Yield the file in the form of a request while it arrives.

    The first piece is empty and comes when the file begins. By then `texts` has the parts before the file, and under
    `FILE_NAME` the name that the client gives the file.

    Raises:
        AnsweredError: it is no multipart body (415, 400), or has more than `PARTS_MAX` parts (400).
        InvalidError: there is no such file, or a second one.
    """
    reader = _FormReader("", 0)
    name, file_count = "", 0
    async for event in _events(request):
        if isinstance(event, MultipartSegment):
            name = event.name
            file_count += name == file_field
        if name != file_field:
            reader.take(event)
        elif isinstance(event, MultipartSegment):
            if texts is not None:
                texts.update(reader.form.texts)
                texts[FILE_NAME] = event.filename or ""
            yield b""
        elif event:
            if file_count > 1:
                raise InvalidError({file_field: ["Send one file, not several."]})
            yield bytes(event)
    if not file_count:
        raise InvalidError({file_field: ["This field is required."]})


async def _events(request: ApiRequest) -> AsyncIterator[Any]:
    """Yield a part's head, the pieces of its content, and None at its end, for each part of a form."""
    boundary = expect_type(request, MULTIPART).get("boundary", "")
    try:
        with PushMultipartParser(boundary, max_segment_count=PARTS_MAX, strict=True) as parser:
            async for piece in pieces(request):
                for event in parser.parse(piece):
                    yield event
    except (MultipartError, UnicodeError):
        raise MalformedError("The body is no multipart form, is cut off, or has too many parts.") from None


class _FormReader:
    """A collector that joins the pieces of each part."""

    def __init__(self, file_field: str, file_bytes_max: int) -> None:
        self.form = Form({})
        self._file_field = file_field
        self._file_bytes_max = file_bytes_max
        self._name = ""
        self._content = bytearray()

    def take(self, event: Any) -> None:  # noqa: ANN401 - a part's head, a piece of its content, or None at its end
        """Take the next event of the parser."""
        if isinstance(event, MultipartSegment):
            self._name = event.name
            self._content = bytearray()
        elif event is not None:
            self._append(event)
        else:
            self._end()

    def _append(self, piece: bytes) -> None:
        if self._name == self._file_field:
            if len(self._content) + len(piece) > self._file_bytes_max:
                limit = Sentence("%(most)s MiB", most=self._file_bytes_max // 1024**2)
                raise AnsweredError(
                    HTTPStatus.REQUEST_ENTITY_TOO_LARGE, Sentence("The file has more than %(most)s.", most=limit)
                )
            self._content += piece
        elif len(self._content) <= TEXT_BYTES_MAX:
            self._content += piece

    def _end(self) -> None:
        if self._name in self.form.texts or (self._name == self._file_field and self.form.file is not None):
            raise MalformedError("The form has two parts of the same name.")
        if self._name == self._file_field:
            self.form.file = bytes(self._content)
        else:
            self.form.texts[self._name] = self._content[:TEXT_BYTES_MAX].decode(errors="replace")
