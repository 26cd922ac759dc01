"""Tests of carriers with odd habits: no seed breaks a rule, and the rules find bugs that are planted."""

import pytest

from tests.sizes import SIGNALLING_SEEDS
from tests.vopr.search import first_signalling_seed
from tests.vopr.signalling_rules import SIGNALLING_PLANTED, signalling_findings


def test_no_seed_breaks_a_rule() -> None:
    assert [seed for seed in SIGNALLING_SEEDS if signalling_findings(seed)] == []


@pytest.mark.parametrize("name", SIGNALLING_PLANTED)
def test_a_planted_bug_is_found(name: str) -> None:
    assert first_signalling_seed(name) is not None
