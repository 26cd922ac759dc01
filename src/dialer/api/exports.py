"""Exports: a list as CSV or NDJSON, all that its filters select, as it is read."""

import csv
import io
import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Any, Final

import msgspec
from litestar import Response
from litestar.response import Stream

from dialer.api.errors import InvalidError
from dialer.api.resource import Resource
from dialer.api.service import ApiRequest
from dialer.api.shapes import Shape, fields_of

CSV: Final = "text/csv"
NDJSON: Final = "application/x-ndjson"
JSON: Final = "application/json"
FORMATS: Final = {"csv": CSV, "ndjson": NDJSON, "json": JSON}
"""What `?format=` may say, which wins over the `Accept` header."""

# A spreadsheet takes a cell that begins so for a formula, unless it is a number, with or without a sign.
_FORMULA: Final = re.compile(r"[=+\-@\t\r]")
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


async def export(request: ApiRequest, resource: Resource, chunks: AsyncIterator[list[Shape]]) -> Response[Any] | None:
    """The answer in the format that the request asks for; None if that is JSON.

    Raises:
        InvalidError: `format` names one that there is not.
    """
    media_type = _wanted(request)
    if media_type == JSON:
        return None
    lines = _Csv(resource).lines if media_type == CSV else msgspec.json.Encoder().encode_lines
    # The first chunk is read before the answer begins, so that a database out of reach is still a 503.
    first: list[Shape] = await anext(chunks, [])
    begin = _Csv(resource).header() if media_type == CSV else b""
    suffix = "csv" if media_type == CSV else "ndjson"
    headers = {"Content-Disposition": f'attachment; filename="{resource.path}.{suffix}"', "Vary": "Accept"}
    return Stream(_stream(begin, first, chunks, lines), media_type=media_type, headers=headers)


def _wanted(request: ApiRequest) -> str:
    given = request.query_params.get("format")
    if given is not None:
        if given not in FORMATS:
            raise InvalidError({"format": [f"One of {', '.join(FORMATS)} is needed."]})
        return FORMATS[given]
    try:
        return request.accept.best_match([JSON, CSV, NDJSON], JSON)
    except OverflowError:
        # A weight of "inf", which the framework takes for a number.
        return JSON


async def _stream(
    begin: bytes,
    first: list[Shape],
    others: AsyncIterator[list[Shape]],
    lines: Callable[[list[Shape]], bytes],
) -> AsyncIterator[bytes]:
    yield begin + lines(first)
    async for chunk in others:
        yield lines(chunk)


class _Csv:
    """Records of one resource as lines of CSV (RFC 4180), in UTF-8."""

    def __init__(self, resource: Resource) -> None:
        self._names = [field.name for field in fields_of(resource.read)]

    def header(self) -> bytes:
        """The names of the fields."""
        return _written([self._names])

    def lines(self, records: Iterable[Shape]) -> bytes:
        """A line for each record."""
        names = self._names
        return _written([_cell(getattr(record, name)) for name in names] for record in records)


def _written(rows: Iterable[Sequence[str | int | None]]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue().encode()


def _cell(value: Any) -> str | int | None:  # noqa: ANN401 - whatever a record's field may hold
    """The value as JSON has it, strings without their quotes and null as nothing, and no formula."""
    if value is None or type(value) is int:
        return value
    if not isinstance(value, str):
        return msgspec.json.encode(value).decode()
    if _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value
