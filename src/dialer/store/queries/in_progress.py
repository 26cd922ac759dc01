"""The conditions of calls in progress, and of trials of campaigns."""

from typing import Final

from sqlalchemy import ColumnElement, and_, exists, not_, or_, select

from dialer.domain.words.enums import CampaignStatus
from dialer.store.tables import CallInProgress, CallRequest, Campaign, LiveLeg, SmsMessage, WaitingText

IS_CALLING: Final[ColumnElement[bool]] = CallRequest.id.in_(select(CallInProgress.id))
"""True for a call request whose call is in progress. No index has its status, which changes with every call."""

_HAS_CALL: Final = exists().where(CallRequest.campaign_id == Campaign.id, IS_CALLING)
_HAS_WAITING_TEXT: Final = exists().where(WaitingText.campaign_id == Campaign.id)
_HAS_TEXT: Final = exists().where(SmsMessage.campaign_id == Campaign.id, SmsMessage.ended_ms.is_(None))


def is_trial_in_progress() -> ColumnElement[bool]:
    """Return the condition that a campaign is a trial that waits, or whose call or messages are in progress."""
    is_open = Campaign.status.in_((CampaignStatus.START, CampaignStatus.PAUSE))
    return and_(Campaign.trial_of_id.is_not(None), or_(is_open, _HAS_CALL, _HAS_WAITING_TEXT, _HAS_TEXT))


def is_with_carrier() -> ColumnElement[bool]:
    """Return the condition that a carrier has accepted a message, of which only its receipt is missing."""
    return exists().where(LiveLeg.call_id == SmsMessage.id, LiveLeg.standing.contains('"is_accepted":true'))


def may_say_a_name() -> ColumnElement[bool]:
    """Return the condition that a trial in progress may still speak, or write, the name that it has.

    A text that its carrier has accepted is written, and its receipt may take a day, or never come. So a trial that is
    open for such a receipt alone is silent. One whose call goes on is not, nor one with another text to be sent.
    """
    is_written = _HAS_TEXT.where(is_with_carrier())
    is_unwritten = _HAS_TEXT.where(not_(is_with_carrier()))
    return and_(is_trial_in_progress(), or_(_HAS_CALL, _HAS_WAITING_TEXT, is_unwritten, not_(is_written)))
