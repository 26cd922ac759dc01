"""The search of the console: people, campaigns, phonebooks and calls that fit a name or a number."""

from functools import partial
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from litestar import Response, get
from sqlalchemy import ColumnElement

from dialer.api.service import ApiRequest
from dialer.console.pages.calls import CallRow, rows_of_calls
from dialer.console.pages.campaigns import AskedCampaigns, ListedCampaign, listed_campaigns
from dialer.console.parts.cells import id_in
from dialer.console.parts.sentences import error_in_words
from dialer.console.parts.zones import zone_of
from dialer.console.serving.services import page
from dialer.console.words.record_names import names_of
from dialer.resources.crud.fields import FieldError
from dialer.resources.crud.list_queries import Asked, read_rows
from dialer.resources.crud.ordering import Sort
from dialer.resources.crud.records import shown
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.searching import Search, found_in_row, parse_search
from dialer.resources.records.calls import CDRS
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.contacts import CONTACTS, PHONEBOOKS
from dialer.store.tables import Campaign

PLACE: Final = "search"
ROWS_MAX: Final = 10
"""Records of a kind that the page shows. Those that follow are in the lists."""
NUMBERS_MAX: Final = 5
"""People whose calls are shown, too."""
_NEWEST_CALLS: Final = (Sort("starting_date", is_descending=True),)


class Person(NamedTuple):
    """A contact, with the name of its phonebook."""

    id: int
    name: str
    number: str
    phonebook_id: int
    phonebook: str


class Matches(NamedTuple):
    """The records that fit, up to one more than `ROWS_MAX` of each kind."""

    people: list[Person]
    campaigns: list[ListedCampaign]
    phonebooks: list[Any]
    calls: list[CallRow]


_NOTHING: Final = Matches([], [], [], [])


@get("/search", media_type="text/html")
async def show_search(request: ApiRequest) -> Response[Any]:
    """Show the records that match a search, as far as the viewer may see them."""
    text, message, found = request.query_params.get("q", "").strip(), "", _NOTHING
    try:
        search = parse_search(text, request.service.conventions(request))
        if search is not None:
            found = await request.service.read(request, partial(_found, search=search, zone=zone_of(request)))
    except FieldError as error:
        search, message = None, error_in_words(error)
    return page(
        request,
        "search.html",
        PLACE,
        HTTPStatus.BAD_REQUEST if message else HTTPStatus.OK,
        **found._asdict(),
        text=text,
        message=message,
        is_asked=search is not None,
        is_number=search is not None and bool(search.starts),
        most=ROWS_MAX,
        in_lists=urlencode({"search": text}),
        in_calls=urlencode({"number": text}),
    )


def _found(unit: Unit, search: Search, zone: ZoneInfo) -> Matches:
    contacts = _records(unit, CONTACTS, search)
    books = names_of(unit, PHONEBOOKS.path, {id_in(one.phonebook) for one in contacts})
    people = [
        Person(one.id, one.full_name, one.contact, id_in(one.phonebook), books.get(id_in(one.phonebook), ""))
        for one in contacts
    ]
    return Matches(
        people, _campaigns(unit, search, zone), _records(unit, PHONEBOOKS, search), _calls(unit, search, people)
    )


def _records(unit: Unit, resource: Resource, search: Search) -> list[Any]:
    if not unit.actor.may(resource.permission("GET")):
        return []
    return list(shown(unit, resource, read_rows(unit, resource, Asked(search=search), most=ROWS_MAX + 1)))


def _campaigns(unit: Unit, search: Search, zone: ZoneInfo) -> list[ListedCampaign]:
    if not unit.actor.may(CAMPAIGNS.permission("GET")):
        return []
    newest: list[ColumnElement[Any]] = [Campaign.__table__.c.id.desc()]
    asked = AskedCampaigns([found_in_row(CAMPAIGNS, search.shape)], search.values(), newest)
    return listed_campaigns(unit, zone, asked, ROWS_MAX + 1)


def _calls(unit: Unit, search: Search, people: list[Person]) -> list[CallRow]:
    """Return calls of a number, and those of the first people that were found, the newest first."""
    if not unit.actor.may(CDRS.permission("GET")):
        return []
    asked = [Asked(search=search, sorts=_NEWEST_CALLS)] if search.starts else []
    numbers = list(dict.fromkeys(one.number for one in people))[:NUMBERS_MAX]
    asked += [Asked(filters=(("phone_number", number),), sorts=_NEWEST_CALLS) for number in numbers]
    rows = {row.id: row for one in asked for row in read_rows(unit, CDRS, one, most=ROWS_MAX + 1)}
    newest = sorted(rows.values(), key=lambda row: -row.id)[: ROWS_MAX + 1]
    return rows_of_calls(unit, list(shown(unit, CDRS, newest)))
