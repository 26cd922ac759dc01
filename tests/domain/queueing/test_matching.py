"""Tests of the matching of calls with agents, compared with one that tries all agents for each call."""

from collections import Counter
from itertools import permutations
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.queueing.matching import Matching

SKILLS: Final = ("spanish", "loans", "cards")
sets_of_skills = st.frozensets(st.sampled_from(SKILLS))
needed = st.lists(sets_of_skills.filter(bool), max_size=4)


def most_taken(calls: list[frozenset[str]], agents: list[frozenset[str]]) -> int:
    """Return how many calls can be taken at the same time, by trying the calls in every order."""
    idle = [*agents, *[frozenset[str]()] * len(calls)]
    return max(
        sum(need <= skills for need, skills in zip(calls, order, strict=True))
        for order in set(permutations(idle, len(calls)))
    )


@given(needed, st.lists(sets_of_skills, max_size=3), sets_of_skills.filter(bool))
def test_there_is_room_for_a_call_if_one_more_can_be_taken_with_it(
    calls: list[frozenset[str]], agents: list[frozenset[str]], further: frozenset[str]
) -> None:
    able = {need: [skills for skills in set(agents) if need <= skills] for need in (*calls, further)}
    matching = Matching(able, Counter(agents))
    for need, number in Counter(calls).items():
        matching.add(need, number)
    assert matching.has_room(further) == (most_taken([*calls, further], agents) > most_taken(calls, agents))
