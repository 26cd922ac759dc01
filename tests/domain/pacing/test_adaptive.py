"""Tests of VICIdial's adaptive methods, worked out by hand from their published constants."""

from typing import Any, Final

import pytest
from msgspec.structs import replace

from dialer.domain.pacing.adaptive import Adaptive, OnDrops, Threshold
from dialer.domain.pacing.inputs import Pace, PacingFigures, PacingInputs
from dialer.domain.pacing.readings import Reading, remember

HOUR_MS: Final = 3_600_000
MIDNIGHT_MS: Final = 20_000 * 24 * HOUR_MS
FEW_CALLS: Final = PacingFigures(dialled=40, answered=20)


def adapted(
    level: float,
    *,
    difference: int = 0,
    agents: int = 20,
    figures: PacingFigures = FEW_CALLS,
    minute: tuple[int, int] = (0, 0),
    hour: float = 12,
    on_drops: OnDrops = OnDrops.AVERAGE,
    **settings: Any,  # noqa: ANN401 - any setting of the strategy
) -> float:
    """Return the level after a minute with this surplus of idle agents over waiting callees.

    `minute` is the number of calls in that minute, and the number of dropped ones.
    """
    idle, waiting = max(difference, 0) + 1, max(-difference, 0) + 1
    calls, drops = minute
    before = Reading(idle, waiting, agents, figures.dialled - calls, figures.abandoned - drops)
    memory = {"level": level, "due_ms": 0.0} | remember([before] * 4)
    now_ms = MIDNIGHT_MS + round(hour * HOUR_MS)
    figures = replace(figures, memory=memory)
    situation = PacingInputs(now_ms, agents=agents, idle=idle, waiting=waiting, figures=figures)
    kept = Adaptive(on_drops, **settings).pace(situation).memory
    assert kept is not None
    return kept["level"]


@pytest.mark.parametrize(
    ("level", "difference", "settings", "becomes"),
    [
        (1.5, 0, {}, 1.5),
        (1.5, 2, {}, 1.65),  # 2 of 20 agents: + 10 %
        (2.0, -3, {}, 1.7),  # - 15 %
        (1.5, 2, {"intensity": 20}, 1.68),  # + 10 % x 1.2
        (2.0, -3, {"intensity": 20}, 1.76),  # - 15 % x |0.2 - 1|
        (1.5, 2, {"intensity": -40}, 1.59),  # + 10 % x 0.6
        (2.0, -3, {"intensity": -40}, 1.58),  # - 15 % x |-0.4 - 1|
        (1.5, 2, {"dl_diff_target": 1}, 1.725),  # (2 + 1) of 20: + 15 %
        (1.5, 2, {"dl_diff_target": -2}, 1.5),
        (1.5, 2, {"dl_diff_target": -4}, 1.35),  # - 10 %
        (1.333, 1, {"agents": 3}, 1.777),  # 1.333 x 4/3 = 1.77733
        (2.9, 2, {}, 3.0),  # 3.19 is over the maximum
        (2.9, 2, {"maximum_level": 3.1}, 3.1),
        (1.1, -3, {}, 1.0),  # 0.935 is under the minimum
    ],
)
def test_the_level_follows_the_balance_of_idle_agents_and_waiting_callers(
    level: float, difference: int, settings: dict[str, Any], becomes: float
) -> None:
    assert adapted(level, difference=difference, **settings) == becomes


@pytest.mark.parametrize(
    ("minute", "becomes"),
    [
        ((21, 11), 1.4),  # 52.38 % of more than 20
        ((20, 20), 2.8),
        ((22, 11), 2.8),  # 50 %, and not more
    ],
)
def test_a_minute_in_which_most_calls_were_dropped_halves_the_level(minute: tuple[int, int], becomes: float) -> None:
    """The whole campaign has 50 calls, which are too few to count."""
    assert adapted(2.8, minute=minute, figures=PacingFigures(dialled=50, answered=50, abandoned=20)) == becomes


@pytest.mark.parametrize(
    ("on_drops", "hour", "becomes"),
    [
        (OnDrops.HARD_LIMIT, 12, 1.0),
        (OnDrops.AVERAGE, 12, 1.4),
        (OnDrops.TAPERED, 10, 2.8),  # 2100 - 1000 = 1100, over 1000
        (OnDrops.TAPERED, 11, 2.8),  # 1000 / 1000
        (OnDrops.TAPERED, 13.5, 2.156),  # (2100 - 1330) / 1000 = 0.77
        (OnDrops.TAPERED, 16, 1.4),  # 0.5
        (OnDrops.TAPERED, 20.75, 1.0),  # 0.025 of 2.8 is under the minimum
        (OnDrops.TAPERED, 21, 1.0),
        (OnDrops.TAPERED, 23, 1.0),  # past the end of the day
    ],
)
def test_more_than_three_per_cent_dropped_lower_the_level(on_drops: OnDrops, hour: float, becomes: float) -> None:
    figures = PacingFigures(dialled=51, answered=25, abandoned=1)  # 4 %
    assert adapted(2.8, figures=figures, on_drops=on_drops, hour=hour) == pytest.approx(becomes, abs=1e-12)


@pytest.mark.parametrize("on_drops", list(OnDrops))
@pytest.mark.parametrize(
    "figures",
    [
        PacingFigures(dialled=50, answered=25, abandoned=25),
        PacingFigures(dialled=1_000, answered=500, abandoned=15),  # 3 %, and not more
        PacingFigures(dialled=100_000, answered=33_333, abandoned=1_001),  # 3.003 % are 3.00 with two decimals
    ],
)
def test_few_calls_or_few_drops_lower_nothing(on_drops: OnDrops, figures: PacingFigures) -> None:
    assert adapted(2.8, figures=figures, on_drops=on_drops, hour=20) == 2.8


@pytest.mark.parametrize(
    ("threshold", "agents", "becomes"),
    [
        (Threshold.NON_PAUSED_AGENTS, 20, 2.8),
        (Threshold.NON_PAUSED_AGENTS, 21, 1.0),
        (Threshold.WAITING_AGENTS, 1, 2.8),
        (Threshold.WAITING_AGENTS, 2, 1.0),
    ],
)
def test_too_few_agents_put_the_level_back(threshold: Threshold, agents: int, becomes: float) -> None:
    """Of 20 agents one is idle."""
    assert adapted(2.8, threshold=threshold, threshold_agents=agents) == becomes


def test_without_agents_the_level_is_the_least() -> None:
    assert adapted(2.8, agents=0) == 1.0


@pytest.mark.parametrize(
    ("level", "agents", "calls"),
    [
        (1.7, 10, 8),  # 17 lines, less 3 that ring, 1 greeted, 1 that waits and 4 that talk
        (1.5, 7, 1),  # 10.5 are 10
        (1.5, 9, 5),  # 13.5 are 14
        (1.0, 9, 0),
        (1.0, 5, 0),
    ],
)
def test_lines_for_all_agents_less_those_in_use(level: float, agents: int, calls: int) -> None:
    situation = PacingInputs(
        1_000,
        agents=agents,
        waiting=1,
        dialling_ms=(1, 2, 3),
        greeted_ms=(4,),
        bridged_ms=(1, 2, 3, 4),
        figures=PacingFigures(memory={"level": level, "due_ms": 9_000.0}),
    )
    assert Adaptive(OnDrops.AVERAGE).pace(situation) == Pace(calls, again_ms=9_000)


def paced(figures: PacingFigures, now_ms: int, idle: int) -> tuple[float, int | None]:
    """Ask the strategy with `idle` of ten agents idle, and return the level and the next time to ask."""
    pace = Adaptive(OnDrops.AVERAGE).pace(PacingInputs(now_ms, agents=10, idle=idle, figures=figures))
    if pace.memory is not None:
        figures.memory = pace.memory
    return figures.memory["level"], pace.again_ms


def test_the_level_begins_at_one_and_is_adapted_every_fifteen_seconds() -> None:
    """The level is adapted by the average of the last four readings.

    At 15 s of 10 and 0 idle agents of 10: + 50 %. At 30 s of 10, 0, 2: + 40 %. At 45 s of 10, 0, 2, 0: + 30 %. At 60 s
    of 0, 2, 0, 1, as the first is too old: + 7.5 %, and 2.73 x 1.075 = 2.93475. Values between two readings
    are ignored.
    """
    figures = PacingFigures()
    seen = [
        paced(figures, now_ms, idle)
        for now_ms, idle in [(0, 10), (9_000, 0), (15_000, 0), (30_000, 2), (44_999, 9), (45_000, 0), (60_000, 1)]
    ]
    assert seen == [
        (1.0, 15_000),
        (1.0, 15_000),
        (1.5, 30_000),
        (2.1, 45_000),
        (2.1, 45_000),
        (2.73, 60_000),
        (2.935, 75_000),
    ]


def test_a_clock_that_was_put_back_does_not_stop_the_readings() -> None:
    """The next reading was due at 3,615,000, and the clock was set back to 7,000."""
    figures = PacingFigures()
    assert [paced(figures, now_ms, 10) for now_ms in (3_600_000, 7_000, 22_000)] == [
        (1.0, 3_615_000),
        (2.0, 22_000),
        (3.0, 37_000),
    ]


def test_the_last_minute_begins_a_minute_ago() -> None:
    """25 dropped calls count for as long as the reading before them is among the last five."""
    figures = PacingFigures()
    levels = []
    for second in range(0, 105, 15):
        if second == 15:
            figures.dialled, figures.answered, figures.abandoned = 25, 25, 25
        levels.append(paced(figures, 1_000 * second, 10)[0])
    # Ten of ten agents are idle: + 100 % at each step, at most 3.0, and half of that with the drops in the minute.
    assert levels == [1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 3.0]
