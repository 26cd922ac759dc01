"""`dialer forecast`: what is likely to come of a campaign, before it is started or while it runs."""

import sys
from collections.abc import Callable, Iterator
from typing import Final

import anyio
import msgspec
import rich_click as click
from rich.console import Console

from dialer.app.errors import CampaignNotReadyError
from dialer.commands.opening import open_database, open_service_clock, settings_from_environment
from dialer.commands.output import examples, print_json
from dialer.domain.states import IllegalMoveError
from dialer.forecast.forecast import NoCampaignError, forecast_campaign
from dialer.forecast.order import FIRST_SEED_MAX, SEEDS, SEEDS_MAX, Order
from dialer.forecast.summary import Forecast, SectionForecast
from dialer.logs import configure_logs
from dialer.store.database import Database

LABEL_WIDTH: Final = 15
VALUE_WIDTH: Final = 19
"""Of a date to the second, the longest value."""
_FIGURES: Final = (
    ("finish", "finish_date"),
    ("cost", "cost"),
    ("calls", "calls"),
    ("answered", "answered"),
    ("completed", "completed"),
    ("abandoned %", "abandoned_percent"),
    ("calls at once", "calls_in_progress_peak"),
)


@click.command()
@click.argument("campaign_id", metavar="CAMPAIGN", type=click.IntRange(1, 2**63 - 1))
@click.option("--seeds", metavar="N", type=click.IntRange(1, SEEDS_MAX), default=SEEDS, show_default=True)
@click.option("--first-seed", metavar="K", type=click.IntRange(0, FIRST_SEED_MAX), default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the forecast as JSON.")
@examples(
    "dialer forecast 1",
    "dialer forecast 1 --seeds 100 --first-seed 1000",
    "dialer forecast 1 --json",
)
def forecast(campaign_id: int, *, seeds: int, first_seed: int, as_json: bool) -> None:
    """Tell what is likely to come of a campaign from now on, without touching it.

    CAMPAIGN is its id. It is copied as it stands, other campaigns left out, and the copy is run to its end under N
    seeds. If it runs under one of these seeds, and nothing else happens, then what comes of it is exactly that seed's.
    """
    settings = settings_from_environment()
    with open_database(settings) as database:
        configure_logs()
        now_ms = open_service_clock(settings, database).now_ms()
        found = _forecast(database, Order(campaign_id, now_ms, settings.timezone, seeds, first_seed))
    if as_json:
        print_json(found)
    else:
        click.echo("\n".join(_lines(found)))


def _forecast(database: Database, order: Order) -> Forecast:
    """The forecast, with a line that shows how far it has come where somebody is watching."""
    try:
        if not sys.stderr.isatty():
            return anyio.run(forecast_campaign, database, order)
        with Console(stderr=True).status("Copying the campaign") as status:
            return anyio.run(forecast_campaign, database, order, _showing(order.seeds, status.update))
    except (NoCampaignError, IllegalMoveError) as error:
        raise click.ClickException(str(error)) from None
    except CampaignNotReadyError as error:
        reasons = "; ".join(f"{field}: {' '.join(messages)}" for field, messages in error.errors.items())
        raise click.ClickException(f"campaign {order.campaign_id} cannot start: {reasons}") from None


def _showing(seeds: int, show: Callable[[str], None]) -> Callable[[int], None]:
    return lambda done: show(f"{done} of {seeds} seeds")


def _lines(found: Forecast) -> Iterator[str]:
    last_seed = found.first_seed + found.seeds - 1
    yield f"Campaign {found.campaign_id} from {found.now} on: {found.subscribers} subscribers"
    yield f"Under the seeds {found.first_seed} to {last_seed}, each percentile by itself (nearest rank); times in UTC"
    yield ""
    yield _row("", ("P10", "P50", "P90"))
    for label, name in _FIGURES:
        yield _row(label, msgspec.structs.astuple(getattr(found, name)))
    yield ""
    yield "Stopped: " + ", ".join(f"{tally.name} {tally.count}" for tally in found.stop_reasons)
    for section in found.sections:
        yield from _section(section)


def _section(section: SectionForecast) -> Iterator[str]:
    yield ""
    yield f"Answers to section {section.section_id}: {_plain(section.question)}"
    for each in section.answers:
        yield _row(each.answer, msgspec.structs.astuple(each.count))


def _row(label: str, values: tuple[object, ...]) -> str:
    shown = (f"{_text(value):>{VALUE_WIDTH}}" for value in values)
    return f"  {_plain(label)[:LABEL_WIDTH]:<{LABEL_WIDTH}}  {'  '.join(shown)}".rstrip()


def _plain(text: str) -> str:
    """What somebody else has written, with nothing in it that a terminal would obey."""
    return "".join(character if character.isprintable() else "?" for character in text)


def _text(value: object) -> str:
    """Dates to the second, shares to two places, everything else as it is."""
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, str) and "T" in value:
        return value.replace("T", " ").removesuffix("Z").partition(".")[0]
    return str(value)
