"""The progress of a trial of a campaign: what its call or message does now, and what came of it."""

from enum import StrEnum
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, exists, select, update
from sqlalchemy.orm import aliased

from dialer.app.campaigns.activity import activities_of
from dialer.app.campaigns.change import abort_campaign
from dialer.app.campaigns.stop_everything import STOPPED_MAX
from dialer.app.campaigns.trial_calls import TrialRules
from dialer.app.overview.first_steps import CAMPAIGN_TRIED
from dialer.app.work.touched_records import touched_campaigns
from dialer.app.work.unit import UnitOfWork
from dialer.domain.rules.campaign_activity import CampaignActivity
from dialer.domain.sessions.session_state import SessionState, Stage
from dialer.domain.survey.survey import section_name
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.reasons import CampaignReason, SubscriberReason
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.queries.sealed_surveys import sealed_survey
from dialer.store.tables import SMS, AuditLog, CallRequest, Campaign, LiveLeg, Subscriber
from dialer.store.timeline.attempts import calls_of, messages_of
from dialer.store.timeline.parts import AttemptPart

_OPEN: Final = (CampaignStatus.START, CampaignStatus.PAUSE)


class TrialStage(StrEnum):
    """The stages of a trial."""

    WAITING = "waiting"
    """Its call is not placed yet."""
    CALLING = "calling"
    """Its call, or message, is on its way."""
    RINGING = "ringing"
    ANSWERED = "answered"
    OVER = "over"
    NOT_PLACED = "not_placed"
    """It ended without a call or a message."""


class PressedKeys(NamedTuple):
    """The keys that were pressed in a section of a call that goes on."""

    section: str
    keys: str


class TrialView(NamedTuple):
    """A trial: its number, its stage, and what it shows of the call."""

    id: int
    is_sms: bool
    number: str
    person: str
    """The name that placeholders have."""
    stage: TrialStage
    reason: str
    """The reason why nothing was placed, a `SubscriberReason` or `CampaignReason`; else empty."""
    activity: CampaignActivity
    attempt: AttemptPart | None
    pressed: list[PressedKeys]
    """The inputs in a call over a line, while it goes on."""

    @property
    def is_open(self) -> bool:
        """Return whether the trial goes on."""
        return self.stage not in {TrialStage.OVER, TrialStage.NOT_PLACED}


def newest_trial(connection: Connection, campaign_id: int, now_ms: int, rules: TrialRules) -> TrialView | None:
    """Return the newest trial of a campaign; None if there was none."""
    columns = Campaign.id, Campaign.status, Campaign.status_reason, Campaign.medium
    query = select(*columns).where(Campaign.trial_of_id == campaign_id).order_by(Campaign.id.desc()).limit(1)
    trial = connection.execute(query).first()
    return None if trial is None else _view(connection, trial, now_ms, rules)


def stop_trials(unit: UnitOfWork, which: ColumnElement[bool]) -> None:
    """Hang up, or take back, the trials that go on of those campaigns that meet a condition."""
    trial = aliased(Campaign)
    tried = trial.trial_of_id.in_(select(Campaign.id).where(which))
    calls = exists().where(CallRequest.campaign_id == trial.id, IS_CALLING)
    query = select(trial.id, trial.status).where(
        tried, trial.status.in_(_OPEN) | ((trial.status == CampaignStatus.END) & calls)
    )
    for trial_id, status in unit.connection.execute(query.order_by(trial.id).limit(STOPPED_MAX)).all():
        if status == CampaignStatus.END:
            _hang_up(unit, trial_id)
        else:
            abort_campaign(unit, trial_id)


def _hang_up(unit: UnitOfWork, trial_id: int) -> None:
    """Hang up the call of a trial that has ended meanwhile. A campaign that is over could not be aborted."""
    aborted = {"status": CampaignStatus.ABORT, "status_reason": CampaignReason.USER, "updated_date": unit.now_ms}
    unit.connection.execute(update(Campaign).where(Campaign.id == trial_id).values(aborted))
    unit.note(touched_campaigns(trial_id))


def last_number(connection: Connection, actor_id: int) -> str:
    """Return the number that a user tried last, as far as it is still known; else an empty text."""
    tried = select(AuditLog.after).where(AuditLog.action == CAMPAIGN_TRIED, AuditLog.actor_id == actor_id)
    for after in connection.scalars(tried.order_by(AuditLog.id.desc()).limit(1)):
        trial_id = msgspec.json.decode(after).get("trial_id")
        query = select(Subscriber.number).where(Subscriber.campaign_id == trial_id)
        number = connection.scalar(query.limit(1)) or ""
        return number if number.startswith("+") else ""
    return ""


def _view(connection: Connection, trial: Row[int, int, str, str], now_ms: int, rules: TrialRules) -> TrialView:
    row = connection.execute(select(Subscriber.__table__).where(Subscriber.campaign_id == trial.id).limit(1)).first()
    is_sms = trial.medium == SMS
    attempts = [] if row is None else messages_of(connection, row.id) if is_sms else calls_of(connection, row.id)
    attempt = attempts[0] if attempts else None
    live = None if attempt is None or is_sms or attempt.ended else _live(connection, attempt.id)
    return TrialView(
        trial.id,
        is_sms,
        "" if row is None else row.number,
        "" if row is None else row.full_name,
        _stage(trial, row, attempt, live),
        _reason(trial, row) if attempt is None else "",
        activities_of(connection, [trial._mapping], now_ms, rules.zone, rules.hours)[trial.id],  # noqa: SLF001 - SQLAlchemy documents it
        attempt,
        [] if live is None else _pressed(connection, trial.id, live),
    )


def _stage(
    trial: Row[int, int, str, str], row: Row[Any] | None, attempt: AttemptPart | None, live: SessionState | None
) -> TrialStage:
    if attempt is None:
        is_open = trial.status in _OPEN and row is not None and not row.status_reason
        return TrialStage.WAITING if is_open else TrialStage.NOT_PLACED
    if attempt.ended:
        return TrialStage.OVER
    if live is None or live.stage is Stage.OVER:
        return TrialStage.CALLING
    if live.answered_ms is not None:
        return TrialStage.ANSWERED
    return TrialStage.CALLING if live.signalled_ms is None else TrialStage.RINGING


def _reason(trial: Row[int, int, str, str], row: Row[Any] | None) -> str:
    """Return why nothing was placed: what speaks against the number, else what ended the trial."""
    refused = "" if row is None else row.status_reason
    return refused if refused and refused != SubscriberReason.ABORTED else trial.status_reason


def _live(connection: Connection, call_id: int) -> SessionState | None:
    """Return the state of a call over a line; None for a simulated one, which is not followed before its end."""
    query = select(LiveLeg.standing).where(LiveLeg.call_id == call_id, LiveLeg.place == 0)
    standing = connection.scalar(query.limit(1))
    if standing is None:
        return None
    try:
        return msgspec.json.decode(standing, type=SessionState)
    except msgspec.MsgspecError:
        return None


def _pressed(connection: Connection, trial_id: int, live: SessionState) -> list[PressedKeys]:
    survey = sealed_survey(connection, trial_id)
    names = {} if survey is None else {section.id: section_name(section) for section in survey.sections}
    return [
        PressedKeys(names.get(one.section_id, ""), keys)
        for one in live.heard
        if (keys := one.taken.answer) and one.section_id in names
    ]
