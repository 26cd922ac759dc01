"""The conditions of calls in progress, and of trials of campaigns."""

from typing import Final

from sqlalchemy import ColumnElement, and_, exists, or_, select

from dialer.domain.words.enums import CampaignStatus
from dialer.store.tables import CallInProgress, CallRequest, Campaign, SmsMessage, WaitingText

IS_CALLING: Final[ColumnElement[bool]] = CallRequest.id.in_(select(CallInProgress.id))
"""True for a call request whose call is in progress. No index has its status, which changes with every call."""


def is_trial_in_progress() -> ColumnElement[bool]:
    """Return the condition that a campaign is a trial that waits, or whose call or messages are in progress."""
    calls = exists().where(CallRequest.campaign_id == Campaign.id, IS_CALLING)
    texts = exists().where(SmsMessage.campaign_id == Campaign.id, SmsMessage.ended_ms.is_(None))
    waiting = exists().where(WaitingText.campaign_id == Campaign.id)
    is_open = or_(Campaign.status.in_((CampaignStatus.START, CampaignStatus.PAUSE)), calls, texts, waiting)
    return and_(Campaign.trial_of_id.is_not(None), is_open)
