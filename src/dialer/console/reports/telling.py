"""A report that webhooks are told of: an event with a link, written in the transaction that ends its delivery."""

from typing import Final
from zoneinfo import ZoneInfo

from dialer.app.campaigns.report_links import LINK_MS, send_report_link
from dialer.app.campaigns.report_schedules import DeliveryOutcome, TakenDelivery, keep_outcome, zone_of_schedule
from dialer.app.work.unit import UnitOfWork
from dialer.console.reports.kinds import KINDS, NO_ADDRESS
from dialer.console.words.language import gettext_noop
from dialer.domain.calling_times.report_times import day_before
from dialer.domain.words.reports import SharedReport
from dialer.resources.crud.moments import show_timestamp
from dialer.resources.records.report_links import SHARED
from dialer.store.rows.account_events import event_row, keeps_events, write_events, write_secret_event

REPORT_READY: Final = "report.ready"
NO_EVENTS: Final = gettext_noop("The account has no webhook, and keeps no events.")


def tell_webhooks(unit: UnitOfWork, taken: TakenDelivery, *, zone: ZoneInfo, base: str, machine_ms: int) -> None:
    """Write the event that a report is due, and that its delivery is done: both or neither. `zone` is the service's."""
    is_linked = taken.schedule["report"] in set(SharedReport)
    outcome = DeliveryOutcome()
    if not keeps_events(unit.connection, taken.schedule["user_id"]):
        outcome = DeliveryOutcome(NO_EVENTS, is_final=True)
    elif is_linked and not base:
        outcome = DeliveryOutcome(NO_ADDRESS)
    if keep_outcome(unit, taken, outcome, machine_ms) and not outcome.problem:
        _write_event(unit, taken, zone_of_schedule(taken.schedule, zone), base if is_linked else "")


def _write_event(unit: UnitOfWork, taken: TakenDelivery, zone: ZoneInfo, base: str) -> None:
    """Write the event, with a link that begins with `base` if there is one."""
    schedule, from_ms, to_ms = taken.schedule, None, unit.now_ms
    if KINDS[schedule["report"]].is_of_day_before:
        from_ms, to_ms = day_before(taken.due_ms, zone)
    row = event_row(
        schedule["user_id"],
        REPORT_READY,
        unit.now_ms,
        f"report-schedule/{schedule['id']}",
        schedule["campaign_id"],
        schedule=schedule["id"],
        name=schedule["name"],
        report=schedule["report"],
        starting_date=None if from_ms is None else show_timestamp(from_ms),
        ending_date=show_timestamp(to_ms),
        url_expires=show_timestamp(unit.now_ms + LINK_MS) if base else None,
    )
    if base:
        write_secret_event(unit.connection, row, f"{base}{SHARED}{send_report_link(unit, schedule)}/")
    else:
        write_events(unit.connection, [row])
