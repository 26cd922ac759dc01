"""What the engine is told: past participles, each with what it needs to know and no more.

What a carrier reports of a call has a `seq` in the order of its reports, from 1 on: one no higher than that of a
report that was heard before is an echo. It is 0 for what this side has brought about itself.
"""

import msgspec

from dialer.domain.billing.money import Rate
from dialer.domain.billing.rates import NO_CARD, RateCard
from dialer.domain.circuit_breaker import CircuitBreaker
from dialer.domain.enums import CampaignStatus
from dialer.domain.pacing.situation import PacingFigures
from dialer.domain.plans import Call, CallOutcome, CampaignPlan, GatewayPlan, LegOutcome, Subscriber
from dialer.domain.queueing.plans import AgentFigures, AgentPlan, LeftEarly, QueuePlan


class AccountOpened(msgspec.Struct, frozen=True):
    """An owner's account was read: what it holds, what is reserved of it, and what calls cost."""

    user_id: int
    balance: int
    held: int
    rate: Rate
    sms_rate: int = 0
    """For each part of a text message."""
    card: RateCard = NO_CARD
    """What calls to certain numbers cost instead of `rate`."""


class GatewayOpened(msgspec.Struct, frozen=True):
    """A gateway's limits were read, with the times of its dials of the last second, oldest first."""

    plan: GatewayPlan
    recent_dials_ms: tuple[int, ...] = ()
    breaker: CircuitBreaker = CircuitBreaker()
    """How it has fared lately."""


class CampaignOpened(msgspec.Struct, frozen=True):
    """A campaign was read, for the first time or because something about it may have changed.

    `zones` are the zone keys of its PENDING subscribers. What the engine had claimed of them before is forgotten.
    """

    plan: CampaignPlan
    status: CampaignStatus
    next_dial_us: int
    zones: tuple[str, ...]
    callerid_turns: dict[str, int] = {}
    """How often caller IDs of its group were shown, by area code (`dialer.domain.numbers.callerid`)."""
    figures: PacingFigures | None = None
    """What it has measured so far, if it is paced by its agents; None if it was told before and goes on."""


class CampaignClosed(msgspec.Struct, frozen=True):
    """A campaign was taken out of the engine's hands: ended, aborted or deleted."""

    campaign_id: int
    is_aborted: bool = False


class CampaignRenewed(msgspec.Struct, frozen=True):
    """How a campaign stands that is over, while something of it is still in progress."""

    plan: CampaignPlan


class CallRestored(msgspec.Struct, frozen=True):
    """A call is in progress that was dialled before this engine was born. Its gateway and account are open."""

    call: Call
    answered_ms: int | None = None
    """When it was answered, if `CallAnswered` has told so."""
    is_live: bool = True


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
    seq: int = 0


class CallAnswered(msgspec.Struct, frozen=True, gc=False):
    """A call that may come to an agent was answered, and by whom is known as far as it ever will."""

    call_id: int
    answered_ms: int
    is_live: bool
    seq: int = 0


class TextRequested(msgspec.Struct, frozen=True, gc=False):
    """A call has come to a section that sends a text message."""

    call_id: int
    number: str
    text: str
    seq: int = 0


class NumberChecked(msgspec.Struct, frozen=True, gc=False):
    """Whether the number of such a message stands on the campaign's do-not-call list at this moment."""

    call_id: int
    number: str
    text: str
    is_on_dnc: bool


class TransferReached(msgspec.Struct, frozen=True, gc=False):
    """A call has come to a transfer: to a queue, else to a number."""

    call_id: int
    section_id: int
    queue_id: int | None
    number: str
    answered_ms: int
    seq: int = 0


class CallerLeft(msgspec.Struct, frozen=True, gc=False):
    """A caller who waits in a queue has given up waiting, and stays in the call."""

    call_id: int
    seq: int = 0


class AgentAnswered(msgspec.Struct, frozen=True, gc=False):
    """An agent takes the call that they were asked to take at `offered_ms`."""

    call_id: int
    agent_id: int
    offered_ms: int


class LegEnded(msgspec.Struct, frozen=True, gc=False):
    """A call's B-leg is over."""

    call_id: int
    outcome: LegOutcome
    seq: int = 0


class FloorWoken(msgspec.Struct, frozen=True, gc=False):
    """A moment that the engine asked to be told of has come, for queues and agents."""


class WatchdogWoken(msgspec.Struct, frozen=True, gc=False):
    """A moment has come at which the calls in progress are to be looked at."""


class QueueOpened(msgspec.Struct, frozen=True):
    """A queue was read, for the first time or because something about it may have changed."""

    plan: QueuePlan
    last_agent_id: int = 0
    left_early: tuple[LeftEarly, ...] = ()
    no_agent_from_ms: int = 0


class AgentOpened(msgspec.Struct, frozen=True):
    """The same for an agent; `figures` are None if they were told before and go on."""

    plan: AgentPlan
    figures: AgentFigures | None = None


class QueueClosed(msgspec.Struct, frozen=True):
    """A queue was deleted. Calls that wait in it have nobody to wait for."""

    queue_id: int


class AgentClosed(msgspec.Struct, frozen=True):
    """An agent was deleted."""

    agent_id: int


class DidOpened(msgspec.Struct, frozen=True):
    """A number that others call was read, with the campaign that answers it; None if there is none that can."""

    did_id: int
    user_id: int
    number: str
    plan: CampaignPlan | None = None


class DidClosed(msgspec.Struct, frozen=True):
    """A number that others call was deleted."""

    did_id: int


class CallArrived(msgspec.Struct, frozen=True):
    """Somebody calls back the number that a call they missed has shown."""

    missed_call_id: int
    user_id: int
    """Whose call it was that they missed."""
    missed_attempt: int
    did_number: str
    subscriber: Subscriber


class CallEnded(msgspec.Struct, frozen=True, gc=False):
    """A call is over."""

    call_id: int
    outcome: CallOutcome
    seq: int = 0


Report = DncReached | CallAnswered | TextRequested | TransferReached | CallerLeft | LegEnded | CallEnded
"""What a carrier reports of a call."""
Event = (
    AccountOpened
    | GatewayOpened
    | CampaignOpened
    | CampaignClosed
    | CampaignRenewed
    | CallRestored
    | CampaignWoken
    | GatewayWoken
    | FreshClaimed
    | RetriesClaimed
    | SubscriberClaimedAgain
    | SubscribersCounted
    | DncReached
    | CallAnswered
    | TextRequested
    | NumberChecked
    | TransferReached
    | CallerLeft
    | AgentAnswered
    | LegEnded
    | FloorWoken
    | WatchdogWoken
    | QueueOpened
    | AgentOpened
    | QueueClosed
    | AgentClosed
    | DidOpened
    | DidClosed
    | CallArrived
    | CallEnded
)
