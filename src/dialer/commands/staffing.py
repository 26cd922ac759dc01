"""The numbers of agents of `dialer forecast --agents`: how they are read, and the table of what each leads to."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

import rich_click as click

from dialer.commands.what_if import COVERAGE, lines_of_rules
from dialer.forecast.parameters import AGENTS_MAX, SETTINGS_MAX
from dialer.forecast.summary import Forecast
from dialer.forecast.what_if import WhatIf

_TITLES: Final = (
    *("agents", "abandoned %", "wait s", "in 20 s %", "busy %"),
    *("Erlang: wait s", "in 20 s %", "calls", "cost", "hours"),
)
_WIDTHS: Final = (7, 13, 9, 11, 8, 16, 11, 9, 14, 8)
_HOUR_S: Final = 3_600


def agents_to_try(text: str) -> list[str]:
    """Return a setting for each number of agents in a text such as `4-12`.

    Raises:
        ClickException: the text is not that, or has too many numbers.
    """
    first, _, last = text.replace(" ", "").partition("-")
    if not (first.isdecimal() and (last or first).isdecimal()):
        raise click.ClickException(f"--agents {text[:40]}: give FROM-TO, such as 4-12")
    numbers = range(int(first[:9]), int((last or first)[:9]) + 1)
    if not numbers or numbers[-1] > AGENTS_MAX:
        raise click.ClickException(f"--agents {text[:40]}: give 0 to {AGENTS_MAX} agents, the lower number first")
    if len(numbers) > SETTINGS_MAX:
        raise click.ClickException(f"--agents {text[:40]}: compare at most {SETTINGS_MAX} numbers of agents at once")
    return [f"agents={number}" for number in numbers]


def lines_of_staffing(result: WhatIf) -> Iterator[str]:
    """Yield the lines of a comparison of numbers of agents: medians over the seeds, beside Erlang C.

    Raises:
        ClickException: the campaign leads no call to agents.
    """
    present = result.present
    if present.queues is None:
        raise click.ClickException("the survey of the campaign has no queue, so agents make no difference")
    last_seed = present.first_seed + present.seeds - 1
    yield f"Campaign {present.campaign_id} from {present.now} on: {present.subscribers} subscribers"
    yield f"Seeds {present.first_seed} to {last_seed}, the same for every number of agents; medians over the seeds"
    yield COVERAGE
    yield "Erlang C: the wait by formula under the same load, for callers who come at random and never give up"
    yield from lines_of_rules(present)
    if present.agents_shared_with:
        names = ", ".join(one.name for one in present.agents_shared_with)
        yield f"These agents also take calls of: {names}. Those calls are left out"
    yield ""
    yield _row(_TITLES)
    for setting in result.settings:
        yield _row(_cells(setting.changes["agents"], present, setting.forecast))
    yield f"now {present.queues.agents} agents:"
    yield _row(_cells(str(present.queues.agents), present, present))


def _cells(agents: str, present: Forecast, forecast: Forecast) -> tuple[str, ...]:
    queues = forecast.queues
    if queues is None:
        return (agents, *("-" for _ in _TITLES[1:]))
    erlang = queues.erlang_c
    waits = ("-", "-") if erlang is None else (_text(erlang.mean_wait, "no end"), _text(erlang.taken_in_time_percent))
    return (
        agents,
        _text(forecast.abandoned_percent.p50),
        _text(queues.mean_wait.p50),
        _text(queues.taken_in_time_percent.p50),
        _text(queues.busy_percent.p50),
        *waits,
        str(forecast.calls.p50),
        forecast.cost.p50,
        _text(_hours(present.now, forecast.finish_date.p50)),
    )


def _hours(now: str, finish: str) -> float:
    return (datetime.fromisoformat(finish) - datetime.fromisoformat(now)).total_seconds() / _HOUR_S


def _text(value: float | None, none: str = "-") -> str:
    return none if value is None else f"{value:.2f}"


def _row(cells: tuple[str, ...]) -> str:
    return "".join(f"{cell:>{width}}" for cell, width in zip(cells, _WIDTHS, strict=True))
