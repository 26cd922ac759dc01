"""Tests of the orders about the recording of a call, as clients send them."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import select, update

from dialer.store.database.database import Database
from dialer.store.tables import CallRequest, Campaign, SectionTemplate, Transfer
from tests.api.builders import Estate
from tests.api.harness import NOW_MS, Caller
from tests.api.team import AGENT, VIEWER, hire

ORDERS: Final = ("start", "pause", "resume")


@pytest.fixture
def call(estate: Estate, database: Database) -> str:
    """Return the path of a call in progress, of a campaign that records all calls."""
    values: dict[str, Any] = {"status": 7, "is_simulated": True, "started_ms": NOW_MS - 20_000}
    database.write_now(
        lambda c: [
            c.execute(update(CallRequest).where(CallRequest.id == estate.call_id).values(**values)),
            c.execute(update(Campaign).values(record="all")),
        ]
    )
    return f"callrequest/{estate.call_id}/recording/"


def orders(database: Database) -> Mapping[str, Any]:
    """Return what was ordered about the only call that has an order."""
    text = database.read_now(
        lambda c: c.scalar(select(CallRequest.recording_orders).where(CallRequest.recording_orders.is_not(None)))
    )
    return msgspec.json.decode(text or "{}", type=dict[str, Any])


def statuses(caller: Caller, path: str) -> list[int]:
    return [caller.request("POST", f"{path}{order}/").status_code for order in ORDERS]


def test_a_recording_is_paused_and_resumed_once_however_often_it_is_ordered(
    alice: Caller, estate: Estate, call: str, database: Database
) -> None:
    answers = [alice.request("POST", f"{call}{order}/") for order in ("start", "pause", "pause")]
    assert [(one.status_code, one.json()) for one in answers] == [(200, {"callrequest_id": estate.call_id})] * 3
    assert orders(database) == {"silences": [20_000]}
    assert alice.request("POST", f"{call}resume/").status_code == 200
    # No time has passed on the clock of the test, so there was no silence.
    assert orders(database) == {}


def test_a_call_that_records_nothing_or_is_over_takes_no_order(
    alice: Caller, estate: Estate, call: str, database: Database
) -> None:
    database.write_now(lambda c: c.execute(update(Campaign).values(record="no")))
    assert statuses(alice, call) == [409] * 3
    assert alice.request("POST", f"{call}pause/").json() == {"detail": "The call is not recorded."}
    database.write_now(lambda c: c.execute(update(Campaign).values(record="on_demand")))
    assert [statuses(alice, call), orders(database)] == [[200, 200, 200], {"began_ms": 20_000}]
    ended = update(CallRequest).where(CallRequest.id == estate.call_id).values(status=4)
    database.write_now(lambda c: c.execute(ended))
    assert statuses(alice, call) == [409] * 3


def test_on_demand_nothing_is_paused_before_the_start(alice: Caller, call: str, database: Database) -> None:
    database.write_now(lambda c: c.execute(update(Campaign).values(record="on_demand")))
    assert [alice.request("POST", f"{call}{order}/").status_code for order in ("pause", "resume")] == [409] * 2
    assert orders(database) == {}


def test_others_and_viewers_order_nothing_and_agents_their_own_calls(
    alice: Caller, bob: Caller, estate: Estate, call: str, client: TestClient[Litestar], database: Database
) -> None:
    people = hire(client, estate)
    assert statuses(bob, call) == [404] * 3
    assert statuses(people[VIEWER], call) == [403] * 3
    assert statuses(people[AGENT], call) == [409] * 3
    talks = update(Transfer).where(Transfer.id == estate.transfer_id).values(status=2)
    database.write_now(lambda c: c.execute(talks))
    assert statuses(people[AGENT], call) == [200] * 3
    assert alice.request("POST", "callrequest/987654/recording/pause/").status_code == 404
    assert alice.request("GET", f"{call}pause/").status_code == 405


def test_sections_of_digits_are_silent_in_recordings_unless_somebody_says_otherwise(
    alice: Caller, estate: Estate, database: Database
) -> None:
    def create(**fields: object) -> dict[str, Any]:
        return dict(alice.create("section-template", survey=estate.survey["url"], question="?", **fields))

    made = [create(type=kind)["record_pause"] for kind in (1, 2, 3, 4)]
    assert made == [False, False, False, True]
    said = [create(type=kind, record_pause=said)["record_pause"] for kind, said in ((1, True), (4, False), (4, None))]
    assert said == [True, False, True]
    section = create(type=1)
    for change, expected in (({"type": 4}, True), ({"question": "!"}, True), ({"record_pause": False}, False)):
        alice.change(section["url"], **change)
        assert alice.get(section["url"])["record_pause"] is expected
    database.write_now(lambda c: c.execute(update(SectionTemplate).values(record_pause=None)))
    alice.change(section["url"], question="?")
    assert alice.get(section["url"])["record_pause"] is True
