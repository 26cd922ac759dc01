"""VICIdial's adaptive dial methods: lines for each agent, adapted every 15 seconds to the number of idle agents.

The formulas are those of VICIdial 2.14, `bin/AST_VDadapt.pl` (the level) and `bin/AST_VDauto_dial.pl` (the lines), with
its defaults. Differences: VICIdial counts calls since midnight, this module those of the whole campaign. The server
time is UTC, and the level begins at 1.
"""

from enum import Enum
from typing import Final

import msgspec

from dialer.domain.pacing.inputs import Pace, PacingInputs
from dialer.domain.pacing.readings import (
    READING_EVERY_MS,
    Reading,
    agents_average,
    differential,
    recall,
    remember,
    take,
)

DUE: Final = "due_ms"
"""Key in the memory for the time of the next reading, in milliseconds since the epoch."""
LEVEL_MIN: Final = 1.0
MINUTE_CALLS: Final = 20
"""The level is halved only with more calls than this in the last minute, ..."""
MINUTE_DROPS_MAX: Final = 50.0
"""... and with more than this percentage of them dropped."""
ALL_CALLS: Final = 50
"""Only with more calls than this in total is the share of dropped answers compared with the limit."""
HOURS_UNTAPERED: Final = 1_000
"""The remaining time, in hours and minutes written as one number, beyond which the level is not tapered."""
MINUTE_MS: Final = 60_000


class OnDrops(Enum):
    """The change of the level when too many answered calls were dropped."""

    HARD_LIMIT = "adapt_hard_limit"
    """The level falls to 1."""
    AVERAGE = "adapt_average"
    """The level is halved."""
    TAPERED = "adapt_tapered"
    """The level is reduced in proportion to the time left in the day."""


class Threshold(Enum):
    """The agents who must be numerous enough for a level above 1. Agents on a break are not reported to strategies."""

    NON_PAUSED_AGENTS = "non_paused_agents"
    WAITING_AGENTS = "waiting_agents"


class Adaptive(msgspec.Struct, frozen=True):
    """A strategy with lines for each agent, by a level that follows the balance of idle agents and waiting callers."""

    on_drops: OnDrops
    intensity: float = 0.0
    """Percentage: above 0 the level rises faster and falls more slowly, below 0 the reverse."""
    dl_diff_target: float = 0.0
    """The wanted surplus of waiting callers over idle agents."""
    maximum_level: float = 3.0
    latest_server_time: int = 2_100
    """The end of the day for `TAPERED`, hours and minutes written as one number."""
    threshold: Threshold | None = None
    threshold_agents: int = 0

    @property
    def name(self) -> str:
        """The name of the dial method in VICIdial, in lower case."""
        return self.on_drops.value

    def pace(self, situation: PacingInputs) -> Pace:
        """Return the missing lines; the level is kept in `memory` and adapted when the next reading is due."""
        memory = situation.figures.memory
        due_ms = int(memory.get(DUE, 0))
        # A reading further ahead was scheduled before the clock was set back.
        if 0 < due_ms - situation.now_ms <= READING_EVERY_MS:
            return Pace(_missing(situation, memory["level"]), again_ms=due_ms)
        readings = take(recall(memory), situation)
        level = self._adapted(memory["level"], readings, situation) if "level" in memory else LEVEL_MIN
        due_ms = situation.now_ms + READING_EVERY_MS
        memory = {"level": level, DUE: float(due_ms)} | remember(readings)
        return Pace(_missing(situation, level), again_ms=due_ms, memory=memory)

    def _adapted(self, level: float, readings: list[Reading], situation: PacingInputs) -> float:
        """Return the next level. The steps are in VICIdial's order, because each uses the result of the last."""
        level = self._balanced(level, readings)
        level = _halved_by_the_minute(level, readings)
        level = self._lowered_by_drops(level, situation)
        if self._is_short_staffed(situation):
            level = LEVEL_MIN
        return max(LEVEL_MIN, level)

    def _balanced(self, level: float, readings: list[Reading]) -> float:
        """Return the level after the difference of idle agents and waiting callers, as a share of all agents."""
        agents = agents_average(readings)
        if not agents:
            return LEVEL_MIN
        per_cent = 100 * (differential(readings) + self.dl_diff_target) / agents
        intensity = self.intensity / 100
        per_cent *= abs(intensity - 1) if per_cent < 0 else intensity + 1
        return max(LEVEL_MIN, min(self.maximum_level, round(level * (1 + per_cent / 100), 3)))

    def _lowered_by_drops(self, level: float, situation: PacingInputs) -> float:
        figures = situation.figures
        limit = 100 * situation.abandon_rate_max
        if figures.dialled <= ALL_CALLS or _per_cent(figures.abandoned, figures.answered) <= round(limit, 2):
            return level
        if self.on_drops is OnDrops.HARD_LIMIT:
            return LEVEL_MIN
        if self.on_drops is OnDrops.AVERAGE:
            return level / 2
        return _tapered(level, self.latest_server_time - _clock(situation.now_ms))

    def _is_short_staffed(self, situation: PacingInputs) -> bool:
        if self.threshold is None:
            return False
        counted = situation.idle if self.threshold is Threshold.WAITING_AGENTS else situation.agents
        return counted < self.threshold_agents


def _missing(situation: PacingInputs, level: float) -> int:
    """Return the number of lines for all agents, busy or not, less those in use."""
    return max(0, round(level * situation.agents) - situation.pending - len(situation.bridged_ms))


def _halved_by_the_minute(level: float, readings: list[Reading]) -> float:
    """Return half the level if more than `MINUTE_DROPS_MAX` percent of the last minute's calls were dropped."""
    calls = readings[-1].dialled - readings[0].dialled
    drops = readings[-1].abandoned - readings[0].abandoned
    return level / 2 if calls > MINUTE_CALLS and _per_cent(drops, calls) > MINUTE_DROPS_MAX else level


def _tapered(level: float, left: int) -> float:
    """Return the level in proportion to the time left; 1 when there is none."""
    if left < 0:
        return LEVEL_MIN
    return level * (min(left, HOURS_UNTAPERED) / HOURS_UNTAPERED)


def _clock(now_ms: int) -> int:
    """Return the time of day in UTC, hours and minutes written as one number: 1330 at half past one."""
    hours, minutes = divmod(now_ms // MINUTE_MS % (24 * 60), 60)
    return 100 * hours + minutes


def _per_cent(part: float, whole: float) -> float:
    """Return a percentage with two decimals, as VICIdial compares it; a `whole` below 1 counts as 1."""
    return round(100 * part / max(whole, 1), 2)
