"""The calls that a gateway carries now, and the time at which it has room for one more."""

from collections import deque
from typing import Final

from dialer.domain.calls.circuit_breaker import CLOSED, CircuitBreaker, after_attempt
from dialer.domain.calls.plans import SIMULATED, SIP, GatewayPlan, Lent
from dialer.domain.numbers.agent_contacts import BROWSER, is_extension, telephone_of
from dialer.domain.numbers.emergency import EMERGENCY_DIGITS_MAX, digits_behind_prefixes, is_emergency
from dialer.domain.numbers.normal_form import is_possible
from dialer.domain.numbers.prefixes import dialled_number
from dialer.domain.rules.dial_rules import GATEWAY_RULES, PlaceFacts, room_at_ms
from dialer.domain.words.enums import Cause
from dialer.domain.words.moments import NEVER_MS

SECOND_MS: Final = 1_000
UNLIMITED: Final = 1 << 62
"""Calls in progress, or calls per second, of a gateway without such a limit."""


def limits_of(plan: GatewayPlan, lent: Lent | None) -> Lent:
    """Return the limits that an engine must keep: those of the gateway, or the part of them that it was lent."""
    whole = Lent(plan.max_channels or UNLIMITED, plan.max_cps or UNLIMITED)
    if lent is None:
        return whole
    channels = min(lent.channels, whole.channels) if plan.max_channels else UNLIMITED
    return Lent(channels, min(lent.cps, whole.cps) if plan.max_cps else UNLIMITED)


class GatewayLoad:
    """The calls that a gateway carries now, and the campaigns that wait for a place on it."""

    __slots__ = (
        "breaker",
        "channels",
        "cps",
        "in_progress",
        "is_down",
        "newcomers",
        "plan",
        "recent_dials_ms",
        "texts_waiting",
        "turns",
        "waiting",
        "wake_ms",
    )

    def __init__(self, plan: GatewayPlan) -> None:
        self.plan = plan
        self.channels, self.cps = limits_of(plan, None)
        self.in_progress = 0
        self.is_down = False
        """True while the gateway's line does not work."""
        self.recent_dials_ms: deque[int] = deque(maxlen=plan.max_cps or None)
        self.breaker = CLOSED
        self.waiting: set[int] = set()
        """Ids of the campaigns that could dial if the gateway had a free place."""
        self.newcomers: set[int] = set()
        """Those of them that began to wait, or whose turn has changed, since turns were last looked at."""
        self.turns: list[tuple[int, int, int]] = []
        """Heap of the turns of those that wait, each with the campaign's id at its end. Some entries are outdated."""
        self.texts_waiting = 0
        """Messages of calls that could be sent if the gateway had a free place."""
        self.wake_ms = NEVER_MS
        """The earliest time for which a wake-up is scheduled."""

    def free_at_ms(self, now_ms: int) -> int:
        """Return the time at which one more call may be placed; `NEVER_MS` if no line or no channel is free."""
        recent = self.recent_dials_ms
        if self.channels <= self.in_progress or self.is_down or self.breaker is not CLOSED:
            now_ms = room_at_ms(self.facts(now_ms), GATEWAY_RULES)
            if now_ms == NEVER_MS:
                return NEVER_MS
        if self.cps <= len(recent):
            return self._turn_ms(now_ms)
        return recent[-1] if recent and recent[-1] > now_ms else now_ms

    def facts(self, now_ms: int) -> PlaceFacts:
        """Return what the dial rules look at of the gateway."""
        return PlaceFacts(
            now_ms=now_ms,
            is_line_down=self.is_down,
            rests_until_ms=self.breaker.open_until_ms,
            is_rest_asked_for=not self.breaker.open_ms,
            free_channels=self.channels - self.in_progress,
        )

    def _turn_ms(self, now_ms: int) -> int:
        """Return the time after the calls whose turn is already assigned, possibly in the future."""
        recent = self.recent_dials_ms
        return max(now_ms, recent[-self.cps] + SECOND_MS, recent[-1]) if self.cps else NEVER_MS

    def dialled(self, now_ms: int) -> None:
        """Count a call that was placed, or will be at `now_ms`."""
        self.in_progress += 1
        if self.plan.max_cps:
            self.recent_dials_ms.append(now_ms)

    def learn(self, cause: Cause, started_ms: int, now_ms: int, retry_after_ms: int = 0) -> bool:
        """Update the circuit breaker after an attempt that was made at `started_ms`.

        Return True if its state has changed.
        """
        before, self.breaker = self.breaker, after_attempt(self.breaker, cause, started_ms, now_ms, retry_after_ms)
        return self.breaker != before

    def number_for_carrier(self, number: str) -> str:
        """Return a number in normal form as the carrier receives it, with the gateway's prefixes."""
        if not self.plan.removeprefix:
            return self.plan.addprefix + number
        return dialled_number(number, addprefix=self.plan.addprefix, removeprefix=self.plan.removeprefix)

    def number_of_agent(self, contact: str) -> str:
        """Return an agent's contact as the carrier receives it: an extension as it is, a number with the prefixes.

        It is empty if the contact is neither, or an emergency number of any country: people answer there. It is empty
        on a simulated gateway, too, whose agents have no telephones. Only SIP reaches a telephone in the browser.
        """
        if self.plan.is_simulated:
            return ""
        if contact.startswith(BROWSER):
            return contact if self.plan.protocol == SIP else ""
        telephone = telephone_of(contact)
        if not telephone or self.dials_emergency(telephone):
            return ""
        return telephone if is_extension(telephone) else self.number_for_carrier(telephone)

    def dials_emergency(self, number: str) -> bool:
        """Return whether a number in normal form is an emergency number, or becomes one with the gateway's prefixes."""
        plan = self.plan
        # Nearly all numbers begin with their country code. Their digits are counted without a call.
        is_plain = number[:1] == "+" and number[1:2] not in "+0"
        digits = len(number) - 1 if is_plain else digits_behind_prefixes(number)
        if digits - len(plan.removeprefix.lstrip("+")) > EMERGENCY_DIGITS_MAX:
            return False
        dialled = self.number_for_carrier(number)
        return any(map(is_emergency, (number, dialled, dialled.removeprefix(plan.addprefix))))

    def refuses(self, number: str) -> bool:
        """Return whether a number in normal form is impossible in its country, and people are called over the gateway.

        Simulated gateways take any number.
        """
        return self.plan.protocol != SIMULATED and not is_possible(number)

    def limit(self, plan: GatewayPlan, lent: Lent | None) -> None:
        """Replace the limits, of which this engine may use only the part `lent`."""
        self.plan = plan
        self.channels, self.cps = limits_of(plan, lent)
        if self.recent_dials_ms.maxlen != (plan.max_cps or None):
            self.recent_dials_ms = deque(self.recent_dials_ms, maxlen=plan.max_cps or None)

    def renew(self, plan: GatewayPlan, recent_dials_ms: tuple[int, ...], breaker: CircuitBreaker) -> None:
        """Replace the limits and the recent state."""
        self.limit(plan, None)
        self.breaker = breaker
        self.recent_dials_ms = deque(recent_dials_ms, maxlen=plan.max_cps or None)
