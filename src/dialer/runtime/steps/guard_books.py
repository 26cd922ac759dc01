"""Books of the guard: its own counts of what is in progress, for campaigns, gateways and accounts."""

from collections import deque
from typing import Final

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_windows import Window, Windows
from dialer.domain.calling_times.zones import is_zone_key
from dialer.domain.calls.call_effects import RefuseInbound
from dialer.domain.calls.campaign_events import AccountOpened, CampaignOpened, GatewayOpened
from dialer.domain.calls.plans import Call, CampaignPlan, GatewayKey, GatewayPlan, Lent
from dialer.domain.engine.gateway_load import limits_of
from dialer.domain.engine.state import ACTIVE
from dialer.domain.pacing.fixed import spacing_us
from dialer.domain.words.enums import CampaignStatus, DialMethod, TransferStatus
from dialer.domain.words.moments import NEVER_MS
from dialer.runtime.steps.guard_own_wishes import UtteredWishes
from dialer.store.database.touched import Touched
from dialer.store.queries.load_engine import LoadedRows


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


class GuardBooks:
    """All books of a guard, and what the current step has changed in them."""

    def __init__(self) -> None:
        self.campaigns: Final[dict[int, CampaignBooks]] = {}
        self.gateways: Final[dict[GatewayKey, GatewayBooks]] = {}
        self.accounts: Final[dict[int, AccountBooks]] = {}
        self.calls: Final[dict[int, int]] = {}
        """Amount held for each call and message in progress, by call id."""
        self.legs: Final[dict[str, int]] = {}
        """Amount held for each B-leg that is in progress or waits in a queue, by its callid."""
        self.called: Final[set[int]] = set()
        """Ids of subscribers with an attempt in progress."""
        self.dialling: Final[set[int]] = set()
        """Campaigns that have dialled in this step. The fields below also concern this step only."""
        self.spending: Final[set[int]] = set()
        self.touched: Final[set[int]] = set()
        """Campaigns whose load has changed."""
        self.stopped: Final[set[int]] = set()
        """Campaigns that have stopped. Their status before the stop was checked at the stop."""
        self.wishes: UtteredWishes | None = None
        """None before the first wish, as a dial then asks nothing: most steps hear none."""
        self.ended: Final[list[tuple[str, Call | RefuseInbound]]] = []
        """Ended legs whose CDR is not written yet, each with its callid."""
        self.legs_ended: Final[set[str]] = set()

    def forget_step(self) -> None:
        """Reset the fields that concern one step."""
        for fields in (self.dialling, self.spending, self.touched, self.stopped, self.legs_ended):
            fields.clear()
        self.wishes = None
        self.ended.clear()

    def take_rows(self, world: LoadedRows, scope: Touched) -> None:
        """Update the books from rows that the engine also receives. The books of other campaigns hold as they are."""
        for account in world.accounts:
            self.accounts[account.user_id] = AccountBooks(account)
            if not 0 <= account.held <= account.balance:
                self.spending.add(account.user_id)  # Invalid already, so check it even if unused.
        for gateway in world.gateways:
            self._open_gateway(gateway)
        looked_for = self.campaigns.keys() if scope.everything else self.campaigns.keys() & scope.campaigns
        for campaign_id in looked_for - {opened.plan.id for opened in world.campaigns}:
            campaign = self.campaigns[campaign_id]
            campaign.status = None
            campaign.windows = {}
            if not campaign.in_progress and not campaign.legs:
                del self.campaigns[campaign_id]
        for opened in world.campaigns:
            self._open_campaign(opened)
        answering = [did.plan for did in world.dids if did.plan is not None]
        for plan in (*world.over, *answering):
            books = self.campaign(plan)
            if books.status not in ACTIVE:
                books.plan = plan

    def restored(self, call: Call) -> None:
        """Add an attempt that was in progress before this guard was created."""
        self.calls[call.id] = call.hold
        campaign = self.campaign(call.plan)
        if call.parent_id is None and not call.is_inbound:
            campaign.in_progress += 1
            self.called.add(call.subscriber.id)
        if call.takes_channel:
            self.gateway(call.plan.gateway_id).in_progress += 1
        for transfer in call.transfers:
            if transfer.status is not TransferStatus.OVER:
                self.legs[transfer.callid] = transfer.hold
                campaign.legs += 1
                if transfer.gateway_id:
                    self.gateway(transfer.gateway_id).in_progress += 1

    def _open_gateway(self, opened: GatewayOpened) -> None:
        gateway = self.gateway(opened.plan.id)
        if gateway.plan.hours != opened.plan.hours:
            for campaign in self.campaigns.values():
                campaign.windows = {}
        is_own = opened.lent is not None and gateway.is_read
        recent_ms = gateway.recent_ms if is_own else opened.recent_dials_ms
        gateway.recent_ms = deque(recent_ms, maxlen=opened.plan.max_cps or None)
        gateway.plan, gateway.limits, gateway.is_read = opened.plan, limits_of(opened.plan, opened.lent), True

    def lend(self, gateway_id: GatewayKey, lent: Lent) -> None:
        """Limit a gateway to a smaller part from now on."""
        gateway = self.gateway(gateway_id)
        gateway.limits = limits_of(gateway.plan, lent)

    def _open_campaign(self, opened: CampaignOpened) -> None:
        campaign = self.campaign(opened.plan)
        campaign.plan, campaign.status, campaign.next_dial_us = opened.plan, opened.status, opened.next_dial_us
        campaign.windows = {}
        is_fixed = opened.plan.dial_method is DialMethod.FIXED_RATE
        campaign.spacing_us = spacing_us(opened.plan.frequency) if is_fixed else 0

    def campaign(self, plan: CampaignPlan) -> CampaignBooks:
        """Return the books of a campaign. Open them if it has none."""
        campaign = self.campaigns.get(plan.id)
        if campaign is None:
            campaign = self.campaigns[plan.id] = CampaignBooks(plan)
        return campaign

    def gateway(self, gateway_id: GatewayKey) -> GatewayBooks:
        """Return the books of a gateway. Open them if it has none."""
        gateway = self.gateways.get(gateway_id)
        if gateway is None:
            gateway = self.gateways[gateway_id] = GatewayBooks(GatewayPlan(gateway_id))
        return gateway
