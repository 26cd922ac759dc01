"""Seeded random choices for the fault simulator."""

from collections.abc import Sequence
from typing import Final, TypeVar

from dialer.sim.chance import Chance

_Thing = TypeVar("_Thing")
_PER_CENT: Final = 100


class Dice:
    """A sequence of random choices that depends on the seed and the purpose alone, on any machine."""

    __slots__ = ("_chance",)

    def __init__(self, seed: int, purpose: str) -> None:
        # No campaign has the id 0, so these draws are independent of every call's.
        self._chance = Chance(seed, 0, 0, 0, purpose)

    def between(self, least: int, most: int) -> int:
        """Draw an integer from `least` to `most`, both included."""
        return self._chance.between(least, most)

    def pick(self, things: Sequence[_Thing]) -> _Thing:
        """Draw one of some things, of which there is at least one."""
        return things[self._chance.between(0, len(things) - 1)]

    def happens(self, per_cent: int) -> bool:
        """Return true with a probability of `per_cent` in 100."""
        return self._chance.between(0, _PER_CENT - 1) < per_cent

    def some(self, things: Sequence[_Thing], most: int) -> list[_Thing]:
        """Draw up to `most` different things, in their order; perhaps none."""
        wanted = self._chance.between(0, min(most, len(things)))
        places = list(range(len(things)))
        while len(places) > wanted:
            del places[self._chance.between(0, len(places) - 1)]
        return [things[place] for place in places]
