"""The list of campaigns: searched, filtered and ordered, with all of that in its address."""

from collections.abc import Callable, Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from litestar import Response, get
from sqlalchemy import ColumnElement, Integer, Select, and_, bindparam, case, func, or_, select

from dialer.api.service import ApiRequest
from dialer.app.campaigns.activity import activities_of
from dialer.app.overview.overview import People, people_of_campaigns
from dialer.console.charts.charts import Slice
from dialer.console.pages.overview import people_bar
from dialer.console.parts.activity_words import ShownActivity, shown_activity
from dialer.console.parts.inputs import with_offset
from dialer.console.parts.sentences import error_in_words
from dialer.console.parts.zones import zone_of
from dialer.console.serving.services import page
from dialer.console.words.field_hints import CHOICES
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.record_names import Option, options_of
from dialer.domain.figures.statistics import unrounded_percent
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.purposes import Purpose
from dialer.resources.crud.fields import Conventions, FieldError
from dialer.resources.crud.ordering import ORDERING
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.searching import SEARCH, found_in_row, parse_search
from dialer.resources.crud.urls import parse_id
from dialer.resources.crud.visibility import query_for, visible
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.resources.records.purposes import PURPOSE
from dialer.resources.words.errors import RecordNotFoundError
from dialer.store.backends.expressions import name_key
from dialer.store.queries.selection import is_of
from dialer.store.tables import SMS, VOICE, Campaign, User

PLACE: Final = "campaigns"
PAGE_SIZE: Final = 25
PAGES_MAX: Final = 10_000
FILTERS: Final = (SEARCH, "state", "medium", PURPOSE, "owner", "from", "until", ORDERING)
"""The parameters of the list besides the page."""
MEDIA: Final[Mapping[str, str]] = {VOICE: gettext_noop("Calls"), SMS: gettext_noop("Text messages")}
STATES: Final = {str(state.value): state for state in CampaignStatus}
_ORDERS: Final[Mapping[str, ColumnElement[Any]]] = {
    "name": name_key(Campaign.name),
    "state": Campaign.__table__.c.status,
    "calls": Campaign.__table__.c.calls,
    "answered": func.coalesce(Campaign.answered * 1_000_000 / func.nullif(Campaign.calls, 0), -1),
    "cost": Campaign.__table__.c.cost,
    "created": Campaign.__table__.c.created_date,
}
"""The field by which each column orders the list."""
_SHOWN: Final = (
    "id",
    "campaign_code",
    "name",
    "medium",
    "status",
    "status_reason",
    "calls",
    "answered",
    "cost",
    "created_date",
)


class ListedCampaign(NamedTuple):
    """A campaign in the list."""

    row: dict[str, Any]
    activity: ShownActivity
    people: People
    bar: list[Slice]
    answered: float | None


class AskedCampaigns(NamedTuple):
    """The campaigns that the address asks for."""

    conditions: list[ColumnElement[bool]]
    values: dict[str, str]
    """The parameters of the conditions."""
    order: list[ColumnElement[Any]]
    """Empty for the usual order: campaigns in progress first."""


_OPEN_FIRST: Final = case((Campaign.status.in_((CampaignStatus.START, CampaignStatus.PAUSE)), 0), else_=1)
_NAMES: Final = (*_SHOWN, "username", "currency")
_COLUMNS: Final = (*[Campaign.__table__.c[name] for name in _SHOWN], User.username, User.currency)


def seen_campaigns(unit: Unit) -> ColumnElement[bool]:
    """Return the condition that a row is a campaign, of calls or of text messages, that the viewer may see."""
    return or_(*(visible(resource, unit.actor, unit.resources) for resource in (CAMPAIGNS, SMS_CAMPAIGNS)))


def seen_with_tests(unit: Unit) -> ColumnElement[bool]:
    """Return the condition that a row is a campaign that the viewer may see, or a test of one; agents see none."""
    is_own = is_of(Campaign.user_id, None if unit.actor.is_admin else unit.actor.sees_as)
    return or_(seen_campaigns(unit), and_(Campaign.trial_of_id.is_not(None), is_own))


def tried_by(unit: Unit, identity: int) -> int | None:
    """Return the campaign that a trial tries; None if it is no trial, or the viewer may not see that campaign."""
    tried = select(Campaign.trial_of_id).where(Campaign.id == identity).scalar_subquery()
    return unit.connection.scalar(select(Campaign.id).where(Campaign.id == tried, seen_campaigns(unit)))


@get("/campaigns", media_type="text/html")
async def show_campaigns(request: ApiRequest) -> Response[Any]:
    """Show a page of the list: without an order, campaigns in progress first, then the newest."""
    number = page_number(request.query_params.get("page", "1"))
    filled = {name: text for name in FILTERS if (text := request.query_params.get(name, "").strip())}
    messages: list[str] = []
    asked = _asked(request, filled, messages)

    def read(unit: Unit) -> tuple[list[ListedCampaign], list[Option] | None]:
        found = listed_campaigns(unit, zone_of(request), asked, PAGE_SIZE + 1, number - 1)
        return found, options_of(unit, "users") if unit.actor.is_admin else []

    found, owners = ([], []) if messages else await request.service.read(request, read)
    if number > 1 and not found:
        raise RecordNotFoundError("The list has no such page. Go back to its first page.")
    return page(
        request,
        "campaigns.html",
        PLACE,
        HTTPStatus.BAD_REQUEST if messages else HTTPStatus.OK,
        rows=found[:PAGE_SIZE],
        number=number,
        has_more=len(found) > PAGE_SIZE,
        messages=messages,
        filled={name: filled.get(name, "") for name in FILTERS},
        is_narrowed=bool(filled.keys() - {ORDERING}),
        columns=_columns(filled),
        states=STATES,
        media=MEDIA,
        purposes={one.value: CHOICES[PURPOSE][one.value] for one in Purpose},
        owners=owners,
        owner_id=parse_id(filled.get("owner", "")),
        here_query=urlencode(filled),
    )


def listed_campaigns(
    unit: Unit, zone: ZoneInfo, asked: AskedCampaigns, most: int, page: int = 0
) -> list[ListedCampaign]:
    """Return campaigns that the viewer, who is in a time zone, may see and asks for."""
    rows = _rows(unit, asked, most, page)
    people = people_of_campaigns(unit.connection, [row["id"] for row in rows])
    rules = (str(unit.conventions.zone), unit.conventions.hours)
    activities = activities_of(unit.connection, rows, unit.now_ms, *rules)
    return [
        _listed(
            row,
            people[row["id"]],
            shown_activity(activities[row["id"]], row["medium"], row["calls"], unit.now_ms, zone),
        )
        for row in rows
    ]


def _rows(unit: Unit, asked: AskedCampaigns, most: int, page: int) -> list[dict[str, Any]]:
    """Return the rows of campaigns. The query for all of them in the usual order is built once."""

    def query() -> Select[*tuple[Any, ...]]:
        seen = select(*_COLUMNS).join(User, User.id == Campaign.user_id).where(seen_campaigns(unit), *asked.conditions)
        ordered = seen.order_by(*asked.order or (_OPEN_FIRST,), Campaign.id.desc())
        return ordered.limit(bindparam("most", type_=Integer)).offset(bindparam("skipped", type_=Integer))

    values = {**asked.values, "actor_id": unit.actor.sees_as, "most": most, "skipped": page * PAGE_SIZE}
    is_usual = not (asked.conditions or asked.order)
    found = unit.connection.execute(query_for(unit.actor, "listed campaigns", query) if is_usual else query(), values)
    return [dict(zip(_NAMES, row, strict=True)) for row in found]


def _asked(request: ApiRequest, filled: Mapping[str, str], messages: list[str]) -> AskedCampaigns:
    """Return what the address asks for, and add a message for each value that is wrong."""
    conventions, zone = request.service.conventions(request), zone_of(request)
    conditions: list[ColumnElement[bool]] = []

    def add(name: str, condition: Callable[[str], ColumnElement[bool]], message: str) -> None:
        if name in filled:
            try:
                conditions.append(condition(filled[name]))
            except (ValueError, KeyError, OverflowError):
                messages.append(message)

    def moment(name: str) -> int:
        return round(datetime.fromisoformat(with_offset(filled[name], zone)).timestamp() * 1_000)

    add("state", lambda text: Campaign.status == STATES[text], gettext("There is no such state."))
    add(
        "medium",
        lambda text: Campaign.medium == {name: name for name in MEDIA}[text],
        gettext("There is no such medium."),
    )
    add(PURPOSE, lambda text: Campaign.purpose == Purpose(text), gettext("There is no such purpose."))
    if request.user.is_admin:
        add("owner", lambda text: Campaign.user_id == _id(text), gettext("There is no such owner."))
    no_moment = gettext("Give a date and a time, such as 2026-11-23T09:00.")
    add("from", lambda _: Campaign.created_date >= moment("from"), no_moment)
    add("until", lambda _: Campaign.created_date <= moment("until"), no_moment)
    condition, of_search = searched_campaigns(filled.get(SEARCH, ""), conventions, messages)
    order = filled.get(ORDERING, "")
    key = _ORDERS.get(order.removeprefix("-"))
    ordered = [] if key is None else [key.desc() if order.startswith("-") else key]
    return AskedCampaigns([*conditions, *condition], of_search, ordered)


def searched_campaigns(
    text: str, conventions: Conventions, messages: list[str]
) -> tuple[list[ColumnElement[bool]], dict[str, str]]:
    """Return the condition that the name or the code of a campaign fits a search, and its parameters."""
    try:
        search = parse_search(text, conventions)
    except FieldError as error:
        messages.append(error_in_words(error))
        return [], {}
    return ([found_in_row(CAMPAIGNS, search.shape)], search.values()) if search else ([], {})


def _id(text: str) -> int:
    identity = parse_id(text)
    if identity is None:
        raise ValueError(text)
    return identity


def _columns(filled: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the address that orders the list by each column, and the direction in which it does already."""
    now = filled.get(ORDERING, "")
    kept = {name: text for name, text in filled.items() if name != ORDERING}
    columns = {}
    for name in _ORDERS:
        query = urlencode({**kept, ORDERING: f"-{name}" if now == name else name})
        columns[name] = (
            f"/console/campaigns/?{query}",
            {name: "ascending", f"-{name}": "descending"}.get(now, ""),
        )
    return columns


def page_number(text: str) -> int:
    """Return the number of a page, from 1.

    Raises:
        RecordNotFoundError: the text is no such number.
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(PAGES_MAX)) and 0 < int(text) <= PAGES_MAX):
        raise RecordNotFoundError("The list has no such page. Go back to its first page.")
    return int(text)


def _listed(row: dict[str, Any], people: People, activity: ShownActivity) -> ListedCampaign:
    # A campaign of text messages has no answered calls.
    answered = None if row["medium"] == SMS else unrounded_percent(row["answered"], row["calls"])
    return ListedCampaign(row, activity, people, people_bar(people), answered)
