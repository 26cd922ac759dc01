"""Tests of programs that talk badly: each call has an end, no sound follows a stop, and planted bugs are found."""

import pytest

from tests.sizes import TALK_SEEDS
from tests.vopr.search import first_talk_seed
from tests.vopr.talk_rules import TALKS_PLANTED, talk_findings


def test_each_call_has_an_end_and_no_program_is_heard_after_it() -> None:
    assert [found for seed in TALK_SEEDS if (found := talk_findings(seed))] == []


@pytest.mark.parametrize("name", TALKS_PLANTED)
def test_a_planted_bug_is_found(name: str) -> None:
    assert first_talk_seed(name) is not None
