"""Property tests of the pace of refusals."""

from itertools import accumulate
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.api.http.refusal_pace import PROMPT_REFUSALS, REFUSAL_EVERY_S, REFUSAL_WAITS_S, REQUESTERS_MAX, RefusalPace

RESTS_S: Final = st.lists(st.floats(0, 5), max_size=60)


@given(rests_s=RESTS_S, others=st.integers(0, 40))
def test_no_answer_waits_longer_than_the_longest_and_the_first_ones_do_not_wait(
    rests_s: list[float], others: int
) -> None:
    """The refusals of others change nothing."""
    pace, moments_s = RefusalPace(), list(accumulate(rests_s, initial=1_000.0))
    for _ in range(others):
        pace.wait_s("192.0.2.1", moments_s[0])
    waits_s = [pace.wait_s(7, at_s) for at_s in moments_s]
    assert all(0 <= wait_s <= REFUSAL_WAITS_S + 1e-9 for wait_s in waits_s)
    assert max(waits_s[:PROMPT_REFUSALS]) == pytest.approx(0)


@given(rests_s=st.lists(st.floats(REFUSAL_EVERY_S + 1e-3, 5), max_size=60))
def test_whoever_is_refused_seldom_never_waits(rests_s: list[float]) -> None:
    pace = RefusalPace()
    assert max(pace.wait_s(7, at_s) for at_s in accumulate(rests_s, initial=0.0)) == pytest.approx(0)


@given(clients=st.integers(1, 100))
def test_clients_that_repeat_in_a_loop_get_few_answers_a_second(clients: int) -> None:
    """Each sends its next request when it has the answer. After the prompt ones, the pace or the longest wait rules."""
    pace, seconds, answers = RefusalPace(), 20.0, 0
    next_s = [0.0] * clients
    while (at_s := min(next_s)) < seconds:
        answers += 1
        next_s[next_s.index(at_s)] = at_s + pace.wait_s(7, at_s)
    most = max(1 / REFUSAL_EVERY_S, clients / REFUSAL_WAITS_S)
    assert answers <= PROMPT_REFUSALS + clients + most * seconds * 1.1


def test_few_requesters_are_remembered() -> None:
    pace = RefusalPace()
    for number in range(REQUESTERS_MAX + 1):
        for _ in range(PROMPT_REFUSALS + 1 if number == 0 else 1):
            pace.wait_s(number, 0.0)
    assert pace.wait_s(0, 0.0) == 0
