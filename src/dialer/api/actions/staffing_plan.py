"""The staffing plan of a queue as it is asked for: by query parameters, options of the command line, or a form."""

from collections.abc import Mapping
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import msgspec
from sqlalchemy import Connection

from dialer.api.answers.csv_lines import write_csv
from dialer.domain.calling_times.zones import is_zone
from dialer.domain.queueing.staffing import StaffingGoal
from dialer.domain.words.sentences import Sentence
from dialer.forecast.queue_history import HISTORY_CALLS_MAX, QueueHistory, TooManyCallsError, read_history
from dialer.forecast.staffing_plan import Assumptions, PlannedHalfHour, StaffingPlan
from dialer.resources.words.errors import Errors, InvalidError

WEEKS: Final = "weeks"
ZONE: Final = "timezone"


class Bounds(NamedTuple):
    """The least, the largest and the usual value of a whole number; None: it may be left out."""

    least: int
    most: int
    default: int | None


NUMBERS: Final[Mapping[str, Bounds]] = {
    WEEKS: Bounds(1, 12, 4),
    "service_level": Bounds(1, 99, 80),
    "within": Bounds(1, 3_600, 20),
    "abandoned": Bounds(1, 99, None),
    "busy": Bounds(1, 100, 85),
    "shrinkage": Bounds(0, 90, 30),
    "change": Bounds(-90, 900, 0),
}
"""The numbers of a question, by name."""
PARAMETERS: Final = (*NUMBERS, ZONE)
_DIGITS_MAX: Final = 6
_S: Final = 1_000


class PlanQuestion(NamedTuple):
    """A question for a staffing plan: the weeks of the past to look at, the zone of days, and what is promised."""

    weeks: int
    zone: ZoneInfo
    assumptions: Assumptions


def plan_question(given: Mapping[str, str], zone: ZoneInfo) -> PlanQuestion:
    """Return the question that texts ask, by the names of `PARAMETERS`; empty ones count as left out.

    Raises:
        InvalidError: some are wrong.
    """
    errors: Errors = {}
    numbers = {name: _number(name, given.get(name, ""), bounds, errors) for name, bounds in NUMBERS.items()}
    named = given.get(ZONE, "")
    if named and not is_zone(named):
        errors[ZONE] = [f"{named!r} is not a time zone. Use an IANA name, such as Europe/Madrid."]
    if errors:
        raise InvalidError(errors)
    weeks, service_level, within_s, abandoned, busy, shrinkage, change = numbers.values()
    goal = StaffingGoal(
        service_level=service_level or 0,
        within_ms=(within_s or 0) * _S,
        abandoned=abandoned,
        busy=busy or 0,
        shrinkage=shrinkage or 0,
    )
    return PlanQuestion(weeks or 0, ZoneInfo(named) if named else zone, Assumptions(goal, change or 0))


def _number(name: str, text: str, bounds: Bounds, errors: Errors) -> int | None:
    bare = text.strip()
    if not bare:
        return bounds.default
    is_whole = bare.removeprefix("-").isdecimal() and bare.isascii() and len(bare) <= _DIGITS_MAX
    if is_whole and bounds.least <= int(bare) <= bounds.most:
        return int(bare)
    errors[name] = [
        Sentence(
            "%(text)r is not a whole number from %(least)s to %(most)s.",
            text=bare[:40],
            least=bounds.least,
            most=bounds.most,
        )
    ]
    return None


def history_for(connection: Connection, queue_id: int, question: PlanQuestion, now_ms: int) -> QueueHistory:
    """Return the past of a queue on which a plan rests.

    Raises:
        InvalidError: the queue had too many calls in these weeks.
    """
    try:
        return read_history(connection, queue_id, question.zone, question.weeks, now_ms)
    except TooManyCallsError:
        message = Sentence(
            "The queue had more than %(most)s calls in these weeks. Give fewer weeks.", most=HISTORY_CALLS_MAX
        )
        raise InvalidError({WEEKS: [message]}) from None


def csv_of_plan(plan: StaffingPlan) -> bytes:
    """Return the half hours of a plan as CSV, with their fields as columns."""
    names = [field.name for field in msgspec.structs.fields(PlannedHalfHour)]
    columns = [[name, *(getattr(one, name) for one in plan.half_hours)] for name in names]
    return write_csv(columns)
