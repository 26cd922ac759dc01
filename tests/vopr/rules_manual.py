"""Rules about destinations, and about what agents order to dial: an order breaks no rule when it is given (I19)."""

import json
from collections.abc import Collection, Iterator
from typing import Final

from sqlalchemy import Connection

from tests.vopr.rules_dials import is_open
from tests.vopr.rules_hours import closed_zones
from tests.vopr.snapshot import AccountRow, Attempt, Person, Snapshot, ask

_COUNTRIES: Final = {"+1": "US", "+49": "DE", "+61": "AU", "+91": "IN", "+977": "NP", "+33": "FR"}
"""The countries of the numbers in made-up services, by their calling codes."""
_SPECIAL: Final = ("+49900", "+1900", "+881")
"""The first digits of the numbers in made-up services that nobody calls unless an admin says so."""
_START: Final = 1
_PRICES: Final = "SELECT min(rate + connection_fee) FROM rate_card_line WHERE user_id = ?"


def destinations(before: Snapshot, new: Collection[Attempt]) -> Iterator[str]:
    """Yield new attempts to numbers that their account may not call."""
    accounts = {one.id: one for one in before.accounts}
    for one in new:
        person, account = before.people.get(one.subscriber_id), accounts.get(one.user_id)
        if person is not None and account is not None and (what := _forbidden(person.number, account)):
            yield f"I19: attempt {one.id} to {person.number}, {what}"


def orders(
    connection: Connection,
    before: Snapshot | None,
    after: Snapshot,
    now_ms: int,
    service_zone: str,
    calling_hours: str | None,
) -> Iterator[str]:
    """Yield orders to dial which agents have given since a snapshot, and which must have been refused."""
    known = set() if before is None else {(desk.agent_id, desk.preview_order) for desk in before.desks}
    for desk in after.desks:
        if not desk.preview_order or (desk.agent_id, desk.preview_order) in known:
            continue
        order = json.loads(desk.preview_order)
        if order["action"] == "dial":
            person = after.people[order["subscriber_id"]]
            for what in _wrong(connection, after, person, now_ms, service_zone, calling_hours):
                yield f"I19: agent {desk.agent_id} may dial {person.number}, {what}"


def _wrong(
    connection: Connection,
    seen: Snapshot,
    person: Person,
    now_ms: int,
    service_zone: str,
    calling_hours: str | None,
) -> Iterator[str]:
    """Yield why nobody may dial a person now."""
    campaign = seen.campaigns[person.campaign_id]
    account = next(one for one in seen.accounts if one.id == campaign["user_id"])
    if campaign["status"] != _START or not campaign["startingdate"] <= now_ms < campaign["expirationdate"]:
        yield f"but campaign {person.campaign_id} does not call"
    if any((dnc_id, person.number) in seen.entries for dnc_id in seen.lists.get(person.campaign_id, ())):
        yield "which is on a list"
    if (person.campaign_id, person.number) in seen.wishes:
        yield "who wished not to be called"
    if what := _forbidden(person.number, account):
        yield what
    line = seen.lines[f"{campaign['aleg_gateway_id']}"]
    zone_key = person.zone or service_zone
    if not is_open(campaign, person.zone, now_ms, service_zone) or closed_zones(zone_key, line, now_ms, calling_hours):
        yield f"in {person.zone!r} outside the window"
    if account.balance <= account.held and _price(connection, account) > 0:
        yield "for which there is no money"


def _price(connection: Connection, account: AccountRow) -> int:
    """Return the lowest price of a minute that the account may have to pay."""
    of_card = ask(connection, _PRICES, account.id)[0][0]
    return account.call_rate if of_card is None else min(account.call_rate, of_card)


def _forbidden(number: str, account: AccountRow) -> str:
    """Return why an account may not call a number; empty if it may, as far as this rule knows."""
    if number.startswith(_SPECIAL) and not account.allows_special:
        return "a number of a kind that its account may not call"
    if not account.allowed_countries:
        return ""
    country = next((country for code, country in _COUNTRIES.items() if number.startswith(code)), "")
    is_allowed = country in account.allowed_countries.split(",")
    return "" if is_allowed else f"but its account may call {account.allowed_countries} only"
