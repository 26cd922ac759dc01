"""The currency beside each amount of the API."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.openapi.document import document
from dialer.resources.crud.derived_columns import currency_field
from dialer.resources.crud.fields import Amount
from dialer.resources.crud.resource import Resource
from dialer.resources.crud.shapes import fields_of
from dialer.resources.records.table import RESOURCES
from tests.api.builders import Estate
from tests.api.harness import Caller

AMOUNTS: Final = frozenset(
    ("amount", "balance", "call_cost", "call_rate", "connection_fee", "cost", "cost_per_completion", "low_balance")
)
CURRENCIES: Final = frozenset(("currency", "currency_in_force"))


def _has_money(resource: Resource) -> bool:
    kinds = {field.name: field.kind for field in fields_of(resource.read)}
    return any(name in AMOUNTS or type(kind) is Amount for name, kind in kinds.items())


@pytest.mark.parametrize("path", sorted(one.path for one in RESOURCES))
def test_every_record_with_an_amount_names_its_currency(path: str) -> None:
    resource = next(one for one in RESOURCES if one.path == path)
    assert bool(currency_field(resource)) is _has_money(resource)


def _names(part: Any, schemas: dict[str, Any], seen: set[str]) -> Iterator[str]:  # noqa: ANN401 - JSON
    """Yield the names of all properties that an answer may have."""
    if isinstance(part, list):
        for one in part:
            yield from _names(one, schemas, seen)
    elif isinstance(part, dict):
        reference = str(part.get("$ref", "")).rpartition("/")[2]
        if reference and reference not in seen:
            seen.add(reference)
            yield from _names(schemas[reference], schemas, seen)
        properties = part.get("properties", {})
        yield from properties
        for key in ("properties", "items", "oneOf", "anyOf", "allOf", "additionalProperties"):
            inner = part.get(key)
            yield from _names(list(inner.values()) if key == "properties" and inner else inner, schemas, seen)


def test_every_answer_with_an_amount_names_its_currency(client_of_session: TestClient[Litestar]) -> None:
    whole = document(client_of_session.app)
    schemas = whole["components"]["schemas"]
    lacking = []
    for path, operations in whole["paths"].items():
        for method, operation in operations.items():
            answers = [one for status, one in operation.get("responses", {}).items() if status.startswith("2")]
            for answer in answers:
                content = answer.get("content", {}).get("application/json", {})
                names = set(_names(content.get("schema"), schemas, set()))
                if names & AMOUNTS and not names & CURRENCIES:
                    lacking.append(f"{method} {path}")
    events = [name for name in schemas if name.endswith("Data")]
    lacking += [
        name
        for name in events
        if set(schemas[name]["properties"]) & AMOUNTS - {"low_balance"}
        and "currency" not in schemas[name]["properties"]
    ]
    assert lacking == []


def test_amounts_have_the_currency_of_their_account(estate: Estate, admin: Caller) -> None:
    alice, places = estate.owner, ("payment/", "ledger/", "campaigns/", "sms-campaigns/", "cdr/", "sms-message/")
    me = alice.get("users/", username="alice")["results"][0]
    admin.create("payment", user=me["url"], amount="50")

    def shown(caller: Caller) -> dict[str, set[str]]:
        seen = places if caller is admin else places[1:]
        found = {place: {one["currency"] for one in caller.get(place)["results"]} for place in seen}
        return {place: currencies for place, currencies in found.items() if currencies}

    assert set(map(frozenset, shown(admin).values())) == {frozenset({""})}
    assert (me["currency_in_force"], admin.get("statistics/")["currency"]) == ("", "")
    admin.change(f"users/{me['id']}/", currency="EUR")
    assert shown(admin) == {place: {"EUR"} for place in places}
    assert shown(alice) == {place: {"EUR"} for place in places if place != "payment/"}
    assert alice.get("users/", username="alice")["results"][0]["currency_in_force"] == "EUR"
    assert (admin.get("statistics/")["currency"], alice.get("statistics/")["currency"]) == (None, "EUR")
    campaign = alice.get("campaigns/")["results"][0]["id"]
    assert admin.get(f"campaigns/{campaign}/statistics/")["currency"] == "EUR"
    assert alice.request("PATCH", "events/", json={"low_balance": "5"}).json()["currency"] == "EUR"
