"""A user's rate card: what calls to numbers that begin with certain digits cost."""

from collections.abc import Mapping
from typing import Final

from dialer.domain.billing.money import Rate

PREFIX_DIGITS_MAX: Final = 15
"""Digits of a prefix: as many as a number has."""
INCREMENT_S_MAX: Final = 86_400
"""Seconds of an increment: a day, which is as long as a call may be."""
CARDS_MAX: Final = 10_000
"""Prefixes of one user."""


class RateCard:
    """Rates by prefix, of which the longest that a number begins with counts."""

    __slots__ = ("_lengths", "_rates")

    def __init__(self, rates: Mapping[str, Rate]) -> None:
        """`rates` are by prefix: digits with the country code; the empty one is that of every number."""
        self._rates: Final = dict(rates)
        # Most cards have prefixes of a few lengths: so many look-ups find the longest, however many there are.
        self._lengths: Final = sorted({len(prefix) for prefix in self._rates}, reverse=True)

    def __bool__(self) -> bool:
        return bool(self._rates)

    def find(self, number: str) -> Rate | None:
        """The rate for a number in normal form, by its digits; None if no prefix fits."""
        digits = number.lstrip("+")
        for length in self._lengths:
            rate = self._rates.get(digits[:length])
            if rate is not None:
                return rate
        return None


NO_CARD: Final = RateCard({})
