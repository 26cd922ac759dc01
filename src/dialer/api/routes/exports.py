"""Exports: a list as CSV or NDJSON, all that its filters select, as it is read."""

import csv
import io
import re
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any, Final

import msgspec
from litestar import Response
from litestar.datastructures.headers import Accept
from litestar.response import Stream

from dialer.api.crud.fields import Json
from dialer.api.crud.resource import Resource
from dialer.api.crud.shapes import Columns, Shape, fields_of, shapes_of
from dialer.api.http.errors import InvalidError
from dialer.api.http.headers import is_head
from dialer.api.service import ApiRequest, Chunks
from dialer.store.csv_cells import FORMULA, text_cell

CSV: Final = "text/csv"
NDJSON: Final = "application/x-ndjson"
JSON: Final = "application/json"
FORMATS: Final = {"csv": CSV, "ndjson": NDJSON, "json": JSON}
"""What `?format=` may say, which wins over the `Accept` header."""

_UNACCEPTABLE: Final = re.compile(r";\s*q\s*=\s*0(\.0*)?\s*(;|\Z)", re.IGNORECASE)
"""The weight of what a client does not want (RFC 9110, 12.4.2)."""


async def export(request: ApiRequest, resource: Resource, chunks: Chunks) -> Response[Any] | None:
    """The answer in the format that the request asks for; None if that is JSON.

    Raises:
        InvalidError: `format` names one that there is not.
    """
    media_type = _wanted(request)
    if media_type == JSON:
        return None
    encoded = chunks(write_csv if media_type == CSV else partial(_ndjson, resource.read))
    # The first chunk is read before the answer begins, so that a database out of reach is still a 503.
    first = await anext(encoded, b"")
    begin = write_csv([[field.name] for field in fields_of(resource.read)]) if media_type == CSV else b""
    suffix = "csv" if media_type == CSV else "ndjson"
    headers = {"Content-Disposition": f'attachment; filename="{resource.path}.{suffix}"', "Vary": "Accept"}
    others = None if is_head(request.scope) else encoded
    return Stream(_stream(begin + first, others), media_type=media_type, headers=headers)


def _wanted(request: ApiRequest) -> str:
    given = request.query_params.get("format")
    if given is not None:
        if given not in FORMATS:
            raise InvalidError({"format": [f"One of {', '.join(FORMATS)} is needed."]})
        return FORMATS[given]
    accepted = [part for part in request.headers.get("Accept", "").split(",") if not _UNACCEPTABLE.search(part)]
    try:
        return Accept(",".join(accepted)).best_match([JSON, CSV, NDJSON], JSON)
    except OverflowError:
        # A weight of "inf", which the framework takes for a number.
        return JSON


async def _stream(first: bytes, others: AsyncIterator[bytes] | None) -> AsyncIterator[bytes]:
    yield first
    if others is None:
        return
    async for chunk in others:
        yield chunk


def _ndjson(shape: type[Shape], columns: Columns) -> bytes:
    return msgspec.json.Encoder().encode_lines(shapes_of(shape, columns))


def write_csv(columns: Columns) -> bytes:
    """A line for each record, one or more of two fields or more, as RFC 4180 has it, in UTF-8."""
    rows = list(zip(*map(_cells, columns), strict=True))
    line = f"{','.join(['%s'] * len(columns))}\r\n"
    text = "".join([line % row for row in rows])
    # Three times as fast as the csv module, and the same: if there is no quote, and no comma or end of line but those
    # between the cells, then no cell has one, and none needs quotes.
    between = text.count(","), text.count("\r"), text.count("\n")
    if between == (len(rows) * (len(columns) - 1), len(rows), len(rows)) and '"' not in text:
        return text.encode()
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue().encode()


def _cells(values: Sequence[Json]) -> Sequence[str | int]:
    """The values of one field as they stand in CSV."""
    types = set(map(type, values))
    if types == {int} or (types == {str} and FORMULA.isdisjoint([text[:1] for text in values])):
        return values
    if types == {str}:
        return [text_cell(value) for value in values]
    return [_cell(value) for value in values]


def _cell(value: Json) -> str | int:
    """The value as JSON has it, strings without their quotes and null as nothing, and no formula."""
    if value is None:
        return ""
    if type(value) is int:
        return value
    return text_cell(value) if isinstance(value, str) else msgspec.json.encode(value).decode()
