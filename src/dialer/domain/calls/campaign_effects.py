"""Effects on campaigns: people who are claimed, put back and completed, and the state of a campaign."""

import msgspec

from dialer.domain.calls.circuit_breaker import CircuitBreaker
from dialer.domain.calls.plans import Call, GatewayKey, Subscriber
from dialer.domain.pacing.inputs import PacingFigures
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.domain.words.reasons import CampaignReason, NoReason, SubscriberReason


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
    """Read a subscriber who waits for a retry again, because the row may have changed during the call."""

    campaign_id: int
    subscriber: Subscriber


class ClaimOffered(msgspec.Struct, frozen=True, gc=False):
    """Read a subscriber whom an agent previews again, because the row may have changed."""

    campaign_id: int
    agent_id: int
    subscriber: Subscriber


class CountSubscribers(msgspec.Struct, frozen=True, gc=False):
    """Find out whether a campaign has subscribers, and whether any of them is not final."""

    campaign_id: int


class CheckNumber(msgspec.Struct, frozen=True, gc=False):
    """Find out whether a number is on a do-not-call list of a campaign, before a call sends it a text message."""

    call_id: int
    campaign_id: int
    number: str
    text: str


class PutBack(msgspec.Struct, frozen=True, gc=False):
    """Record that a subscriber is not called at their turn. They wait until `at_ms`, or become FAIL."""

    campaign_id: int
    subscriber: Subscriber
    at_ms: int
    reason: SubscriberReason | NoReason = ""
    status: SubscriberStatus = SubscriberStatus.PENDING
    is_held: bool = False
    """True if contact rules held them back, also if they wait for a time of their own."""


class KeepFigures(msgspec.Struct, frozen=True, gc=False):
    """Record the figures that a campaign that dials for agents has measured."""

    campaign_id: int
    figures: PacingFigures


class ExpectCallBack(msgspec.Struct, frozen=True, gc=False):
    """Schedule the call-back of a simulated callee."""

    at_ms: int
    call: Call


class CompleteSubscriber(msgspec.Struct, frozen=True, gc=False):
    """Record that a subscriber has completed the survey in a call that came in: COMPLETED, if they were PENDING.

    So is whoever has their number in a campaign that calls people of this one again.
    """

    campaign_id: int
    subscriber_id: int
    number: str


class RefuseSubscriber(msgspec.Struct, frozen=True, gc=False):
    """Record that a subscriber must never be called: NOT_AUTHORIZED, and the reason."""

    campaign_id: int
    subscriber: Subscriber
    reason: SubscriberReason


class MoveCampaign(msgspec.Struct, frozen=True, gc=False):
    """Record a status of a campaign that the engine has changed, and the reason."""

    campaign_id: int
    status: CampaignStatus
    reason: CampaignReason


class KeepBreaker(msgspec.Struct, frozen=True, gc=False):
    """Record the circuit breaker of a gateway."""

    gateway_id: GatewayKey
    breaker: CircuitBreaker
