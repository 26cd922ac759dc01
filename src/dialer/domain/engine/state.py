"""The shared state of the engine's parts: open campaigns, calls in progress, and the effects of the current event."""

from collections import defaultdict
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final

from dialer.domain.calling_times.calling_windows import Windows
from dialer.domain.calls.campaign_effects import KeepBreaker, KeepFigures
from dialer.domain.calls.effects import Effect
from dialer.domain.calls.plans import Call, CampaignPlan, GatewayKey
from dialer.domain.engine.called_off import CalledOff
from dialer.domain.engine.credit import Account
from dialer.domain.engine.gateway_load import GatewayLoad
from dialer.domain.engine.hopper import Hopper
from dialer.domain.engine.recent_contacts import RecentContacts
from dialer.domain.pacing.foresight import Foresight
from dialer.domain.pacing.inputs import PacingFigures
from dialer.domain.pacing.measure import Measurements
from dialer.domain.pacing.strategies import strategy_named
from dialer.domain.words.enums import CampaignStatus, Cause, DialMethod
from dialer.domain.words.moments import NEVER_MS

ACTIVE: Final = frozenset({CampaignStatus.START, CampaignStatus.PAUSE})


class OpenCampaign:
    """The engine's state of an open campaign."""

    __slots__ = (
        "called_off_before",
        "callerid_turns",
        "dialling",
        "first_call_id",
        "foresight",
        "greeted",
        "has_figures",
        "hopper",
        "in_progress",
        "inbound",
        "is_full",
        "is_idle",
        "is_paced",
        "is_plain",
        "is_previewed",
        "keeps_share",
        "legs",
        "machines",
        "measured",
        "next_dial_ms",
        "next_dial_us",
        "offered",
        "plan",
        "reaches_agents",
        "status",
        "strategy",
        "texts",
        "wake_ms",
        "wanted",
    )

    def __init__(self, plan: CampaignPlan, windows: Windows) -> None:
        self.renew(plan)
        self.status = CampaignStatus.NEW
        self.hopper = Hopper(plan, (), windows, 0)
        self.next_dial_us = 0
        """The time of the next dial in microseconds; `next_dial_ms` is the first whole millisecond at which it may be
        made, after the campaign has begun. A campaign that dials for agents waits for its begin only."""
        self.next_dial_ms = 0
        self.callerid_turns: dict[str, int] = {}
        self.first_call_id = 0
        """The first call since the campaign was last opened. The subscriber of an earlier call may have changed since
        its dial."""
        self.called_off_before = 0
        """The place in `CalledOff` when the campaign was last opened: its claims take earlier numbers into account."""
        self.in_progress = 0
        """Number of calls in progress that the campaign has placed."""
        self.inbound = 0
        """Number of inbound calls in progress for the campaign."""
        self.legs = 0
        """Number of B-legs in progress, and of calls that wait for one in a queue."""
        self.texts = 0
        """Number of text messages of its calls that wait for room on a gateway."""
        self.wake_ms = NEVER_MS
        """The earliest time for which a wake-up is scheduled."""
        self.is_idle = False
        """True if the campaign found no subscriber to call when it last looked."""
        self.measure(PacingFigures())
        self.has_figures = False
        """True if the figures go on from the stored ones. Until then they are not recorded, as they lack the past."""
        self.dialling: dict[int, int] = {}
        """The dial time of each call that may reach an agent and is not answered yet, by call id."""
        self.greeted: dict[int, int] = {}
        """The answer time of each call that has not reached its transfer yet, by call id."""
        self.offered: dict[int, int] = {}
        """The agent who looks at each subscriber before the call, by the subscriber's id."""
        self.wanted: set[int] = set()
        """The agents who want to call the person at whom they look."""
        self.machines: set[int] = set()
        """Calls in progress that were answered by a machine: these never count as abandoned."""

    def renew(self, plan: CampaignPlan) -> None:
        """Replace the settings of the campaign."""
        self.plan = plan
        self.is_full = False
        """True if only `max_aleg` stops the campaign from dialling: the end of a call lets it dial again."""
        self.is_paced = plan.dial_method is not DialMethod.FIXED_RATE
        """True for a campaign that dials for agents, by its measured figures."""
        self.strategy = strategy_named(plan.strategy, plan.dial_method)
        is_ahead = plan.dial_method is DialMethod.PROGRESSIVE and plan.agent_dial_rate > 1
        self.keeps_share = is_ahead or plan.dial_method is DialMethod.PREDICTIVE
        """True for a campaign that dials ahead of its agents, within a share of abandoned calls that it promises."""
        self.is_previewed = plan.dial_method is DialMethod.PREVIEW
        """True for a campaign whose agents see each person before the call."""
        self.reaches_agents = bool(plan.flow.queue_ids)
        """True if calls may reach an agent, whatever the dial method, which may change."""
        self.is_plain = not (self.is_paced or self.reaches_agents)
        """True if no agents decide about a dial (`dialer.domain.engine.plain_dials`)."""

    def measure(self, figures: PacingFigures) -> None:
        """Go on with the figures that were measured so far."""
        self.measured = Measurements(figures)
        self.foresight = Foresight(self.measured)
        self.has_figures = True

    @property
    def places_taken(self) -> int:
        """Return how many of `max_aleg` places are taken. Persons at whom agents look have places, too.

        The first of them whom an agent wants takes the next place. The others wait, if agents have chosen more persons.
        """
        return self.in_progress if self.wanted else self.in_progress + len(self.offered)

    def dial_next_at(self, due_us: int) -> None:
        """Set the time of the next dial, which is not before the campaign begins."""
        self.next_dial_us = due_us
        ready_ms, starting_ms = -(-due_us // 1_000), self.plan.starting_ms  # As `due_ms`, without a call at each dial.
        self.next_dial_ms = ready_ms if ready_ms > starting_ms else starting_ms  # noqa: FURB136 - faster than max()


class PacedCampaigns:
    """The campaigns that dial for agents, indexed by their queues, as there may be very many of both."""

    __slots__ = ("_by_queue", "_changed", "queue_ids")

    def __init__(self) -> None:
        self.queue_ids: Final[dict[int, frozenset[int]]] = {}
        """The queues of each campaign, by its id. It is empty if no campaign dials for agents."""
        self._by_queue: defaultdict[int, set[int]] = defaultdict(set)
        self._changed: set[int] = set()
        """Campaigns of which something has changed that pacing depends on, since `take_concerned` was asked last."""

    def add(self, campaign_id: int, queue_ids: frozenset[int]) -> None:
        """Add a campaign that dials for the agents of these queues, or replace its queues."""
        self.discard(campaign_id)
        self.queue_ids[campaign_id] = queue_ids
        for queue_id in queue_ids:
            self._by_queue[queue_id].add(campaign_id)
        self._changed.add(campaign_id)

    def discard(self, campaign_id: int) -> None:
        """Remove a campaign, if it is present."""
        self._changed.update(self.sharing_with(campaign_id))
        for queue_id in self.queue_ids.pop(campaign_id, ()):
            self._by_queue[queue_id].discard(campaign_id)
            if not self._by_queue[queue_id]:
                del self._by_queue[queue_id]

    def change(self, campaign_id: int) -> None:
        """Note that the calls or the figures of a campaign have changed, if it dials for agents."""
        if campaign_id in self.queue_ids:
            self._changed.add(campaign_id)

    def is_alone(self, campaign_id: int) -> bool:
        """Return whether a campaign dials for its queues, and no other one does for any of them."""
        queue_ids = self.queue_ids.get(campaign_id)
        if queue_ids is None or len(self.queue_ids) == 1:
            return queue_ids is not None
        return all(len(self._by_queue[queue_id]) == 1 for queue_id in queue_ids)

    def sharing(self, queue_ids: AbstractSet[int]) -> list[int]:
        """Return the ids of the campaigns that dial for any of these queues, in order."""
        return sorted(set().union(*filter(None, map(self._by_queue.get, queue_ids))))

    def sharing_with(self, campaign_id: int) -> list[int]:
        """Return the ids of the campaigns that dial for a queue of this one, in order."""
        return self.sharing(self.queue_ids.get(campaign_id, frozenset()))

    def take_concerned(self, queue_ids: AbstractSet[int]) -> list[int]:
        """Return the ids of the campaigns for which the possible number of calls may have changed, in order.

        They dial for these queues or have changed since the last request, or share a queue with one that has.
        """
        changed = self._changed
        if not changed and not queue_ids:
            return []
        self._changed = set()
        if len(self.queue_ids) == 1:  # As in most forecasts. Nothing is shared.
            ((campaign_id, own),) = self.queue_ids.items()
            return [campaign_id] if campaign_id in changed or not own.isdisjoint(queue_ids) else []
        shared = set(queue_ids).union(*filter(None, map(self.queue_ids.get, changed)))
        return sorted(changed.intersection(self.queue_ids).union(*filter(None, map(self._by_queue.get, shared))))


class EngineState:
    """The state of the engine."""

    def __init__(self, *, seed: int, first_call_id: int) -> None:
        self.seed: Final = seed
        self.next_call_id = first_call_id
        self.campaigns: Final[dict[int, OpenCampaign]] = {}
        self.paced: Final = PacedCampaigns()
        self.awaiting: Final = PacedCampaigns()
        """The campaigns that have a due call-back whose agent takes it themselves, and was not free."""
        self.gateways: Final[dict[GatewayKey, GatewayLoad]] = {}
        self.lost_lines: Final = set[GatewayKey]()
        """The gateways whose lines do not work."""
        self.accounts: Final[dict[int, Account]] = {}
        self.calls: Final[dict[int, Call]] = {}
        self.called_off: Final = CalledOff()
        """Numbers that were put on a do-not-call list since the campaigns that use it were opened."""
        self.contacts: Final = RecentContacts()
        """Numbers with which contacts were made since campaigns with rules have read them."""
        self.windows: Final = Windows()
        nothing_yet: list[Effect] = []
        self.emit: Callable[[Effect], None] = nothing_yet.append
        """Add an effect to the list that results from the current event."""

    def campaign_of(self, plan: CampaignPlan) -> OpenCampaign:
        """Return the campaign of a call or a message. A campaign that is over is added again, until its calls end."""
        campaign = self.campaigns.get(plan.id)
        if campaign is None:
            campaign = self.campaigns[plan.id] = OpenCampaign(plan, self.windows)
        return campaign

    def forget_if_over(self, campaign: OpenCampaign) -> None:
        """Remove a campaign that no longer dials and has no calls in progress, nor messages that wait."""
        if campaign.in_progress == campaign.inbound == campaign.texts == 0 and campaign.status not in ACTIVE:
            self.campaigns.pop(campaign.plan.id, None)
            self.paced.discard(campaign.plan.id)
            self.awaiting.discard(campaign.plan.id)

    def contacted(self, call: Call) -> None:
        """Note that more is known of a contact than people of campaigns with rules were read with."""
        if self.contacts.is_followed:
            self.contacts.note(call.subscriber.number)

    def learn(self, gateway: GatewayLoad, cause: Cause, started_ms: int, now_ms: int, retry_after_ms: int = 0) -> None:
        """Update the circuit breaker of a gateway after an attempt that was made at `started_ms`."""
        if gateway.learn(cause, started_ms, now_ms, retry_after_ms):
            self.emit(KeepBreaker(gateway.plan.id, gateway.breaker))

    def new_id(self) -> int:
        """Return the id of the next call request or message."""
        self.next_call_id += 1
        return self.next_call_id - 1

    def keep_figures(self, campaign: OpenCampaign) -> None:
        """Emit the figures of a campaign that dials for agents, so that they are recorded.

        One that is over may be opened again, so the calls that it has in progress count, too.
        """
        self.paced.change(campaign.plan.id)
        if campaign.is_paced and campaign.has_figures:
            self.emit(KeepFigures(campaign.plan.id, campaign.measured.figures))
