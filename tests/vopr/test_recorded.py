"""Tests of pauses and refusals of recorded calls: nothing is kept of one, and planted bugs are found."""

import pytest

from tests.sizes import RECORDED_SEEDS
from tests.vopr.recorded import RECORDED_PLANTED, recorded_findings
from tests.vopr.search import first_recorded_seed


def test_nothing_is_kept_of_a_pause_or_a_refusal() -> None:
    assert [found for seed in RECORDED_SEEDS if (found := recorded_findings(seed))] == []


@pytest.mark.parametrize("name", RECORDED_PLANTED)
def test_a_planted_bug_is_found(name: str) -> None:
    assert first_recorded_seed(name) is not None
