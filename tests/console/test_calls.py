"""Tests of the list of calls: its order, its pages, and the rights of viewers."""

from typing import Any

import pytest
from sqlalchemy import insert

from dialer.console.pages.calls import CALLS_A_PAGE
from dialer.store.database import Database
from dialer.store.tables import Cdr
from tests.api.harness import NOW_MS, Caller
from tests.console.building import campaign, store
from tests.console.visitor import Visitor


def cdr(number: int, **fields: Any) -> Any:  # noqa: ANN401 - columns, and a statement
    """Return the insertion of a call of Alice."""
    values = {"callid": str(number), "phone_number": f"+1202555{number:04}", "starting_date": NOW_MS + number * 1_000}
    values |= {"user_id": 2, "campaign_id": None, "callerid": "", "duration": 70, "billsec": 65, "call_cost": 1_234_000}
    values |= {"billed_duration": 120, "leg_type": 1, "amd_status": 1, "subscriber_id": 1, "hangup_cause_q850": 16}
    return insert(Cdr.__table__).values({**values, **fields})


def test_calls_are_listed_the_newest_first(alice: Visitor, api: Caller, database: Database) -> None:
    assert "No call is over yet. A call appears here when it ends." in alice.text("calls/")
    identity = campaign(api, name="Departures", started="no")
    store(database, cdr(1), cdr(2, campaign_id=identity, hangup_cause_q850=17, billsec=0, call_cost=0, leg_type=2))
    text = alice.text("calls/")
    newest = "18 Nov 2026, 11:06:42 +12025550002 transfer Departures Busy (17)"
    assert f"{newest} 18 Nov 2026, 11:06:41 +12025550001 deleted Answered (16) 1:05 min 12.34" in text
    of_one = alice.text(f"calls/?campaign={identity}")
    assert ("Only those of Departures" in of_one, newest in of_one, "+12025550001" in of_one) == (True, True, False)


def test_a_long_list_has_pages(alice: Visitor, database: Database) -> None:
    store(database, *(cdr(number) for number in range(CALLS_A_PAGE + 2)))
    first = alice.get("calls/")
    assert first.count("Answered (16)") == CALLS_A_PAGE
    path = first.partition('rel="next" href="/console/')[2].partition('"')[0]
    assert alice.get(path).count("Answered (16)") == 2
    assert ("Newest" in alice.page, "Older" in alice.page) == (True, False)
    assert "There are no older calls." in alice.get("calls/?before=1")


@pytest.mark.parametrize("query", ["before=0", "before=x", "before=", "campaign=-1", "campaign=9", f"campaign={2**63}"])
def test_wrong_addresses_are_not_found(alice: Visitor, query: str) -> None:
    assert alice.request("GET", f"calls/?{query}").status_code == 404


def test_a_customer_sees_no_call_of_another(
    alice: Visitor, bob: Visitor, admin: Visitor, visitor: Visitor, api: Caller, database: Database
) -> None:
    identity = campaign(api, started="no")
    store(database, cdr(1, campaign_id=identity))
    seen = {one: "+12025550001" in one.get("calls/") for one in (alice, bob, admin)}
    assert list(seen.values()) == [True, False, True]
    assert bob.request("GET", f"calls/?campaign={identity}").status_code == 404
    visitor.sign_in("gus")
    assert "+12025550001" not in visitor.get("calls/")
    assert 'href="/console/campaigns/' not in visitor.page
    assert visitor.request("GET", "").headers["location"] == "/console/calls/"
