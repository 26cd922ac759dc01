"""Tests that a seed gives equal calls, to the byte, in any process and in steps of any size."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from dialer.domain.figures.digest import cdr_digest
from dialer.sim import simulation as simulation_module
from dialer.sim.report import cdr_record
from dialer.sim.scenario import parse_scenario
from dialer.sim.simulation import Simulation

EXAMPLE: Final = Path(__file__).parents[2] / "examples" / "reminder.json"
PROGRAM: Final = """
import sys
from pathlib import Path
from dialer.sim.report import report_of
from dialer.sim.scenario import parse_scenario
from dialer.sim.simulation import Simulation
simulation = Simulation(parse_scenario(Path(sys.argv[1]).read_bytes()))
simulation.run()
sys.stdout.write(report_of(simulation).digest)
"""


def digest_with_hash_seed(hash_seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-c", PROGRAM, str(EXAMPLE)]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def digest_in_steps(events_per_step: int, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(simulation_module, "EVENTS_PER_STEP", events_per_step)
    simulation = Simulation(parse_scenario(EXAMPLE.read_bytes()))
    simulation.run()
    return cdr_digest(map(cdr_record, simulation.store.cdrs))


def test_another_order_of_hashes_changes_nothing() -> None:
    digests = {digest_with_hash_seed(hash_seed) for hash_seed in ("0", "1", "4294967295")}
    assert len(digests) == 1


def test_the_size_of_the_steps_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len({digest_in_steps(events, monkeypatch) for events in (1, 7, 20_000)}) == 1
