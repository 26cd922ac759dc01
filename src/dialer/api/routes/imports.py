"""Imports: CSV files fill phonebooks and do-not-call lists while they arrive."""

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
from litestar import Response, post
from litestar.params import FromPath

from dialer.api.crud import records
from dialer.api.crud.resource import Resource
from dialer.api.crud.urls import parse_id
from dialer.api.http.errors import AnsweredError, MalformedError, RecordNotFoundError
from dialer.api.records.contacts import DNC_LISTS, PHONEBOOKS
from dialer.api.routes.import_requests import KNOWN_PARAMETERS, answer, describe_import, parse_request
from dialer.api.service import ApiRequest, Service
from dialer.app.import_report import ImportReport
from dialer.app.imports import (
    IMPORT_BYTES_MAX,
    ContactRows,
    DncRows,
    NumberRows,
    import_csv,
)
from dialer.app.unit import UnitOfWork
from dialer.store.csv_records import CsvError

IMPORTS_MAX: Final = 2
"""Imports that work at the same time; imports that wait for their bodies do not count."""
IMPORTS_OPEN_MAX: Final = 32
"""Imports that are open at the same time, each with a thread; further imports wait."""
IMPORTS_OF_A_USER_MAX: Final = 4
RETRY_AFTER_S: Final = 30
_AT_WORK: Final = Semaphore(IMPORTS_MAX)
_UNDER_WAY: Final[Counter[int]] = Counter()
"""Number of running imports by user id."""
_LIMIT: Final[RunVar[anyio.CapacityLimiter]] = RunVar("imports")


@post(
    "/phonebook/{record_id:str}/import",
    tags=[PHONEBOOKS.path],
    status_code=HTTPStatus.OK,
    request_max_body_size=IMPORT_BYTES_MAX,
    opt=KNOWN_PARAMETERS,
    operation_class=describe_import(ContactRows.column),
)
async def import_contacts(request: ApiRequest, record_id: FromPath[str]) -> Response[ImportReport]:
    """Import contacts. `contact` is the number, `full_name` the name; every other column becomes a variable.

    A column `additional_vars` holds a JSON object of further variables. The result of `GET
    /rest-api/contact/?format=csv` can be imported unchanged; its columns `id`, `url`, `phonebook`, `created_date` and
    `updated_date` are ignored. Emergency numbers are rejected. Numbers that are impossible in their country are
    imported and listed under `warnings`.
    """
    service = request.service
    return await _import(request, service, record_id, (PHONEBOOKS, ContactRows))


@post(
    ["/dnc-list/{record_id:str}/import", "/dnc/{record_id:str}/import"],
    tags=[DNC_LISTS.path],
    status_code=HTTPStatus.OK,
    request_max_body_size=IMPORT_BYTES_MAX,
    opt=KNOWN_PARAMETERS,
    operation_class=describe_import(DncRows.column),
)
async def import_dnc_contacts(request: ApiRequest, record_id: FromPath[str]) -> Response[ImportReport]:
    """Import numbers that must not be called, from the column `phone_number`. Other columns are ignored.

    The result of `GET /rest-api/dnc-contact/?format=csv` can be imported unchanged. Emergency numbers are accepted
    here. Numbers that are impossible in their country are listed under `warnings`.
    """
    service = request.service
    return await _import(request, service, record_id, (DNC_LISTS, DncRows))


async def _import(
    request: ApiRequest,
    service: Service,
    record_id: str,
    kind: tuple[Resource, type[NumberRows]],
) -> Response[ImportReport]:
    """Import the request body into the record, in a thread that may wait for the body and for the database."""
    parents, rows = kind
    asked = parse_request(request, service.conventions(request))
    identity = parse_id(record_id)
    if identity is None:
        raise RecordNotFoundError
    await service.read(request, lambda unit: records.read_record(unit, parents, identity))
    target = rows(identity, region=service.settings.default_region)
    run = service.read if asked.options.is_dry else service.write

    def commit(work: Callable[[UnitOfWork], int]) -> int:
        return anyio.from_thread.run(partial(run, request, work))

    arriving = partial(import_csv, _waiting_for(asked.body), target, commit, asked.options)
    try:
        with _one_of(request.user.id):
            report = await anyio.to_thread.run_sync(
                partial(_at_work, arriving), abandon_on_cancel=True, limiter=_limiter()
            )
    except CsvError as error:
        raise MalformedError(str(error)) from None
    return answer(report, is_csv=asked.is_csv)


@contextmanager
def _one_of(user_id: int) -> Iterator[None]:
    """Count an import of the user while the context is entered; raise a 429 error if there are too many."""
    if _UNDER_WAY[user_id] >= IMPORTS_OF_A_USER_MAX:
        detail = f"You have {IMPORTS_OF_A_USER_MAX} imports under way. Try again when one of them has ended."
        raise AnsweredError(HTTPStatus.TOO_MANY_REQUESTS, detail, {"Retry-After": str(RETRY_AFTER_S)})
    _UNDER_WAY[user_id] += 1
    try:
        yield
    finally:
        _UNDER_WAY[user_id] -= 1
        if not _UNDER_WAY[user_id]:
            del _UNDER_WAY[user_id]


def _at_work(work: Callable[[], ImportReport]) -> ImportReport:
    """Run `work` as one of the `IMPORTS_MAX` working imports, and return its result."""
    with _AT_WORK:
        return work()


def _waiting_for(arriving: AsyncIterator[bytes]) -> Iterator[bytes]:
    """Yield the pieces of a body, and let other imports work while this thread waits for the next piece."""
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
    """Return the limiter of the current event loop."""
    try:
        return _LIMIT.get()
    except LookupError:
        limiter = anyio.CapacityLimiter(IMPORTS_OPEN_MAX)
        _LIMIT.set(limiter)
        return limiter
