"""The task that sends reports. It runs beside the API, and neither dialling nor other reports wait for it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final, TypeVar
from zoneinfo import ZoneInfo

import anyio
import structlog
from sqlalchemy import Connection

from dialer.app.campaigns.report_schedules import (
    LEASE_MS,
    WEBHOOKS,
    DeliveryOutcome,
    TakenDelivery,
    begin_attempt,
    has_due_reports,
    keep_outcome,
    put_due_reports,
    take_deliveries,
)
from dialer.app.work.unit import UnitOfWork
from dialer.console.words.language import gettext_noop
from dialer.store.database.database import Database, StorageUnavailableError

EVERY_S: Final = 5.0
"""The time between two looks for reports that are due."""
AT_ONCE: Final = 4
"""Due moments whose mails are sent at a time."""
DELIVERED_WITHIN_S: Final = LEASE_MS / 2_000
"""The time for one delivery: half of its lease, so that no other process begins it meanwhile."""
TOO_SLOW: Final = gettext_noop("The report took too long to make and send.")
NO_SERVER: Final = gettext_noop("The service has no mail server: an admin sets DIALER_MAIL_URL.")
OTHER_CLOCK: Final = gettext_noop("The clock of the service is not real: an admin sets DIALER_MAIL_CLOCK to any.")
FAILED: Final = gettext_noop("The report could not be made. The log of the service says why.")

Shared = list[Any]
"""The report of one due moment, empty until its first delivery has made it."""
Deliver = Callable[[TakenDelivery, Shared], Awaitable[DeliveryOutcome]]
"""Makes a report, and sends it to its recipient."""
Result = TypeVar("Result")

_log = structlog.get_logger(__name__)


class ReportSender:
    """Sends the scheduled reports of all accounts. None of its failures ends it, or the service."""

    def __init__(
        self,
        database: Database,
        deliver: Deliver,
        *,
        zone: ZoneInfo,
        clock_ms: Callable[[], int],
        machine_ms: Callable[[], int],
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
        base: str = "",
    ) -> None:
        """Take the service's parts; links in events begin with `base`, which is empty if it is not known."""
        self._database: Final = database
        self._deliver: Final = deliver
        self._zone: Final = zone
        self._clock_ms: Final = clock_ms
        self._machine_ms: Final = machine_ms
        self._sleep: Final = sleep
        self._base: Final = base

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Send reports while the context is entered."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._send_for_ever)
            yield
            tasks.cancel_scope.cancel()

    async def _send_for_ever(self) -> None:
        while True:
            try:
                await self.send_due()
            except StorageUnavailableError as error:
                _log.warning("reports_not_read", reason=str(error))
            except Exception:  # noqa: BLE001 - all else of the service goes on
                _log.exception("reports_not_read")
            await self._sleep(EVERY_S)

    async def send_due(self) -> None:
        """Send all reports that are due now, and return when each was taken or has failed once."""
        if not await self._has_due():
            return
        try:
            await self._write(partial(put_due_reports, machine_ms=self._machine_ms(), zone=self._zone))
        except Exception:  # noqa: BLE001 - those that wait are sent all the same
            _log.exception("reports_not_put")
        while taken := await self._write(partial(take_deliveries, machine_ms=self._machine_ms())):
            limiter = anyio.CapacityLimiter(AT_ONCE)
            async with anyio.create_task_group() as tasks:
                for moment in _by_moment(taken):
                    tasks.start_soon(self._send_moment, moment, limiter)

    async def _has_due(self) -> bool:
        due = partial(has_due_reports, now_ms=self._clock_ms(), machine_ms=self._machine_ms())
        return await self._database.read(due)

    async def _send_moment(self, moment: list[TakenDelivery], limiter: anyio.CapacityLimiter) -> None:
        shared: Shared = []
        async with limiter:
            for taken in moment:
                await self._send(taken, shared)

    async def _send(self, taken: TakenDelivery, shared: Shared) -> None:
        try:
            held = await self._write(partial(begin_attempt, taken=taken, machine_ms=self._machine_ms()))
            if held is None:
                return
            if held.recipient == WEBHOOKS:
                await self._write(partial(self._tell, taken=held))
                return
            outcome = await self._outcome(held, shared)
            await self._write(partial(keep_outcome, taken=held, outcome=outcome, machine_ms=self._machine_ms()))
        except Exception:  # noqa: BLE001 - it is sent again after its lease, and stops no other
            _log.exception("report_outcome_not_kept", schedule_id=taken.schedule["id"])

    def _tell(self, unit: UnitOfWork, taken: TakenDelivery) -> None:
        # The first report imports what a start does without.
        from dialer.console.reports.telling import tell_webhooks  # noqa: PLC0415

        tell_webhooks(unit, taken, zone=self._zone, base=self._base, machine_ms=self._machine_ms())

    async def _outcome(self, taken: TakenDelivery, shared: Shared) -> DeliveryOutcome:
        try:
            with anyio.fail_after(DELIVERED_WITHIN_S):
                return await self._deliver(taken, shared)
        except TimeoutError:
            return DeliveryOutcome(TOO_SLOW)
        except StorageUnavailableError as error:
            return DeliveryOutcome(str(error))
        except Exception:  # noqa: BLE001 - one report that cannot be made must stop no other
            _log.exception("report_not_made", schedule_id=taken.schedule["id"])
            return DeliveryOutcome(FAILED)

    async def _write(self, work: Callable[[UnitOfWork], Result]) -> Result:
        def write(connection: Connection) -> Result:
            return work(UnitOfWork(connection=connection, now_ms=self._clock_ms()))

        return await self._database.write(write)


def _by_moment(taken: Iterable[TakenDelivery]) -> list[list[TakenDelivery]]:
    """Return deliveries by the schedule and the due moment to which they belong."""
    found: dict[tuple[int, int], list[TakenDelivery]] = {}
    for delivery in taken:
        found.setdefault((delivery.schedule["id"], delivery.due_ms), []).append(delivery)
    return list(found.values())
