"""Fixture campaign of the benchmarks: five sections, retries, and a population with default behaviour."""

import json
from typing import Any

from dialer.sim.scenario import Scenario, parse_scenario

SECTIONS: list[dict[str, Any]] = [
    {"id": 1, "type": 1, "question": "Hello", "audio_seconds": 4, "branches": {"0": 2}},
    {
        "id": 2,
        "type": 2,
        "question": "Will you come?",
        "audio_seconds": 5,
        "key_1": "yes",
        "key_2": "no",
        "retries": 1,
        "branches": {"any": 3, "timeout": None},
    },
    {"id": 3, "type": 3, "question": "How was it?", "audio_seconds": 4, "branches": {"any": 4, "timeout": 4}},
    {"id": 4, "type": 1, "question": "News", "audio_seconds": 6, "branches": {"0": 5}},
    {"id": 5, "type": 7, "question": "Goodbye", "audio_seconds": 2, "completed": True},
]
CAMPAIGN: dict[str, Any] = {"frequency": 10_000, "maxretry": 2, "intervalretry": 600}


def document(subscribers: int, **changes: Any) -> bytes:  # noqa: ANN401 - parts of the document
    """Return a scenario with this many subscribers of one zone, at ten thousand calls a minute, as JSON."""
    parts = {
        "seed": 1,
        "start": "2026-03-02T09:00:00",
        "account": {"balance": "9000000", "call_rate": "0.02"},
        "campaign": CAMPAIGN,
        "survey": {"sections": SECTIONS},
        "population": {"size": subscribers, "patterns": ["+12025xxxxxx"]},
    }
    return json.dumps(parts | changes).encode()


def scenario(subscribers: int) -> Scenario:
    """Return the scenario of `document`."""
    return parse_scenario(document(subscribers))
