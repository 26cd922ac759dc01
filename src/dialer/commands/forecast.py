"""`dialer forecast`: the likely outcome of a campaign, before it is started or while it runs."""

import sys
from collections.abc import Iterator
from typing import Final

import anyio
import msgspec
import rich_click as click
from rich.console import Console

from dialer.app.errors import CampaignNotReadyError
from dialer.commands.open_service import open_service
from dialer.commands.output import print_json, printable
from dialer.forecast.forecast import CampaignOverError, NoCampaignError, forecast_campaign
from dialer.forecast.parameters import Order
from dialer.forecast.processes import ForecastFailedError, processes_of_machine
from dialer.forecast.summary import Forecast, SectionForecast
from dialer.logs import configure_logs
from dialer.store.database import Database
from dialer.store.queries.campaigns import find_campaign

LABEL_WIDTH: Final = 15
VALUE_WIDTH: Final = 19
"""Characters of a date to the second, the longest value."""
_FIGURES: Final = (
    ("finish", "finish_date"),
    ("cost", "cost"),
    ("calls", "calls"),
    ("answered", "answered"),
    ("completed", "completed"),
    ("abandoned %", "abandoned_percent"),
    ("calls at once", "calls_in_progress_peak"),
)


def forecast(campaign: str, *, seeds: int, first_seed: int, as_json: bool) -> None:
    """Forecast the outcome of a campaign from now on. The campaign itself does not change."""
    with open_service() as service:
        settings, database = service
        configure_logs()
        campaign_id = database.read_now(lambda unit: int(find_campaign(unit, campaign)["id"]))
        order = Order(
            campaign_id,
            service.now_ms(),
            settings.timezone,
            seeds,
            first_seed,
            settings.calling_hours,
            processes=settings.forecast_processes or processes_of_machine(),
            service_seed=settings.seed,
        )
        result = _forecast(database, order)
    if as_json:
        print_json(result)
    else:
        click.echo("\n".join(_lines(result)))


def _forecast(database: Database, order: Order) -> Forecast:
    """Return the forecast. On a terminal, a line of standard error shows the progress."""
    try:
        if not sys.stderr.isatty():
            return anyio.run(forecast_campaign, database, order)
        of_all = f"of {order.seeds} seeds"
        with Console(stderr=True).status("Copying the campaign") as status:
            return anyio.run(forecast_campaign, database, order, lambda done: status.update(f"{done} {of_all}"))
    except (NoCampaignError, CampaignOverError, ForecastFailedError) as error:
        raise click.ClickException(str(error)) from None
    except CampaignNotReadyError as error:
        reasons = "; ".join(f"{field}: {' '.join(messages)}" for field, messages in error.errors.items())
        raise click.ClickException(f"campaign {order.campaign_id} cannot start: {reasons}") from None


def _lines(result: Forecast) -> Iterator[str]:
    last_seed = result.first_seed + result.seeds - 1
    yield f"Campaign {result.campaign_id} from {result.now} on: {result.subscribers} subscribers"
    yield f"Seeds {result.first_seed} to {last_seed}; nearest-rank percentiles, each figure by itself; times in UTC"
    yield ""
    yield _row("", ("P10", "P50", "P90"))
    for label, name in _FIGURES:
        yield _row(label, msgspec.structs.astuple(getattr(result, name)))
    yield ""
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
