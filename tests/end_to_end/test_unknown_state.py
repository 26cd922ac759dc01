"""A test that a subscriber with an unknown status is set aside, and can be read and deleted."""

from pathlib import Path

from sqlalchemy import update

from dialer.store.database.database import Database
from dialer.store.tables import Subscriber
from dialer.store.timeline.reading import read_story
from tests.api.harness import Caller
from tests.end_to_end.service import START_MS, advance
from tests.end_to_end.test_storage import PEOPLE, called, start_campaign

UNKNOWN = 99


def test_a_subscriber_with_an_unknown_status_is_set_aside(ann: Caller, admin: Caller, tmp_path: Path) -> None:
    campaign = start_campaign(ann, admin, 60)
    advance(admin, 3)
    database = Database(f"sqlite:///{tmp_path / 'dialer.db'}")
    database.write_now(lambda c: c.execute(update(Subscriber).where(Subscriber.id == 10).values(status=UNKNOWN)))
    advance(admin, 3_600)
    assert called(ann) == [number for number in PEOPLE if number != PEOPLE[9]]
    assert ann.get(campaign)["status"] == 4
    assert ann.get("subscriber-list/10/")["status"] == UNKNOWN
    refused = (409, {"detail": f"Status {UNKNOWN} of the subscriber is unknown to this version. Use a newer version."})
    assert ann.refused("PATCH", "subscriber-list/10/", status=1) == refused
    story = database.read_now(lambda c: read_story(c, "1", PEOPLE[9], now_ms=START_MS, region=None, service_zone="UTC"))
    assert story.subscriber is not None
    assert story.subscriber.status == "UNKNOWN (99)"
    database.close()
    assert ann.request("DELETE", "subscriber-list/10/").status_code == 200
