"""Books of the guard: its own counts for campaigns, gateways and accounts."""

from collections import deque

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_windows import Window, Windows
from dialer.domain.calling_times.zones import is_zone_key
from dialer.domain.calls.events import AccountOpened
from dialer.domain.calls.plans import CampaignPlan, GatewayPlan
from dialer.domain.engine.gateway_load import limits_of
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.moments import NEVER_MS


class CampaignBooks:
    """Books of a campaign."""

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
        """Status of the campaign. None if it is known only from a call in progress; then it may not dial."""
        self.in_progress = 0
        self.legs = 0
        self.next_dial_us = 0
        self.spacing_us = 0
        """Minimum time between dials; 0 if the campaign is paced by its agents."""
        self.windows: dict[str, Window] = {}
        self.first_ms = NEVER_MS
        """Time of the first dial in this step. `last_ms` is the time of the last one."""
        self.last_ms = 0
        self.numbers: list[str] = []
        """Numbers dialled in this step."""

    def forget_step(self) -> None:
        """Reset the fields that concern one step."""
        self.first_ms, self.numbers = NEVER_MS, []

    def window(self, zone: str, windows: Windows, now_ms: int, hours: Calendar | None) -> Window:
        """Return the calling window of a zone within the calling hours of the gateway, and cache it."""
        window = Window(is_open=False, until_ms=now_ms)
        if is_zone_key(zone):
            window = windows.at(self.plan.calendar, zone or self.plan.service_zone, now_ms, hours)
        self.windows[zone] = window
        return window


class GatewayBooks:
    """Books of a gateway."""

    __slots__ = ("in_progress", "is_read", "limits", "plan", "recent_ms")

    def __init__(self, plan: GatewayPlan) -> None:
        self.plan = plan
        self.limits = limits_of(plan, None)
        self.is_read = False
        """True once the gateway was read from its row."""
        self.in_progress = 0
        self.recent_ms: deque[int] = deque()


class AccountBooks:
    """Books of an account, the free amount at the start of the step, and the numbers that the account may call."""

    __slots__ = ("balance", "card", "destinations", "free_before", "held")

    def __init__(self, opened: AccountOpened) -> None:
        self.balance = opened.balance
        self.held = opened.held
        self.free_before = opened.balance - opened.held
        self.destinations = opened.destinations
        self.card = opened.card
