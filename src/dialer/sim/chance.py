"""Stateless randomness: each draw is a function of (seed, campaign, subscriber, attempt)."""

from hashlib import blake2b
from math import log
from struct import Struct
from typing import Final

import msgspec

CERTAIN: Final = 1 << 64
"""Threshold of probability 1."""
_DRAWS_PER_BLOCK: Final = 8
_UNPACK: Final = Struct("<8Q").unpack


def threshold(probability: float) -> int:
    """Return the threshold of a probability from 0 to 1: `Chance.draw` is below it with that probability."""
    return int(probability * CERTAIN)


class Chance(msgspec.Struct, eq=False, gc=False):
    """Endless sequence of uniform 64-bit integers, equal for equal names on any machine.

    The name of a sequence is (seed, campaign, subscriber, attempt, detail).
    """

    seed: int
    campaign_id: int
    subscriber_id: int
    attempt: int
    detail: str = ""
    _drawn: int = 0
    """Number of integers drawn so far."""
    _block: tuple[int, ...] = ()
    """Block of eight integers that contains the next one, unless the next one begins a block."""

    def again(self) -> "Chance":
        """Return the same sequence from its beginning."""
        return Chance(self.seed, self.campaign_id, self.subscriber_id, self.attempt, self.detail)

    def draw(self) -> int:
        """Return the next integer: at least 0, below 2^64."""
        place = self._drawn % _DRAWS_PER_BLOCK
        if place == 0:
            self._block = self._hashed(self._drawn // _DRAWS_PER_BLOCK)
        self._drawn += 1
        return self._block[place]

    def happens(self, below: int) -> bool:
        """Return True with the probability of this threshold. Thresholds of 0 and 1 draw nothing."""
        return below >= CERTAIN or (below > 0 and self.draw() < below)

    def between(self, least: int, most: int) -> int:
        """Return a uniform integer from `least` to `most`, both included."""
        return least + (self.draw() * (most - least + 1) >> 64)

    def exponential(self, mean: int) -> int:
        """Return an integer of the exponential distribution: -mean * ln(1 - u), with u uniform over [0, 1)."""
        return round(-mean * log(1 - (self.draw() >> 11) * 2.0**-53))

    def _hashed(self, block: int) -> tuple[int, ...]:
        """Return a block of eight draws: the BLAKE2b hash of the name, with the block's number as salt."""
        name = b"%d:%d:%d:%d" % (self.seed, self.campaign_id, self.subscriber_id, self.attempt)
        if self.detail:
            name += b":" + self.detail.encode()
        return _UNPACK(blake2b(name, salt=block.to_bytes(16, "little")).digest() if block else blake2b(name).digest())
