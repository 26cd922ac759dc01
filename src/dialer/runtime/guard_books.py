"""The guard's books: what it has counted itself of campaigns, gateways and accounts."""

from collections import deque

from dialer.domain.enums import CampaignStatus
from dialer.domain.hopper import NEVER_MS
from dialer.domain.plans import CampaignPlan, GatewayPlan
from dialer.domain.windows import Window, Windows
from dialer.domain.zones import is_zone_key


class CampaignBooks:
    """A campaign's books."""

    __slots__ = (
        "first_ms",
        "in_progress",
        "last_ms",
        "legs",
        "next_dial_us",
        "numbers",
        "plan",
        "spacing_us",
        "status",
        "windows",
    )

    def __init__(self, plan: CampaignPlan) -> None:
        self.plan = plan
        self.status: CampaignStatus | None = None
        """None if nobody has told of it but a call in progress: it dials nobody."""
        self.in_progress = 0
        self.legs = 0
        self.next_dial_us = 0
        self.spacing_us = 0
        """How far apart its dials are at least; 0 if its agents are what paces it."""
        self.windows: dict[str, Window] = {}
        self.first_ms = NEVER_MS
        """The first dial of this step, and the last."""
        self.last_ms = 0
        self.numbers: list[str] = []
        """Who was dialled in this step, where there is a do-not-call list."""

    def forget_step(self) -> None:
        """A step is over."""
        self.first_ms, self.numbers = NEVER_MS, []

    def window(self, zone: str, windows: Windows, now_ms: int) -> Window:
        """Look up its calling window for a subscriber's zone, and keep it in mind."""
        window = Window(is_open=False, until_ms=now_ms)
        if is_zone_key(zone):
            window = windows.at(self.plan.calendar, zone or self.plan.service_zone, now_ms)
        self.windows[zone] = window
        return window


class GatewayBooks:
    """A gateway's books."""

    __slots__ = ("in_progress", "plan", "recent_ms")

    def __init__(self, plan: GatewayPlan) -> None:
        self.plan = plan
        self.in_progress = 0
        self.recent_ms: deque[int] = deque()


class AccountBooks:
    """An account's books, and what was free when the step began."""

    __slots__ = ("balance", "free_before", "held")

    def __init__(self, balance: int, held: int) -> None:
        self.balance = balance
        self.held = held
        self.free_before = balance - held
