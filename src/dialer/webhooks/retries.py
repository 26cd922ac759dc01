"""Decisions about deliveries: when an event is sent again, and when a webhook is switched off."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, NamedTuple

SECOND_MS: Final = 1_000
FIRST_WAIT_MS: Final = 5_000
"""The longest wait after the first failure. Each further one doubles it."""
WAIT_MS_MAX: Final = 3_600_000
"""The longest wait between two attempts, unless the receiver asks for more."""
GIVEN_UP_MS: Final = 86_400_000
"""The time after which an event is not sent again, and after which a webhook that always fails is switched off."""
LATE_MS: Final = WAIT_MS_MAX
"""The time by which an attempt may be late without anything being wrong, as when many events wait."""
FAILURES_AT_ONCE: Final = 3
"""Failures in a row after which a receiver gets one request at a time."""
GONE: Final = 410
_DOUBLINGS_MAX: Final = 20


class PostOutcome(NamedTuple):
    """The answer of a receiver."""

    status: int | None
    """Null if there was no answer."""
    duration_ms: int
    problem: str = ""
    """Empty if the event was received."""
    wait_ms: int = 0
    """The time for which the receiver asked with `Retry-After`."""

    @property
    def is_received(self) -> bool:
        """Return whether the receiver has the event."""
        return not self.problem


def next_attempt_ms(attempts: int, outcome: PostOutcome, now_ms: int, chance: float) -> int:
    """Return the time of the next attempt after a failed one.

    `attempts` counts those that failed, at least 1. `chance`, from 0 to 1, spreads the attempts: the wait is between
    half and all of what doubles with each attempt. A receiver that asks for a longer wait gets it, up to a day.
    """
    longest = min(WAIT_MS_MAX, FIRST_WAIT_MS << min(attempts - 1, _DOUBLINGS_MAX))
    own = longest // 2 + int(longest // 2 * chance)
    return now_ms + max(own, min(outcome.wait_ms, GIVEN_UP_MS))


def tried_since_ms(first_ms: int, due_ms: int, now_ms: int) -> int:
    """Return the beginning of the attempts of an event, moved by the time in which nothing was tried.

    An attempt that was due at `due_ms` is made at `now_ms`: while the service was off, or the machine's clock jumped,
    the receiver had no chance. `first_ms` is the beginning as it was known; 0 before the first attempt.
    """
    if not first_ms:
        return now_ms
    late_ms = now_ms - due_ms
    return min(now_ms, first_ms + late_ms) if late_ms > LATE_MS or late_ms < 0 else first_ms


def is_given_up(first_ms: int, now_ms: int) -> bool:
    """Return whether an event that was tried since `first_ms` is not sent again after a failure at `now_ms`."""
    return now_ms - first_ms >= GIVEN_UP_MS


def reason_to_disable(outcome: PostOutcome, failing_since_ms: int, now_ms: int, *, gave_up: bool) -> str:
    """Return why a webhook is switched off after a failure: `gone` or `failing`; empty if it stays on.

    `gave_up` says whether this failure was the last one of an event, which was tried for a day.
    """
    if outcome.status == GONE:
        return "gone"
    return "failing" if gave_up and is_given_up(failing_since_ms, now_ms) else ""


def asked_wait_ms(text: str | None, now_ms: int) -> int:
    """Return the wait that a `Retry-After` asks for (RFC 9110, 10.2.3): seconds or a date; 0 if it is neither."""
    if text is None:
        return 0
    text = text.strip()
    if text.isascii() and text.isdigit():
        return int(text[:9]) * SECOND_MS
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return 0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0, int((moment - datetime.fromtimestamp(now_ms / SECOND_MS, UTC)).total_seconds() * SECOND_MS))
