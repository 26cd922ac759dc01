"""Changing a campaign: its fields and its status, in one write."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, select, update

from dialer.app.campaign_readiness import agents_missing, make_ready
from dialer.app.errors import InvalidFieldsError, RefusedError, UnknownRecordError
from dialer.app.events import AppEvent, CampaignAborted, CampaignEnded, CampaignPaused, CampaignStarted
from dialer.app.touching import touched_campaigns
from dialer.app.unit import UnitOfWork
from dialer.domain.enums import CampaignStatus, SubscriberStatus
from dialer.domain.reasons import CampaignReason, SubscriberReason
from dialer.domain.states import move_campaign
from dialer.store.collecting import collect_campaign
from dialer.store.sealing import sealed_survey
from dialer.store.tables import Campaign, Subscriber
from dialer.store.touched import NOTHING

_campaigns = Campaign.__table__
_subscribers = Subscriber.__table__
_EVENTS: Final[Mapping[CampaignStatus, Callable[[int], AppEvent]]] = {
    CampaignStatus.START: CampaignStarted,
    CampaignStatus.PAUSE: CampaignPaused,
    CampaignStatus.ABORD: CampaignAborted,
    CampaignStatus.END: CampaignEnded,
}


def start_campaign(unit: UnitOfWork, campaign_id: int) -> None:
    """Start a campaign, or go on with one that was paused.

    Raises:
        IllegalMoveError: the campaign is over.
        CampaignNotReadyError: the campaign lacks something.
    """
    change_campaign(unit, campaign_id, {"status": CampaignStatus.START})


def pause_campaign(unit: UnitOfWork, campaign_id: int) -> None:
    """Pause a campaign: calls in progress go on, and no others follow.

    Raises:
        IllegalMoveError: the campaign has not been started, or is over.
    """
    change_campaign(unit, campaign_id, {"status": CampaignStatus.PAUSE})


def abort_campaign(unit: UnitOfWork, campaign_id: int) -> None:
    """Abort a campaign: calls in progress are hung up.

    Raises:
        IllegalMoveError: the campaign is over.
    """
    change_campaign(unit, campaign_id, {"status": CampaignStatus.ABORD})


def end_campaign(unit: UnitOfWork, campaign_id: int) -> None:
    """End a campaign: calls in progress come to their end.

    Raises:
        IllegalMoveError: the campaign is over.
    """
    change_campaign(unit, campaign_id, {"status": CampaignStatus.END})


def change_campaign(
    unit: UnitOfWork, campaign_id: int, values: Mapping[str, Any], *, has_new_phonebooks: bool = False
) -> None:
    """Write columns of a campaign. A new `status` is judged with all of them; the status it has already is no change.

    Raises:
        UnknownRecordError: there is no such campaign.
        RefusedError: the campaign is in a status that this version does not know.
        IllegalMoveError: the status may not follow the one that the campaign has.
        CampaignNotReadyError: the campaign lacks something that it needs to start.
        InvalidFieldsError: the dial method needs agents, and the survey brings calls to none.
    """
    before = _read(unit.connection, campaign_id)
    after = {**before, **values}
    wanted = _new_status(before, after)
    _refuse_without_agents(unit.connection, before, after)
    if wanted is CampaignStatus.START:
        make_ready(unit.connection, after, unit.now_ms)
    written = {name: value for name, value in values.items() if name != "status"} | _status_columns(wanted)
    if not written and not has_new_phonebooks:
        unit.note(NOTHING)
        return
    written = {**written, "updated_date": unit.now_ms}
    unit.connection.execute(update(_campaigns).where(_campaigns.c.id == campaign_id).values(written))
    _follow(unit, campaign_id, after["status"], wanted, has_new_phonebooks=has_new_phonebooks)
    unit.note(touched_campaigns(campaign_id), *([] if wanted is None else [_EVENTS[wanted](campaign_id)]))


def _read(connection: Connection, campaign_id: int) -> RowMapping:
    row = connection.execute(select(_campaigns).where(_campaigns.c.id == campaign_id)).mappings().first()
    if row is None:
        raise UnknownRecordError(f"There is no campaign {campaign_id}.")
    return row


def _new_status(before: RowMapping, after: Mapping[str, Any]) -> CampaignStatus | None:
    """Return the status to which the campaign moves; None if it stays where it is."""
    if after["status"] == before["status"]:
        return None
    if before["status"] not in set(CampaignStatus):
        raise RefusedError("The campaign is in a state that this version does not know.")
    wanted = CampaignStatus(after["status"])
    return wanted if move_campaign(CampaignStatus(before["status"]), wanted) else None


def _refuse_without_agents(connection: Connection, before: RowMapping, after: Mapping[str, Any]) -> None:
    """Refuse a dial method that the sealed survey does not allow; before the first start, any may be chosen."""
    if after["dial_method"] == before["dial_method"]:
        return
    survey = sealed_survey(connection, before["id"])
    errors = {} if survey is None else agents_missing(after["dial_method"], survey)
    if errors:
        raise InvalidFieldsError(errors)


def _status_columns(wanted: CampaignStatus | None) -> dict[str, Any]:
    if wanted is None:
        return {}
    return {"status": wanted, "status_reason": "" if wanted is CampaignStatus.START else CampaignReason.USER}


def _follow(
    unit: UnitOfWork, campaign_id: int, status: int, wanted: CampaignStatus | None, *, has_new_phonebooks: bool
) -> None:
    """Do what follows from the write: contacts become subscribers, or subscribers are aborted."""
    is_open = status in {CampaignStatus.START, CampaignStatus.PAUSE}
    if wanted is CampaignStatus.START or (has_new_phonebooks and is_open):
        collect_campaign(unit.connection, campaign_id, unit.now_ms)
    elif wanted is CampaignStatus.ABORD:
        _abort_subscribers(unit, campaign_id)


def _abort_subscribers(unit: UnitOfWork, campaign_id: int) -> None:
    """Abort those who wait. Those in a call are left to the engine, which hangs up."""
    unit.connection.execute(
        update(_subscribers)
        .where(
            _subscribers.c.campaign_id == campaign_id,
            _subscribers.c.status.in_((SubscriberStatus.PENDING, SubscriberStatus.PAUSE)),
        )
        .values(
            status=SubscriberStatus.ABORT, status_reason=SubscriberReason.ABORTED, due_ms=0, updated_date=unit.now_ms
        )
    )
