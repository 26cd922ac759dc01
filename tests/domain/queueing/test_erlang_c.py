"""Tests of the formula Erlang C against printed tables, and of what always holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.queueing.erlang_c import mean_wait_ms, share_within, waiting_share


def test_the_formula_gives_what_tables_of_it_give() -> None:
    """One agent: the load itself. Two agents and one erlang: 1/3, by hand. Ten and seven: printed tables say 0.222."""
    assert waiting_share(1, 0.5) == pytest.approx(0.5)
    assert waiting_share(2, 1.0) == pytest.approx(1 / 3)
    assert waiting_share(10, 7.0) == pytest.approx(0.222, abs=5e-4)
    assert mean_wait_ms(1, 0.5, 2_000) == pytest.approx(2_000)


def test_a_load_that_is_too_much_has_no_mean_wait() -> None:
    assert (waiting_share(3, 3.0), mean_wait_ms(3, 3.0, 1_000), share_within(3, 3.0, 1_000, 20_000)) == (1.0, None, 0.0)
    assert (waiting_share(0, 0.0), mean_wait_ms(0, 0.0, 1_000)) == (1.0, None)


@given(agents=st.integers(1, 200), load=st.floats(0.01, 0.99), handling_ms=st.floats(1_000, 600_000))
def test_one_agent_more_never_makes_callers_wait_longer(agents: int, load: float, handling_ms: float) -> None:
    erlangs = agents * load
    wait_ms, less_ms = mean_wait_ms(agents, erlangs, handling_ms), mean_wait_ms(agents + 1, erlangs, handling_ms)
    assert wait_ms is not None
    assert less_ms is not None
    assert 0 <= less_ms <= wait_ms
    within = share_within(agents, erlangs, handling_ms, 20_000)
    assert 0 <= within <= share_within(agents + 1, erlangs, handling_ms, 20_000) <= 1
    assert share_within(agents, erlangs, handling_ms, 0) == pytest.approx(1 - waiting_share(agents, erlangs))
