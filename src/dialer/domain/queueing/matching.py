"""A matching of calls with agents: which calls could be taken at the same time, each by another agent."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Final, Generic, TypeVar

Kind = TypeVar("Kind", bound=Hashable)
"""The needs of a call."""
Team = TypeVar("Team", bound=Hashable)
"""The skills and queues of some agents, the same for all of them."""


class Matching(Generic[Kind, Team]):
    """Calls with an agent for each of them. A call may move to another agent, so that one more has an agent."""

    def __init__(self, able: Mapping[Kind, Sequence[Team]], free: Mapping[Team, int]) -> None:
        """`able` are the teams whose agents may take a kind of call, and `free` the number of agents of each team."""
        self._able: Final = able
        self._spare: Final = Counter(free)
        self._taken: Final[dict[Team, Counter[Kind]]] = {team: Counter() for team in free}
        """The calls of each team, by kind."""

    def add(self, kind: Kind, calls: int) -> None:
        """Find agents for calls of one kind, as far as there are any."""
        for _ in range(calls):
            found = self._path(kind)
            if found is None:
                return
            moves, team = found
            self._spare[team] -= 1
            for leaving, taking in moves:  # Each call takes the place that the call behind it has left.
                self._taken[team][taking] += 1
                if leaving is not None:
                    self._taken[leaving][taking] -= 1
                    team = leaving

    def has_room(self, kind: Kind) -> bool:
        """Return whether an agent would be left for one more call of a kind."""
        return self._path(kind) is not None

    def _path(self, kind: Kind) -> tuple[list[tuple[Team | None, Kind]], Team] | None:
        """Return a team with a spare agent, and who moves: each with the team that they leave, the new call last."""
        whence: dict[Kind, tuple[Team, Kind] | None] = {kind: None}
        turns = [kind]
        for one in turns:  # It grows meanwhile, and has each kind once at most.
            for team in self._able[one]:
                if self._spare[team]:
                    return _moves(one, whence), team
                for other, number in self._taken[team].items():
                    if number and other not in whence:
                        whence[other] = (team, one)
                        turns.append(other)
        return None


def _moves(last: Kind, whence: Mapping[Kind, tuple[Team, Kind] | None]) -> list[tuple[Team | None, Kind]]:
    moves: list[tuple[Team | None, Kind]] = []
    while (before := whence[last]) is not None:
        team, asking = before
        moves.append((team, last))
        last = asking
    return [*moves, (None, last)]
