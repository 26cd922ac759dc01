"""Use cases of scheduled reports: their creation and changes, the moments at which they are due, and their outbox."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, Row, RowMapping, delete, exists, func, insert, select, update

from dialer.app.work.errors import ErrorCode, RefusedError
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.reports import SentWhen
from dialer.domain.words.sentences import Sentence
from dialer.store.backends.expressions import insert_or
from dialer.store.database.touched import NOTHING
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.rows.limits import spend
from dialer.store.tables import CallRequest, Campaign, ReportDelivery, ReportSchedule, User

SCHEDULES_MAX: Final = 50
"""Scheduled reports of one account."""
DUE_AT_ONCE: Final = 100
"""Schedules that one unit of work finds due."""
TAKEN_AT_ONCE: Final = 20
"""Deliveries that one unit of work takes to send them."""
LEASE_MS: Final = 600_000
"""The time for which a process holds a delivery. If it has ended by then, another one sends it."""
WAITS_MS: Final = (60_000, 300_000, 900_000, 3_600_000, 10_800_000, 21_600_000, 21_600_000)
"""The waits after failures. After the one that follows the last wait, a report is given up."""
KEPT_MS: Final = 90 * 86_400_000
"""The time for which deliveries are kept."""
MAILS_A_DAY_MAX: Final = 500
"""Mails with reports of one account in a day. Time restores them evenly; the deletion of schedules does not."""
TOO_MANY: Final = Sentence("The account has sent as many mails as it may in a day.")
WAITING: Final = "waiting"
SENT: Final = "sent"
FAILED: Final = "failed"
WEBHOOKS: Final = "webhooks"
"""The recipient of a delivery that becomes an event for the webhooks of the account."""
LOST: Final = Sentence("The service ended at each attempt to send it.")
DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_OVER: Final = (CampaignStatus.END, CampaignStatus.ABORT)
_OTHER_END: Final = ("campaign_id", "sent_when")
"""Columns whose change makes the deliveries of a schedule those of another one: the end is to be reported anew."""
_CONTENT: Final = ("report", "sent_as")
_DAY_US: Final = 86_400_000_000


class TakenDelivery(NamedTuple):
    """A report that a process sends now to one recipient."""

    id: int
    due_ms: int
    recipient: str
    attempts: int
    """Those before this one."""
    until_ms: int
    """The end of its lease by the machine's clock."""
    schedule: RowMapping
    account: str
    """The name of the account."""
    language: str


class DeliveryOutcome(NamedTuple):
    """The outcome of an attempt to send a report."""

    problem: str = ""
    """Why it was not sent; empty if it was."""
    is_final: bool = False
    """True if another attempt would fail, too."""


def create_report_schedule(unit: UnitOfWork, columns: Mapping[str, Any], zone: ZoneInfo) -> Row[Any]:
    """Create a scheduled report, which is due first after now.

    Raises:
        RefusedError: the account has `SCHEDULES_MAX` already.
    """
    count = select(func.count()).where(ReportSchedule.user_id == columns["user_id"])
    if unit.connection.execute(count).scalar_one() >= SCHEDULES_MAX:
        raise RefusedError(
            Sentence("An account has at most %(most)s scheduled reports. Delete one first.", most=SCHEDULES_MAX),
            code=ErrorCode.LIMIT_REACHED,
        )
    values = {**columns, "created_date": unit.now_ms, "updated_date": unit.now_ms}
    values["next_due_ms"] = due_after(values, unit.now_ms, zone)
    row = unit.connection.execute(insert(ReportSchedule).values(values).returning(*ReportSchedule.__table__.c)).one()
    unit.note(NOTHING)
    return row


def change_report_schedule(unit: UnitOfWork, schedule_id: int, columns: Mapping[str, Any], zone: ZoneInfo) -> None:
    """Change columns of a scheduled report. A delivery that waits is sent only if the change leaves it wanted."""
    found = select(ReportSchedule.__table__).where(ReportSchedule.id == schedule_id)
    before = unit.connection.execute(found).mappings().one()
    after = {**before, **columns}
    values = {**columns, "updated_date": unit.now_ms, "next_due_ms": due_after(after, unit.now_ms, zone)}
    unit.connection.execute(update(ReportSchedule).where(ReportSchedule.id == schedule_id).values(values))
    of_it = ReportDelivery.schedule_id == schedule_id
    if any(before[name] != after[name] for name in _OTHER_END):
        unit.connection.execute(delete(ReportDelivery).where(of_it))
    gone = update(ReportDelivery).where(of_it, ReportDelivery.status == WAITING)
    if after["enabled"] and all(before[name] == after[name] for name in _CONTENT):
        gone = gone.where(ReportDelivery.recipient.not_in(_receivers(after)))
    unit.connection.execute(gone.values(status=FAILED, next_ms=None, problem=""))
    unit.note(NOTHING)


def due_after(schedule: Mapping[str, Any] | RowMapping, after_ms: int, zone: ZoneInfo) -> int | None:
    """Return when a schedule is due next by the clock; None if it is off, or waits for the end of its campaign."""
    # The first schedule imports what a start does without.
    from dialer.domain.calling_times.report_times import ReportTimes, next_due_ms  # noqa: PLC0415

    if not schedule["enabled"] or schedule["sent_when"] == SentWhen.END:
        return None
    hour, minute = (int(part) for part in schedule["send_time"].split(":")[:2])
    days = frozenset(place for place, name in enumerate(DAYS) if schedule[name])
    return next_due_ms(ReportTimes(hour, minute, days, zone_of_schedule(schedule, zone)), after_ms)


def zone_of_schedule(schedule: Mapping[str, Any] | RowMapping, zone: ZoneInfo) -> ZoneInfo:
    """Return the zone of a schedule; `zone` is that of the service."""
    return ZoneInfo(schedule["time_zone"]) if schedule["time_zone"] else zone


def has_due_reports(connection: Connection, now_ms: int, machine_ms: int) -> bool:
    """Return whether anything is due, or waits to be sent."""
    is_due = exists(_due(now_ms))
    waits = exists().where(ReportDelivery.next_ms <= machine_ms)
    return bool(connection.scalar(select(is_due | waits | exists(_ended()))))


def put_due_reports(unit: UnitOfWork, machine_ms: int, zone: ZoneInfo) -> None:
    """Put the reports that are due into the outbox. Of several moments that were missed, the last one is sent."""
    connection, now_ms = unit.connection, unit.now_ms
    by_clock = _due(now_ms).order_by(ReportSchedule.next_due_ms)
    for schedule in connection.execute(by_clock.limit(DUE_AT_ONCE)).mappings().all():
        due_ms = schedule["next_due_ms"]
        following = due_after(schedule, due_ms, zone)
        while following is not None and following <= now_ms:
            due_ms, following = following, due_after(schedule, following, zone)
        _put(connection, schedule, due_ms, now_ms, machine_ms)
        changed = update(ReportSchedule).where(ReportSchedule.id == schedule["id"])
        connection.execute(changed.values(next_due_ms=following))
    for schedule in connection.execute(_ended().limit(DUE_AT_ONCE)).mappings().all():
        _put(connection, schedule, now_ms, now_ms, machine_ms)
    connection.execute(delete(ReportDelivery).where(ReportDelivery.due_ms < now_ms - KEPT_MS, _is_done()))
    of_disabled = select(ReportSchedule.id).join(User, User.id == ReportSchedule.user_id).where(User.enabled.is_(False))
    dropped = update(ReportDelivery).where(ReportDelivery.next_ms.is_not(None))
    dropped = dropped.where(ReportDelivery.schedule_id.in_(of_disabled))
    connection.execute(dropped.values(status=FAILED, next_ms=None, problem=""))
    unit.note(NOTHING)


def take_deliveries(unit: UnitOfWork, machine_ms: int) -> list[TakenDelivery]:
    """Take deliveries whose time has come, those of each account in turn. Nobody else sends them during their lease."""
    connection = unit.connection
    place = func.row_number().over(partition_by=ReportSchedule.user_id, order_by=ReportDelivery.next_ms).label("place")
    due = (
        select(ReportDelivery.id, place)
        .join(ReportSchedule, ReportSchedule.id == ReportDelivery.schedule_id)
        .join(User, User.id == ReportSchedule.user_id)
        .where(ReportDelivery.next_ms <= machine_ms, ReportDelivery.status == WAITING, User.enabled.is_(True))
        .subquery()
    )
    chosen = connection.scalars(select(due.c.id).order_by(due.c.place, due.c.id).limit(TAKEN_AT_ONCE)).all()
    if not chosen:
        return []
    until_ms = machine_ms + LEASE_MS
    held = update(ReportDelivery).where(ReportDelivery.id.in_(chosen))
    connection.execute(held.values(next_ms=until_ms, updated_date=unit.now_ms))
    unit.note(NOTHING)
    of_them = select(ReportDelivery.__table__).where(ReportDelivery.id.in_(chosen)).order_by(ReportDelivery.id)
    rows = connection.execute(of_them).mappings().all()
    schedules = _schedules(connection, [row["schedule_id"] for row in rows])
    taken = []
    for row in rows:
        schedule = schedules[row["schedule_id"]]
        known = row["id"], row["due_ms"], row["recipient"], row["attempts"], until_ms, schedule
        taken.append(TakenDelivery(*known, schedule["username"], schedule["language"]))
    return taken


def begin_attempt(unit: UnitOfWork, taken: TakenDelivery, machine_ms: int) -> TakenDelivery | None:
    """Count an attempt before it begins, and begin the lease anew.

    Returns:
        The delivery as it is held now; None if it is not to be sent: another process holds it, it was taken back, or
        the process ended at each of its attempts.
    """
    if taken.attempts > len(WAITS_MS):
        keep_outcome(unit, taken, DeliveryOutcome(str(LOST), is_final=True), machine_ms)
        return None
    until_ms = machine_ms + LEASE_MS
    counted = update(ReportDelivery).where(*_held(taken)).values(attempts=taken.attempts + 1, next_ms=until_ms)
    unit.note(NOTHING)
    return taken._replace(until_ms=until_ms) if unit.connection.execute(counted).rowcount else None


def keep_outcome(unit: UnitOfWork, taken: TakenDelivery, outcome: DeliveryOutcome, machine_ms: int) -> bool:
    """Keep what came of an attempt. Return False if it was taken back meanwhile.

    One that failed is made again for 16 hours.
    """
    attempts, schedule_id = taken.attempts + 1, taken.schedule["id"]
    problem = outcome.problem
    is_given_up = outcome.is_final or attempts > len(WAITS_MS)
    values: dict[str, Any] = {"problem": problem, "updated_date": unit.now_ms}
    if not problem:
        values |= {"status": SENT, "next_ms": None}
    elif is_given_up:
        values |= {"status": FAILED, "next_ms": None}
    else:
        values["next_ms"] = machine_ms + WAITS_MS[attempts - 1]
    unit.note(NOTHING)
    is_kept = bool(unit.connection.execute(update(ReportDelivery).where(*_held(taken)).values(values)).rowcount)
    if is_kept:
        _tell(unit.connection, schedule_id, unit.now_ms, {} if problem else {"last_sent_date": unit.now_ms})
    return is_kept


def _held(taken: TakenDelivery) -> tuple[Any, ...]:
    """Return the conditions under which a delivery is still held as it was taken."""
    return (
        ReportDelivery.id == taken.id,
        ReportDelivery.status == WAITING,
        ReportDelivery.next_ms == taken.until_ms,
    )


def _tell(connection: Connection, schedule_id: int, now_ms: int, told: Mapping[str, Any]) -> None:
    """Tell in a schedule what came of its last moment. The failure for one recipient counts as much as for all."""
    of_it = ReportDelivery.schedule_id == schedule_id
    last = select(func.max(ReportDelivery.due_ms)).where(of_it).scalar_subquery()
    failed = select(ReportDelivery.problem).where(of_it, ReportDelivery.due_ms == last, ReportDelivery.problem != "")
    problem = connection.scalar(failed.order_by(ReportDelivery.id).limit(1)) or ""
    since = func.coalesce(ReportSchedule.failing_since_ms, now_ms) if problem else None
    values = {**told, "problem": problem, "failing_since_ms": since}
    connection.execute(update(ReportSchedule).where(ReportSchedule.id == schedule_id).values(values))


def _put(connection: Connection, schedule: RowMapping, due_ms: int, now_ms: int, machine_ms: int) -> None:
    """Put a due moment into the outbox, unless it is there already, as after a clock that was set back."""
    mails = len(schedule["recipients"].split())
    values = {"schedule_id": schedule["id"], "due_ms": due_ms, "created_date": now_ms, "updated_date": now_ms}
    waiting = {**values, "status": WAITING, "next_ms": machine_ms, "problem": ""}
    may_mail = not mails or _may_send(connection, schedule["user_id"], mails, machine_ms)
    mailed = waiting if may_mail else {**values, "status": FAILED, "next_ms": None, "problem": str(TOO_MANY)}
    rows = [{**(waiting if one == WEBHOOKS else mailed), "recipient": one} for one in _receivers(schedule)]
    connection.execute(insert_or(ReportDelivery.__table__).on_conflict_do_nothing(), rows)
    if not may_mail:
        _tell(connection, schedule["id"], now_ms, {})


def _receivers(schedule: Mapping[str, Any] | RowMapping) -> list[str]:
    """Return who gets a report: addresses of mail, and the webhooks if they are told of it."""
    return [*schedule["recipients"].split(), *([WEBHOOKS] if schedule["tells_webhooks"] else [])]


def _may_send(connection: Connection, user_id: int, mails: int, machine_ms: int) -> bool:
    """Take mails from the allowance of an account; return False, without taking any, if it has too few."""
    now_us = machine_ms * 1_000
    cost_us = mails * _DAY_US // MAILS_A_DAY_MAX
    return spend(connection, f"mails:{user_id}", cost_us=cost_us, now_us=now_us, latest_us=now_us + _DAY_US)


def _due(now_ms: int) -> Any:  # noqa: ANN401 - a query
    """Return the query of schedules that are due by the clock. Those of disabled accounts are not."""
    query = select(ReportSchedule.__table__).join(User, User.id == ReportSchedule.user_id)
    return query.where(ReportSchedule.next_due_ms <= now_ms, User.enabled.is_(True))


def _ended() -> Any:  # noqa: ANN401 - a query
    """Return the query of schedules whose campaign has ended without a report of its end."""
    sent = select(ReportDelivery.id).where(ReportDelivery.schedule_id == ReportSchedule.id)
    calls = select(CallRequest.id).where(CallRequest.campaign_id == Campaign.id, IS_CALLING)
    return (
        select(ReportSchedule.__table__)
        .join(Campaign, Campaign.id == ReportSchedule.campaign_id)
        .join(User, User.id == ReportSchedule.user_id)
        .where(
            ReportSchedule.sent_when == SentWhen.END.value,
            ReportSchedule.enabled.is_(True),
            User.enabled.is_(True),
            Campaign.status.in_(_OVER),
            ~exists(sent),
            ~exists(calls),
        )
        .order_by(ReportSchedule.id)
    )


def _is_done() -> Any:  # noqa: ANN401 - a condition
    daily = select(ReportSchedule.id).where(ReportSchedule.sent_when == SentWhen.DAILY.value)
    return ReportDelivery.next_ms.is_(None) & ReportDelivery.schedule_id.in_(daily)


def _schedules(connection: Connection, ids: Sequence[int]) -> dict[int, RowMapping]:
    query = select(ReportSchedule.__table__, User.username, User.language)
    query = query.join(User, User.id == ReportSchedule.user_id).where(ReportSchedule.id.in_(ids))
    return {row["id"]: row for row in connection.execute(query).mappings()}
