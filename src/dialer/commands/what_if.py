"""The settings of `dialer forecast --what-if`: how they are read, and how their comparison is shown."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

import rich_click as click
from sqlalchemy import Connection, select

from dialer.api.actions.what_if import read_setting
from dialer.commands.output import printable
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.words.roles import Role
from dialer.forecast.parameters import SETTINGS_MAX, Order
from dialer.forecast.summary import Forecast
from dialer.forecast.what_if import FIGURES, FigureDifference, NamedSetting, SettingForecast, WhatIf
from dialer.resources.crud.fields import Conventions
from dialer.resources.crud.resource import Actor, Unit
from dialer.resources.crud.urls import Links
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.resources.words.errors import InvalidError
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.tables import SMS, Campaign

SHORT_NAMES: Final[Mapping[str, str]] = {
    "daily_start": "daily_start_time",
    "daily_stop": "daily_stop_time",
    "calls_at_once": "max_aleg",
    "retries": "maxretry",
}
"""Names that the command line takes besides those of the API."""
COVERAGE: Final = (
    "Figures cover what is dialled from now on, abandoned calls too; a campaign's limit of these covers all calls"
)
"""The line that says which calls the figures of a forecast cover."""
LABEL_WIDTH: Final = 22
VALUE_WIDTH: Final = 14
_HOUR_S: Final = 3_600
_OPERATOR: Final = Actor(0, "", Role.ADMIN)
_NO_LINKS: Final = Links("", frozenset())


def read_settings_to_try(
    database: Database, settings: Settings, order: Order, texts: Sequence[str]
) -> Iterator[NamedSetting]:
    """Yield the settings that texts such as `channels=40,daily_start=10:00` describe.

    Raises:
        ClickException: there are too many, or one cannot be tried.
    """
    if len(texts) > SETTINGS_MAX:
        raise click.ClickException(f"{len(texts)} settings are too many: compare at most {SETTINGS_MAX}")
    for text in texts:
        members = _members(text)
        try:
            yield database.read_now(partial(_read, settings=settings, order=order, members=members))
        except InvalidError as error:
            wrong = "; ".join(f"{field}: {' '.join(messages)}" for field, messages in error.errors.items())
            raise click.ClickException(f"--what-if {text}: {wrong}") from None


def _members(text: str) -> dict[str, str]:
    members = {}
    for part in text.split(","):
        name, sign, value = (piece.strip() for piece in part.partition("="))
        if not (name and sign):
            raise click.ClickException(f"--what-if {text}: give NAME=VALUE, such as channels=40")
        members[SHORT_NAMES.get(name, name)] = value
    return members


def _read(connection: Connection, settings: Settings, order: Order, members: Mapping[str, str]) -> NamedSetting:
    zone, hours = ZoneInfo(settings.timezone), read_calling_hours(settings.calling_hours)
    unit = Unit(
        connection=connection,
        actor=_OPERATOR,
        now_ms=order.now_ms,
        conventions=Conventions(zone, settings.default_region, _NO_LINKS, hours),
        resources={resource.path: resource for resource in (CAMPAIGNS, SMS_CAMPAIGNS)},
    )
    medium = connection.scalar(select(Campaign.medium).where(Campaign.id == order.campaign_id))
    return read_setting(unit, SMS_CAMPAIGNS if medium == SMS else CAMPAIGNS, order.campaign_id, members)


def lines_of_comparison(result: WhatIf) -> Iterator[str]:
    """Yield the lines of a comparison: the means of each figure, and the difference of each setting."""
    present = result.present
    last_seed = present.first_seed + present.seeds - 1
    yield f"Campaign {present.campaign_id} from {present.now} on: {present.subscribers} subscribers"
    yield f"Seeds {present.first_seed} to {last_seed}, the same for every setting; means over the seeds"
    yield "Difference: from the present setting, with a margin that holds for the whole comparison with 95 %"
    yield COVERAGE
    yield from lines_of_rules(present)
    for each in result.settings:
        yield ""
        yield from _lines_of(each)


def lines_of_rules(forecast: Forecast) -> Iterator[str]:
    """Yield the lines that say which rules a forecast obeys and leaves aside, and in which currency its costs are."""
    yield f"Obeyed: {', '.join(forecast.rules_obeyed)}"
    if forecast.rules_left_aside:
        yield f"Not obeyed: {', '.join(forecast.rules_left_aside)}"
    if forecast.currency:
        yield f"Costs are in {forecast.currency}"


def lines_of_held(forecast: Forecast) -> Iterator[str]:
    """Yield a line for each contact rule that holds somebody back: the medians of its people, waits and delay."""
    for one in forecast.held:
        people, waits, hours = one.people.p50, one.waits.p50, one.delay.p50 / _HOUR_S
        beyond = f"; {one.too_late.p50} past the end of the campaign" if one.too_late.p50 else ""
        costs = f"{people} people, {waits} calls or messages that wait, {hours:.1f} h each{beyond}"
        yield f"Held back by {printable(one.row or one.name)} (P50): {costs}"


def _lines_of(setting: SettingForecast) -> Iterator[str]:
    yield ", ".join(f"{name}={value}" for name, value in setting.changes.items())
    titles = ("present", "changed", "difference", "margin")
    yield f"  {'':<{LABEL_WIDTH}}" + "".join(f"{title:>{VALUE_WIDTH}}" for title in titles)
    for name, one in zip(FIGURES, setting.differences, strict=True):
        values = (one.present, one.changed, one.difference, one.margin)
        shown = "".join(f"{'-' if value is None else f'{value:.2f}':>{VALUE_WIDTH}}" for value in values)
        yield f"  {name:<{LABEL_WIDTH}}{shown}  {_verdict(one)}".rstrip()
    reasons = ", ".join(f"{tally.name} {tally.count}" for tally in setting.forecast.stop_reasons)
    yield f"  stopped: {reasons}"


def _verdict(one: FigureDifference) -> str:
    if one.is_more_than_chance is None:
        return "too few seeds to judge"
    if one.difference == 0 and one.margin == 0:
        return "the same under each seed"
    return "more than chance" if one.is_more_than_chance else "may be chance"
