"""What the engine wants done: imperatives, performed by whoever drives it."""

import msgspec

from dialer.domain.enums import CampaignStatus
from dialer.domain.plans import Bill, Call, CallOutcome, Subscriber, Verdict


class ClaimFresh(msgspec.Struct, frozen=True, gc=False):
    """Read up to `limit` PENDING subscribers of a zone that were never called, with ids after `after_id`."""

    campaign_id: int
    zone: str
    after_id: int
    limit: int


class ClaimRetries(msgspec.Struct, frozen=True, gc=False):
    """Read up to `limit` PENDING subscribers of a zone that wait for a retry, due after `(after_due_ms, after_id)`."""

    campaign_id: int
    zone: str
    after_due_ms: int
    after_id: int
    limit: int


class ClaimAgain(msgspec.Struct, frozen=True, gc=False):
    """Read a subscriber anew who waits for a retry: what was known of them may have changed during the call."""

    campaign_id: int
    subscriber: Subscriber


class CountSubscribers(msgspec.Struct, frozen=True, gc=False):
    """Find out whether a campaign has subscribers, and any that are not final."""

    campaign_id: int


class Dial(msgspec.Struct, frozen=True, gc=False):
    """Place a call. The attempt and its hold are on record before a real carrier hears of it."""

    call: Call
    next_dial_us: int
    """When the campaign's pacing allows the dial after this one."""


class HangUp(msgspec.Struct, frozen=True, gc=False):
    """End a call in progress now."""

    call_id: int


class FinishCall(msgspec.Struct, frozen=True, gc=False):
    """Record a call that is over: its CDR, its charge, its answers, and what becomes of the subscriber."""

    call: Call
    outcome: CallOutcome
    bill: Bill
    verdict: Verdict


class RefuseSubscriber(msgspec.Struct, frozen=True, gc=False):
    """Record that a subscriber is not to be called at all: NOT_AUTHORIZED, and why."""

    campaign_id: int
    subscriber: Subscriber
    reason: str


class MoveCampaign(msgspec.Struct, frozen=True, gc=False):
    """Record that a campaign has come to another state by itself, and why."""

    campaign_id: int
    status: CampaignStatus
    reason: str


class AddToDnc(msgspec.Struct, frozen=True, gc=False):
    """Put a number on a do-not-call list."""

    dnc_id: int
    number: str


class WakeCampaign(msgspec.Struct, frozen=True, gc=False):
    """Send `CampaignWoken` at a moment."""

    at_ms: int
    campaign_id: int


class WakeGateway(msgspec.Struct, frozen=True, gc=False):
    """Send `GatewayWoken` at a moment."""

    at_ms: int
    gateway_id: int


Effect = (
    ClaimFresh
    | ClaimRetries
    | ClaimAgain
    | CountSubscribers
    | Dial
    | HangUp
    | FinishCall
    | RefuseSubscriber
    | MoveCampaign
    | AddToDnc
    | WakeCampaign
    | WakeGateway
)
