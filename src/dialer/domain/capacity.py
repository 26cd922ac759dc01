"""What limits dialling besides pacing: a gateway's channels and call rate, and an account's money."""

from collections import deque
from typing import Final

from dialer.domain.hopper import NEVER_MS
from dialer.domain.money import Rate
from dialer.domain.plans import CampaignPlan, GatewayPlan

SECOND_MS: Final = 1_000


class GatewayLoad:
    """What a gateway carries just now, and which campaigns wait for a place on it."""

    __slots__ = ("in_progress", "plan", "recent_dials_ms", "waiting", "wake_ms")

    def __init__(self, plan: GatewayPlan) -> None:
        self.plan = plan
        self.in_progress = 0
        self.recent_dials_ms: deque[int] = deque(maxlen=plan.max_cps or None)
        self.waiting: set[int] = set()
        """Ids of the campaigns that could dial if there were a place."""
        self.wake_ms = NEVER_MS
        """The earliest moment for which a wake-up is under way."""

    def free_at_ms(self, now_ms: int) -> int:
        """When one more call may be placed; `NEVER_MS` while only the end of a call can tell."""
        if self.plan.max_channels and self.in_progress >= self.plan.max_channels:
            return NEVER_MS
        if self.plan.max_cps and len(self.recent_dials_ms) >= self.plan.max_cps:
            return max(now_ms, self.recent_dials_ms[0] + SECOND_MS)
        return now_ms

    def dialled(self, now_ms: int) -> None:
        """A call was placed."""
        self.in_progress += 1
        if self.plan.max_cps:
            self.recent_dials_ms.append(now_ms)

    def renew(self, plan: GatewayPlan, recent_dials_ms: tuple[int, ...]) -> None:
        """Go on under other limits."""
        self.plan = plan
        self.recent_dials_ms = deque(recent_dials_ms, maxlen=plan.max_cps or None)


class Account:
    """An owner's money as the engine sees it: the balance, and what is held of it for calls in progress."""

    __slots__ = ("balance", "held", "rate", "waiting")

    def __init__(self, balance: int, held: int, rate: Rate) -> None:
        self.balance = balance
        self.held = held
        self.rate = rate
        self.waiting: set[int] = set()
        """Ids of the campaigns that wait for a call to end and set money free."""

    def talk_limit_s(self, plan: CampaignPlan) -> int:
        """The longest conversation that the campaign allows and the free balance pays for; 0 for none."""
        return self.rate.affordable_s(self.balance - self.held, plan.callmaxduration_s)

    def price(self, talk_s: int) -> int:
        """What a conversation of `talk_s` seconds costs, in integers of 1e-5."""
        return self.rate.cost(self.rate.billed_duration(talk_s))
