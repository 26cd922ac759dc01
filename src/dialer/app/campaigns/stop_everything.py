"""Stop everything: all running campaigns are paused in one step, and one step resumes exactly these.

The audit log, which has an entry for each paused campaign, is the memory of what was paused.
"""

from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, func, select

from dialer.app.campaigns.change import pause_campaign, start_campaign
from dialer.app.work.errors import InvalidFieldsError, RefusedError, VoiceUntriedError
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.states import IllegalMoveError
from dialer.store.tables import AuditLog, Campaign

STOPPED_MAX: Final = 1_000
"""Campaigns that one step pauses."""
_PAUSED: Final = "campaign_paused"
_STATUS: Final = '"status"'


class Resumed(NamedTuple):
    """The number of campaigns that go on, and of those that do not: changed since, or not able to start."""

    resumed: int
    left: int


def pause_running(unit: UnitOfWork, which: ColumnElement[bool]) -> int:
    """Pause the running campaigns among some, and return their number. Calls in progress continue."""
    running = select(Campaign.id).where(Campaign.status == CampaignStatus.START, which)
    ids = unit.connection.scalars(running.order_by(Campaign.id).limit(STOPPED_MAX)).all()
    for campaign_id in ids:
        pause_campaign(unit, campaign_id)
    return len(ids)


def stopped_at(connection: Connection, actor_id: int, moment_ms: int) -> list[int]:
    """Return the campaigns that a user paused at a moment."""
    entries = select(AuditLog.record_id).where(*_of_step(actor_id, moment_ms)).limit(STOPPED_MAX)
    return [one for one in connection.scalars(entries) if one is not None]


def _of_step(actor_id: int, moment_ms: int) -> tuple[ColumnElement[bool], ...]:
    return AuditLog.created_date == moment_ms, AuditLog.actor_id == actor_id, AuditLog.action == _PAUSED


def resume_stopped(unit: UnitOfWork, actor_id: int, moment_ms: int, which: ColumnElement[bool]) -> Resumed:
    """Resume the campaigns that a user paused at a time, except those that were changed since."""
    stopped = stopped_at(unit.connection, actor_id, moment_ms)
    paused = select(Campaign.id).where(Campaign.id.in_(stopped), Campaign.status == CampaignStatus.PAUSE, which)
    changed: set[int | None] = set(unit.connection.scalars(_changed_since(stopped, actor_id, moment_ms)))
    resumed = 0
    for campaign_id in unit.connection.scalars(paused.order_by(Campaign.id)).all():
        if campaign_id not in changed:
            resumed += _resume(unit, campaign_id)
    return Resumed(resumed, len(stopped) - resumed)


def _changed_since(ids: list[int], actor_id: int, moment_ms: int) -> Select[int | None]:
    """Return a query of those campaigns whose state has an entry after those of a step."""
    last = select(func.max(AuditLog.id)).where(*_of_step(actor_id, moment_ms)).scalar_subquery()
    return select(AuditLog.record_id).where(
        AuditLog.id > last,
        AuditLog.record_id.in_(ids),
        AuditLog.resource.in_(("campaigns", "sms-campaigns")),
        AuditLog.action.startswith("campaign_") | AuditLog.after.contains(_STATUS),
    )


def _resume(unit: UnitOfWork, campaign_id: int) -> bool:
    """Resume a campaign; return False if it cannot go on, such as after its gateway was deleted."""
    try:
        start_campaign(unit, campaign_id)
    except VoiceUntriedError:
        raise  # It is tried, and then this begins anew.
    except (IllegalMoveError, InvalidFieldsError, RefusedError):
        return False
    return True
