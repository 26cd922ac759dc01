"""Changes of a campaign: its fields and its status, in one write."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, select, update

from dialer.app.campaigns.readiness import agents_missing, make_ready
from dialer.app.overview.examples import CARRIERS, keep_simulated
from dialer.app.work.errors import InvalidFieldsError, RefusedError, UnknownRecordError
from dialer.app.work.events import AppEvent, CampaignAborted, CampaignEnded, CampaignPaused, CampaignStarted
from dialer.app.work.touched_records import known_campaigns, touched_campaigns
from dialer.app.work.unit import UnitOfWork
from dialer.domain.pacing.fixed import spacing_us
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.domain.words.reasons import CampaignReason, SubscriberReason
from dialer.domain.words.sentences import Sentence
from dialer.domain.words.states import move_campaign
from dialer.store.database.touched import NOTHING
from dialer.store.queries.sealed_surveys import sealed_survey
from dialer.store.rows.held_contacts import look_again
from dialer.store.rows.joining.contact_collection import START_SLICE, collect_campaign
from dialer.store.tables import Campaign, Subscriber

_EVENTS: Final[Mapping[CampaignStatus, Callable[[int], AppEvent]]] = {
    CampaignStatus.START: CampaignStarted,
    CampaignStatus.PAUSE: CampaignPaused,
    CampaignStatus.ABORT: CampaignAborted,
    CampaignStatus.END: CampaignEnded,
}


def start_campaign(unit: UnitOfWork, campaign_id: int) -> None:
    """Start a campaign, or resume a paused one.

    Raises:
        IllegalMoveError: the campaign is over.
        CampaignNotReadyError: the campaign lacks something that a start needs.
    """
    change_campaign(unit, campaign_id, {"status": CampaignStatus.START})


def pause_campaign(unit: UnitOfWork, campaign_id: int) -> None:
    """Pause a campaign: calls in progress continue, and no further calls are made.

    Raises:
        IllegalMoveError: the campaign has not been started, or is over.
    """
    change_campaign(unit, campaign_id, {"status": CampaignStatus.PAUSE})


def abort_campaign(unit: UnitOfWork, campaign_id: int) -> None:
    """Abort a campaign: calls in progress are hung up.

    Raises:
        IllegalMoveError: the campaign is over.
    """
    change_campaign(unit, campaign_id, {"status": CampaignStatus.ABORT})


def end_campaign(unit: UnitOfWork, campaign_id: int) -> None:
    """End a campaign: calls in progress continue to their end.

    Raises:
        IllegalMoveError: the campaign is over.
    """
    change_campaign(unit, campaign_id, {"status": CampaignStatus.END})


_RULED_BY: Final = ("purpose", "seller")
"""The columns by which contact rules bind a campaign."""


def change_campaign(
    unit: UnitOfWork, campaign_id: int, values: Mapping[str, Any], *, has_new_phonebooks: bool = False
) -> None:
    """Write columns of a campaign, and move it to a new status if `values` has one.

    Raises:
        UnknownRecordError: there is no such campaign.
        RefusedError: this version does not know the campaign's status.
        IllegalMoveError: the new status may not follow the present one.
        CampaignNotReadyError: the campaign lacks something that a start needs.
        InvalidFieldsError: the dial method needs agents, and the survey transfers no call to a queue; or an example
            would call over a real carrier.
    """
    before = _read(unit.connection, campaign_id)
    after = {**before, **values}
    wanted = _new_status(before, after)
    _refuse_without_agents(unit.connection, before, after)
    if wanted is CampaignStatus.START or any(after[name] != before[name] for name in CARRIERS):
        keep_simulated(unit.connection, after)
    if wanted is CampaignStatus.START:
        make_ready(unit.connection, after, unit.now_ms)
    written = {name: value for name, value in values.items() if name != "status"} | _status_columns(wanted)
    if not written and not has_new_phonebooks:
        unit.note(NOTHING)
        return
    written |= _next_dial(before, after)
    written = {**written, "updated_date": unit.now_ms}
    unit.connection.execute(update(Campaign).where(Campaign.id == campaign_id).values(written))
    touched = touched_campaigns(campaign_id)
    if any(after[name] != before[name] for name in _RULED_BY) and before["status"] != CampaignStatus.NEW:
        # Its calls count otherwise from now on, for all campaigns of the account.
        look_again(unit.connection, Campaign.user_id == after["user_id"], unit.now_ms)
        touched |= known_campaigns(unit.connection, Campaign.user_id == after["user_id"])
    _follow(unit, campaign_id, after["status"], wanted, has_new_phonebooks=has_new_phonebooks)
    unit.note(touched, *([] if wanted is None else [_EVENTS[wanted](campaign_id)]))


def _read(connection: Connection, campaign_id: int) -> RowMapping:
    row = connection.execute(select(Campaign.__table__).where(Campaign.id == campaign_id)).mappings().first()
    if row is None:
        raise UnknownRecordError(f"There is no campaign {campaign_id}.")
    return row


def _new_status(before: RowMapping, after: Mapping[str, Any]) -> CampaignStatus | None:
    """Return the status to which the campaign moves; None if it keeps its status."""
    if after["status"] == before["status"]:
        return None
    if before["status"] not in set(CampaignStatus):
        problem = Sentence(
            "Status %(status)s of the campaign is unknown to this version. Use a newer version.",
            status=before["status"],
        )
        raise RefusedError(problem)
    wanted = CampaignStatus(after["status"])
    return wanted if move_campaign(CampaignStatus(before["status"]), wanted) else None


def _refuse_without_agents(connection: Connection, before: RowMapping, after: Mapping[str, Any]) -> None:
    """Refuse a new dial method that the sealed survey does not allow; without a sealed survey, any is allowed."""
    if after["dial_method"] == before["dial_method"]:
        return
    survey = sealed_survey(connection, before["id"])
    errors = {} if survey is None else agents_missing(after["dial_method"], survey)
    if errors:
        raise InvalidFieldsError(errors)


def _next_dial(before: RowMapping, after: Mapping[str, Any]) -> dict[str, int]:
    """Return the time of the next dial by a new `frequency`, which so holds at once: the last dial stays its start."""
    if after["frequency"] == before["frequency"] or not before["next_dial_us"]:
        return {}
    return {"next_dial_us": before["next_dial_us"] - spacing_us(before["frequency"]) + spacing_us(after["frequency"])}


def _status_columns(wanted: CampaignStatus | None) -> dict[str, Any]:
    if wanted is None:
        return {}
    return {"status": wanted, "status_reason": "" if wanted is CampaignStatus.START else CampaignReason.USER}


def _follow(
    unit: UnitOfWork, campaign_id: int, status: int, wanted: CampaignStatus | None, *, has_new_phonebooks: bool
) -> None:
    """Collect subscribers after a start or for new phonebooks, or abort the subscribers after an abort."""
    is_open = status in {CampaignStatus.START, CampaignStatus.PAUSE}
    if wanted is CampaignStatus.START or (has_new_phonebooks and is_open):
        collect_campaign(unit.connection, campaign_id, unit.now_ms, START_SLICE)
    elif wanted is CampaignStatus.ABORT:
        _abort_subscribers(unit, campaign_id)


def _abort_subscribers(unit: UnitOfWork, campaign_id: int) -> None:
    """Abort the waiting subscribers. The engine ends the calls of the others."""
    unit.connection.execute(
        update(Subscriber)
        .where(
            Subscriber.campaign_id == campaign_id,
            Subscriber.status.in_((SubscriberStatus.PENDING, SubscriberStatus.PAUSE)),
        )
        .values(
            status=SubscriberStatus.ABORT, status_reason=SubscriberReason.ABORTED, due_ms=0, updated_date=unit.now_ms
        )
    )
