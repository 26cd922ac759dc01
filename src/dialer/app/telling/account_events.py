"""The events of use cases that accounts keep: a listener of units of work."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Table, select, update

from dialer.app.imports.report import ImportReport
from dialer.app.telling.audit_log import Origin
from dialer.app.work.errors import RefusedError
from dialer.app.work.events import (
    AgentStatusChanged,
    AppEvent,
    CallDisposed,
    CampaignAborted,
    CampaignEnded,
    CampaignPaused,
    CampaignStarted,
    NumberCalledOff,
    NumbersCalledOff,
    PaymentRecorded,
)
from dialer.app.work.touched_records import touched_account
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.enums import AgentStatus
from dialer.store.database.touched import NOTHING
from dialer.store.rows.account_events import (
    EventRow,
    campaign_subject,
    event_row,
    keep_events,
    keeps_events,
    low_balance_events,
    named_campaign,
    write_events,
)
from dialer.store.rows.webhooks import feeds_webhook
from dialer.store.tables import Campaign, User

_KEPT: Final = (
    *(CampaignStarted, CampaignPaused, CampaignAborted, CampaignEnded),
    *(CallDisposed, AgentStatusChanged, NumberCalledOff, NumbersCalledOff),
)
"""The events of use cases that programs outside of the service hear of."""

EVENT_TYPES: Final = (
    *("agent.status", "balance.low", "call.answered", "call.ended", "call.started", "call.taken", "campaign.aborted"),
    *("campaign.ended", "campaign.paused", "campaign.started", "disposition.saved", "dnc.added", "dnc.imported"),
    *("forecast.finished", "gateway.down", "gateway.up", "import.finished", "message.delivered", "message.failed"),
    *("message.received", "message.sent", "recording.stored", "report.ready", "subscriber.completed"),
    *("subscriber.failed", "webhook.disabled"),
)
"""The types of the events that accounts keep."""


def switch_events(unit: UnitOfWork, user_id: int, *, keep: bool) -> None:
    """Switch the events of an account on or off. The worker knows it before its next step.

    Raises:
        RefusedError: a webhook that is on gets them.
    """
    if not keep and feeds_webhook(unit.connection, user_id):
        raise RefusedError("A webhook gets the events of the account. Switch it off first.")
    keep_events(unit.connection, user_id, keep=keep)
    unit.note(touched_account(user_id))


def set_low_balance(unit: UnitOfWork, user_id: int, low_balance: int) -> None:
    """Set the balance, an integer of 1e-5, at which an account is told that it gets low."""
    unit.connection.execute(update(User).where(User.id == user_id).values(low_balance=low_balance))
    unit.note(NOTHING)


def write_forecast_finished(unit: UnitOfWork, campaign_id: int) -> None:
    """Write the event that a forecast of a campaign is done."""
    unit.note(NOTHING)
    user_id = listening_owner(unit.connection, Campaign.__table__, campaign_id)
    if user_id is not None:
        subject = campaign_subject(unit.connection, campaign_id)
        write_events(unit.connection, [event_row(user_id, "forecast.finished", unit.now_ms, subject, campaign_id)])


def listening_owner(connection: Connection, records: Table, record_id: int) -> int | None:
    """Return the account of a record if it keeps events; None if it does not, or the record is gone."""
    user_id = connection.scalar(select(records.c.user_id).where(records.c.id == record_id))
    return user_id if user_id is not None and keeps_events(connection, user_id) else None


def write_import_finished(unit: UnitOfWork, parents: Table, parent_id: int, subject: str, report: ImportReport) -> None:
    """Write the event that an import into a phonebook or a do-not-call list has come to its end."""
    unit.note(NOTHING)
    user_id = listening_owner(unit.connection, parents, parent_id)
    if user_id is not None:
        counts = {"imported": report.imported, "duplicates": report.duplicates, "rejected": report.rejected}
        row = event_row(user_id, "import.finished", unit.now_ms, subject, **{parents.name: parent_id}, **counts)
        write_events(unit.connection, [row])


def write_account_events(unit: UnitOfWork, _origin: Origin) -> None:
    """Write the events of a unit of work whose accounts keep events."""
    events = [event for event in unit.happened if isinstance(event, _KEPT)]
    if events:
        write_events(unit.connection, list(_rows(unit, events)))
    spent = _paid_back(unit)
    if spent:
        write_events(unit.connection, low_balance_events(unit.connection, spent, unit.now_ms))


def _paid_back(unit: UnitOfWork) -> dict[int, int]:
    """Return what a unit of work paid back from the balances of accounts that keep events."""
    spent: dict[int, int] = {}
    for event in unit.happened:
        if isinstance(event, PaymentRecorded) and event.amount < 0 and keeps_events(unit.connection, event.user_id):
            spent[event.user_id] = spent.get(event.user_id, 0) - event.amount
    return spent


def _rows(unit: UnitOfWork, events: Sequence[AppEvent]) -> Iterator[EventRow]:
    keeps: dict[int, bool] = {}
    for event in events:
        user_id = event.account(unit.connection)
        if user_id is None:
            continue
        if user_id not in keeps:
            keeps[user_id] = keeps_events(unit.connection, user_id)
        if keeps[user_id]:
            subject, campaign_id, data = _about(unit, event)
            if subject.endswith(f"campaigns/{campaign_id}") and _is_trial(unit.connection, campaign_id):
                continue
            yield event_row(user_id, event.type, unit.now_ms, subject, campaign_id, **data)


def _is_trial(connection: Connection, campaign_id: int | None) -> bool:
    """Return whether a campaign is a trial, which no list shows, so its states are told to nobody."""
    is_it = (Campaign.id == campaign_id) & Campaign.trial_of_id.is_not(None)
    return connection.scalar(select(Campaign.id).where(is_it)) is not None


def _about(unit: UnitOfWork, event: AppEvent) -> tuple[str, int | None, dict[str, Any]]:
    """Return the subject, the campaign and the data of an event."""
    match event:
        case CallDisposed():
            named = named_campaign(unit.connection, event.campaign_id)
            return f"callrequest/{event.callrequest_id}", named, {"call": event.callrequest_id}
        case AgentStatusChanged():
            state = AgentStatus(event.status).name.lower()
            return f"agent/{event.agent_id}", None, {"agent": event.agent_id, "state": state}
        case NumberCalledOff():
            return f"dnc-contact/{event.entry_id}", None, {"dnc_list": event.dnc_id, "entry": event.entry_id}
        case NumbersCalledOff():
            return f"dnc-list/{event.dnc_id}", None, {"dnc_list": event.dnc_id, "count": event.count}
        case _:
            campaign_id = int(msgspec.structs.asdict(event)["campaign_id"])
            subject = campaign_subject(unit.connection, campaign_id)
            return subject, campaign_id, {"state": event.type.partition(".")[2]}
