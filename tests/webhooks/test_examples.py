"""Tests of the examples of events: there is one of each type, and real ones look alike."""

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import anyio
import msgspec
import pytest

from dialer.app.campaigns.change import start_campaign
from dialer.app.telling.account_events import EVENT_TYPES, switch_events
from dialer.app.telling.audit_log import COMMAND_LINE
from dialer.app.telling.listeners import tell_listeners
from dialer.app.work.unit import UnitOfWork
from dialer.resources.crud.urls import Links
from dialer.resources.records.events import event_read
from dialer.store.tables import AccountEvent
from dialer.webhooks.event_data import EVENT_DATA
from dialer.webhooks.examples import EXAMPLES, example_event
from tests.runtime.house import DAY_MS, House


def test_there_are_an_example_and_a_schema_of_each_type() -> None:
    assert tuple(EXAMPLES) == tuple(EVENT_DATA) == EVENT_TYPES


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_an_example_is_an_event_with_links(kind: str) -> None:
    now = datetime(2026, 11, 18, 11, 6, 40, tzinfo=UTC)
    event = example_event(kind, "evt_test", "https://dialer.example/rest-api/", now)
    assert (event["type"], event["time"], event["id"]) == (kind, "2026-11-18T11:06:40Z", "evt_test")
    assert event["data"]["links"]["self"] == f"https://dialer.example/rest-api/{event['subject']}/"
    assert len(msgspec.json.encode(event)) < 20_000
    msgspec.convert(event["data"], EVENT_DATA[kind])


def test_examples_have_the_members_of_events_that_happened(tmp_path: Path) -> None:
    house = House(tmp_path, seed=3)
    house.perform(lambda unit: switch_events(unit, house.user_id, keep=True))
    people = house.phonebook(*(f"+120255501{place:02}" for place in range(40, 70)))
    campaign_id = house.campaign(house.survey({"type": 1, "script": "Hello", "completed": True}), people, maxretry=0)

    def start(unit: UnitOfWork) -> None:
        start_campaign(unit, campaign_id)
        tell_listeners(unit, COMMAND_LINE)

    house.perform(start)
    anyio.run(house.advance, DAY_MS // 1_000)
    found = {row["type"]: row for row in house.rows(AccountEvent)}
    calls = {"call.started", "call.answered", "call.ended", "subscriber.completed", "subscriber.failed"}
    assert calls | {"campaign.started", "campaign.ended"} <= found.keys()
    read = Links("https://dialer.example", frozenset())
    for kind, row in found.items():
        data = event_read(SimpleNamespace(**row), read, "EUR").data
        assert data.keys() - {"links"} == EXAMPLES[kind].data.keys() | {"reason"} & (
            {"reason"} if kind == "subscriber.completed" else set()
        ), kind
    house.database.close()
