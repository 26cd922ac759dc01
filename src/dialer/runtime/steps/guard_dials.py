"""The guard's checks of dials, of calls that are answered, and of messages that are sent."""

from typing import Final

from dialer.domain.calling_times.calling_windows import Windows
from dialer.domain.calls import call_effects, text_effects
from dialer.domain.calls.hours_of_campaigns import hours_of
from dialer.domain.calls.plans import Call, GatewayKey
from dialer.domain.engine.gateway_load import SECOND_MS, UNLIMITED
from dialer.domain.numbers.destinations import EVERYWHERE
from dialer.domain.numbers.ordinary_numbers import is_ordinary
from dialer.domain.rules.invariants import Rule
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.moments import NEVER_MS
from dialer.runtime.steps.guard_books import CampaignBooks, GuardBooks
from dialer.runtime.steps.guard_checks import broken, check_destination, check_pace
from dialer.runtime.steps.guard_money import GuardedMoney

_START: Final = CampaignStatus.START
"""A constant for the checks of every dial, where a lookup in an enumeration is slow."""


class GuardedDials:
    """The attempts that begin in a step."""

    def __init__(self, books: GuardBooks, money: GuardedMoney) -> None:
        self._books: Final = books
        self._money: Final = money
        self._windows: Final = Windows()

    def dial(self, effect: call_effects.Dial, now_ms: int) -> None:
        """Check an attempt: its campaign, its callee, its pace, and the limits of its gateway and account."""
        call = effect.call
        campaign = self._books.campaigns.get(call.plan.id)
        if campaign is None or campaign.status is not _START:
            broken(Rule.STARTED, call, "its campaign is not in START")
        plan = campaign.plan
        if not plan.starting_ms <= now_ms < plan.expires_ms:
            broken(Rule.CALENDAR, call, "its campaign has not begun, or has expired")
        self._check_callee(campaign, call, now_ms)
        campaign.in_progress += 1
        if 0 < plan.max_aleg < campaign.in_progress:
            broken(Rule.LIMITS, call, "it exceeds max_aleg")
        if campaign.spacing_us:
            check_pace(campaign, effect, now_ms)
        self.place(call, call.plan.gateway_id, call.started_ms)
        self._books.calls[call.id] = call.hold
        self._money.hold(call, call.hold)
        if campaign.first_ms == NEVER_MS:
            campaign.first_ms = now_ms
            self._books.dialling.add(plan.id)
            self._books.touched.add(plan.id)
        campaign.last_ms = now_ms

    def _check_callee(self, campaign: CampaignBooks, call: Call, now_ms: int) -> None:
        """Check that a subscriber may be called, and may be called now."""
        person = call.subscriber
        if person.id in self._books.called:
            broken(Rule.ATTEMPTS, call, "its subscriber is being called")
        self._books.called.add(person.id)
        wishes = self._books.wishes
        if person.is_on_dnc or (wishes is not None and wishes.hold_for(campaign.plan, person.number)):
            broken(Rule.DO_NOT_CALL, call, "its number is on a do-not-call list")
        is_limited = self._books.accounts[call.plan.user_id].destinations is not EVERYWHERE
        if is_limited or not is_ordinary(person.number):
            self.check_destination(call, person.number, call.plan.gateway_id)
        campaign.numbers.append(person.number)
        window = campaign.windows.get(person.zone)
        if window is None or now_ms >= window.until_ms:
            hours = hours_of(self._books.gateway(call.plan.gateway_id).plan, call.plan)
            window = campaign.window(person.zone, self._windows, now_ms, hours)
        if not window.is_open:
            broken(Rule.CALENDAR, call, "its calling window is closed")

    def check_destination(self, call: Call, number: str, gateway_id: GatewayKey) -> None:
        """Check that the account of a call may call a number over a gateway."""
        check_destination(call, number, self._books.accounts[call.plan.user_id], self._books.gateway(gateway_id).plan)

    def place(self, call: Call, gateway_id: GatewayKey, started_ms: int) -> None:
        """Count a new leg over a gateway, and check the gateway's limits."""
        gateway = self._books.gateway(gateway_id)
        gateway.in_progress += 1
        channels, cps = gateway.limits
        if channels < gateway.in_progress:
            broken(Rule.LIMITS, call, "it exceeds max_channels")
        if cps != UNLIMITED:
            recent = gateway.recent_ms
            if len(recent) >= cps and (cps == 0 or started_ms < recent[-cps] + SECOND_MS):
                broken(Rule.LIMITS, call, "it exceeds max_cps")
            recent.append(started_ms)

    def answer(self, effect: call_effects.AnswerCall, _now_ms: int) -> None:
        """Check a call that came in and is answered."""
        call = effect.call
        self._books.calls[call.id] = 0
        self._books.campaign(call.plan)
        if call.takes_channel:
            gateway = self._books.gateway(call.plan.gateway_id)
            gateway.in_progress += 1
            if gateway.limits.channels < gateway.in_progress:
                broken(Rule.LIMITS, call, "it exceeds max_channels")

    def send_text(self, effect: text_effects.SendText, _now_ms: int) -> None:
        """Check a text message that is sent."""
        message = effect.message
        self._books.calls[message.id] = message.hold
        self.check_destination(message, message.subscriber.number, message.plan.gateway_id)
        self.place(message, message.plan.gateway_id, message.started_ms)
        self._money.hold(message, message.hold)
