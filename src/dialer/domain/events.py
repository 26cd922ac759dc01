"""What the engine is told: past participles, each with what it needs to know and no more."""

import msgspec

from dialer.domain.enums import CampaignStatus
from dialer.domain.money import Rate
from dialer.domain.plans import Call, CallOutcome, CampaignPlan, GatewayPlan, Subscriber


class AccountOpened(msgspec.Struct, frozen=True):
    """An owner's account was read: what it holds, what is reserved of it, and what calls cost."""

    user_id: int
    balance: int
    held: int
    rate: Rate
    sms_rate: int = 0
    """For each part of a text message."""


class GatewayOpened(msgspec.Struct, frozen=True):
    """A gateway's limits were read, with the times of its dials of the last second, oldest first."""

    plan: GatewayPlan
    recent_dials_ms: tuple[int, ...] = ()


class CampaignOpened(msgspec.Struct, frozen=True):
    """A campaign was read, for the first time or because something about it may have changed.

    `zones` are the zone keys of its PENDING subscribers. What the engine had claimed of them before is forgotten.
    """

    plan: CampaignPlan
    status: CampaignStatus
    next_dial_us: int
    zones: tuple[str, ...]
    dials: int = 0
    """How many attempts it has made."""


class CampaignClosed(msgspec.Struct, frozen=True):
    """A campaign was taken out of the engine's hands: ended, aborted or deleted."""

    campaign_id: int
    is_aborted: bool = False


class CallRestored(msgspec.Struct, frozen=True):
    """A call is in progress that was dialled before this engine was born. Its campaign and account are open."""

    call: Call


class CampaignWoken(msgspec.Struct, frozen=True, gc=False):
    """A moment that the engine asked to be told of has come, for a campaign."""

    campaign_id: int


class GatewayWoken(msgspec.Struct, frozen=True, gc=False):
    """The same for a gateway."""

    gateway_id: int


class FreshClaimed(msgspec.Struct, frozen=True):
    """Subscribers never called yet, in id order; `is_last` when the zone has no more."""

    campaign_id: int
    zone: str
    subscribers: list[Subscriber]
    is_last: bool


class RetriesClaimed(msgspec.Struct, frozen=True):
    """Subscribers waiting for a retry, in the order in which they are due; `is_last` when the zone has no more."""

    campaign_id: int
    zone: str
    subscribers: list[Subscriber]
    is_last: bool


class SubscriberClaimedAgain(msgspec.Struct, frozen=True):
    """How a subscriber who waits for a retry stands now; None if they do not wait for one any more."""

    campaign_id: int
    subscriber: Subscriber | None


class SubscribersCounted(msgspec.Struct, frozen=True):
    """Whether a campaign has subscribers, and any that are not final."""

    campaign_id: int
    has_any: bool
    has_open: bool


class DncReached(msgspec.Struct, frozen=True, gc=False):
    """The callee of a call in progress asked not to be called again."""

    call_id: int


class CallEnded(msgspec.Struct, frozen=True, gc=False):
    """A call is over."""

    call_id: int
    outcome: CallOutcome


Event = (
    AccountOpened
    | GatewayOpened
    | CampaignOpened
    | CampaignClosed
    | CallRestored
    | CampaignWoken
    | GatewayWoken
    | FreshClaimed
    | RetriesClaimed
    | SubscriberClaimedAgain
    | SubscribersCounted
    | DncReached
    | CallEnded
)
