"""What is forecast over the API is what then happens, to the last call detail record."""

from typing import Any

from dialer.domain.digest import cdr_digest
from tests.api.harness import Caller
from tests.end_to_end.service import advance
from tests.end_to_end.test_campaign import campaign

STRANGERS = [f"+4930123{place:04d}" for place in range(40)]


def forecast(caller: Caller, path: str, **fields: int) -> dict[str, Any]:
    answer = caller.request("POST", path, json=fields)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def come_of(ann: Caller, record: dict[str, Any]) -> dict[str, Any]:
    """What came of a campaign that is over, in the words of a forecast."""
    cdrs = ann.get("cdr/", campaign_id=record["id"], page_size=1_000)["results"]
    made = ann.get(record["url"])
    return {
        "finish_date": made["updated_date"],
        "stop_reason": made["status_reason"],
        "digest": cdr_digest(cdrs),
        "calls": len(cdrs),
        **{name: made[name] for name in ("cost", "answered", "completed")},
    }


def test_what_is_forecast_for_a_seed_happens_under_it(ann: Caller, admin: Caller) -> None:
    """The service's seed is 1. Twenty cents are enough for ten calls of a minute: it stops for want of money."""
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
