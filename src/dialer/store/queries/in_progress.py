"""The conditions of calls in progress, and of trials of campaigns."""

from typing import Final

from sqlalchemy import ColumnElement, and_, exists, not_, or_, select

from dialer.domain.words.enums import CampaignStatus
from dialer.store.tables import CallInProgress, CallRequest, Campaign, LiveLeg, SmsMessage, WaitingText

IS_CALLING: Final[ColumnElement[bool]] = CallRequest.id.in_(select(CallInProgress.id))
"""True for a call request whose call is in progress. No index has its status, which changes with every call."""


def is_trial_in_progress() -> ColumnElement[bool]:
    """Return the condition that a campaign is a trial that waits, or whose call or messages are in progress."""
    calls = exists().where(CallRequest.campaign_id == Campaign.id, IS_CALLING)
    texts = exists().where(SmsMessage.campaign_id == Campaign.id, SmsMessage.ended_ms.is_(None))
    waiting = exists().where(WaitingText.campaign_id == Campaign.id)
    is_open = or_(Campaign.status.in_((CampaignStatus.START, CampaignStatus.PAUSE)), calls, texts, waiting)
    return and_(Campaign.trial_of_id.is_not(None), is_open)


def is_with_carrier() -> ColumnElement[bool]:
    """Return the condition that a carrier has accepted a message, of which only its receipt is missing."""
    return exists().where(LiveLeg.call_id == SmsMessage.id, LiveLeg.standing.contains('"is_accepted":true'))


def may_say_a_name() -> ColumnElement[bool]:
    """Return the condition that a trial in progress may still speak, or write, the name that it has.

    A text that its carrier has accepted is written, and a trial has no second one. Its receipt may take a day, or
    never come.
    """
    written = exists().where(SmsMessage.campaign_id == Campaign.id, SmsMessage.ended_ms.is_(None), is_with_carrier())
    return and_(is_trial_in_progress(), not_(written))
