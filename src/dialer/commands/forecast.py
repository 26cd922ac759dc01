"""`dialer forecast`: the likely outcome of a campaign, before it is started or while it runs."""

import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import Final, TypeVar

import anyio
import msgspec
import rich_click as click
from rich.console import Console

from dialer.app.work.errors import CampaignNotReadyError, InvalidFieldsError
from dialer.commands.open_service import open_service
from dialer.commands.output import print_json, printable
from dialer.commands.staffing import agents_to_try, lines_of_staffing
from dialer.commands.tables import with_unit
from dialer.commands.what_if import COVERAGE, lines_of_comparison, lines_of_held, lines_of_rules, read_settings_to_try
from dialer.forecast.forecast import CampaignOverError, NoCampaignError, forecast_campaign, ignore_progress
from dialer.forecast.parameters import COMPARED_SEEDS_MAX, Order
from dialer.forecast.processes import ForecastFailedError, Progress, processes_of_machine
from dialer.forecast.summary import Forecast, SectionForecast
from dialer.forecast.what_if import NamedSetting, WhatIf, compare_settings
from dialer.logs import configure_logs
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.queries.campaigns import find_campaign

LABEL_WIDTH: Final = 15
VALUE_WIDTH: Final = 19
"""Characters of a date to the second, the longest value."""
_Outcome = TypeVar("_Outcome")
_FIGURES: Final = (
    ("finish", "finish_date"),
    ("cost", "cost"),
    ("calls", "calls"),
    ("answered", "answered"),
    ("by machines", "machine_answered"),
    ("completed", "completed"),
    ("abandoned %", "abandoned_percent"),
    ("calls at once", "calls_in_progress_peak"),
)


def forecast(
    campaign: str,
    *,
    seeds: int,
    first_seed: int,
    what_ifs: Sequence[str] = (),
    agents: str | None = None,
    obey_calling_hours: bool | None = None,
    obey_contact_rules: bool | None = None,
    as_json: bool,
) -> None:
    """Forecast the outcome of a campaign from now on. The campaign itself does not change."""
    if agents is not None and what_ifs:
        raise click.UsageError("give --agents or --what-if, not both: --what-if takes agents=12, too")
    numbers = () if agents is None else agents_to_try(agents)
    with open_service() as service:
        settings, database = service
        configure_logs()
        row = database.read_now(lambda unit: find_campaign(unit, campaign))
        order = Order(
            int(row["id"]),
            service.now_ms(),
            settings.timezone,
            seeds,
            first_seed,
            settings.calling_hours,
            processes=settings.forecast_processes or processes_of_machine(),
            service_seed=settings.seed,
            currency=service.currency_of(row["user_id"]),
            obey_calling_hours=obey_calling_hours,
            obey_contact_rules=obey_contact_rules,
        )
        if tried := numbers or what_ifs:
            result: Forecast | WhatIf = _what_if(database, order, settings, tried)
        else:
            result = _awaited(order, forecast_campaign, database, f"of {seeds} seeds")
    if as_json:
        print_json(result)
    elif isinstance(result, WhatIf):
        click.echo("\n".join(lines_of_staffing(result) if numbers else lines_of_comparison(result)))
    else:
        click.echo("\n".join(_lines(result)))


def _what_if(database: Database, order: Order, settings: Settings, what_ifs: Sequence[str]) -> WhatIf:
    """Return the comparison of settings, each a text of the command line.

    Raises:
        ClickException: a setting cannot be tried.
    """
    if order.seeds > COMPARED_SEEDS_MAX:
        raise click.ClickException(f"a comparison has at most {COMPARED_SEEDS_MAX} seeds: give --seeds")
    named = tuple(read_settings_to_try(database, settings, order, what_ifs))
    of_all = f"of {order.seeds * (len(named) + 1)} runs"
    compare = partial(_compare, named=named)
    return _awaited(order, compare, database, of_all)


async def _compare(database: Database, order: Order, progress: Progress, *, named: Sequence[NamedSetting]) -> WhatIf:
    return await compare_settings(database, order, named, progress)


def _awaited(
    order: Order,
    compute: Callable[[Database, Order, Progress], Awaitable[_Outcome]],
    database: Database,
    of_all: str,
) -> _Outcome:
    """Return the outcome of a computation. On a terminal, a line of standard error shows the progress."""
    try:
        if not sys.stderr.isatty():
            return anyio.run(compute, database, order, ignore_progress)
        with Console(stderr=True).status("Copying the campaign") as status:
            return anyio.run(compute, database, order, lambda done: status.update(f"{done} {of_all}"))
    except (NoCampaignError, CampaignOverError, ForecastFailedError) as error:
        raise click.ClickException(str(error)) from None
    except CampaignNotReadyError as error:
        raise click.ClickException(f"campaign {order.campaign_id} cannot start: {error}") from None
    except InvalidFieldsError as error:
        raise click.ClickException(str(error)) from None


def _lines(result: Forecast) -> Iterator[str]:
    last_seed = result.first_seed + result.seeds - 1
    yield f"Campaign {result.campaign_id} from {result.now} on: {result.subscribers} subscribers"
    yield f"Seeds {result.first_seed} to {last_seed}; nearest-rank percentiles, each figure by itself; times in UTC"
    yield COVERAGE
    yield ""
    yield _row("", ("P10", "P50", "P90"))
    for label, name in _FIGURES:
        yield _row(
            with_unit(label, result.currency) if name == "cost" else label,
            msgspec.structs.astuple(getattr(result, name)),
        )
    yield ""
    yield from lines_of_rules(result)
    yield from lines_of_held(result)
    yield "Stopped: " + ", ".join(f"{tally.name} {tally.count}" for tally in result.stop_reasons)
    for section in result.sections:
        yield from _section(section)


def _section(section: SectionForecast) -> Iterator[str]:
    yield ""
    yield f"Answers to section {section.section_id}: {printable(section.question)}"
    for each in section.answers:
        yield _row(each.answer, msgspec.structs.astuple(each.count))


def _row(label: str, values: tuple[object, ...]) -> str:
    shown = (f"{_text(value):>{VALUE_WIDTH}}" for value in values)
    return f"  {printable(label)[:LABEL_WIDTH]:<{LABEL_WIDTH}}  {'  '.join(shown)}".rstrip()


def _text(value: object) -> str:
    """Return a value as text: dates to the second, percentages to two places."""
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, str) and "T" in value:
        return value.replace("T", " ").removesuffix("Z").partition(".")[0]
    return str(value)
