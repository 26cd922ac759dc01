"""The deletion of a campaign with its subscribers and call requests; its CDRs and answers stay."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import ColumnElement, Connection, delete, select, update

from dialer.app.campaigns.lost_calls import free_of_needless_outcomes
from dialer.app.overview.examples import note_example_gone
from dialer.app.work.errors import ErrorCode, RefusedError, UnknownRecordError
from dialer.app.work.touched_records import touched_campaigns
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.enums import CampaignStatus
from dialer.store.queries.calls_in_progress import under_way_of_campaign
from dialer.store.rows.joining.call_again import copying_from
from dialer.store.tables import Campaign

TRIALS_AT_ONCE: Final = 100
"""Trials that one unit of work deletes."""


def delete_campaign(unit: UnitOfWork, campaign_id: int) -> None:
    """Delete a campaign that is not started and has no calls or messages in progress.

    A subscriber of the campaign must not be in a call of another campaign, because the rows of that call would be
    deleted.

    Raises:
        UnknownRecordError: there is no such campaign.
        RefusedError: the campaign is started, has calls or messages in progress, or its people are being copied.
    """
    found = unit.connection.execute(select(Campaign.user_id, Campaign.status).where(Campaign.id == campaign_id)).first()
    if found is None:
        raise UnknownRecordError(f"There is no campaign {campaign_id}.")
    if found.status == CampaignStatus.START:
        raise RefusedError(
            "The campaign is in 1 (START): pause, abort or end it first.", code=ErrorCode.CAMPAIGN_RUNNING
        )
    under_way = under_way_of_campaign(unit.connection, campaign_id)
    if under_way.calls:
        raise RefusedError(
            "The campaign has calls in progress. Delete it when they are over.", code=ErrorCode.IN_PROGRESS
        )
    if under_way.messages:
        raise RefusedError(
            "The campaign has messages on their way. Delete it when they are delivered.", code=ErrorCode.IN_PROGRESS
        )
    if copying_from(unit.connection, campaign_id):
        raise RefusedError(
            "Its people are being copied to a campaign that calls them again. Start that one first.",
            code=ErrorCode.IN_PROGRESS,
        )
    for trial_id in trials_of(unit.connection, campaign_id):
        _delete_trial(unit, trial_id)
    linked = _hand_over(unit, campaign_id)
    note_example_gone(unit, campaign_id, found.user_id)
    unit.connection.execute(delete(Campaign).where(Campaign.id == campaign_id))
    unit.note(touched_campaigns(campaign_id, *linked))
    free_of_needless_outcomes(unit, found.user_id)


def trials_of(connection: Connection, campaign_id: int) -> Sequence[int]:
    """Return the campaigns that have called a user's own telephone with the settings of this one, the newest first."""
    query = select(Campaign.id).where(Campaign.trial_of_id == campaign_id)
    return connection.scalars(query.order_by(Campaign.id.desc())).all()


def delete_trials(unit: UnitOfWork, condition: ColumnElement[bool]) -> None:
    """Delete the trials that meet a condition, such as that they name a record which is about to be deleted.

    Nobody sees a trial, so nobody could take the record out of it.

    Raises:
        RefusedError: one of them has not ended, or they are more than `TRIALS_AT_ONCE`.
    """
    if delete_some_trials(unit, condition) == TRIALS_AT_ONCE and _some_trials(unit.connection, condition):
        raise RefusedError("Many tests name it. Delete it by itself.", code=ErrorCode.STILL_USED)


def delete_some_trials(unit: UnitOfWork, condition: ColumnElement[bool]) -> int:
    """Delete the oldest trials that meet a condition, at most `TRIALS_AT_ONCE`; return their number.

    Raises:
        RefusedError: one of them has not ended.
    """
    found = _some_trials(unit.connection, condition)
    for trial_id in found:
        _delete_trial(unit, trial_id)
    return len(found)


def _some_trials(connection: Connection, condition: ColumnElement[bool]) -> Sequence[int]:
    trials = select(Campaign.id).where(Campaign.trial_of_id.is_not(None), condition)
    return connection.scalars(trials.order_by(Campaign.id).limit(TRIALS_AT_ONCE)).all()


def _delete_trial(unit: UnitOfWork, trial_id: int) -> None:
    try:
        delete_campaign(unit, trial_id)
    except RefusedError as error:
        raise RefusedError(
            "A test of this account is in progress. Wait for its end.", code=ErrorCode.IN_PROGRESS
        ) from error


def _hand_over(unit: UnitOfWork, campaign_id: int) -> Sequence[int]:
    """Link the campaigns that call people of this one again to the campaign whose people this one calls again.

    Return their ids.
    """
    source = select(Campaign.source_campaign_id).where(Campaign.id == campaign_id)
    linked = update(Campaign).where(Campaign.source_campaign_id == campaign_id)
    linked = linked.values(source_campaign_id=unit.connection.scalar(source))
    return unit.connection.scalars(linked.returning(Campaign.id)).all()
