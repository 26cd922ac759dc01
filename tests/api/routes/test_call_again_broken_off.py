"""Tests of orders to call people again that were broken off, as by the end of the service."""

import pytest
from sqlalchemy import delete, func, insert, select, update

from dialer.store.database.database import Database
from dialer.store.rows.joining import call_again as store_call_again
from dialer.store.tables import Campaign, PeopleToCopy, Subscriber
from tests.api.builders import Estate
from tests.api.routes.test_call_again import BUSY, SENT, again, end, number, numbers
from tests.api.routes.test_recycle import people
from tests.console.building import store


@pytest.mark.usefixtures("worker")
def test_a_start_copies_those_whom_a_broken_order_left(
    estate: Estate, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_call_again, "SLICE", 2)
    monkeypatch.setattr("dialer.app.campaigns.call_again.COPY_SLICE", 2)
    people(estate, database, *[BUSY] * 5)
    end(estate)
    made = again(estate, outcomes=["busy"])
    campaign_id = int(made["campaign"].rstrip("/").rpartition("/")[2])
    # As if the service had stopped after the first slice.
    this = Subscriber.campaign_id == campaign_id
    database.write_now(lambda c: c.execute(delete(Subscriber).where(this, Subscriber.number > number(1))))
    database.write_now(lambda c: c.execute(update(Campaign).where(Campaign.id == campaign_id).values(totalcontact=2)))
    progress = {"id": campaign_id, "outcomes": "busy", "after_number": number(1)}
    database.write_now(lambda c: c.execute(insert(PeopleToCopy).values(progress)))
    assert estate.owner.request("DELETE", estate.campaign["url"]).status_code == 409
    assert "a campaign that calls them again" in estate.owner.request("DELETE", estate.campaign["url"]).text
    estate.owner.change(made["campaign"], status=1)
    assert numbers(database, made["campaign"]) == [number(place) for place in range(5)]
    assert estate.owner.get(made["campaign"])["totalcontact"] == 5
    assert database.read_now(lambda c: c.scalar(select(func.count()).select_from(PeopleToCopy))) == 0
    assert estate.owner.request("DELETE", estate.campaign["url"]).status_code == 200
    assert estate.owner.get(made["campaign"])["source_campaign"] is None


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize("is_over", [False, True])
def test_a_broken_order_keeps_nobody_from_a_further_one(estate: Estate, database: Database, *, is_over: bool) -> None:
    """A further order first finishes what the service left when it stopped, unless that campaign is over."""
    people(estate, database, BUSY, BUSY, SENT)
    end(estate)
    broken = again(estate, outcomes=["busy"])["campaign"]
    campaign_id = int(broken.rstrip("/").rpartition("/")[2])
    store(database, delete(Subscriber).where(Subscriber.campaign_id == campaign_id))
    store(database, insert(PeopleToCopy).values(id=campaign_id, outcomes="busy", after_number=""))
    if is_over:
        estate.owner.change(broken, status=4)
    url = f"campaigns/{estate.campaign['id']}/call-again/"
    answer = estate.owner.request("POST", url, json={"outcomes": ["busy"]})
    left = [] if is_over else [number(0), number(1)]
    assert (answer.status_code, numbers(database, broken)) == (201 if is_over else 409, left)
    if is_over:
        assert numbers(database, answer.json()["campaign"]) == [number(0), number(1)]
    else:
        assert "Nobody with these outcomes can be called again." in answer.text
