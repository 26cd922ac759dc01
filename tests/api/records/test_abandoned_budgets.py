"""Tests of the fields that say how many answered calls of a campaign may find no agent in time."""

from litestar.testing import TestClient

from dialer.api.app import create_app
from dialer.settings import Settings
from dialer.store.database.database import Database
from tests.api.builders import Estate
from tests.api.harness import HOST, Caller, FakeWorker


def test_a_campaign_says_over_which_time_its_abandoned_calls_count(estate: Estate) -> None:
    url, alice = estate.campaign["url"], estate.owner
    alice.change(url, abandon_hours=24, abandon_allowance=True)
    changed = alice.get(url)
    assert (changed["abandon_hours"], changed["abandon_allowance"]) == (24, True)
    hours = {"abandon_hours": ["Ensure this value is greater than or equal to 1."]}
    assert alice.refused("PATCH", url, abandon_hours=0) == (400, hours)
    hours = {"abandon_hours": ["Ensure this value is less than or equal to 8760."]}
    assert alice.refused("PATCH", url, abandon_hours=8_761) == (400, hours)


def test_the_setting_holds_for_new_campaigns_that_do_not_say(
    estate: Estate, database: Database, worker: FakeWorker
) -> None:
    new = {"name": "new", "object_id": str(estate.survey["id"]), "aleg_gateway": estate.gateway["url"]}
    app = create_app(Settings(abandon_hours=24), database=database, worker=worker)
    with TestClient(app, base_url=f"http://{HOST}") as client:
        alice = Caller(client, "alice")
        made = [alice.create("campaigns", **new, **said) for said in ({}, {"abandon_hours": 48})]
        alice.change(estate.campaign["url"], frequency=7)
    assert [one["abandon_hours"] for one in made] == [24, 48]
    assert estate.owner.get(estate.campaign["url"])["abandon_hours"] == 720
