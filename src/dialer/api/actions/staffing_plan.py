"""The staffing plan of a queue as it is asked for: by query parameters, options of the command line, or a form."""

from collections.abc import Mapping
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import msgspec
from sqlalchemy import Connection

from dialer.api.answers.csv_lines import write_csv
from dialer.app.campaigns.keep_forecast import kept_forecast, leads_only_to
from dialer.domain.calling_times.zones import is_zone
from dialer.domain.queueing.staffing import StaffingGoal
from dialer.domain.queueing.typed_volumes import TypedVolumesError, volumes_in
from dialer.domain.words.sentences import Sentence
from dialer.forecast.expected_week import ExpectedTimes, expected_week, volumes_of, with_times
from dialer.forecast.queue_history import (
    HISTORY_CALLS_MAX,
    PlanSource,
    QueueHistory,
    TooManyCallsError,
    read_history,
)
from dialer.forecast.staffing_plan import Assumptions, PlannedHalfHour, StaffingPlan
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import parse_id
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.words.errors import Errors, InvalidError, RecordNotFoundError

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
VOLUMES: Final = "volumes"
CAMPAIGN: Final = "campaign"
TIMES: Final[Mapping[str, Bounds]] = {
    "talk_time": Bounds(1, 7_200, None),
    "ring_time": Bounds(0, 120, None),
    "wrap_up_time": Bounds(0, 3_600, None),
}
"""The mean times of a call in seconds, which replace those of the past."""
PARAMETERS: Final = (*NUMBERS, *TIMES, VOLUMES, CAMPAIGN, ZONE)
_DIGITS_MAX: Final = 6
_S: Final = 1_000


class PlanQuestion(NamedTuple):
    """A question for a staffing plan: the weeks of the past to look at, the zone of days, and what is promised."""

    weeks: int
    zone: ZoneInfo
    assumptions: Assumptions
    volumes: Mapping[int, float]
    """The calls that are expected, by half hours of the week; empty if none are given."""
    campaign_id: int | None
    """The campaign whose forecast says the calls to expect; None without one."""
    times: ExpectedTimes


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
    times = [_number(name, given.get(name, ""), bounds, errors) for name, bounds in TIMES.items()]
    volumes = _volumes(given.get(VOLUMES, ""), errors)
    campaign_id = _campaign(given.get(CAMPAIGN, "").strip(), errors)
    if volumes and campaign_id is not None:
        errors[VOLUMES] = [Sentence("Give the calls that you expect, or a campaign: not both.")]
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
    zone, expected = ZoneInfo(named) if named else zone, Assumptions(goal, change or 0)
    return PlanQuestion(weeks or 0, zone, expected, volumes, campaign_id, ExpectedTimes(*times))


def _volumes(text: str, errors: Errors) -> Mapping[int, float]:
    try:
        found = volumes_in(text)
    except TypedVolumesError as error:
        errors[VOLUMES] = [error.sentence]
        return {}
    if text.strip() and not found:
        errors[VOLUMES] = [Sentence("No calls are expected. Give those of a half hour at least.")]
    return found


def _campaign(text: str, errors: Errors) -> int | None:
    found = parse_id(text) if text else None
    if text and found is None:
        errors[CAMPAIGN] = [Sentence("Give the id of a campaign.")]
    return found


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


def require_campaign(unit: Unit, question: PlanQuestion) -> None:
    """Check that the campaign of a question, if any, is visible to the caller.

    Raises:
        InvalidError: it is not.
    """
    if question.campaign_id is None:
        return
    try:
        records.require_seen(unit, CAMPAIGNS, question.campaign_id)
    except RecordNotFoundError:
        raise InvalidError({CAMPAIGN: [Sentence("There is no such campaign, or it is not yours.")]}) from None


def history_for(connection: Connection, queue_id: int, question: PlanQuestion, now_ms: int) -> QueueHistory:
    """Return what a plan rests on: the past of a queue, or the calls that are expected.

    The caller has checked that the campaign of the question may be seen.

    Raises:
        InvalidError: the queue had too many calls in these weeks, the campaign does not lead to it alone or has no
            forecast with calls for agents, or nothing says how long a talk is.
    """
    past = _past(connection, queue_id, question, now_ms)
    if question.volumes:
        past = expected_week(past, question.volumes, PlanSource.VOLUMES)
    elif question.campaign_id is not None:
        volumes = _forecast(connection, queue_id, question.campaign_id, question.zone)
        past = expected_week(past, volumes, PlanSource.FORECAST)
    found = with_times(past, question.times)
    if found.rests_on is not PlanSource.PAST and not found.talk_ms:
        message = "Agents took no call of the queue yet, so give the mean length of a talk in seconds."
        raise InvalidError({"talk_time": [Sentence(message)]})
    return found


def _forecast(connection: Connection, queue_id: int, campaign_id: int, zone: ZoneInfo) -> Mapping[int, float]:
    if not leads_only_to(connection, campaign_id, queue_id):
        message = "The campaign does not lead to this queue alone, so its forecast does not tell the calls here."
        raise InvalidError({CAMPAIGN: [Sentence(message)]})
    kept = kept_forecast(connection, campaign_id)
    volumes = {} if kept is None else volumes_of(kept, zone)
    if not volumes:
        message = "No forecast with calls for agents is kept of this campaign. Make one on the page of the campaign."
        raise InvalidError({CAMPAIGN: [Sentence(message)]})
    return volumes


def _past(connection: Connection, queue_id: int, question: PlanQuestion, now_ms: int) -> QueueHistory:
    try:
        return read_history(connection, queue_id, question.zone, question.weeks, now_ms)
    except TooManyCallsError:
        message = Sentence(
            "The queue had more than %(most)s calls in these weeks. Give fewer weeks.", most=HISTORY_CALLS_MAX
        )
        raise InvalidError({WEEKS: [message]}) from None


def csv_of_plan(plan: StaffingPlan) -> bytes:
    """Return the half hours of a plan as CSV, with their fields as columns; several goals are parted by spaces."""
    names = [field.name for field in msgspec.structs.fields(PlannedHalfHour)]
    columns = [[name, *(_cell(getattr(one, name)) for one in plan.half_hours)] for name in names]
    return write_csv(columns)


def _cell(value: tuple[str, ...] | str | float | None) -> str | float | None:
    return " ".join(value) if isinstance(value, tuple) else value
