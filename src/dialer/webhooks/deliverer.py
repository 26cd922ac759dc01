"""The task that sends events to webhooks. It runs beside the API, and dialling never waits for it.

Each webhook has a task of its own while it has events to send, so no receiver waits for another. A receiver that
answers gets several requests at a time, the more the longer its answers take; one that fails gets a single one.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from typing import Any, Final

import anyio
import structlog
from anyio.abc import TaskGroup

from dialer.domain.credentials.webhook_secrets import signing_secrets
from dialer.shares import Shares
from dialer.store.backends.backend import Presence
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.rows.webhooks import (
    EventSending,
    WaitingWebhook,
    WebhookJob,
    gone_holders,
    has_events,
    holder_of,
    keep_job,
    read_waiting,
    release_lease,
    take_job,
)
from dialer.store.tables.key_ring import UnreadableSecretError
from dialer.webhooks.job_results import JobResults
from dialer.webhooks.posting import TIMEOUT_S, Poster
from dialer.webhooks.retries import SECOND_MS
from dialer.webhooks.signing import signed_headers

EVERY_S: Final = 0.5
"""The time between two looks for events."""
EVENTS_AT_ONCE: Final = 200
"""Events of one job."""
AT_ONCE_MAX: Final = 32
"""Requests to one receiver at a time."""
AT_ONCE_QUICK: Final = 4
"""Requests at a time to a receiver that answers at once: more of them take longer than they gain."""
REQUESTS_MAX: Final = 256
"""Requests to the receivers of all accounts at a time."""
REQUESTS_OF_ACCOUNT_MAX: Final = 64
EACH_MS: Final = 5
"""The time of an answer for which there is a further request at a time."""
JOB_S: Final = TIMEOUT_S
"""The time after which a job begins no further request."""
LEASE_MS: Final = 30_000
"""The time for which a process holds a webhook: longer than a job takes. It ends at once when the process does."""
_CLOSE_S: Final = 2.0

Encode = Callable[[Any, str], str]
"""Returns an event's row as the JSON that receivers get; the address of the service comes second."""

_log = structlog.get_logger(__name__)


class Deliverer:
    """Sends the events of all accounts to their webhooks."""

    def __init__(
        self,
        database: Database,
        poster: Poster,
        encode: Encode,
        *,
        now_ms: Callable[[], int],
        event_ms: Callable[[], int],
        chance: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._database: Final = database
        self._poster: Final = poster
        self._encode: Final = encode
        self._presence: Presence | None = None
        self._now_ms: Final = now_ms
        self._event_ms: Final = event_ms
        self._chance: Final = chance
        self._sleep: Final = sleep
        self._places: Final = Shares(REQUESTS_MAX, REQUESTS_OF_ACCOUNT_MAX)
        self._busy: Final[set[int]] = set()
        self._seen: Final[dict[int, int]] = {}
        """The newest event of the account at the last look that found none for a webhook."""
        self._windows: Final[defaultdict[int, int]] = defaultdict(lambda: 1)
        """The requests that a receiver gets at a time."""

    @asynccontextmanager
    async def delivering(self) -> AsyncIterator[None]:
        """Send events while the context is entered."""
        try:
            async with aclosing(self._poster), anyio.create_task_group() as tasks:
                tasks.start_soon(self._look_forever)
                yield
                tasks.cancel_scope.cancel()
        finally:
            self.close()

    def close(self) -> None:
        """Remove the presence lock of this process, so that other processes take over its deliveries at once."""
        if self._presence is not None:
            self._presence.close()
            self._presence = None

    async def deliver_due(self) -> None:
        """Send all events that are due now, and return when each was delivered or has failed once."""
        async with anyio.create_task_group() as tasks:
            await self._look(tasks)

    async def _look_forever(self) -> None:
        async with anyio.create_task_group() as tasks:
            while True:
                try:
                    await self._look(tasks)
                except StorageUnavailableError as error:
                    _log.warning("webhooks_not_read", reason=str(error))
                except Exception:  # noqa: BLE001 - all else of the service goes on
                    _log.exception("webhooks_not_read")
                await self._sleep(EVERY_S)

    async def _look(self, tasks: TaskGroup) -> None:
        after_id: int | None = 0
        while after_id is not None:
            waiting, after_id = await self._database.read(
                partial(read_waiting, after_id=after_id, now_ms=self._now_ms())
            )
            if waiting:
                await self._start(waiting, tasks)

    async def _start(self, waiting: Sequence[WaitingWebhook], tasks: TaskGroup) -> None:
        """Start to send what there is for these webhooks, as far as nobody does."""
        await self._show()
        sending = await self._sending_elsewhere(waiting)
        for webhook in waiting:
            if webhook.id not in self._busy and webhook.id not in sending and self._may_have_work(webhook):
                self._busy.add(webhook.id)
                tasks.start_soon(self._deliver, webhook)

    async def _show(self) -> None:
        """Show that this process lives, unless others can see it."""
        if self._presence is None or self._presence.is_lost():
            self.close()
            self._presence = await self._database.open_presence()

    @property
    def _holder(self) -> str:
        return "" if self._presence is None else holder_of(self._presence.mark)

    async def _sending_elsewhere(self, waiting: Sequence[WaitingWebhook]) -> set[int]:
        """Return the webhooks that another process holds, unless that process has ended."""
        now_ms, own = self._now_ms(), self._holder
        held = {one.id: one.lease_holder for one in waiting if one.lease_until_ms > now_ms and one.lease_holder != own}
        if not held:
            return set()
        gone = await self._database.read(partial(gone_holders, holders=set(held.values())))
        return {webhook_id for webhook_id, holder in held.items() if holder not in gone}

    def _may_have_work(self, webhook: WaitingWebhook) -> bool:
        now_ms = self._now_ms()
        if webhook.next_attempt_ms > now_ms and not webhook.clock_went_back:
            return False
        is_due = webhook.next_delivery_ms is not None and webhook.next_delivery_ms <= now_ms
        return is_due or webhook.newest_event_id > self._read_up_to(webhook)

    def _read_up_to(self, webhook: WaitingWebhook) -> int:
        return max(webhook.after_event_id, self._seen.get(webhook.id, 0))

    async def _deliver(self, webhook: WaitingWebhook) -> None:
        """Send what there is for a webhook. A failure of the database is logged, and the events are still there."""
        try:
            if await self._has_work(webhook):
                await self._deliver_jobs(webhook)
        except (StorageUnavailableError, UnreadableSecretError) as error:
            _log.warning("webhook_not_served", webhook_id=webhook.id, reason=str(error))
        finally:
            self._busy.discard(webhook.id)

    async def _has_work(self, webhook: WaitingWebhook) -> bool:
        """Return whether there is something to send. Events of other types are not looked at twice."""
        if webhook.next_delivery_ms is not None and webhook.next_delivery_ms <= self._now_ms():
            return True
        after_event_id = self._read_up_to(webhook)
        found = await self._database.read(partial(has_events, webhook=webhook, after_event_id=after_event_id))
        if not found:
            self._seen[webhook.id] = webhook.newest_event_id
        return found

    async def _deliver_jobs(self, webhook: WaitingWebhook) -> None:
        holder = self._holder
        try:
            while (job := await self._take(webhook.id, holder)) is not None:
                results = await self._post_all(job)
                if not await self._keep(job, results):
                    return
        except anyio.get_cancelled_exc_class():
            # Another process need not wait for the end of the lease.
            with anyio.move_on_after(_CLOSE_S, shield=True):
                await self._database.write(partial(release_lease, webhook_id=webhook.id, holder=holder))
            raise

    async def _take(self, webhook_id: int, holder: str) -> WebhookJob | None:
        take = partial(
            take_job,
            webhook_id=webhook_id,
            holder=holder,
            now_ms=self._now_ms(),
            lease_ms=LEASE_MS,
            most=EVENTS_AT_ONCE if self._windows[webhook_id] > 1 else 1,
        )
        return await self._database.write(take)

    async def _keep(self, job: WebhookJob, results: JobResults) -> bool:
        """Write what came of a job. A webhook whose receiver fails is left until its next attempt."""
        webhook_id = job.webhook.id
        standing = results.standing()
        window = self._windows[webhook_id]
        self._windows[webhook_id] = 1 if results.has_failures else min(2 * window, _most_at_once(results.answer_ms()))
        now_ms = self._now_ms()
        goes_on = not standing.disabled and standing.next_attempt_ms <= now_ms
        keep = partial(
            keep_job,
            job=job,
            deliveries=results.deliveries(),
            standing=standing,
            lease_until_ms=now_ms + LEASE_MS if goes_on else 0,
            event_ms=self._event_ms(),
        )
        if standing.disabled:
            _log.warning("webhook_disabled", webhook_id=webhook_id, reason=standing.disabled)
        return await self._database.write(keep) and goes_on

    async def _post_all(self, job: WebhookJob) -> JobResults:
        """Send the events of a job: those of a lane one after the other, several lanes at a time."""
        results = JobResults(job, self._chance)
        lanes = iter(_lanes(job.events))
        ends_s = anyio.current_time() + JOB_S
        async with anyio.create_task_group() as tasks:
            for _ in range(self._windows[job.webhook.id]):
                tasks.start_soon(self._post_lanes, job, lanes, results, ends_s)
        return results

    async def _post_lanes(
        self, job: WebhookJob, lanes: Iterator[list[EventSending]], results: JobResults, ends_s: float
    ) -> None:
        """Send the next lane that nobody has begun, until none is left."""
        for sending in chain.from_iterable(lanes):
            async with self._places.place(job.webhook.user_id):
                if results.is_failing or anyio.current_time() >= ends_s:
                    results.left(sending, self._now_ms())
                    continue
                results.answered(sending, await self._post(job.webhook, sending.event), self._now_ms())

    async def _post(self, webhook: Any, event: Any) -> Any:  # noqa: ANN401 - rows
        body = self._encode(event, webhook.base)
        now_ms = self._now_ms()
        secrets = signing_secrets(webhook.secret, webhook.old_secrets, now_ms)
        now = datetime.fromtimestamp(now_ms / SECOND_MS, UTC)
        headers = signed_headers(secrets, f"evt_{event.id}", body, now)
        return await self._poster.post(webhook.target_url, headers, body.encode(), webhook.user_id)


def _most_at_once(answer_ms: int) -> int:
    return min(AT_ONCE_MAX, max(AT_ONCE_QUICK, answer_ms // EACH_MS))


def _lanes(events: Sequence[EventSending]) -> list[list[EventSending]]:
    """Return the events that are sent one after the other.

    While the receiver keeps up, those are the events of a campaign; when many wait, those of a record.
    """
    is_behind = len(events) >= EVENTS_AT_ONCE
    lanes: dict[object, list[EventSending]] = {}
    for sending in events:
        event = sending.event
        key = event.subject if is_behind or event.campaign_id is None else event.campaign_id
        lanes.setdefault(key, []).append(sending)
    return list(lanes.values())
