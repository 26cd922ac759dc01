"""Tests of connections that are lost in calls: no seed breaks a rule, and the rules find bugs that are planted."""

import pytest

from tests.sizes import CONNECTION_SEEDS
from tests.vopr.connection_rules import CONNECTIONS_PLANTED, connection_findings
from tests.vopr.search import first_connection_seed


def test_no_seed_breaks_a_rule() -> None:
    assert [seed for seed in CONNECTION_SEEDS if connection_findings(seed)] == []


@pytest.mark.parametrize("name", CONNECTIONS_PLANTED)
def test_a_planted_bug_is_found(name: str) -> None:
    assert first_connection_seed(name) is not None
