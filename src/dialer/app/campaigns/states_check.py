"""People of a campaign whose column `state` names no state of their country."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, Row, Select, bindparam, select

from dialer.domain.calling_times.states import state_of, states_of
from dialer.domain.calling_times.zones import countries_of_number
from dialer.domain.rules.unknown_places import UnknownStates
from dialer.store.queries.contact_rules import state_in
from dialer.store.tables import Contact, Subscriber

PEOPLE_READ_MAX: Final = 10_000
"""People whose states are looked at, of the contacts first."""
SHOWN_MAX: Final = 40
"""Characters of a state that a message shows."""
_PEOPLE: Final[tuple[Select[str, str], ...]] = (
    select(Contact.number, Contact.additional_vars)
    .where(Contact.phonebook_id.in_(bindparam("phonebooks", expanding=True)))
    .order_by(Contact.id)
    .limit(PEOPLE_READ_MAX),
    select(Subscriber.number, Subscriber.additional_vars)
    .where(Subscriber.campaign_id == bindparam("campaign"))
    .order_by(Subscriber.id)
    .limit(PEOPLE_READ_MAX),
)


def unknown_states(connection: Connection, campaign_id: int, phonebooks: list[int]) -> UnknownStates | None:
    """Return the people whose state is not understood, in countries whose states are known; None without any.

    Subscribers are looked at if the campaign has no contacts.
    """
    for query in _PEOPLE:
        people = connection.execute(query, {"phonebooks": phonebooks, "campaign": campaign_id}).all()
        if people:
            return _unknown_among(people)
    return None


def _unknown_among(people: Sequence[Row[str, str]]) -> UnknownStates | None:
    """Return those of people. Each state is looked up once for its country, as lists repeat few of them."""
    looked_up: dict[tuple[tuple[str, ...], str], bool] = {}
    found: list[str] = []
    for number, variables in people:
        text = state_in(variables).strip()
        if not text:
            continue
        key = countries_of_number(number), text
        if key not in looked_up:
            looked_up[key] = any(map(states_of, key[0])) and state_of(text, number) is None
        if looked_up[key]:
            found.append(text)
    return UnknownStates(len(found), found[0][:SHOWN_MAX]) if found else None
