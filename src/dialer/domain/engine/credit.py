"""The credit of an account: its balance, what is held for calls in progress, and the prices of attempts."""

from collections.abc import Collection
from functools import lru_cache
from typing import Final

import msgspec
from msgspec import structs

from dialer.domain.billing.charge import Bill, Rate, bill_leg
from dialer.domain.billing.rates import NO_CARD, RateCard
from dialer.domain.calls.plans import MESSAGES_OUT, Call, CallOutcome, CampaignPlan, GatewayPlan, Subscriber
from dialer.domain.messages.sms_parts import MESSAGE_CHARACTERS_MAX, parts_of
from dialer.domain.messages.templates import fill
from dialer.domain.numbers.agent_contacts import is_extension, telephone_of
from dialer.domain.numbers.destinations import EVERYWHERE, Destinations, special_digits
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.numbers.prefixes import numbers_meant

_SECOND_MS: Final = 1_000
PRICES_KEPT_MAX: Final = 4_096
"""Number of cached prices: a campaign asks for the price of its longest call at every dial."""


def message_to(subscriber: Subscriber, text_message: str) -> str:
    """Return the text that a campaign of text messages sends to a subscriber, cut to the maximum length."""
    return message_of(text_message, subscriber.full_name, subscriber.additional_vars, subscriber.number)


def message_of(text_message: str, full_name: str, additional_vars: str, number: str) -> str:
    """Return the text message that a person gets, cut to the maximum length."""
    return fill(text_message, full_name, additional_vars, number, most=MESSAGE_CHARACTERS_MAX)


class CreditOffer(msgspec.Struct, frozen=True, gc=False):
    """The highest price of an attempt, to be held, and the talk time or the message that it pays for."""

    hold: int
    talk_limit_ms: int
    rate: Rate
    text: str = ""
    parts: int = 0


def is_forbidden(number: str, destinations: Destinations, card: RateCard) -> bool:
    """Return whether an account may not call a number in normal form.

    A rate card that names special numbers has a price for them, so an admin has meant them.
    """
    if destinations.countries and not destinations.allows_country(number):
        return True
    digits = 0 if destinations.allows_special else special_digits(number)
    return digits > 0 and not card.names(number, digits)


class Account:
    """An owner's money as the engine sees it: the balance, and the amount held for calls in progress."""

    __slots__ = ("balance", "card", "destinations", "held", "rate", "region", "sms_rate", "waiting")

    def __init__(
        self,
        balance: int,
        held: int,
        rate: Rate,
        sms_rate: int,
        card: RateCard = NO_CARD,
        destinations: Destinations = EVERYWHERE,
        region: str | None = None,
    ) -> None:
        self.balance = balance
        self.held = held
        self.rate = rate
        """The rate of numbers that match no prefix of the rate card."""
        self.sms_rate = sms_rate
        self.card = card
        self.destinations = destinations
        self.region = region
        """The country of numbers without one (ISO 3166); None if nobody has set it."""
        self.waiting: set[int] = set()
        """Ids of the campaigns that wait for a call to end and release money."""

    def refuses(self, number: str, gateway: GatewayPlan) -> bool:
        """Return whether the account may not call a number in normal form over a gateway, or send it a message."""
        meant = numbers_meant(number, addprefix=gateway.addprefix, removeprefix=gateway.removeprefix)
        return any(is_forbidden(target, self.destinations, self.card) for target in meant)

    def refuses_agent(self, contact: str, gateway: GatewayPlan) -> bool:
        """Return whether the account may not call an agent's number. It may call any extension of a switch."""
        telephone = contact and telephone_of(contact)
        return bool(telephone) and not is_extension(telephone) and self.refuses(telephone, gateway)

    def rate_for(self, number: str) -> Rate:
        """Return the rate of a call to a number in normal form."""
        return self.rate if self.card is NO_CARD else self.card.find(number) or self.rate

    def rate_for_agent(self, contact: str) -> Rate:
        """Return the rate of a call to an agent. Only a contact with a leading `+` is certain to be a phone number."""
        try:
            return self.rate_for(normalise(contact, None)) if self.card and contact.startswith("+") else self.rate
        except NumberError:
            return self.rate

    def offer(self, plan: CampaignPlan, subscriber: Subscriber) -> CreditOffer | None:
        """Return the offer that the free balance covers: a call, shortened if needed, or a whole message; else None."""
        if plan.text_message is None:
            rate = self.rate if self.card is NO_CARD else self.rate_for(subscriber.number)
            whole = _whole_leg(rate, plan.callmaxduration_s * _SECOND_MS)
            if whole is not None and whole.hold <= self.balance - self.held:  # As `offer_leg`, for nearly every dial.
                return whole
            return self.offer_leg(rate, plan.callmaxduration_s * _SECOND_MS)
        return self.offer_message(message_to(subscriber, plan.text_message))

    def offer_leg(self, rate: Rate, wanted_ms: int) -> CreditOffer | None:
        """Return the offer for one leg of at most `wanted_ms`, cut to the free balance; None for no time."""
        free, whole = self.balance - self.held, _whole_leg(rate, wanted_ms)
        if whole is None or whole.hold <= free:
            return whole
        return _leg(rate, rate.affordable_s(free, -(-wanted_ms // _SECOND_MS)))

    def offer_dearest(self, rates: Collection[Rate], wanted_ms: int) -> CreditOffer | None:
        """Return the offer for one leg that is affordable at each of these rates; None if no time is.

        The final rate is not known yet: the hold is the highest price among the rates.
        """
        free, wanted_s = self.balance - self.held, -(-wanted_ms // _SECOND_MS)
        shortest_s = min(rate.affordable_s(free, wanted_s) for rate in rates)
        if shortest_s == 0:
            return None
        hold, rate = max(((rate.price(shortest_s), rate) for rate in rates), key=_by_price)
        return CreditOffer(hold, shortest_s * _SECOND_MS, rate)

    def offer_message(self, text: str) -> CreditOffer | None:
        """Return the offer for a message, cut to the maximum length; None if the free balance does not cover it."""
        text = text[:MESSAGE_CHARACTERS_MAX]
        parts = parts_of(text)
        price = parts * self.sms_rate
        return CreditOffer(price, 0, self.rate, text, parts) if price <= self.balance - self.held else None


def _leg(rate: Rate, talk_limit_s: int) -> CreditOffer | None:
    """Return the offer for a leg of `talk_limit_s` seconds; None for 0 seconds."""
    return CreditOffer(rate.price(talk_limit_s), talk_limit_s * _SECOND_MS, rate) if talk_limit_s else None


@lru_cache(PRICES_KEPT_MAX)
def _whole_leg(rate: Rate, wanted_ms: int) -> CreditOffer | None:
    """Return the offer for a leg that is not cut, which is equal for every call of a campaign."""
    return _leg(rate, -(-wanted_ms // _SECOND_MS))


def _by_price(priced: tuple[int, Rate]) -> tuple[int, tuple[int, ...]]:
    """Return a sort key: the price, then the fields of the rate, so that ties have one fixed order."""
    price, rate = priced
    return price, structs.astuple(rate)


def bill(call: Call, outcome: CallOutcome) -> Bill:
    """Return the charge for a call or a text message. A message that was never sent out costs nothing."""
    if outcome.message_status is not None:
        return Bill(0, 0, 0, call.hold if outcome.message_status in MESSAGES_OUT else 0)
    return bill_leg(call.rate, call.started_ms, outcome.answered_ms, outcome.ended_ms)
