"""Sizes of tests that try many cases of one kind: few while a person waits, all in continuous integration.

`.ci/run` sets `CI=true`, which chooses all cases. By hand: `CI=true .venv/bin/pytest tests/vopr`. It also sets
`FAULT_SEEDS_FROM` and prints it: the same number runs the same worlds again. Examples of properties are others in each
run, too, so that a week of runs shows more than many cases in one.
"""

import os
from typing import Final

IS_WHOLE: Final = os.environ.get("CI") == "true"
"""True if all cases are tried."""


def _size(few: int, whole: int) -> int:
    return whole if IS_WHOLE else few


EXAMPLES: Final = _size(20, 30)
"""Examples of a property, unless the test names a number."""


def examples(few: int) -> int:
    """Return the number of examples of a property of which each example is expensive."""
    return _size(few, few * 3 // 2)


SEEDS_FROM: Final = int(os.environ.get("FAULT_SEEDS_FROM", "0"))
"""The first world of the fault simulator with one worker. `.ci/run` draws it from the commit."""
FAULT_SEEDS: Final = range(SEEDS_FROM, SEEDS_FROM + _size(40, 100))
"""Worlds of the fault simulator with one worker. The accounts of every other one keep events."""
AHEAD_SEEDS: Final = range(SEEDS_FROM, SEEDS_FROM + _size(5, 16))
"""Worlds of the fault simulator in which steps decide ahead."""
FLEET_SEEDS: Final = (5, 13) if not IS_WHOLE else (5, 13, *range(SEEDS_FROM, SEEDS_FROM + 8))
"""Worlds of the fault simulator with several workers. Seed 13 once broke a rule: a survey sent a message over an SMS
gateway of which its worker held nothing."""
LINE_SEEDS: Final = range(SEEDS_FROM, SEEDS_FROM + _size(2, 10))
"""Worlds of the fault simulator with real lines."""
SOUND_SEEDS: Final = range(SEEDS_FROM, SEEDS_FROM + _size(200, 1_000))
"""Strangers at the sound of a call."""
RECORDED_SEEDS: Final = range(SEEDS_FROM, SEEDS_FROM + _size(20, 200))
"""Recorded calls that are paused."""
TALK_SEEDS: Final = range(SEEDS_FROM, SEEDS_FROM + _size(20, 200))
"""Programs that talk badly."""
SIGNALLING_SEEDS: Final = range(SEEDS_FROM, SEEDS_FROM + _size(60, 400))
"""Carriers with odd habits."""
CONNECTION_SEEDS: Final = range(SEEDS_FROM, SEEDS_FROM + _size(60, 400))
"""Calls whose connections are lost, and whose other side changes its key."""
CROWD_SEEDS: Final = _size(1, 6)
"""Accounts that send everything at once beside another."""
CROWD_BUGS: Final = _size(1, 4)
"""Bugs of fairness that are planted."""
HASH_SEEDS: Final = ("1",) if not IS_WHOLE else ("1", "2")
"""Hash seeds of the processes that must print the trace of this one."""
PACING_CAMPAIGNS: Final = _size(80, 120)
"""Short campaigns in which predictive dialling keeps its target."""
ERLANG_LOADS: Final = _size(3, 4)
"""Loads at which the simulator is compared with Erlang's formula."""
REFRESH_STORIES: Final = _size(6, 10)
"""Histories in which an engine that reads changes only must equal one that reads everything."""
AGENT_SEEDS: Final = _size(2, 3)
"""Simulated days of agents for each dial method."""
ABANDON_SEEDS: Final = int(os.environ.get("ABANDON_SEEDS", AGENT_SEEDS))
"""Simulated days whose share of abandoned calls keeps its limit; `ABANDON_SEEDS=200` tries as many."""
PROVED_WORLDS: Final = _size(4, 34)
"""Worlds of three campaigns each whose archives an independent judge reads."""
STATEFUL_RUNS: Final = _size(15, 20)
"""Histories of two users of the API."""
EVERY_BENCHMARK: Final = _size(12, 6)
"""Of so many benchmarks, one runs at its smallest size: another one for each commit in continuous integration."""
KILLS: Final = _size(1, 3)
"""Kills of a server under load."""
