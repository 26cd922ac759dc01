"""Imports of CSV files into phonebooks and do-not-call lists, a few at a time, while the files arrive."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from threading import Condition, Event
from typing import Final, NamedTuple

import anyio.from_thread
import anyio.to_thread
from anyio.lowlevel import RunVar
from msgspec.structs import replace

from dialer.api.service import ApiRequest
from dialer.app.imports.headers import CsvError
from dialer.app.imports.imports import ImportOptions, import_csv
from dialer.app.imports.number_rows import ContactRows, DncRows, NumberRows, StoredRows
from dialer.app.imports.report import ImportReport
from dialer.app.imports.sheet_readers import reading_for
from dialer.app.telling.account_events import listening_owner, write_import_finished
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.sentences import Sentence, message_of
from dialer.resources.crud import records
from dialer.resources.crud.resource import Resource
from dialer.resources.records.contacts import DNC_LISTS, PHONEBOOKS
from dialer.resources.words.errors import AnsweredError, MalformedError

IMPORTS_MAX: Final = 2
"""Imports that work at the same time; imports that wait for their bodies do not count."""
IMPORTS_OF_A_USER_AT_WORK: Final = 1
IMPORTS_OPEN_MAX: Final = 32
"""Imports that are open at the same time, each with a thread; further imports wait."""
IMPORTS_OF_A_USER_MAX: Final = 4
RETRY_AFTER_S: Final = 30
_UNDER_WAY: Final[Counter[int]] = Counter()
"""Number of running imports by user id."""
_LIMIT: Final[RunVar[anyio.CapacityLimiter]] = RunVar("imports")


class ImportsAtWork:
    """The imports in progress, limited for each user so that other users' lists need not wait."""

    def __init__(self) -> None:
        self._turns: Final = Condition()
        self._working: Final[Counter[int]] = Counter()

    def acquire(self, user_id: int) -> None:
        """Wait until an import of a user may work."""
        with self._turns:
            self._turns.wait_for(lambda: self._is_free(user_id))
            self._working[user_id] += 1

    def release(self, user_id: int) -> None:
        """End or interrupt the work of an import."""
        with self._turns:
            self._working[user_id] -= 1
            if not self._working[user_id]:
                del self._working[user_id]
            self._turns.notify_all()

    def _is_free(self, user_id: int) -> bool:
        is_own_free = self._working[user_id] < IMPORTS_OF_A_USER_AT_WORK
        return is_own_free and self._working.total() < IMPORTS_MAX


_AT_WORK: Final = ImportsAtWork()


class ImportKind(NamedTuple):
    """The records into which a file is imported, and what its rows become."""

    parents: Resource
    rows: type[NumberRows]


CONTACTS: Final = ImportKind(PHONEBOOKS, ContactRows)
NUMBERS: Final = ImportKind(DNC_LISTS, DncRows)


async def run_import(
    request: ApiRequest, kind: ImportKind, identity: int, options: ImportOptions, body: AsyncIterator[bytes]
) -> ImportReport:
    """Import a file into a record, in a thread that may wait for the file and for the database.

    A dry run may have an `identity` of 0, for a record that is yet to be made. It ends when its client disconnects,
    unless the options have an `on_progress`, by which somebody else ends it.

    Raises:
        ImportStoppedError: from `on_progress`.
        RecordNotFoundError: there is no such record, or it is not the caller's.
        MalformedError: the file has no usable header, or is not in its charset.
        AnsweredError: the user has too many imports under way (429).
    """
    service = request.service
    if identity or not options.is_dry:
        await service.read(request, lambda unit: records.read_record(unit, kind.parents, identity))
    region = service.conventions(request).region if options.region is None else options.region or None
    target = kind.rows(identity, region=region, user_id=request.user.id)

    def commit(work: Callable[[UnitOfWork], StoredRows]) -> StoredRows:
        if options.is_dry:
            return anyio.from_thread.run(service.read, request, work)
        return anyio.from_thread.run(partial(service.write, request, work, is_long=True))

    watched, is_read, is_gone = options, anyio.Event(), Event()
    is_watched = options.is_dry and options.on_progress is None
    if is_watched:
        watched = replace(options, on_progress=lambda _count, _share: go_on_unless(is_gone))
    arriving = partial(import_csv, _waiting_for(_telling(body, is_read), request.user.id), target, commit, watched)
    try:
        with _one_of(request.user.id), reading_for(request.user.id):
            there = partial(_while_there, request, is_read, is_gone)
            report = await (there(arriving) if is_watched else _in_thread(arriving, request.user.id))
    except CsvError as error:
        raise MalformedError(message_of(error)) from None
    if not options.is_dry:
        await _tell_programs(request, kind.parents, identity, report)
    return report


def go_on_unless(is_gone: Event) -> None:
    """Raise an error if the client of a dry run has disconnected."""
    if is_gone.is_set():
        raise MalformedError("The client has disconnected.")


async def _telling(body: AsyncIterator[bytes], is_read: anyio.Event) -> AsyncIterator[bytes]:
    """Yield a body, and tell when it has ended."""
    async for piece in body:
        yield piece
    is_read.set()


async def _while_there(
    request: ApiRequest, is_read: anyio.Event, is_gone: Event, work: Callable[[], ImportReport]
) -> ImportReport:
    """Do work in a thread, and tell it by `is_gone` if the client disconnects after the end of its body."""
    report, failure = None, None
    async with anyio.create_task_group() as tasks:

        async def watch() -> None:
            await is_read.wait()
            while (await request.receive())["type"] != "http.disconnect":
                pass
            is_gone.set()

        tasks.start_soon(watch)
        try:
            report = await _in_thread(work, request.user.id)
        except Exception as error:  # noqa: BLE001 - raised after the task group, which would wrap it
            failure = error
        tasks.cancel_scope.cancel()
    if report is None:
        raise failure or MalformedError("The client has disconnected.")
    return report


async def _in_thread(work: Callable[[], ImportReport], user_id: int) -> ImportReport:
    return await anyio.to_thread.run_sync(partial(_at_work, work, user_id), abandon_on_cancel=True, limiter=_limiter())


async def _tell_programs(request: ApiRequest, parents: Resource, identity: int, report: ImportReport) -> None:
    """Write the event of an import's end. Accounts without events have no further transaction."""
    table, subject, service = parents.table, f"{parents.path}/{identity}", request.service
    if await service.read(request, lambda unit: listening_owner(unit.connection, table, identity)) is not None:
        await service.write(request, lambda unit: write_import_finished(unit, table, identity, subject, report))


@contextmanager
def _one_of(user_id: int) -> Iterator[None]:
    """Count an import of the user while the context is entered; raise a 429 error if there are too many."""
    if _UNDER_WAY[user_id] >= IMPORTS_OF_A_USER_MAX:
        detail = Sentence(
            "You have %(most)s imports under way. Try again when one of them has ended.", most=IMPORTS_OF_A_USER_MAX
        )
        raise AnsweredError(HTTPStatus.TOO_MANY_REQUESTS, detail, {"Retry-After": str(RETRY_AFTER_S)})
    _UNDER_WAY[user_id] += 1
    try:
        yield
    finally:
        _UNDER_WAY[user_id] -= 1
        if not _UNDER_WAY[user_id]:
            del _UNDER_WAY[user_id]


def _at_work(work: Callable[[], ImportReport], user_id: int) -> ImportReport:
    """Run `work` as one of the `IMPORTS_MAX` working imports, and return its result."""
    _AT_WORK.acquire(user_id)
    try:
        return work()
    finally:
        _AT_WORK.release(user_id)


def _waiting_for(arriving: AsyncIterator[bytes], user_id: int) -> Iterator[bytes]:
    """Yield the pieces of a body, and let other imports work while this thread waits for the next piece."""
    while True:
        _AT_WORK.release(user_id)
        try:
            piece = anyio.from_thread.run(_next, arriving)
        finally:
            _AT_WORK.acquire(user_id)
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
