"""The page that tries settings of a campaign on a copy, shows them beside the present one, and takes one over."""

from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo
from http import HTTPStatus
from itertools import product
from typing import Any, Final, NamedTuple

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec.structs import replace

from dialer.api.actions.what_if import FIELDS_TO_TRY, begin_comparison, comparison_of, own_part
from dialer.api.service import ApiRequest
from dialer.app.campaigns.keep_forecast import kept_forecast
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.console.pages.campaign import check_seen, gateway_of_campaign, resource_of
from dialer.console.pages.campaigns import PLACE
from dialer.console.parts.inputs import inputs_of, with_offset
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.rendering import decimal, moment_of, money, render, seconds
from dialer.console.parts.zones import zone_of
from dialer.console.serving.errors import messages_of, status_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.live_parts import EVENT_STREAM, answer_live
from dialer.console.serving.services import ConsoleServices, go_to, page
from dialer.console.words.field_hints import DURATIONS
from dialer.console.words.field_titles import title_of
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.state_words import reason_of_campaign
from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.calls.plans import SIMULATED
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.reasons import CampaignReason
from dialer.domain.words.roles import Permission
from dialer.domain.words.sentences import Sentence
from dialer.domain.words.states import IllegalMoveError
from dialer.forecast.forecast import CampaignOverError
from dialer.forecast.parameters import SETTINGS_MAX
from dialer.forecast.summary import Forecast
from dialer.forecast.what_if import Comparison, FigureDifference, WhatIf
from dialer.forecast.what_if_queue import WhatIfQueue, WhatIfRun
from dialer.resources.crud import records
from dialer.resources.crud.fields import Boolean, Choice
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.shapes import Field
from dialer.resources.words.errors import AnsweredError, InvalidError

SEPARATOR: Final = ";"
"""Between several values of a field, each of which is tried."""
TITLES: Final[Mapping[str, str]] = {
    "channels": gettext_noop("Channels of the carrier"),
    "calls_a_second": gettext_noop("Calls a second of the carrier"),
    "agents": gettext_noop("Available agents"),
    "obey_calling_hours": gettext_noop("Obey the calling hours"),
    "rate": gettext_noop("Price of a minute, to all numbers"),
}
"""Titles of what surrounds a campaign. The others are those of its form."""
FIGURES: Final[Mapping[str, str]] = {
    "seconds_to_finish": gettext_noop("Dials for"),
    "cost": gettext_noop("Cost"),
    "calls": gettext_noop("Calls"),
    "answered": gettext_noop("Answered"),
    "machine_answered": gettext_noop("By machines"),
    "completed": gettext_noop("Completed"),
    "abandoned_percent": gettext_noop("Abandoned"),
    "calls_in_progress_peak": gettext_noop("Calls at once"),
}
"""The titles of the figures that are compared."""
_OPEN: Final = frozenset({CampaignStatus.NEW, CampaignStatus.START, CampaignStatus.PAUSE})
_MINUTE_S: Final = 60
_REFUSALS: Final = (
    *(AnsweredError, CampaignOverError, IllegalMoveError, InvalidError, InvalidFieldsError, RefusedError),
)


class TriedField(NamedTuple):
    """A field of the form: its present value, and what is to be tried instead."""

    name: str
    title: str
    present: str
    value: str
    unit: str
    options: tuple[tuple[str, str], ...]
    is_moment: bool
    length: str = ""
    """The present value of a duration as people say it, if it is a minute or more."""


class FigureCell(NamedTuple):
    """A mean of a setting, and its difference from the present one; empty where nothing differs."""

    value: str
    difference: str
    margin: str
    is_more_than_chance: bool | None


class SettingRow(NamedTuple):
    """A setting of a comparison, as its row shows it."""

    words: str
    cells: list[FigureCell]
    apply: str
    """The value of the button that takes it over; empty if nothing of it belongs to the campaign."""
    elsewhere: str
    """The titles of values that are set on other pages."""
    stops: list[tuple[str, int]]
    """The reasons for which runs stop before everybody is called, in words, with their numbers of runs."""


@get("/campaigns/{record_id:str}/what-if", media_type="text/html")
async def show_what_if(
    request: ApiRequest,
    console: NamedDependency[ConsoleServices],
    what_if_queue: NamedDependency[WhatIfQueue],
    record_id: FromPath[str],
) -> Response[Any]:
    """Show the form of settings to try, and the newest comparison."""
    return await _show(request, (console, what_if_queue), identity_in(record_id, "campaign"))


@get("/campaigns/{record_id:str}/what-if/live", media_type=EVENT_STREAM)
async def stream_what_if(
    request: ApiRequest,
    console: NamedDependency[ConsoleServices],
    what_if_queue: NamedDependency[WhatIfQueue],
    record_id: FromPath[str],
) -> Response[Any]:
    """Send the newest comparison: its progress, and then its outcome."""
    identity = identity_in(record_id, "campaign")
    await request.service.read(request, lambda unit: check_seen(unit, identity))

    async def make() -> str:
        return await _live(request, what_if_queue, identity)

    return await answer_live(request, console.snapshots, console.sessions, _key(request, identity), make)


@post("/campaigns/{record_id:str}/what-if", media_type="text/html")
async def compare(
    request: ApiRequest,
    console: NamedDependency[ConsoleServices],
    what_if_queue: NamedDependency[WhatIfQueue],
    record_id: FromPath[str],
) -> Response[Any]:
    """Begin a comparison, or stop the one that is under way."""
    identity, filled = identity_in(record_id, "campaign"), await read_fields(request)
    if filled.get("action") == "stop":
        await request.service.read(request, lambda unit: check_seen(unit, identity))
        what_if_queue.stop(identity)
        return _again(request, console, identity)

    def read(unit: Unit) -> Comparison:
        check_seen(unit, identity)
        resource = resource_of(unit, identity)
        tried = list(_combined(FIELDS_TO_TRY[resource.path], filled, zone_of(request)))
        comparison = comparison_of(unit, resource, identity, request.service.settings, tried, seeds=None)
        obey = True if _begins_with_hours(unit, identity) else None
        return replace(comparison, order=replace(comparison.order, obey_calling_hours=obey))

    try:
        comparison = await request.service.read(request, read, is_long=True)
        begin_comparison(request, what_if_queue, comparison)
    except _REFUSALS as error:
        return await _show(request, (console, what_if_queue), identity, filled, error)
    return _again(request, console, identity)


@post("/campaigns/{record_id:str}/what-if/apply", media_type="text/html")
async def apply_setting(
    request: ApiRequest,
    console: NamedDependency[ConsoleServices],
    what_if_queue: NamedDependency[WhatIfQueue],
    record_id: FromPath[str],
) -> Response[Any]:
    """Take a compared setting over to the campaign, by the checks of its form."""
    identity, filled = identity_in(record_id, "campaign"), await read_fields(request)
    run = what_if_queue.of_campaign(identity)
    begun, _, place = filled.get("setting", "").partition(".")
    is_known = run is not None and begun == str(run.begun_ms) and place in map(str, range(len(run.comparison.named)))

    def change(unit: Unit) -> None:
        check_seen(unit, identity)
        if run is None or not is_known:
            raise RefusedError("This comparison is no longer there. Compare the settings again.")
        resource, changes = resource_of(unit, identity), run.comparison.named[int(place)].changes
        records.change_record(unit, resource, identity, own_part(resource, changes, unit.conventions))

    try:
        await request.service.write(request, change)
    except _REFUSALS as error:
        return await _show(request, (console, what_if_queue), identity, {}, error)
    return go_to(f"/console/campaigns/{identity}/")


def _again(request: ApiRequest, console: ConsoleServices, identity: int) -> Response[Any]:
    console.snapshots.forget(_key(request, identity))
    return go_to(f"/console/campaigns/{identity}/what-if/")


def _key(request: ApiRequest, identity: int) -> tuple[object, ...]:
    return ("what-if", identity, request.user.may(Permission.CAMPAIGNS), zone_of(request).key)


def _combined(fields: Mapping[str, Field], filled: Mapping[str, str], zone: tzinfo) -> Iterator[dict[str, str]]:
    """Yield the settings of a form: each combination of the values that are filled in.

    Raises:
        InvalidError: there are none, or too many.
    """
    values = {
        name: [each for part in filled[name].split(SEPARATOR) if part.strip() for each in _expanded(name, part.strip())]
        for name in fields
        if filled.get(name, "").strip(f" {SEPARATOR}")
    }
    count = 1 if values else 0
    for each in values.values():
        count *= len(each)
    if count == 0:
        raise InvalidError({"settings": ["Fill in at least one value to try."]})
    if count > SETTINGS_MAX:
        message = Sentence(
            "These values make %(count)s settings. Try at most %(most)s.", count=count, most=SETTINGS_MAX
        )
        raise InvalidError({"settings": [message]})
    for name, texts in values.items():
        if isinstance(fields[name].kind, Timestamp):
            texts[:] = [with_offset(text, zone) for text in texts]
    for combination in product(*values.values()):
        yield dict(zip(values, combination, strict=True))


def _expanded(name: str, text: str) -> list[str]:
    from dialer.console.pages.campaign_staffing import AGENTS, numbers_of_agents  # noqa: PLC0415 - few people ask

    return numbers_of_agents(text, SETTINGS_MAX) if name == AGENTS else [text]


def _staffing(outcome: WhatIf) -> Any:  # noqa: ANN401 - for the template
    from dialer.console.pages.campaign_staffing import staffing_of  # noqa: PLC0415 - few people ask

    return staffing_of(outcome)


async def _show(
    request: ApiRequest,
    services: tuple[ConsoleServices, WhatIfQueue],
    identity: int,
    filled: Mapping[str, str] | None = None,
    error: Exception | None = None,
) -> Response[Any]:
    def read(unit: Unit) -> tuple[Mapping[str, Any], list[TriedField]]:
        check_seen(unit, identity)
        resource = resource_of(unit, identity)
        stored = records.load(unit, resource, identity)
        stored = {**stored, **_surroundings(unit, identity, stored)}
        return stored, list(_tried_fields(request, resource, stored, filled or {}))

    stored, fields = await request.service.read(request, read)
    live = await _live(request, services[1], identity)
    return page(
        request,
        "campaign_what_if.html",
        PLACE,
        HTTPStatus.OK if error is None else status_of(error),
        identity=identity,
        name=stored["name"],
        fields=fields,
        may_try=stored["status"] in _OPEN,
        obeys_hours=stored.get("obey_calling_hours", True),
        has_hours=request.service.conventions(request).hours.hours is not None,
        live=live,
        messages=[] if error is None else messages_of(error),
        most=SETTINGS_MAX,
    )


def _begins_with_hours(unit: Unit, identity: int) -> bool:
    """Return whether runs obey the calling hours over a simulated carrier, too: as the forecast of the campaign does.

    Without one, they do, as the form of a forecast proposes it.
    """
    kept = kept_forecast(unit.connection, identity)
    return kept is None or bool(kept.obeys_hours)


def _surroundings(unit: Unit, identity: int, campaign: Mapping[str, Any]) -> dict[str, Any]:
    """Return the present values of what surrounds a campaign, as far as they are one number."""
    gateway = gateway_of_campaign(unit.connection, campaign)
    if gateway is None:
        return {}
    hours = unit.conventions.hours
    if _begins_with_hours(unit, identity):
        hours = replace(hours, for_simulated=True)
    return {
        "channels": gateway.max_channels,
        "calls_a_second": gateway.max_cps,
        "obey_calling_hours": hours.over(is_simulated=gateway.protocol == SIMULATED) is not None,
    }


def _tried_fields(
    request: ApiRequest, resource: Resource, stored: Mapping[str, Any], filled: Mapping[str, str]
) -> Iterator[TriedField]:
    fields = FIELDS_TO_TRY[resource.path]
    inputs = inputs_of(resource.path, fields, stored, lambda _: None, zone_of(request))
    for one, (name, field) in zip(inputs, fields.items(), strict=True):
        options = one.options if isinstance(field.kind, Choice) else ()
        present = one.value
        if isinstance(field.kind, Boolean):
            options = (("true", gettext("yes")), ("false", gettext("no")))
            present = str(stored[name]).lower() if name in stored else ""
        elif one.control == "duration":
            present = str(stored.get(name, ""))
        unit = gettext("seconds") if one.control == "duration" else one.unit
        words = dict(options).get(present, present)
        is_moment = isinstance(field.kind, Timestamp)
        if is_moment and present:
            words = moment_of(datetime.fromisoformat(present))
        is_long = one.control == "duration" and present.isdecimal() and int(present) >= _MINUTE_S
        length = seconds(int(present)) if is_long else ""
        yield TriedField(
            name, _title(resource.path, name), words, filled.get(name, ""), unit, options, is_moment, length
        )


def _title(path: str, name: str) -> str:
    return gettext(TITLES.get(name) or title_of(path, name))


async def _live(request: ApiRequest, what_if_queue: WhatIfQueue, identity: int) -> str:
    def read(unit: Unit) -> Resource:
        check_seen(unit, identity)
        return resource_of(unit, identity)

    resource = await request.service.read(request, read)
    run = what_if_queue.of_campaign(identity)
    return render(
        "campaign_what_if_live.html",
        run=run,
        titles=[gettext(title) for title in FIGURES.values()],
        rows=[] if run is None or run.outcome is None else list(_rows(request, resource, run, run.outcome)),
        staffing=None if run is None or run.outcome is None else _staffing(run.outcome),
        seeds=0 if run is None else run.comparison.order.seeds,
        failure=" ".join(messages_of(run.failure)) if run is not None and run.failure is not None else "",
        may_change=request.user.may(Permission.CAMPAIGNS),
        zone=zone_of(request),
    )


def _rows(request: ApiRequest, resource: Resource, run: WhatIfRun, outcome: WhatIf) -> Iterator[SettingRow]:
    """Yield the row of the present setting, and those of the others."""
    present = [FigureCell(_shown(one.figure, one.present), "", "", None) for one in outcome.settings[0].differences]
    yield SettingRow(gettext("As it is"), present, "", "", _early_stops(outcome.present))
    options = {one.name: dict(one.options) for one in _tried_fields(request, resource, {}, {})}
    for place, each in enumerate(outcome.settings):
        around = [name for name in each.changes if name in TITLES]
        words = ", ".join(
            f"{_title(resource.path, name)}: {_in_words(name, value, options[name])}"
            for name, value in each.changes.items()
        )
        is_own = len(around) < len(each.changes)
        elsewhere = ", ".join(_title(resource.path, name) for name in around)
        yield SettingRow(
            words,
            [_cell(one) for one in each.differences],
            f"{run.begun_ms}.{place}" if is_own else "",
            elsewhere,
            _early_stops(each.forecast),
        )


def _in_words(name: str, value: str, options: Mapping[str, str]) -> str:
    """Return a value that was tried, as people say it."""
    return seconds(int(value)) if name in DURATIONS and value.isdecimal() else options.get(value, value)


def _early_stops(forecast: Forecast) -> list[tuple[str, int]]:
    """Return the reasons of runs that stop before everybody is called; those of rows that cannot be read have none."""
    rows = (row for row in forecast.stop_reasons if row.name != CampaignReason.COMPLETED)
    return [(reason_of_campaign(row.name) or row.name, row.count) for row in rows]


def _cell(one: FigureDifference) -> FigureCell:
    value = _shown(one.figure, one.changed)
    if not one.difference and not one.margin:
        return FigureCell(value, "", "", None)
    sign = "-" if one.difference < 0 else "+"
    margin = "" if one.margin is None else f"± {_shown(one.figure, one.margin)}"
    return FigureCell(value, f"{sign}{_shown(one.figure, abs(one.difference))}", margin, one.is_more_than_chance)


def _shown(figure: str, value: float) -> str:
    """Return a mean as text in the viewer's language."""
    if figure == "seconds_to_finish":
        return seconds(value)
    if figure == "cost":
        return money(round(value * MONEY_SCALE))
    if figure == "abandoned_percent":
        return f"{decimal(value, 2)} %"
    return decimal(value, 1)
