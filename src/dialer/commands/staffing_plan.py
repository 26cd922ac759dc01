"""`dialer agents plan`: the agents that a queue needs, by half hours."""

from collections.abc import Mapping
from typing import Final
from zoneinfo import ZoneInfo

import rich_click as click
from sqlalchemy import Connection, select

from dialer.api.actions.staffing_plan import PlanQuestion, csv_of_plan, history_for, plan_question
from dialer.commands.open_service import open_service
from dialer.commands.output import print_json
from dialer.commands.tables import add_row, draw, stacked, table
from dialer.forecast.queue_history import QueueHistory
from dialer.forecast.staffing_plan import StaffingPlan, StaffingPlanError, plan_of
from dialer.resources.words.errors import InvalidError
from dialer.store.tables import Queue

_TITLES: Final = ("Calls", "Handled in s", "Agents", "People", "In time %", "Abandoned %", "Busy %")
_SIMULATED: Final = ("In time %", "Abandoned %", "Busy %")
_SHORT: Final = {"service_level": "in time", "abandoned": "abandoned", "busy": "busy"}
"""The goals, as the table calls them."""
_DIGITS_MAX: Final = 18
_BASES: Final = {"volumes": "from the calls that you expect", "forecast": "from the forecast of the campaign"}


def plan(queue: str, *, as_csv: bool, as_json: bool, **options: str | None) -> None:
    """Show the agents that a queue needs in each half hour of a usual week."""
    if as_csv and as_json:
        raise click.UsageError("--csv and --json exclude each other: give one of them")
    given = {name: text for name, text in options.items() if text is not None}
    with open_service() as service:
        question, now_ms = _question(given, ZoneInfo(service.settings.timezone)), service.now_ms()
        try:
            name, history = service.database.read_now(lambda unit: _read(unit, queue, question, now_ms))
            found = plan_of(history, question.assumptions, queue=name, timezone=question.zone.key)
        except InvalidError as error:
            raise _failure(error) from None
        except StaffingPlanError as error:
            raise click.ClickException(str(error)) from None
    if as_json:
        print_json(found)
    elif as_csv:
        click.echo(csv_of_plan(found), nl=False)
    else:
        _show(found)


def _question(given: Mapping[str, str], zone: ZoneInfo) -> PlanQuestion:
    try:
        return plan_question(given, zone)
    except InvalidError as error:
        raise _failure(error) from None


def _failure(error: InvalidError) -> click.ClickException:
    name, messages = next(iter(error.errors.items()))
    return click.ClickException(f"--{name.replace('_', '-')}: {messages[0]}")


def _read(connection: Connection, queue: str, question: PlanQuestion, now_ms: int) -> tuple[str, QueueHistory]:
    """Return the name and the past of a queue, which is given by its id or its name."""
    is_id = queue.isascii() and queue.isdigit() and len(queue) <= _DIGITS_MAX
    condition = Queue.id == int(queue) if is_id else Queue.name == queue
    rows = connection.execute(select(Queue.id, Queue.name).where(condition).order_by(Queue.id).limit(2)).all()
    if not rows:
        raise click.ClickException(f"there is no queue {queue[:40]}: give its id or its name")
    if len(rows) > 1:
        raise click.ClickException(f"several queues are called {queue[:40]}: give the id")
    return str(rows[0].name), history_for(connection, rows[0].id, question, now_ms)


def _show(found: StaffingPlan) -> None:
    half_hours = table(
        "By Erlang C", "Half hour", *_TITLES, *(f"Simulated: {title}" for title in _SIMULATED), "Falls short"
    )
    for one in found.half_hours:
        cells = (one.calls, one.handling_time, one.agents, one.people, one.service_level, one.abandoned, one.busy)
        simulated = (
            _share(one.simulated_service_level, one.service_level_margin),
            _share(one.simulated_abandoned, one.abandoned_margin),
            _share(one.simulated_busy, one.busy_margin),
        )
        short = ", ".join(_SHORT[goal] for goal in one.short_of)
        add_row(half_hours, f"{one.weekday.capitalize()} {one.start}", *cells, *simulated, short)
    days = f"{_BASES.get(found.rests_on, f'from the calls of {found.first_day} to {found.last_day}')}, {found.timezone}"
    if found.half_hours_short:
        click.echo(f"Half hours that fall short of a goal by more than chance: {found.half_hours_short}.\n")
    draw(stacked(f"Agents for {found.queue}, {days}", [half_hours]))
    click.echo(f"\n{found.hours:g} hours of people a week, {found.peak_people} at most at the same time.")


def _share(percent: float, margin: float | None) -> str:
    return f"{percent}" if margin is None else f"{percent} ± {margin}"
