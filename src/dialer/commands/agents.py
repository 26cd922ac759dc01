"""`dialer agents`: how the agents of the last weeks behaved, and the plan of how many are needed."""

from typing import Final

import rich_click as click

from dialer.app.call_centre.agent_profiles import CALLS_MIN, AgentProfile, measure_agents, save_profiles
from dialer.app.work.unit import UnitOfWork
from dialer.commands.output import print_json
from dialer.commands.staffing_plan import plan
from dialer.commands.tables import add_row, draw, stacked, table
from dialer.commands.units import in_unit_of_service

__all__ = ["plan", "profile"]

_DAY_MS: Final = 86_400_000
_PERCENT: Final = 100
_TITLES: Final = ("Answers after", "Talks for", "Wraps up for", "Misses %", "Break after %", "Break of")


def profile(*, days: int, save: bool, as_json: bool) -> None:
    """Show the profiles of all agents, and write them into their parameters if asked to."""

    def work(unit: UnitOfWork) -> tuple[list[AgentProfile], int]:
        found = measure_agents(unit.connection, unit.now_ms - days * _DAY_MS)
        return found, save_profiles(unit, found) if save else 0

    profiles, saved = in_unit_of_service(work)
    if as_json:
        print_json(profiles)
        return
    _show(profiles, days)
    if save:
        click.echo(f"\nWrote the profiles of {saved} agents into their parameters.")


def _show(profiles: list[AgentProfile], days: int) -> None:
    shown = table("Agents", "Agent", "Calls", *_TITLES)
    for one in profiles:
        add_row(shown, f"{one.name} ({one.agent})", one.calls, *_cells(one))
    draw(stacked(f"Means of the last {days} days, in seconds", [shown]))
    if any(one.parameters is None for one in profiles):
        click.echo(f"\nAgents with fewer than {CALLS_MIN} calls are not measured.")


def _cells(one: AgentProfile) -> tuple[float | None, ...]:
    found = one.parameters
    if found is None:
        return (None,) * len(_TITLES)
    break_s = None if found.break_length is None else found.break_length.mean
    chances = (_PERCENT * found.missed, _PERCENT * found.breaks)
    return (found.answer.mean, found.talk.mean, found.wrap_up, *chances, break_s)
