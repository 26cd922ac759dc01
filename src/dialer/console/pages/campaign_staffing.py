"""The part of the page of comparisons that answers how many agents are enough."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from dialer.console.charts.staffing_chart import AgentsPoint, StaffingChart, draw_staffing
from dialer.console.parts.rendering import UNKNOWN, decimal, seconds
from dialer.console.words.language import gettext
from dialer.forecast.queue_figures import ErlangForecast
from dialer.forecast.summary import Forecast
from dialer.forecast.what_if import WhatIf

AGENTS: Final = "agents"
RANGE: Final = "-"
"""Between the least and the largest number of agents of a range."""


class StaffingRow(NamedTuple):
    """A number of agents and the medians of its runs, as its row shows them."""

    agents: int
    is_present: bool
    abandoned: str
    wait: str
    taken_in_time: str
    busy: str
    erlang_wait: str
    erlang_taken_in_time: str


class Staffing(NamedTuple):
    """The rows of all numbers of agents that were compared, and their picture."""

    rows: list[StaffingRow]
    chart: StaffingChart | None
    shared_with: str
    """The names of the running campaigns whose calls come to the same agents; empty if there is none."""


def numbers_of_agents(text: str, most: int) -> list[str]:
    """Return the numbers of a range such as `4-12`, not more than `most` and one further; other texts as they are."""
    first, dash, last = (part.strip() for part in text.partition(RANGE))
    if not (dash and first.isdecimal() and last.isdecimal() and len(first) + len(last) <= len(text) <= most):
        return [text]
    numbers = range(int(first), int(last) + 1)[: most + 1]
    return [str(number) for number in numbers] or [text]


def staffing_of(outcome: WhatIf) -> Staffing | None:
    """Return the figures by number of agents; None if other settings were changed, or the survey has no queue."""
    if any(each.changes.keys() != {AGENTS} for each in outcome.settings) or outcome.present.queues is None:
        return None
    forecasts = {outcome.present.queues.agents: outcome.present}
    forecasts |= {int(each.changes[AGENTS]): each.forecast for each in outcome.settings}
    ordered = sorted(forecasts.items())
    points = [point for agents, forecast in ordered for point in _point(agents, forecast)]
    present = outcome.present.queues.agents
    return Staffing(
        [row for agents, one in ordered for row in _row(agents, present, one)],
        draw_staffing(points),
        ", ".join(one.name for one in outcome.present.agents_shared_with),
    )


def _point(agents: int, forecast: Forecast) -> Iterator[AgentsPoint]:
    queues = forecast.queues
    if queues is not None:
        erlang = None if queues.erlang_c is None else queues.erlang_c.taken_in_time_percent
        yield AgentsPoint(agents, queues.taken_in_time_percent.p50, erlang, forecast.abandoned_percent.p50)


def _row(agents: int, present: int, forecast: Forecast) -> Iterator[StaffingRow]:
    queues = forecast.queues
    if queues is None:
        return
    erlang = queues.erlang_c
    yield StaffingRow(
        agents=agents,
        is_present=agents == present,
        abandoned=_percent(forecast.abandoned_percent.p50),
        wait=seconds(queues.mean_wait.p50),
        taken_in_time=_percent(queues.taken_in_time_percent.p50),
        busy=_percent(queues.busy_percent.p50),
        erlang_wait=UNKNOWN if erlang is None else _wait(erlang),
        erlang_taken_in_time=UNKNOWN if erlang is None else _percent(erlang.taken_in_time_percent),
    )


def _wait(erlang: ErlangForecast) -> str:
    return gettext("without end") if erlang.mean_wait is None else seconds(erlang.mean_wait)


def _percent(value: float) -> str:
    return f"{decimal(value, 1)} %"
