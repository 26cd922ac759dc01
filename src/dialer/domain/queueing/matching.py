"""A matching of calls with agents: which calls could be taken at the same time, each by another agent."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Final, Generic, TypeVar

Kind = TypeVar("Kind", bound=Hashable)
"""What a call needs."""
Crew = TypeVar("Crew", bound=Hashable)
"""What all agents of one crew can do."""


class Matching(Generic[Kind, Crew]):
    """Calls with an agent for each of them. A call may move to another agent, so that one more has an agent."""

    def __init__(self, able: Mapping[Kind, Sequence[Crew]], free: Mapping[Crew, int]) -> None:
        """`able` are the crews whose agents may take a kind of call, and `free` the number of agents of each crew."""
        self._able: Final = able
        self._spare: Final = Counter(free)
        self._taken: Final[dict[Crew, Counter[Kind]]] = {crew: Counter() for crew in free}
        """The calls of each crew, by kind."""

    def add(self, kind: Kind, calls: int) -> None:
        """Find agents for calls of one kind, as far as there are any."""
        for _ in range(calls):
            found = self._path(kind)
            if found is None:
                return
            moves, crew = found
            self._spare[crew] -= 1
            for leaving, taking in moves:  # Each call takes the place that the call behind it has left.
                self._taken[crew][taking] += 1
                if leaving is not None:
                    self._taken[leaving][taking] -= 1
                    crew = leaving

    def has_room(self, kind: Kind) -> bool:
        """Return whether an agent would be left for one more call of a kind."""
        return self._path(kind) is not None

    def _path(self, kind: Kind) -> tuple[list[tuple[Crew | None, Kind]], Crew] | None:
        """Return a crew with a spare agent, and who moves: each with the crew that they leave, the new call last."""
        whence: dict[Kind, tuple[Crew, Kind] | None] = {kind: None}
        turns = [kind]
        for one in turns:  # It grows meanwhile, and has each kind once at most.
            for crew in self._able[one]:
                if self._spare[crew]:
                    return _moves(one, whence), crew
                for other, number in self._taken[crew].items():
                    if number and other not in whence:
                        whence[other] = (crew, one)
                        turns.append(other)
        return None


def _moves(last: Kind, whence: Mapping[Kind, tuple[Crew, Kind] | None]) -> list[tuple[Crew | None, Kind]]:
    moves: list[tuple[Crew | None, Kind]] = []
    while (before := whence[last]) is not None:
        crew, asking = before
        moves.append((crew, last))
        last = asking
    return [*moves, (None, last)]
