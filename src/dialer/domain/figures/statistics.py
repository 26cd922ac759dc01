"""Statistics: their groupings, the thresholds of waits, and the formulas of rates and means."""

from collections.abc import Iterable
from enum import IntEnum, StrEnum
from operator import sub
from typing import ClassVar, Final

import msgspec
from msgspec.structs import astuple

HOUR_MS: Final = 3_600_000
WAITS_S: Final = (2, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600)
"""Waits in a queue, in seconds, for which the calls that waited no longer are counted."""
LONGER: Final = 0
"""The counter of the calls that waited longer than all of `WAITS_S`."""


class Grouping(IntEnum):
    """The ways in which the calls of a campaign are counted."""

    TOTAL = 0
    OUTCOME = 1
    """By Q.850 cause; messages by their status."""
    AGENT = 2
    PHONEBOOK = 3
    GATEWAY = 4
    """By a `GatewayKey` as text; `0` for legs to agents."""
    ZONE = 5
    ATTEMPT = 6
    DISPOSITION = 7
    """By the outcome that agents give. Calls without one are those of the total that no member counts."""
    DISPOSITION_WORD = 8
    """By the outcome in the words of the campaign, such as `Sold = success`."""
    AGENT_DISPOSITION_WORD = 9
    """Legs to agents by agent and outcome, such as `3 Sold = success`."""
    TESTS = 10
    """The tests of campaigns, all together. No other grouping counts them."""


GROUPS: Final = {
    "agent": Grouping.AGENT,
    "phonebook": Grouping.PHONEBOOK,
    "gateway": Grouping.GATEWAY,
    "zone": Grouping.ZONE,
    "attempt": Grouping.ATTEMPT,
    "disposition": Grouping.DISPOSITION,
    "disposition_word": Grouping.DISPOSITION_WORD,
    "agent_disposition_word": Grouping.AGENT_DISPOSITION_WORD,
}
"""The groupings of rows, by the name that a client gives."""
DISPOSED: Final = frozenset({Grouping.DISPOSITION, Grouping.DISPOSITION_WORD, Grouping.AGENT_DISPOSITION_WORD})
"""The groupings by the outcomes that agents give. Calls without an outcome have no member."""
COSTING: Final = (Grouping.TOTAL, Grouping.TESTS)
"""The groupings that have all that was paid together: tests cost as much as other calls do."""
OF_AGENTS: Final = frozenset({Grouping.AGENT, Grouping.AGENT_DISPOSITION_WORD})
"""The groupings that count legs to agents only. Their members begin with the id of the agent."""


def agent_member(agent_id: int | str, outcome: str) -> str:
    """Return the member of an agent and an outcome, which is empty for calls without one."""
    return f"{agent_id} {outcome}"


def agent_and_outcome(member: str) -> tuple[str, str]:
    """Return the id of the agent and the outcome of a member of `AGENT_DISPOSITION_WORD`."""
    agent_id, _, outcome = member.partition(" ")
    return agent_id, outcome


class Interval(StrEnum):
    """The lengths of time by which figures are added up."""

    HOUR = "hour"
    DAY = "day"


def wait_class(wait_ms: int) -> int:
    """Return the lowest of `WAITS_S` that a wait does not exceed; `LONGER` if it exceeds them all."""
    return next((seconds for seconds in WAITS_S if wait_ms <= seconds * 1_000), LONGER)


class Figures(msgspec.Struct, frozen=True):
    """The counters of some calls and messages. The fields are columns of `dialer.store.tables.figures`."""

    calls: int = 0
    answered: int = 0
    live: int = 0
    completed: int = 0
    talk_s: int = 0
    answer_s: int = 0
    signalled: int = 0
    post_dial_ms: int = 0
    for_agents: int = 0
    abandoned: int = 0
    legs: int = 0
    legs_answered: int = 0
    legs_talk_s: int = 0
    inbound: int = 0
    inbound_answered: int = 0
    inbound_talk_s: int = 0
    messages: int = 0
    delivered: int = 0
    parts: int = 0
    cost: int = 0

    @property
    def machines(self) -> int:
        """Return the number of answered calls that detection took for those of machines."""
        return self.answered - self.live


NO_FIGURES: Final = Figures()


def add_figures(figures: Iterable[Figures]) -> Figures:
    """Return the sum of figures; all 0 without any."""
    return Figures(*map(sum, zip(astuple(NO_FIGURES), *map(astuple, figures), strict=True)))


def subtract_figures(whole: Figures, part: Figures) -> Figures:
    """Return the figures of the calls of `whole` that are not in `part`."""
    return Figures(*map(sub, astuple(whole), astuple(part)))


class SubscriberState(msgspec.Struct, frozen=True):
    """The number of subscribers in one state."""

    status: int
    status_reason: str
    subscribers: int
    attempted: int


class NoShareError(ValueError):
    """Raised if a part is not contained in its whole, so that it has no share."""


class Strictness:
    """The handling of a part that its whole does not contain."""

    raises: ClassVar[bool] = False
    """True in tests, so that counters of different calls are found where they are compared."""


def percent(part: int, whole: int, places: int = 2) -> float | None:
    """Return the share of a part in its whole in per cent, rounded to some places, from 0 to 100.

    None and errors as in `unrounded_percent`.
    """
    return rounded(unrounded_percent(part, whole), places)


def rounded(share: float | None, places: int = 2) -> float | None:
    """Return a share as answers and files have it: rounded once, where it leaves the service."""
    return None if share is None else round(share, places)


def unrounded_percent(part: int, whole: int) -> float | None:
    """Return the share of a part in its whole in per cent, from 0 to 100, for those who round it themselves.

    None if the whole is 0, or if it does not contain the part: such counters belong to different calls, and their
    quotient is no share. Counters of earlier versions may.

    Raises:
        NoShareError: the whole does not contain the part, and `Strictness.raises` is set.
    """
    if not 0 <= part <= whole:
        if Strictness.raises:
            raise NoShareError(f"{part} is no part of {whole}")
        return None
    return 100 * part / whole if whole else None


def mean(total: int, count: int) -> float | None:
    """Return the mean of a total over a count, with two decimals; None for a count of 0."""
    return rounded(unrounded_mean(total, count))


def unrounded_mean(total: int, count: int) -> float | None:
    """Return the mean of a total over a count, for those who round it themselves; None for a count of 0."""
    return total / count if count else None


def unit_cost(cost: int, count: int) -> int | None:
    """Return the cost of one of `count` units, rounded half up; None for a count of 0."""
    return (2 * cost + count) // (2 * count) if count else None
