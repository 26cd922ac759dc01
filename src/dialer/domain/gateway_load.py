"""What limits dialling besides pacing: a gateway's channels and call rate, and an account's money."""

from collections import deque
from collections.abc import Collection
from functools import lru_cache
from typing import Final

import msgspec
from msgspec import structs

from dialer.domain.billing.money import Rate
from dialer.domain.billing.rates import NO_CARD, RateCard
from dialer.domain.circuit_breaker import CARRIER_FAILURES, CLOSED, CircuitBreaker, after_attempt
from dialer.domain.enums import Cause
from dialer.domain.hopper import NEVER_MS
from dialer.domain.messages.sms_parts import parts_of
from dialer.domain.messages.templates import fill
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.numbers.prefixes import dialled_number
from dialer.domain.plans import CampaignPlan, GatewayPlan, Subscriber

SECOND_MS: Final = 1_000
PRICES_KEPT_MAX: Final = 4_096
"""Prices that are remembered: a campaign asks for that of its longest call at every dial."""
MESSAGE_CHARACTERS_MAX: Final = 1_600
"""What a message is cut to, if the names that were filled in make it longer."""


class GatewayLoad:
    """What a gateway carries just now, and which campaigns wait for a place on it."""

    __slots__ = ("breaker", "in_progress", "plan", "recent_dials_ms", "waiting", "wake_ms")

    def __init__(self, plan: GatewayPlan) -> None:
        self.plan = plan
        self.in_progress = 0
        self.recent_dials_ms: deque[int] = deque(maxlen=plan.max_cps or None)
        self.breaker = CLOSED
        self.waiting: set[int] = set()
        """Ids of the campaigns that could dial if there were a place."""
        self.wake_ms = NEVER_MS
        """The earliest moment for which a wake-up is under way."""

    def free_at_ms(self, now_ms: int) -> int:
        """When one more call may be placed; `NEVER_MS` while only the end of a call can tell."""
        plan, recent = self.plan, self.recent_dials_ms
        if 0 < plan.max_channels <= self.in_progress:
            return NEVER_MS
        if self.breaker is not CLOSED:
            now_ms = max(now_ms, self.breaker.open_until_ms)
        if 0 < plan.max_cps <= len(recent):
            return self._turn_ms(now_ms)
        return max(now_ms, recent[-1]) if recent else now_ms

    def _turn_ms(self, now_ms: int) -> int:
        """Behind those who have their turn already, which may be still to come."""
        recent = self.recent_dials_ms
        return max(now_ms, recent[0] + SECOND_MS, recent[-1])

    def dialled(self, now_ms: int) -> None:
        """A call was placed, or will be."""
        self.in_progress += 1
        if self.plan.max_cps:
            self.recent_dials_ms.append(now_ms)

    def learn(self, cause: Cause, started_ms: int, now_ms: int) -> bool:
        """An attempt is over that was made at `started_ms`; whether that has changed how the gateway stands."""
        if self.breaker is CLOSED and cause not in CARRIER_FAILURES:
            return False
        before, self.breaker = self.breaker, after_attempt(self.breaker, cause, started_ms, now_ms)
        return self.breaker != before

    def written(self, number: str) -> str:
        """A number in normal form, as the carrier is given it."""
        return dialled_number(number, addprefix=self.plan.addprefix, removeprefix=self.plan.removeprefix)

    def renew(self, plan: GatewayPlan, recent_dials_ms: tuple[int, ...], breaker: CircuitBreaker) -> None:
        """Go on under other limits."""
        self.plan = plan
        self.breaker = breaker
        self.recent_dials_ms = deque(recent_dials_ms, maxlen=plan.max_cps or None)


def message_to(subscriber: Subscriber, text_message: str) -> str:
    """What a campaign of text messages writes to somebody, cut to the length that a message may have."""
    text = fill(text_message, subscriber.full_name, subscriber.additional_vars, subscriber.number)
    return text[:MESSAGE_CHARACTERS_MAX]


class CreditOffer(msgspec.Struct, frozen=True, gc=False):
    """What an attempt may cost at most, and what that buys."""

    hold: int
    talk_limit_ms: int
    rate: Rate
    text: str = ""
    parts: int = 0


class Account:
    """An owner's money as the engine sees it: the balance, and what is held of it for calls in progress."""

    __slots__ = ("balance", "card", "held", "rate", "sms_rate", "waiting")

    def __init__(self, balance: int, held: int, rate: Rate, sms_rate: int, card: RateCard = NO_CARD) -> None:
        self.balance = balance
        self.held = held
        self.rate = rate
        """Of numbers that the rate card says nothing of."""
        self.sms_rate = sms_rate
        self.card = card
        self.waiting: set[int] = set()
        """Ids of the campaigns that wait for a call to end and set money free."""

    def rate_for(self, number: str) -> Rate:
        """What a call to a number in normal form costs."""
        return self.rate if self.card is NO_CARD else self.card.find(number) or self.rate

    def rate_for_agent(self, contact: str) -> Rate:
        """What it costs to reach an agent: only a contact that is written with its `+` is surely a number."""
        try:
            return self.rate_for(normalise(contact)) if self.card and contact.startswith("+") else self.rate
        except NumberError:
            return self.rate

    def offer(self, plan: CampaignPlan, subscriber: Subscriber) -> CreditOffer | None:
        """What the free balance pays for: a call, cut to its length, or a whole message; None if for neither."""
        if plan.text_message is None:
            return self.offer_leg(self.rate_for(subscriber.number), plan.callmaxduration_s * SECOND_MS)
        return self.offer_text(message_to(subscriber, plan.text_message))

    def offer_leg(self, rate: Rate, wanted_ms: int) -> CreditOffer | None:
        """The same for one leg of a call that is to last so long at most."""
        free, whole = self.balance - self.held, _whole_leg(rate, wanted_ms)
        if whole is None or whole.hold <= free:
            return whole
        return _leg(rate, rate.affordable_s(free, -(-wanted_ms // SECOND_MS)))

    def offer_dearest(self, rates: Collection[Rate], wanted_ms: int) -> CreditOffer | None:
        """The same where any of these rates may turn out to be the one: what pays for the leg at each of them."""
        free, wanted_s = self.balance - self.held, -(-wanted_ms // SECOND_MS)
        shortest_s = min(rate.affordable_s(free, wanted_s) for rate in rates)
        if shortest_s == 0:
            return None
        hold, rate = max(((rate.price(shortest_s), rate) for rate in rates), key=_by_price)
        return CreditOffer(hold, shortest_s * SECOND_MS, rate)

    def offer_text(self, text: str) -> CreditOffer | None:
        """The same for a message, cut to the length that a message may have."""
        text = text[:MESSAGE_CHARACTERS_MAX]
        parts = parts_of(text)
        price = parts * self.sms_rate
        return CreditOffer(price, 0, self.rate, text, parts) if price <= self.balance - self.held else None


def _leg(rate: Rate, talk_limit_s: int) -> CreditOffer | None:
    """What a leg of so many seconds costs; None for no time at all."""
    return CreditOffer(rate.price(talk_limit_s), talk_limit_s * SECOND_MS, rate) if talk_limit_s else None


@lru_cache(PRICES_KEPT_MAX)
def _whole_leg(rate: Rate, wanted_ms: int) -> CreditOffer | None:
    """What a leg costs that is not cut: the same for every call of a campaign."""
    return _leg(rate, -(-wanted_ms // SECOND_MS))


def _by_price(priced: tuple[int, Rate]) -> tuple[int, tuple[int, ...]]:
    """Equal prices by the rates themselves, so that which one it is depends on nothing else."""
    return priced[0], structs.astuple(priced[1])
