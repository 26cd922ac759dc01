"""Imports: phonebooks and do-not-call lists are filled from CSV files of any size, while these arrive."""

from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from http import HTTPStatus
from typing import Final

import anyio.from_thread
import anyio.to_thread
from anyio.lowlevel import RunVar
from litestar import post
from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIType
from litestar.params import FromPath
from sqlalchemy import Connection

from dialer.api import crud
from dialer.api.errors import AnsweredError, MalformedError, RecordNotFoundError
from dialer.api.links import parse_id
from dialer.api.records.contacts import CONTACTS, DNC_CONTACTS, DNC_LISTS, PHONEBOOKS
from dialer.api.resource import Resource
from dialer.api.service import ApiRequest, Service
from dialer.api.streams import describe_body, expect_type, pieces
from dialer.store.csv_records import CsvError
from dialer.store.imports import (
    IMPORT_BYTES_MAX,
    ContactRows,
    DncRows,
    ImportReport,
    ImportTargetGoneError,
    NumberRows,
    import_csv,
)

CSV: Final = "text/csv"
IMPORTS_MAX: Final = 2
"""Imports at once; others wait for their turn, and their bodies with them."""
_UTF8: Final = frozenset({"utf-8", "utf8", "us-ascii"})
_LIMIT: Final[RunVar[anyio.CapacityLimiter]] = RunVar("imports")


def _csv(column: str) -> Schema:
    return Schema(type=OpenAPIType.STRING, description=f"UTF-8, with a header line that names a column {column}.")


@post(
    "/phonebook/{record_id:str}/import",
    tags=[PHONEBOOKS.path],
    status_code=HTTPStatus.OK,
    request_max_body_size=IMPORT_BYTES_MAX,
    operation_class=describe_body(CSV, _csv(ContactRows.column)),
)
async def import_contacts(request: ApiRequest, record_id: FromPath[str]) -> ImportReport:
    """Import contacts: `contact` is their number, `full_name` their name, every other column a variable."""
    service = request.service
    return await _import(request, service, record_id, (PHONEBOOKS, CONTACTS, ContactRows))


@post(
    ["/dnc-list/{record_id:str}/import", "/dnc/{record_id:str}/import"],
    tags=[DNC_LISTS.path],
    status_code=HTTPStatus.OK,
    request_max_body_size=IMPORT_BYTES_MAX,
    operation_class=describe_body(CSV, _csv(DncRows.column)),
)
async def import_dnc_contacts(request: ApiRequest, record_id: FromPath[str]) -> ImportReport:
    """Import numbers that must not be called: the column `phone_number`; others are passed over."""
    service = request.service
    return await _import(request, service, record_id, (DNC_LISTS, DNC_CONTACTS, DncRows))


async def _import(
    request: ApiRequest,
    service: Service,
    record_id: str,
    kind: tuple[Resource, Resource, type[NumberRows]],
) -> ImportReport:
    """Fill the record with what arrives, in a thread of its own: it waits for the body and for its transactions."""
    parents, parts, rows = kind
    _expect_csv(request)
    identity = parse_id(record_id)
    if identity is None:
        raise RecordNotFoundError
    await service.read(request, lambda unit: crud.read_record(unit, parents, identity))
    target = rows(identity, region=service.settings.default_region, now_ms=service.worker.clock.now_ms)

    def commit(work: Callable[[Connection], int]) -> int:
        return anyio.from_thread.run(partial(service.write, request, parts, lambda unit: work(unit.connection)))

    arriving = partial(import_csv, _waiting_for(pieces(request)), target, commit)
    try:
        return await anyio.to_thread.run_sync(arriving, abandon_on_cancel=True, limiter=_limiter())
    except CsvError as error:
        raise MalformedError(str(error)) from None
    except ImportTargetGoneError:
        raise RecordNotFoundError from None


def _expect_csv(request: ApiRequest) -> None:
    charset = expect_type(request, CSV).get("charset", "utf-8").lower()
    if charset not in _UTF8:
        raise AnsweredError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send the file in UTF-8.")


def _waiting_for(arriving: AsyncIterator[bytes]) -> Iterator[bytes]:
    """The pieces, for a thread that may wait for them."""
    while (piece := anyio.from_thread.run(_next, arriving)) is not None:
        yield piece


async def _next(arriving: AsyncIterator[bytes]) -> bytes | None:
    return await anext(arriving, None)


def _limiter() -> anyio.CapacityLimiter:
    """The limit of this event loop."""
    try:
        return _LIMIT.get()
    except LookupError:
        limiter = anyio.CapacityLimiter(IMPORTS_MAX)
        _LIMIT.set(limiter)
        return limiter
