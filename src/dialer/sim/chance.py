"""Chance without a state: what happens in a call is a function of (seed, campaign, subscriber, attempt)."""

from hashlib import blake2b
from math import log
from struct import Struct
from typing import Final

import msgspec

CERTAIN: Final = 1 << 64
"""The threshold of a chance of 1."""
_DRAWS_PER_BLOCK: Final = 8
_UNPACK: Final = Struct("<8Q").unpack


def threshold(probability: float) -> int:
    """A chance from 0 to 1 as the integer that `Chance.draw` stays below that often."""
    return int(probability * CERTAIN)


class Chance(msgspec.Struct, eq=False, gc=False):
    """An endless sequence of integers, uniform over 64 bits, that is the same for the same name on any machine."""

    seed: int
    campaign_id: int
    subscriber_id: int
    attempt: int
    detail: str = ""
    _drawn: int = 0
    """How many were drawn so far."""
    _block: tuple[int, ...] = ()
    """The eight that the next one is of, unless it is the first of its eight."""

    def draw(self) -> int:
        """The next integer: at least 0, below 2^64."""
        place = self._drawn % _DRAWS_PER_BLOCK
        if place == 0:
            self._block = self._hashed(self._drawn // _DRAWS_PER_BLOCK)
        self._drawn += 1
        return self._block[place]

    def happens(self, below: int) -> bool:
        """Whether something with this threshold happens; what is certain either way draws nothing."""
        return below >= CERTAIN or (below > 0 and self.draw() < below)

    def between(self, least: int, most: int) -> int:
        """The next whole number from `least` to `most`, both included."""
        return least + (self.draw() * (most - least + 1) >> 64)

    def exponential(self, mean: int) -> int:
        """The next whole number of an exponential distribution: -mean * ln(1 - u), u uniform over [0, 1)."""
        return round(-mean * log(1 - (self.draw() >> 11) * 2.0**-53))

    def _hashed(self, block: int) -> tuple[int, ...]:
        """Eight draws of each hash: of the name, then of the name with 1, 2, and so on for salt."""
        name = b"%d:%d:%d:%d" % (self.seed, self.campaign_id, self.subscriber_id, self.attempt)
        if self.detail:
            name += b":" + self.detail.encode()
        return _UNPACK(blake2b(name, salt=block.to_bytes(16, "little")).digest() if block else blake2b(name).digest())
