"""Chance without a state: what happens in a call is a function of (seed, campaign, subscriber, attempt)."""

from hashlib import blake2b
from math import log
from struct import Struct
from typing import Final

CERTAIN: Final = 1 << 64
"""The threshold of a chance of 1."""
_DRAWS_PER_BLOCK: Final = 8
_UNPACK: Final = Struct("<8Q").unpack


def threshold(probability: float) -> int:
    """A chance from 0 to 1 as the integer that `Chance.draw` stays below that often."""
    return int(probability * CERTAIN)


class Chance:
    """An endless sequence of integers, uniform over 64 bits, that is the same for the same name on any machine."""

    __slots__ = ("_block", "_draws", "_name", "_next")

    def __init__(self, seed: int, campaign_id: int, subscriber_id: int, attempt: int, detail: str = "") -> None:
        self._name = b"%d:%d:%d:%d" % (seed, campaign_id, subscriber_id, attempt)
        if detail:
            self._name += b":" + detail.encode()
        self._block = 0
        self._draws: tuple[int, ...] = ()
        self._next = _DRAWS_PER_BLOCK

    def draw(self) -> int:
        """The next integer: at least 0, below 2^64."""
        if self._next == _DRAWS_PER_BLOCK:
            digest = blake2b(self._name, digest_size=64, salt=self._block.to_bytes(16, "little")).digest()
            self._draws = _UNPACK(digest)
            self._block += 1
            self._next = 0
        value = self._draws[self._next]
        self._next += 1
        return value

    def between(self, least: int, most: int) -> int:
        """The next whole number from `least` to `most`, both included."""
        return least + (self.draw() * (most - least + 1) >> 64)

    def exponential(self, mean: int) -> int:
        """The next whole number of an exponential distribution: -mean * ln(1 - u), u uniform over [0, 1)."""
        return round(-mean * log(1 - (self.draw() >> 11) * 2.0**-53))
