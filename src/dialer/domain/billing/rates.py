"""A user's rate card: rates by the leading digits of the number."""

from collections.abc import Mapping
from typing import Final

from dialer.domain.billing.charge import Rate

PREFIX_DIGITS_MAX: Final = 15
"""Maximum digits of a prefix, which is as long as a number can be."""
INCREMENT_S_MAX: Final = 86_400
"""Maximum seconds of an increment: a day, which is as long as a call can be."""
CARDS_MAX: Final = 10_000
"""Maximum number of prefixes of one user."""


class RateCard:
    """Rates by prefix. The longest prefix of a number decides."""

    __slots__ = ("_lengths", "_rates")

    def __init__(self, rates: Mapping[str, Rate]) -> None:
        """Create a card from rates by prefix: digits with the country code; the empty prefix matches every number."""
        self._rates: Final = dict(rates)
        # Most cards have prefixes of a few lengths. One look-up for each length finds the longest, however many
        # prefixes exist.
        self._lengths: Final = sorted({len(prefix) for prefix in self._rates}, reverse=True)

    def __bool__(self) -> bool:
        return bool(self._rates)

    def find(self, number: str) -> Rate | None:
        """Return the rate for a number in normal form, by its digits; None if no prefix matches."""
        digits = number.lstrip("+")
        for length in self._lengths:
            rate = self._rates.get(digits[:length])
            if rate is not None:
                return rate
        return None

    def names(self, number: str, digits: int) -> bool:
        """Return whether a prefix of at least so many digits matches a number in normal form."""
        bare_number = number.lstrip("+")
        return any(bare_number[:length] in self._rates for length in self._lengths if length >= digits)


NO_CARD: Final = RateCard({})
