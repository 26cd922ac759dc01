"""The outcomes of the events of a job, and the standing of their webhook."""

from collections.abc import Callable
from typing import Final

from dialer.store.rows.webhooks import (
    FAILED,
    RECEIVED,
    WAITING,
    EventDelivery,
    EventSending,
    WebhookJob,
    WebhookStanding,
)
from dialer.webhooks.retries import (
    FAILURES_AT_ONCE,
    GONE,
    PostOutcome,
    is_given_up,
    next_attempt_ms,
    reason_to_disable,
    tried_since_ms,
)

PROBLEM_MAX: Final = 400
"""Characters of a problem that are kept."""


class JobResults:
    """The results of a job, in the order in which they come."""

    def __init__(self, job: WebhookJob, chance: Callable[[], float]) -> None:
        self._job: Final = job
        self._chance: Final = chance
        self._deliveries: Final[list[EventDelivery]] = []
        webhook = job.webhook
        self._standing = WebhookStanding(webhook.failures, webhook.failing_since_ms, 0)
        self.has_failures = False

    @property
    def is_failing(self) -> bool:
        """Return whether the webhook gets no further events for now, because it is disabled or waits for a retry."""
        return bool(self._standing.disabled) or self._standing.next_attempt_ms > 0

    def answered(self, sending: EventSending, outcome: PostOutcome, now_ms: int) -> None:
        """Add the outcome of an attempt that ended at `now_ms`."""
        first_ms = tried_since_ms(sending.first_ms, sending.due_ms, now_ms)
        attempts = sending.attempts + 1
        if outcome.is_received:
            self._standing = WebhookStanding(0, None, 0, self._standing.disabled)
            self._add(sending, RECEIVED, attempts, first_ms, now_ms, None, outcome)
            return
        self.has_failures = True
        at_ms = next_attempt_ms(attempts, outcome, now_ms, self._chance())
        gave_up = is_given_up(first_ms, now_ms)
        is_over = gave_up or outcome.status == GONE
        status, next_ms = (FAILED, None) if is_over else (WAITING, at_ms)
        self._add(sending, status, attempts, first_ms, now_ms, next_ms, outcome)
        self._failed(outcome, at_ms, now_ms, gave_up=gave_up)

    def _failed(self, outcome: PostOutcome, at_ms: int, now_ms: int, *, gave_up: bool) -> None:
        """Add a failure to the standing. A receiver that fails in a row, or asks to wait, gets nothing until then."""
        before = self._standing
        failures, since_ms = before.failures + 1, before.failing_since_ms or now_ms
        waits = failures >= FAILURES_AT_ONCE or outcome.wait_ms > 0
        self._standing = WebhookStanding(
            failures,
            since_ms,
            max(before.next_attempt_ms, at_ms) if waits else before.next_attempt_ms,
            before.disabled or reason_to_disable(outcome, since_ms, now_ms, gave_up=gave_up),
        )

    def left(self, sending: EventSending, now_ms: int) -> None:
        """Add an event that was not sent in this job. It is sent with the next one."""
        if sending.is_new:
            self._deliveries.append(
                EventDelivery(sending.event.id, WAITING, 0, 0, now_ms, now_ms, None, 0, "", is_new=True)
            )

    def answer_ms(self) -> int:
        """Return the mean time of the attempts."""
        durations = [delivery.duration_ms for delivery in self._deliveries if delivery.attempts]
        return sum(durations) // max(1, len(durations))

    def standing(self) -> WebhookStanding:
        """Return the standing of the webhook."""
        return self._standing

    def deliveries(self) -> list[EventDelivery]:
        """Return the state of each event's delivery, with its attempts."""
        return self._deliveries

    def _add(
        self,
        sending: EventSending,
        status: str,
        attempts: int,
        first_ms: int,
        last_ms: int,
        next_ms: int | None,
        outcome: PostOutcome,
    ) -> None:
        problem = outcome.problem[:PROBLEM_MAX]
        answer = (outcome.status, outcome.duration_ms, problem)
        self._deliveries.append(
            EventDelivery(
                sending.event.id, status, attempts, first_ms, last_ms, next_ms, *answer, is_new=sending.is_new
            )
        )
