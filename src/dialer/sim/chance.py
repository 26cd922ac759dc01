"""Chance without a state: what happens in a call is a function of (seed, campaign, subscriber, attempt)."""

from collections.abc import Callable, Iterator
from hashlib import blake2b
from itertools import count
from math import log
from struct import Struct
from typing import Final

CERTAIN: Final = 1 << 64
"""The threshold of a chance of 1."""
_UNPACK: Final = Struct("<8Q").unpack


def threshold(probability: float) -> int:
    """A chance from 0 to 1 as the integer that `Chance.draw` stays below that often."""
    return int(probability * CERTAIN)


class Chance:
    """An endless sequence of integers, uniform over 64 bits, that is the same for the same name on any machine."""

    __slots__ = ("draw",)

    def __init__(self, seed: int, campaign_id: int, subscriber_id: int, attempt: int, detail: str = "") -> None:
        name = b"%d:%d:%d:%d" % (seed, campaign_id, subscriber_id, attempt)
        if detail:
            name += b":" + detail.encode()
        self.draw: Final[Callable[[], int]] = _draws(name).__next__
        """The next integer: at least 0, below 2^64."""

    def between(self, least: int, most: int) -> int:
        """The next whole number from `least` to `most`, both included."""
        return least + (self.draw() * (most - least + 1) >> 64)

    def exponential(self, mean: int) -> int:
        """The next whole number of an exponential distribution: -mean * ln(1 - u), u uniform over [0, 1)."""
        return round(-mean * log(1 - (self.draw() >> 11) * 2.0**-53))


def _draws(name: bytes) -> Iterator[int]:
    """Eight draws of each hash: of the name, then of the name with 1, 2, and so on for salt."""
    yield from _UNPACK(blake2b(name).digest())
    for block in count(1):
        yield from _UNPACK(blake2b(name, salt=block.to_bytes(16, "little")).digest())
