"""The callee of a trial: a contact of the survey's phonebooks, or somebody made up."""

import json
from typing import Any, Final, NamedTuple

from dialer.app.campaigns.placeholders import offered_names, phonebooks_of_survey
from dialer.app.campaigns.texts_to_send import example_person
from dialer.console.words.language import gettext
from dialer.domain.calls.plans import Subscriber
from dialer.domain.messages.templates import BUILT_IN
from dialer.resources.crud import records
from dialer.resources.crud.pagination import parse_selection, read_page
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import parse_id
from dialer.resources.records.contacts import CONTACTS
from dialer.resources.words.errors import InvalidError, RecordNotFoundError

FOUND_MAX: Final = 10
"""Contacts that a search shows."""
SEARCHED_MAX: Final = 5
"""Phonebooks that a search looks into."""
MADE_UP: Final = "made-up"
"""The choice of somebody who is no contact."""
_NUMBER: Final = "+12025550123"
"""A number for examples, which nobody has."""


class TrialCallee(NamedTuple):
    """The callee of a trial call: number, name and columns."""

    contact_id: int | None
    """None for somebody made up."""
    name: str
    number: str
    full_name: str
    additional_vars: str

    @property
    def subscriber(self) -> Subscriber:
        """The callee as a section of a survey sees them."""
        return Subscriber(0, self.number, "", full_name=self.full_name, additional_vars=self.additional_vars)


class FoundPerson(NamedTuple):
    """A contact that the user can choose for a trial."""

    id: int
    name: str
    number: str


def choose_callee(unit: Unit, survey_id: int, owner_id: int, chosen: str) -> TrialCallee:
    """Return the chosen callee, or else the first contact, or a made-up person without contacts.

    Raises:
        RecordNotFoundError: there is no such contact, or it is not the viewer's.
    """
    if chosen and chosen != MADE_UP:
        identity = parse_id(chosen)
        if identity is None:
            raise RecordNotFoundError("There is no such person, or it is not yours.")
        return _contact(unit, identity)
    books = phonebooks_of_survey(unit.connection, survey_id, owner_id)
    if not chosen:
        example = example_person(unit.connection, books[:SEARCHED_MAX])
        if example is not None:
            return _contact(unit, example.contact_id)
    names = offered_names(unit.connection, books)
    variables = {name: name.replace("_", " ") for name in names if name not in BUILT_IN}
    full_name = gettext("Alex Example")
    return TrialCallee(None, full_name, _NUMBER, full_name, json.dumps(variables))


def search_people(unit: Unit, survey_id: int, owner_id: int, text: str) -> list[FoundPerson]:
    """Return contacts of the survey's phonebooks by their name or number, at most `FOUND_MAX`."""
    found: list[FoundPerson] = []
    for book in phonebooks_of_survey(unit.connection, survey_id, owner_id)[:SEARCHED_MAX]:
        parameters = [("search", text), ("phonebook", str(book)), ("page_size", str(FOUND_MAX))]
        try:
            selection = parse_selection(CONTACTS, parameters, unit.conventions)
        except InvalidError:
            return []
        records_found: list[Any] = read_page(unit, CONTACTS, selection).results
        found += [FoundPerson(one.id, one.full_name, one.contact) for one in records_found]
        if len(found) >= FOUND_MAX:
            break
    return found[:FOUND_MAX]


def _contact(unit: Unit, identity: int) -> TrialCallee:
    row = records.load(unit, CONTACTS, identity)
    name = str(row["full_name"]).strip() or str(row["contact"])
    return TrialCallee(identity, name, str(row["number"]), str(row["full_name"]), str(row["additional_vars"]))
