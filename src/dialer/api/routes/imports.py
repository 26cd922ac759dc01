"""Imports: phonebooks and do-not-call lists are filled from CSV files of any size, while these arrive."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from threading import Semaphore
from typing import Final

import anyio.from_thread
import anyio.to_thread
from anyio.lowlevel import RunVar
from litestar import post
from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIType
from litestar.params import FromPath

from dialer.api.crud import records
from dialer.api.crud.resource import Resource
from dialer.api.crud.urls import parse_id
from dialer.api.http.errors import AnsweredError, MalformedError, RecordNotFoundError
from dialer.api.http.streams import describe_body, expect_type, pieces
from dialer.api.records.contacts import DNC_LISTS, PHONEBOOKS
from dialer.api.service import ApiRequest, Service
from dialer.app.imports import (
    IMPORT_BYTES_MAX,
    ContactRows,
    DncRows,
    ImportReport,
    NumberRows,
    import_csv,
)
from dialer.app.unit import UnitOfWork
from dialer.store.csv_records import CsvError

CSV: Final = "text/csv"
IMPORTS_MAX: Final = 2
"""Imports that are worked on at once; those that wait for their bodies are not among them."""
IMPORTS_OPEN_MAX: Final = 32
"""Imports at once, each with a thread; others wait for their turn."""
IMPORTS_OF_A_USER_MAX: Final = 4
RETRY_AFTER_S: Final = 30
_UTF8: Final = frozenset({"utf-8", "utf8", "us-ascii"})
_AT_WORK: Final = Semaphore(IMPORTS_MAX)
_UNDER_WAY: Final[Counter[int]] = Counter()
"""Imports by their users."""
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
    return await _import(request, service, record_id, (PHONEBOOKS, ContactRows))


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
    return await _import(request, service, record_id, (DNC_LISTS, DncRows))


async def _import(
    request: ApiRequest,
    service: Service,
    record_id: str,
    kind: tuple[Resource, type[NumberRows]],
) -> ImportReport:
    """Fill the record with what arrives, in a thread of its own: it waits for the body and for its transactions."""
    parents, rows = kind
    _expect_csv(request)
    identity = parse_id(record_id)
    if identity is None:
        raise RecordNotFoundError
    await service.read(request, lambda unit: records.read_record(unit, parents, identity))
    target = rows(identity, region=service.settings.default_region)

    def commit(work: Callable[[UnitOfWork], int]) -> int:
        return anyio.from_thread.run(partial(service.write, request, work))

    arriving = partial(import_csv, _waiting_for(pieces(request)), target, commit)
    try:
        with _one_of(request.user.id):
            return await anyio.to_thread.run_sync(
                partial(_at_work, arriving), abandon_on_cancel=True, limiter=_limiter()
            )
    except CsvError as error:
        raise MalformedError(str(error)) from None


def _expect_csv(request: ApiRequest) -> None:
    charset = expect_type(request, CSV).get("charset", "utf-8").lower()
    if charset not in _UTF8:
        raise AnsweredError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send the file in UTF-8.")


@contextmanager
def _one_of(user_id: int) -> Iterator[None]:
    """While this is entered, an import of this user is under way; of too many, 429."""
    if _UNDER_WAY[user_id] >= IMPORTS_OF_A_USER_MAX:
        detail = f"{IMPORTS_OF_A_USER_MAX} imports of yours are under way; try again later."
        raise AnsweredError(HTTPStatus.TOO_MANY_REQUESTS, detail, {"Retry-After": str(RETRY_AFTER_S)})
    _UNDER_WAY[user_id] += 1
    try:
        yield
    finally:
        _UNDER_WAY[user_id] -= 1
        if not _UNDER_WAY[user_id]:
            del _UNDER_WAY[user_id]


def _at_work(work: Callable[[], ImportReport]) -> ImportReport:
    """What the work returns, which is one of `IMPORTS_MAX` whenever it does not wait for the client."""
    with _AT_WORK:
        return work()


def _waiting_for(arriving: AsyncIterator[bytes]) -> Iterator[bytes]:
    """The pieces, for a thread that lets others work while it waits for them."""
    while True:
        _AT_WORK.release()
        try:
            piece = anyio.from_thread.run(_next, arriving)
        finally:
            _AT_WORK.acquire()
        if piece is None:
            return
        yield piece


async def _next(arriving: AsyncIterator[bytes]) -> bytes | None:
    return await anext(arriving, None)


def _limiter() -> anyio.CapacityLimiter:
    """The limit of this event loop."""
    try:
        return _LIMIT.get()
    except LookupError:
        limiter = anyio.CapacityLimiter(IMPORTS_OPEN_MAX)
        _LIMIT.set(limiter)
        return limiter
