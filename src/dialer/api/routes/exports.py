"""Exports: all records that the filters of a list select, as CSV, NDJSON or a spreadsheet.

CSV and NDJSON are streamed while the records are read. A spreadsheet is sent when it is complete.
"""

import re
from collections.abc import AsyncIterator, Sequence
from datetime import datetime, tzinfo
from functools import lru_cache, partial
from typing import Any, Final

import msgspec
from litestar import Response
from litestar.datastructures.headers import Accept
from litestar.response import Stream

from dialer.api.answers.csv_lines import write_csv
from dialer.api.answers.spreadsheets import XLSX, CellValue, Spreadsheet, answer_spreadsheet
from dialer.api.http.compression import HEADERS_KEPT_MAX
from dialer.api.http.known_parameters import parse_parameters
from dialer.api.routes.variable_columns import variable_names, with_variables
from dialer.api.service import ApiRequest, Chunks
from dialer.resources.crud.fields import Amount, Json, Kind
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.pagination import VARIABLES
from dialer.resources.crud.resource import Resource
from dialer.resources.crud.shapes import AnswerShape, Columns, Shape, fields_of, make_shape, shapes_of
from dialer.resources.words.errors import InvalidError
from dialer.resources.words.headers import header, is_head

CSV: Final = "text/csv"
NDJSON: Final = "application/x-ndjson"
JSON: Final = "application/json"
FORMATS: Final = {"csv": CSV, "ndjson": NDJSON, "json": JSON, "xlsx": XLSX}
"""The values of `?format=`, which overrides the `Accept` header."""

RESOURCES_KEPT_MAX: Final = 256
"""Resources whose exported shape is kept in a cache."""
_UNACCEPTABLE: Final = re.compile(r";\s*q\s*=\s*0(\.0*)?\s*(;|\Z)", re.IGNORECASE)
"""The weight of a media type that the client does not accept (RFC 9110, 12.4.2)."""


async def export(request: ApiRequest, resource: Resource, chunks: Chunks) -> Response[Any] | None:
    """Return the response in the format that the request asks for; None if that is JSON.

    Raises:
        InvalidError: `format` is unknown, or `variables` cannot be columns.
    """
    media_type = _wanted(request)
    if media_type == JSON:
        return None
    shape = exported_shape(resource)
    names = variable_names(request.query_params.get(VARIABLES, ""), shape) if VARIABLES in request.query_params else []
    if media_type == XLSX:
        return await _export_spreadsheet(request, resource, names, chunks)
    encoded = chunks(partial(_csv, shape, names) if media_type == CSV else partial(_ndjson, shape))
    # Read the first chunk before the answer begins, so that an unavailable database still gives status 503.
    first = await anext(encoded, b"")
    header = [*(field.name for field in fields_of(shape)), *names]
    begin = write_csv([[name] for name in header]) if media_type == CSV else b""
    suffix = "csv" if media_type == CSV else "ndjson"
    headers = {"Content-Disposition": f'attachment; filename="{resource.path}.{suffix}"', "Vary": "Accept"}
    others = None if is_head(request.scope) else encoded
    return Stream(_stream(begin + first, others), media_type=media_type, headers=headers)


async def _export_spreadsheet(
    request: ApiRequest, resource: Resource, names: Sequence[str], chunks: Chunks
) -> Response[Any]:
    shape = exported_shape(resource)
    sheet = Spreadsheet(resource.path, [*(field.name for field in fields_of(shape)), *names])
    zone = request.service.conventions(request).zone

    def write(columns: Columns) -> bytes:
        wide = with_variables(columns, names, shape) if names else columns
        kinds = [field.kind for field in fields_of(shape)]
        typed = [_typed(values, kind, zone) for values, kind in zip(wide, kinds, strict=False)]
        sheet.add(zip(*typed, *wide[len(kinds) :], strict=True))
        return b""

    try:
        async for _ in chunks(write):
            """Each chunk writes its rows."""
    except BaseException:
        sheet.drop()
        raise
    return await answer_spreadsheet(request, sheet, resource.path)


def _typed(values: Sequence[Json], kind: Kind, zone: tzinfo) -> list[CellValue]:
    """Return the values of one field as cells: moments as dates, amounts as numbers."""
    if isinstance(kind, Timestamp):
        return [
            None if value is None else datetime.fromisoformat(value).astimezone(zone).replace(tzinfo=None)
            for value in values
        ]
    if isinstance(kind, Amount):
        return [None if value is None else float(value) for value in values]
    return [_plain(value) for value in values]


def _plain(value: Json) -> CellValue:
    if value is None or isinstance(value, str | int | float):
        return value
    return msgspec.json.encode(value).decode()


@lru_cache(maxsize=RESOURCES_KEPT_MAX)
def exported_shape(resource: Resource) -> type[Shape]:
    """Return the shape of a record in an export: the fields of an answer in JSON, and those that only exports have."""
    read, beside = resource.read, resource.exported_beside
    if beside is None:
        return read
    return make_shape(f"{read.__name__}Exported", (*fields_of(read), *beside.fields), read.__doc__ or "", AnswerShape)


def _wanted(request: ApiRequest) -> str:
    given = dict(parse_parameters(request.scope)).get("format")
    if given is not None:
        if given not in FORMATS:
            raise InvalidError({"format": [f"{given!r} is not a format. Use one of {', '.join(FORMATS)}."]})
        return FORMATS[given]
    return accepted_type(request, [JSON, CSV, NDJSON, XLSX])


def accepted_type(request: ApiRequest, offered: Sequence[str]) -> str:
    """Return the media type among those offered that the `Accept` header prefers, else the first."""
    return _best_match(header(request.scope, b"accept") or "", tuple(offered))


@lru_cache(maxsize=HEADERS_KEPT_MAX)
def _best_match(text: str, offered: tuple[str, ...]) -> str:
    accepted = [part for part in text.split(",") if not _UNACCEPTABLE.search(part)]
    try:
        return Accept(",".join(accepted)).best_match(list(offered), offered[0])
    except OverflowError:
        # The framework accepts a weight of "inf", and then fails to convert it.
        return offered[0]


async def _stream(first: bytes, others: AsyncIterator[bytes] | None) -> AsyncIterator[bytes]:
    yield first
    if others is None:
        return
    async for chunk in others:
        yield chunk


def _csv(shape: type[Shape], names: Sequence[str], columns: Columns) -> bytes:
    return write_csv(with_variables(columns, names, shape) if names else columns)


def _ndjson(shape: type[Shape], columns: Columns) -> bytes:
    return msgspec.json.Encoder().encode_lines(shapes_of(shape, columns))
