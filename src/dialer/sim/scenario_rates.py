"""Rate card part of a scenario: prices of calls by number prefix."""

from typing import Annotated

import msgspec
from msgspec import Meta

from dialer.domain.billing.charge import Rate
from dialer.domain.billing.money import MoneyError, parse_money
from dialer.domain.billing.rates import INCREMENT_S_MAX, NO_CARD, PREFIX_DIGITS_MAX, RateCard

_Increment = Annotated[int, Meta(ge=1, le=INCREMENT_S_MAX)]


class RateCardError(ValueError):
    """Raised for an invalid rate card. The message begins with the path of the error."""


class RateCardPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Price of calls to numbers that begin with `prefix`, with the API's defaults."""

    prefix: Annotated[str, Meta(pattern=rf"^[0-9]{{0,{PREFIX_DIGITS_MAX}}}\Z")]
    """Digits with the country code; empty to match every number."""
    rate: int | float | str
    """Price of a minute."""
    connection_fee: int | float | str = 0
    first_increment: _Increment = 60
    """Seconds, as in `next_increment`."""
    next_increment: _Increment = 60


def rate_card_of(parts: tuple[RateCardPart, ...]) -> RateCard:
    """Return the rate card of a scenario.

    Raises:
        RateCardError: an amount is invalid or negative, or a prefix is repeated.
    """
    rates: dict[str, Rate] = {}
    for index, part in enumerate(parts):
        if part.prefix in rates:
            raise RateCardError(f"[{index}].prefix: This prefix already has a rate.")
        amounts = [_amount(f"[{index}].{name}", getattr(part, name)) for name in ("rate", "connection_fee")]
        rates[part.prefix] = Rate(amounts[0], part.first_increment, part.next_increment, amounts[1])
    return RateCard(rates) if rates else NO_CARD


def _amount(place: str, given: object) -> int:
    try:
        amount = parse_money(given)
    except MoneyError as error:
        raise RateCardError(f"{place}: {error}") from None
    if amount < 0:
        raise RateCardError(f"{place}: Ensure that this amount is not negative.")
    return amount
