"""Tests that the SimPy model of the benchmarks makes the same calls, so that its speed can be compared."""

from types import ModuleType
from typing import Any, Final

import pytest

from benchmarks.fixture_campaign import CAMPAIGN, document
from benchmarks.simulate import LIMITED, digests, find_simpy_model

SUBSCRIBERS: Final = 400
ZONES: Final = {"size": SUBSCRIBERS, "patterns": ["+12025xxxxxx", "+4930xxxxxxx", "+8190xxxxxxxx"]}
SCENARIOS: Final[dict[str, dict[str, Any]]] = {
    "benchmark": {},
    "benchmark with limits": LIMITED,
    "channels": {"gateway": {"max_channels": 7}},
    "calls a second": {"gateway": {"max_cps": 9}},
    "failures": {"gateway": {"max_channels": 50, "max_cps": 50, "parameters": {"congestion": 0.4, "listen": 0.7}}},
    "calls at once": {"campaign": CAMPAIGN | {"max_aleg": 5}},
    "do-not-call list": {"dnc": LIMITED["dnc"]},
    "money": {"account": {"balance": "3.5", "call_rate": "0.02"}, "gateway": {"max_channels": 11}},
    "expiry": {"campaign": CAMPAIGN | {"frequency": 600, "expirationdate": "2026-03-02T09:00:30"}},
    "windows": {
        "campaign": CAMPAIGN | {"daily_start_time": "10:00:00", "daily_stop_time": "10:03:00"},
        "population": ZONES,
    },
}


@pytest.fixture(scope="module")
def model() -> ModuleType:
    found = find_simpy_model()
    if found is None:
        pytest.skip("SimPy is missing: make .venv-peers/.ready")
    return found


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_simpy_model_of_the_same_work_has_the_same_calls(name: str, model: ModuleType) -> None:
    ours, theirs = digests(model, document(SUBSCRIBERS, **SCENARIOS[name]))
    assert ours == theirs
