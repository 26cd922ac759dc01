"""A test that a forecast over the API equals the campaign's real run, to the last CDR."""

from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.domain.figures.digest import cdr_digest
from tests.api.harness import Caller
from tests.console.visitor import Visitor
from tests.end_to_end.service import advance
from tests.end_to_end.test_campaign import campaign

STRANGERS = [f"+4930123{place:04d}" for place in range(40)]


def forecast(caller: Caller, path: str, **fields: int) -> dict[str, Any]:
    answer = caller.request("POST", path, json=fields)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def come_of(ann: Caller, record: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of an ended campaign in the form of a forecast."""
    cdrs = ann.get("cdr/", campaign_id=record["id"], page_size=1_000)["results"]
    made = ann.get(record["url"])
    return {
        "finish_date": made["updated_date"],
        "stop_reason": made["status_reason"],
        "digest": cdr_digest(cdrs),
        "calls": len(cdrs),
        **{name: made[name] for name in ("cost", "answered", "completed")},
    }


def test_a_forecast_for_the_services_seed_comes_true(ann: Caller, admin: Caller) -> None:
    """The service's seed is 1. Twenty cents pay for ten calls of a minute, then the campaign runs out of credit."""
    made = campaign(ann, admin)
    for number in STRANGERS:
        ann.create("contact", phonebook=made["phonebook"][0], contact=number)
    foretold = forecast(ann, f"campaigns/{made['id']}/forecast/", seeds=5)
    assert ann.get(made["url"]) == made
    assert [ann.get(path)["count"] for path in ("cdr/", "callrequest/", "dnc-contact/")] == [0, 0, 0]
    assert len({each["digest"] for each in foretold["per_seed"]}) == 5

    ann.change(made["url"], status=1)
    advance(admin, 90)
    on_its_way = forecast(ann, f"campaigns/{made['id']}/forecast/", seeds=1, first_seed=1)
    advance(admin, 86_400)
    found, expected = come_of(ann, made), foretold["per_seed"][1]
    assert found == {name: expected[name] for name in found}
    assert (on_its_way["finish_date"]["p50"], on_its_way["now"]) == (found["finish_date"], "2026-03-02T12:01:30Z")
    assert on_its_way["calls"]["p50"] < found["calls"]


@pytest.mark.parametrize("calling_hours", ["off"])
def test_what_if_says_that_there_are_no_calling_hours_to_obey(
    ann: Caller, admin: Caller, client: TestClient[Litestar]
) -> None:
    made, visitor = campaign(ann, admin), Visitor(client)
    visitor.sign_in("ann")
    said = "There are no calling hours to obey: an admin has turned them off for the whole service."
    assert said in visitor.text(f"campaigns/{made['id']}/what-if/")
