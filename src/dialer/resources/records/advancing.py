"""Advancing a virtual clock: how far a request may advance it, and the note of it in the audit log."""

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIType

from dialer.app.work.unit import RecordWritten
from dialer.domain.words.sentences import Moment, Sentence
from dialer.resources.crud.declaration import optional, writable
from dialer.resources.crud.fields import Boolean, Conventions, FieldError, Integer, Json, Kind
from dialer.resources.crud.moments import YEAR_MAX, Timestamp, show_timestamp
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Parsed, request_shape
from dialer.resources.words.errors import InvalidError
from dialer.store.database.touched import NOTHING

ADVANCE_MS_MAX: Final = timedelta(days=366) // timedelta(milliseconds=1)
"""The most milliseconds by which one request advances the clock."""
CLOCK_MS_MAX: Final = int(datetime(YEAR_MAX + 1, 1, 1, tzinfo=UTC).timestamp()) * 1_000 - 1
"""The last moment that the clock can show, in milliseconds since the epoch: the last one that a request may name."""
VIRTUAL: Final = "virtual"
SPEED_MAX: Final = 99_999
"""The highest speed at which a client can let the clock run, as that of `DIALER_CLOCK`."""
RUN_S_MAX: Final = 10.0
"""Seconds of real time without an advance after which a run counts as over, although nobody ended it."""

_SECONDS: Final = re.compile(r"(-?[0-9]{1,10})(?:\.([0-9]{1,3})0*)?\Z", re.ASCII)


class Seconds(Kind, frozen=True):
    """A number of seconds with at most three decimal places, or a string that holds one; stored in milliseconds."""

    def parse(self, value: Json, conventions: Conventions) -> int:  # noqa: ARG002 - a second is a second anywhere
        """Return a number of seconds as milliseconds."""
        match = None if isinstance(value, bool) else _SECONDS.match(str(value))
        if match is None:
            raise FieldError("A valid number of seconds is required, with at most 3 decimal places.")
        return int(f"{match[1]}{(match[2] or '').ljust(3, '0')}")

    def schema(self) -> Schema:
        """Return the schema of a number."""
        return Schema(type=OpenAPIType.NUMBER, minimum=0, maximum=ADVANCE_MS_MAX / 1_000)


CLOCK_ADVANCE: Final = request_shape(
    "ClockAdvance",
    {
        "seconds": optional(
            Seconds(),
            "Seconds to advance, with at most 3 decimals, up to 366 days. Null if `to` is given.",
            example=3_600,
        ),
        "to": optional(Timestamp(), "The moment to advance to, at most 366 days ahead. Null if `seconds` is given."),
        "next": writable(
            Boolean(),
            "True to advance to the next event of the dialling, such as an answer or the end of a call, instead.",
            default=False,
            example=False,
        ),
        "speed": optional(
            Integer(0, SPEED_MAX),
            "For a client that lets the clock run by advancing it again and again: the times as fast as real time, and"
            " 0 with the last advance. The audit log then has the start and the end of the run, and not each advance.",
        ),
    },
    "The target of the advance: a number of seconds from now, a moment, or the next event.",
)


class ClockRun:
    """The run of a virtual clock that a client advances again and again, as far as this process has heard of it."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s: Final = now_s
        self._speed = 0
        self._heard_s = now_s()

    @property
    def speed(self) -> int:
        """Return the times as fast as real time at which the clock runs; 0 if it stands still."""
        return self._speed if self._now_s() - self._heard_s <= RUN_S_MAX else 0

    def hear(self, speed: int | None) -> None:
        """Note that a client advanced the clock, as part of a run at this speed, or by itself (None)."""
        if speed is not None:
            self._speed, self._heard_s = speed, self._now_s()


def aim(unit: Unit, parsed: Parsed, next_ms: int | None, run: ClockRun) -> int:
    """Return the moment to which the request advances the clock, and note it for the audit log; see `_target_ms`.

    Of a run, only the start, a new speed and the end are noted.
    """
    target_ms = _target_ms(parsed, unit.now_ms, next_ms)
    speed, ran_at = parsed.values["speed"], run.speed
    before, after = ({"now": show_timestamp(at_ms)} for at_ms in (unit.now_ms, target_ms))
    if speed is None and before != after:
        unit.written.append(RecordWritten("advance", "clock", None, None, before, after))
    elif speed is not None and speed != ran_at:
        action = "clock_started" if speed else "clock_stopped"
        values = {"speed": ran_at, **before}, {"speed": speed, **before}
        unit.written.append(RecordWritten(action, "clock", None, None, *values))
    unit.note(NOTHING)
    return target_ms


def _target_ms(parsed: Parsed, now_ms: int, next_ms: int | None) -> int:
    """Return the moment to which the request advances the clock, in milliseconds since the epoch.

    `next_ms` is that of the next event; None if there is none.

    Raises:
        InvalidError: a field is wrong, or the clock cannot be set to that moment.
    """
    if parsed.errors:
        raise InvalidError(parsed.errors)
    ahead_ms, to_ms, is_next = parsed.values["seconds"], parsed.values["to"], parsed.values["next"]
    if (ahead_ms is not None) + (to_ms is not None) + is_next != 1:
        raise InvalidError({"non_field_errors": ["Give either seconds, to or next."]})
    if is_next and next_ms is None:
        raise InvalidError({"next": ["Nothing is due: no campaign dials, and no call is in progress."]})
    field, target_ms = ("to", to_ms) if ahead_ms is None else ("seconds", now_ms + ahead_ms)
    if is_next:
        field, target_ms = "next", max(now_ms, next_ms or 0)
    if target_ms < now_ms:
        back = Sentence(
            "%(wanted)s is before the time of the clock, %(now)s. Use a later time.",
            wanted=Moment(show_timestamp(target_ms)),
            now=Moment(show_timestamp(now_ms)),
        )
        raise InvalidError({field: [back]})
    if target_ms - now_ms > ADVANCE_MS_MAX:
        raise InvalidError({field: ["One request advances the clock by at most 366 days."]})
    if target_ms > CLOCK_MS_MAX:
        raise InvalidError(
            {field: [Sentence("The clock ends with the year %(most)s. Use an earlier time.", most=YEAR_MAX)]}
        )
    return int(target_ms)
