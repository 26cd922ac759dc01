"""What the parts of the engine have in common: who is open, what is in progress, and what is to be done about it."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Final

from dialer.domain.billing.credit import Account
from dialer.domain.called_off import CalledOff
from dialer.domain.effects import Effect, KeepBreaker, KeepFigures
from dialer.domain.enums import CampaignStatus, Cause, DialMethod
from dialer.domain.gateway_load import GatewayLoad
from dialer.domain.hopper import NEVER_MS, Hopper
from dialer.domain.pacing.fixed import due_ms
from dialer.domain.pacing.situation import PacingFigures
from dialer.domain.plans import Call, CampaignPlan
from dialer.domain.windows import Windows

ACTIVE: Final = frozenset({CampaignStatus.START, CampaignStatus.PAUSE})


class OpenCampaign:
    """What the engine keeps in mind of an open campaign."""

    __slots__ = (
        "called_off_before",
        "callerid_turns",
        "dialling",
        "figures",
        "first_call_id",
        "greeted",
        "hopper",
        "in_progress",
        "inbound",
        "is_full",
        "is_idle",
        "is_paced",
        "legs",
        "machines",
        "next_dial_ms",
        "next_dial_us",
        "plan",
        "status",
        "wake_ms",
    )

    def __init__(self, plan: CampaignPlan, windows: Windows) -> None:
        self.renew(plan)
        self.status = CampaignStatus.NEW
        self.hopper = Hopper(plan, (), windows, 0)
        self.next_dial_us = 0
        """When the next dial is due; `next_dial_ms` is the first whole millisecond at which it may be made."""
        self.next_dial_ms = 0
        self.callerid_turns: dict[str, int] = {}
        self.first_call_id = 0
        """The first call since it was opened last: whom an earlier one is with may have changed since the dial."""
        self.called_off_before = 0
        """The last number that was called off before it was opened last: claims know of those up to there."""
        self.in_progress = 0
        """Calls that it has placed."""
        self.inbound = 0
        """Calls that came in for it."""
        self.legs = 0
        """B-legs in progress, and calls that wait for one in a queue."""
        self.wake_ms = NEVER_MS
        """The earliest moment for which a wake-up is under way."""
        self.is_full = False
        """It could dial but for `max_aleg`: the end of a call lets it go on."""
        self.is_idle = False
        """Nobody could be called when it looked last."""
        self.figures = PacingFigures()
        self.dialling: dict[int, int] = {}
        """When each call was dialled that may come to an agent and that nobody has answered yet."""
        self.greeted: dict[int, int] = {}
        """When each call was answered that has not come to its transfer yet."""
        self.machines: set[int] = set()
        """Calls in progress that detection found a machine in: nobody is abandoned who is nobody."""

    def renew(self, plan: CampaignPlan) -> None:
        """Go on by other settings."""
        self.plan = plan
        self.is_paced = plan.dial_method is not DialMethod.FIXED_RATE
        """Whether it dials for agents, by what it measures: else there is nothing to remember."""

    def dial_next_at(self, due_us: int) -> None:
        """The next dial is due."""
        self.next_dial_us = due_us
        self.next_dial_ms = due_ms(due_us)


class PacedCampaigns:
    """The campaigns that dial for agents, found by the queues that they dial for: there may be very many of both."""

    __slots__ = ("_by_queue", "_queue_ids")

    def __init__(self) -> None:
        self._queue_ids: dict[int, frozenset[int]] = {}
        self._by_queue: defaultdict[int, set[int]] = defaultdict(set)

    def __iter__(self) -> Iterator[int]:
        """Their ids, in order."""
        return iter(sorted(self._queue_ids))

    def __len__(self) -> int:
        return len(self._queue_ids)

    def add(self, campaign_id: int, queue_ids: frozenset[int]) -> None:
        """A campaign dials for the agents of these queues."""
        self.discard(campaign_id)
        self._queue_ids[campaign_id] = queue_ids
        for queue_id in queue_ids:
            self._by_queue[queue_id].add(campaign_id)

    def discard(self, campaign_id: int) -> None:
        """A campaign dials for agents no more, if it ever did."""
        for queue_id in self._queue_ids.pop(campaign_id, ()):
            self._by_queue[queue_id].discard(campaign_id)
            if not self._by_queue[queue_id]:
                del self._by_queue[queue_id]

    def sharing(self, queue_ids: frozenset[int]) -> list[int]:
        """The ids of those that dial for any of these queues, in order."""
        return sorted(set().union(*(self._by_queue.get(queue_id, ()) for queue_id in queue_ids)))


class Board:
    """The state of the engine."""

    def __init__(self, *, seed: int, first_call_id: int) -> None:
        self.seed: Final = seed
        self.next_call_id = first_call_id
        self.campaigns: Final[dict[int, OpenCampaign]] = {}
        self.paced: Final = PacedCampaigns()
        self.gateways: Final[dict[int, GatewayLoad]] = {}
        self.accounts: Final[dict[int, Account]] = {}
        self.calls: Final[dict[int, Call]] = {}
        self.called_off: Final = CalledOff()
        """Numbers that went onto a do-not-call list since its campaigns were opened."""
        self.windows: Final = Windows()
        nothing_yet: list[Effect] = []
        self.emit: Callable[[Effect], None] = nothing_yet.append
        """Have something done, after what was asked for before: it adds to the list of what follows from an event."""

    def learn(self, gateway_id: int, cause: Cause, started_ms: int, now_ms: int) -> None:
        """An attempt over a gateway is over that was made at `started_ms`: too many that fail, and it rests."""
        gateway = self.gateways[gateway_id]
        if gateway.learn(cause, started_ms, now_ms):
            self.emit(KeepBreaker(gateway_id, gateway.breaker))

    def new_id(self) -> int:
        """The id of the next call request or message."""
        self.next_call_id += 1
        return self.next_call_id - 1

    def keep_figures(self, campaign: OpenCampaign) -> None:
        """Have recorded what a campaign has measured, if it dials by that; once it is over, nobody asks."""
        if campaign.is_paced and campaign.status in ACTIVE:
            self.emit(KeepFigures(campaign.plan.id, campaign.figures))
