"""Property tests of fair turns: whoever asks, ends and gives up in any order, and whatever the limits are."""

from collections import Counter
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.shares.fair_turns import FairTurns, Reply, TurnLimits

LIMITS = st.builds(
    TurnLimits,
    most=st.integers(1, 6),
    of_each=st.integers(1, 4),
    waiting_most=st.none() | st.integers(0, 8),
    waiting_of_each=st.none() | st.integers(0, 4),
)
MOVES = st.lists(st.tuples(st.sampled_from(["ask", "ask", "end", "give up"]), st.integers(0, 4)), max_size=80)


class House:
    """The turns, and what everybody outside knows of them."""

    def __init__(self, limits: TurnLimits) -> None:
        self.limits = limits
        self.turns = FairTurns[int, int](limits)
        self.owner: dict[int, int] = {}
        self.taken: list[int] = []
        self.waiting: list[int] = []
        self.passed: dict[int, Counter[int]] = {}
        """For each account that waits without a turn, how often each other account has begun meanwhile."""
        self._tickets = count()

    def ask(self, account: int) -> None:
        ticket = next(self._tickets)
        self.owner[ticket] = account
        own = sum(self.owner[one] == account for one in self.waiting)
        match self.turns.ask(account, ticket):
            case Reply.BEGINS:
                self._begin(ticket)
            case Reply.WAITS:
                self.waiting.append(ticket)
            case Reply.OWN_FULL:
                assert own == self.limits.waiting_of_each
            case Reply.ALL_FULL:
                assert len(self.waiting) == self.limits.waiting_most

    def end(self, place: int) -> None:
        if self.taken:
            ended = self.taken.pop(place % len(self.taken))
            following = self.turns.end(self.owner[ended])
            if following is not None:
                own = [one for one in self.waiting if self.owner[one] == self.owner[following]]
                assert own[0] == following, "tickets of an account come in their order"
                self.waiting.remove(following)
                self._begin(following)

    def give_up(self, place: int) -> None:
        if self.waiting:
            ticket = self.waiting.pop(place % len(self.waiting))
            self.turns.give_up(self.owner[ticket], ticket)

    def _begin(self, ticket: int) -> None:
        self.taken.append(ticket)
        for meanwhile in self.passed.values():
            meanwhile[self.owner[ticket]] += 1

    def check(self) -> None:
        held = Counter(self.owner[one] for one in self.taken)
        waits = Counter(self.owner[one] for one in self.waiting)
        assert held.total() <= self.limits.most
        assert max(held.values(), default=0) <= self.limits.of_each
        entitled = [account for account in waits if held[account] < self.limits.of_each]
        assert not entitled or held.total() == self.limits.most, "a turn is free while somebody waits for it"
        without = {account for account in waits if not held[account]}
        self.passed = {account: self.passed.get(account, Counter()) for account in without}
        for meanwhile in self.passed.values():
            assert max(meanwhile.values(), default=0) <= 1, "an account came twice before one that had no turn"


@given(limits=LIMITS, moves=MOVES)
def test_turns_are_bounded_none_stays_free_and_nobody_starves(limits: TurnLimits, moves: list[tuple[str, int]]) -> None:
    house = House(limits)
    for move, number in moves:
        {"ask": house.ask, "end": house.end, "give up": house.give_up}[move](number)
        house.check()
    while house.taken:
        house.end(0)
        house.check()
    assert house.waiting == []
