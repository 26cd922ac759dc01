"""Stateless randomness: each draw is a function of (seed, campaign, subscriber, attempt)."""

from collections.abc import Sequence
from hashlib import blake2b
from math import log
from struct import Struct
from typing import Final, TypeVar

import msgspec

_Choice = TypeVar("_Choice")

CERTAIN: Final = 1 << 64
"""Threshold of probability 1."""
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
    _blocks: int = 0
    """Number of blocks of eight integers that were computed."""
    left: list[int] = []
    """Integers of the last block that were not drawn, the next one last. `computed` returns those of the next block."""

    def again(self) -> "Chance":
        """Return the same sequence from its beginning."""
        return Chance(self.seed, self.campaign_id, self.subscriber_id, self.attempt, self.detail)

    def of(self, detail: str) -> "Chance":
        """Return an independent sequence of draws for a detail of the same attempt."""
        return Chance(self.seed, self.campaign_id, self.subscriber_id, self.attempt, detail)

    def draw(self) -> int:
        """Return the next integer: at least 0, below 2^64."""
        return (self.left or self.computed()).pop()

    def happens(self, below: int) -> bool:
        """Draw, and return True with the probability of a threshold. Thresholds of 0 and 1 draw nothing."""
        return below >= CERTAIN or (below > 0 and (self.left or self.computed()).pop() < below)

    def pick(self, choices: Sequence[tuple[int, _Choice]], otherwise: _Choice) -> _Choice:
        """Draw, and return the first of the choices with a cumulative threshold above the draw."""
        drawn = (self.left or self.computed()).pop()
        for below, choice in choices:
            if drawn < below:
                return choice
        return otherwise

    def between(self, least: int, most: int) -> int:
        """Return a uniform integer from `least` to `most`, both included."""
        return least + ((self.left or self.computed()).pop() * (most - least + 1) >> 64)

    def exponential(self, mean: int) -> int:
        """Return an integer of the exponential distribution: -mean * ln(1 - u), with u uniform over [0, 1)."""
        return round(-mean * log(1 - (self.draw() >> 11) * 2.0**-53))

    def computed(self) -> list[int]:
        """Return the next block of eight draws: the BLAKE2b hash of the name, with the block's number as salt."""
        name = b"%d:%d:%d:%d" % (self.seed, self.campaign_id, self.subscriber_id, self.attempt)
        if self.detail:
            name += b":" + self.detail.encode()
        block = self._blocks
        hashed = blake2b(name, salt=block.to_bytes(16, "little")) if block else blake2b(name)
        self._blocks = block + 1
        left = self.left = [*_UNPACK(hashed.digest())]
        left.reverse()
        return left
