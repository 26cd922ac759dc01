"""Events of accounts, gateways and campaigns: what opens, closes and wakes, and who is claimed."""

import msgspec

from dialer.domain.billing.charge import Rate
from dialer.domain.billing.rates import NO_CARD, RateCard
from dialer.domain.calls.circuit_breaker import CircuitBreaker
from dialer.domain.calls.plans import (
    CampaignPlan,
    GatewayKey,
    GatewayPlan,
    Lent,
    Subscriber,
)
from dialer.domain.numbers.destinations import EVERYWHERE, Destinations
from dialer.domain.pacing.inputs import PacingFigures
from dialer.domain.queueing.plans import PreviewOrder
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.proof import Proof


class AccountOpened(msgspec.Struct, frozen=True):
    """An owner's account was read: its balance, the amount held, and the rates, of texts for each part."""

    user_id: int
    balance: int
    held: int
    rate: Rate
    sms_rate: int = 0
    card: RateCard = NO_CARD
    """Rates of calls to certain numbers, in place of `rate`."""
    destinations: Destinations = EVERYWHERE
    """The numbers that the account may call."""
    keeps_events: bool = False
    """True if the events of the account are kept for programs outside of the service."""
    region: str | None = None
    """The country of numbers without one (ISO 3166); None if nobody has set it."""


class GatewayOpened(msgspec.Struct, frozen=True):
    """A gateway's limits were read, with the times of its dials of the last second, oldest first."""

    plan: GatewayPlan
    recent_dials_ms: tuple[int, ...] = ()
    breaker: CircuitBreaker = CircuitBreaker()
    """The state of the gateway's circuit breaker."""
    lent: Lent | None = None
    """The part of the limits that this engine may use; None for all. An engine that shares a gateway knows its own
    dials and failures: it reads `recent_dials_ms` and `breaker` only once."""


class CampaignOpened(msgspec.Struct, frozen=True):
    """A campaign was read, for the first time or because its data may have changed.

    `zones` are the zone keys of its PENDING subscribers. Subscribers that the engine claimed before are forgotten.
    """

    plan: CampaignPlan
    status: CampaignStatus
    next_dial_us: int
    zones: tuple[str, ...]
    callerid_turns: dict[str, int] = {}
    """The number of times each caller ID of the group was shown, by area code (`dialer.domain.engine.callerid`)."""
    figures: PacingFigures | None = None
    """The stored figures of a campaign that dials for agents; None without any. An engine with some keeps its own."""


class CampaignClosed(msgspec.Struct, frozen=True):
    """A campaign was removed from the engine: ended, aborted or deleted."""

    campaign_id: int
    is_aborted: bool = False


class CampaignRenewed(msgspec.Struct, frozen=True):
    """The settings of a finished campaign were read while some of its calls are still in progress."""

    plan: CampaignPlan
    figures: PacingFigures | None = None
    """As in `CampaignOpened`."""


class CampaignWoken(msgspec.Struct, frozen=True, gc=False):
    """The time came for a scheduled check of a campaign."""

    campaign_id: int


class GatewayWoken(msgspec.Struct, frozen=True, gc=False):
    """The time came for a scheduled check of a gateway."""

    gateway_id: GatewayKey


class FreshClaimed(msgspec.Struct, frozen=True):
    """Subscribers who were never called were read, in id order; `is_last` when the zone has no more."""

    campaign_id: int
    zone: str
    subscribers: list[Subscriber]
    is_last: bool


class RetriesClaimed(msgspec.Struct, frozen=True):
    """Subscribers who wait for a retry were read, in order of due time; `is_last` when the zone has no more."""

    campaign_id: int
    zone: str
    subscribers: list[Subscriber]
    is_last: bool


class SubscriberClaimedAgain(msgspec.Struct, frozen=True):
    """A subscriber who waits for a retry was read again; None if they no longer wait for one."""

    campaign_id: int
    subscriber: Subscriber | None


class OfferedClaimed(msgspec.Struct, frozen=True):
    """A subscriber whom an agent previews was read again; None if they no longer wait for a call."""

    campaign_id: int
    agent_id: int
    subscriber: Subscriber | None


class PersonDecided(msgspec.Struct, frozen=True, gc=False):
    """A simulated agent has decided about the person whom they preview."""

    agent_id: int
    order: PreviewOrder


class SubscribersCounted(msgspec.Struct, frozen=True):
    """The subscribers of a campaign were counted: `has_open` is true if any of them is not final."""

    campaign_id: int
    has_any: bool
    has_open: bool


class NumberStopped(msgspec.Struct, frozen=True, gc=False):
    """A real or simulated person asked not to be contacted again outside of a call, or perhaps did: `is_held`."""

    user_id: int | None
    """The account that wrote to them; None if nobody knows which one did."""
    dnc_id: int | None
    """The first list that the campaign names that wrote to them last. None if it names none."""
    number: str
    proof: Proof
    is_held: bool = False
    is_simulated: bool = False


class NumberChecked(msgspec.Struct, frozen=True, gc=False):
    """The number of a text message was looked up in the campaign's do-not-call list."""

    call_id: int
    number: str
    text: str
    is_on_dnc: bool
