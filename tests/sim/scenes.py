"""Small scenarios of the simulator's tests."""

from typing import Any, Final

import msgspec

from dialer.sim.scenario import Scenario, parse_scenario
from dialer.sim.simulation import Simulation

START_MS: Final = 1_795_168_800_000
"""2026-11-20 10:00:00 UTC, a Friday."""
SURVEY: Final = {
    "sections": [
        {"id": 1, "question": "Welcome", "audio_seconds": 6, "branches": {"0": 2}},
        {
            "id": 2,
            "type": 2,
            "question": "Which one?",
            "audio_seconds": 4,
            "timeout": 5,
            **{f"key_{key}": f"number {key}" for key in range(1, 10)},
            "branches": {"any": 3, "timeout": 3},
        },
        {"id": 3, "type": 7, "question": "Goodbye", "audio_seconds": 2},
    ]
}
"""A survey: 6 s of greeting, 4 s of question, up to 5 s for a key, 2 s of goodbye."""


def scenario_of(*contacts: str, **parts: Any) -> Scenario:  # noqa: ANN401 - any part of the document
    """Return a scenario that dials one number a second from `START_MS` on; `parts` replace its other parts."""
    document: dict[str, Any] = {
        "start": "2026-11-20T10:00:00Z",
        "survey": SURVEY,
        "account": {"balance": "100", "call_rate": "0.06"},
        "campaign": {"frequency": 60, **parts.pop("campaign", {})},
        "contacts": [{"contact": contact} for contact in contacts],
    }
    return parse_scenario(msgspec.json.encode(document | parts))


def run(*contacts: str, **parts: Any) -> Simulation:  # noqa: ANN401 - any part of the document
    """Run a scenario that dials one number a second from `START_MS` on; `parts` replace its other parts."""
    simulation = Simulation(scenario_of(*contacts, **parts))
    simulation.run()
    return simulation
