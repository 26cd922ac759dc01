"""Tests of the share of abandoned calls: the limit that holds, and the causes that are named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.rules.abandoned_causes import (
    AGENTS,
    SETTINGS,
    AbandonedFacts,
    ExceededShare,
    causes_of,
    exceeded_share,
)
from dialer.domain.rules.abandoned_limits import JUDGED_FROM, LEGAL_PERCENT
from dialer.domain.words.enums import DialMethod

PLENTY = {"available": 20, "on_break": 2, "logged_out": 9}


@pytest.mark.parametrize(
    ("abandoned", "of", "own_limit", "found"),
    [
        (3, 100, 60, None),
        (4, 100, 60, ExceededShare(4.0, 3)),
        (2, 100, 1, ExceededShare(2.0, 1)),
        (19, 19, 3, None),
        (20, 20, 100, ExceededShare(100.0, 3)),
        (0, 0, 0, None),
    ],
)
def test_the_lower_one_of_the_own_limit_and_the_legal_one_holds(
    abandoned: int, of: int, own_limit: float, found: ExceededShare | None
) -> None:
    assert exceeded_share(abandoned, of, own_limit) == found


@given(st.integers(0, 500), st.integers(0, 500), st.floats(0, 100))
def test_no_share_above_the_legal_one_is_silent(abandoned: int, others: int, own_limit: float) -> None:
    of = abandoned + others
    if of >= JUDGED_FROM and abandoned * 100 > LEGAL_PERCENT * of:
        assert exceeded_share(abandoned, of, own_limit) is not None


@pytest.mark.parametrize(
    ("facts", "causes"),
    [
        (
            AbandonedFacts(limit=3, dial_method=DialMethod.FIXED_RATE, agent_dial_rate=1, **PLENTY),
            [("It dials a fixed number of calls a minute", SETTINGS)],
        ),
        (
            AbandonedFacts(limit=3, dial_method=DialMethod.PROGRESSIVE, agent_dial_rate=1.5, **PLENTY),
            [("It dials 1.5 calls for each free agent", SETTINGS)],
        ),
        (
            AbandonedFacts(limit=60, dial_method=DialMethod.PREDICTIVE, agent_dial_rate=1, available=3, on_break=3),
            [
                ("It dials ahead of agents until 60 % of calls", SETTINGS),
                ("Only 3 agents are available.", AGENTS),
                ("As many agents are on a break (3)", AGENTS),
            ],
        ),
        (
            AbandonedFacts(limit=3, dial_method=DialMethod.PREDICTIVE, agent_dial_rate=1, ring_ms=3_400, **PLENTY),
            [
                ("It no longer dials ahead", SETTINGS),
                ("Agents answer their telephones after 3.4 s", AGENTS),
            ],
        ),
        (
            AbandonedFacts(limit=3, dial_method=DialMethod.PROGRESSIVE, agent_dial_rate=1, on_break=4, logged_out=1),
            [("No agent of its queues is available: 4 on a break, 1 logged out.", AGENTS)],
        ),
        (AbandonedFacts(limit=3, dial_method=DialMethod.PROGRESSIVE, agent_dial_rate=1, ring_ms=900, **PLENTY), []),
    ],
)
def test_the_causes_are_those_that_the_settings_and_the_agents_show(
    facts: AbandonedFacts, causes: list[tuple[str, str]]
) -> None:
    found = causes_of(facts)
    assert [cause.place for cause in found] == [place for _, place in causes]
    assert [str(cause.text).startswith(start) for cause, (start, _) in zip(found, causes, strict=True)] == [True] * len(
        causes
    )
