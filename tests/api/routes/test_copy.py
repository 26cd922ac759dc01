"""Tests of copies of campaigns."""

import pytest
from sqlalchemy import update

from dialer.resources.crud.shapes import fields_of
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.store.database.database import Database
from dialer.store.tables import Campaign
from tests.api.builders import Estate
from tests.api.harness import BASE, NOW, NOW_MS, Caller, FakeWorker, Json

DAY_MS = 86_400_000


def copy(caller: Caller, path: str, headers: Json = None, **fields: Json) -> Json:
    options = {"json": fields} if fields else {}
    return caller.request("POST", f"{path}copy/", headers=headers, **options)


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize(("path", "resource"), [("campaigns", CAMPAIGNS), ("sms-campaigns", SMS_CAMPAIGNS)])
def test_a_copy_has_the_settings_and_nothing_else(
    estate: Estate, database: Database, path: str, resource: Json
) -> None:
    source = estate.campaign if path == "campaigns" else estate.sms_campaign
    changes = {"phonebook": [estate.phonebook["url"]], "dnc": estate.dnc["url"], "frequency": 77, "sunday": False}
    estate.owner.change(source["url"], **changes, description="all of it")
    counters = {"calls": 9, "answered": 5, "completed": 2, "cost": 5, "totalcontact": 3, "status": 4}
    database.write_now(lambda c: c.execute(update(Campaign).where(Campaign.id == source["id"]).values(**counters)))
    before = estate.owner.get(source["url"])
    answer = copy(estate.owner, source["url"])
    assert answer.status_code == 201
    made = answer.json()
    assert answer.headers["location"] == made["url"] == f"{BASE}/{path}/{made['id']}/"
    assert answer.headers["etag"] == estate.owner.request("GET", made["url"]).headers["etag"]
    own = {"name", "status", "startingdate", "expirationdate"}
    same = {field.name for field in fields_of(resource.write)} - own
    assert {name: made[name] for name in same} == {name: before[name] for name in same}
    assert (made["name"], made["status"], made["startingdate"]) == (f"{source['name']} (copy)", 0, NOW)
    assert {made[name] for name in ("totalcontact", "calls", "sent", "answered", "delivered") if name in made} == {0}
    assert made["cost"] == "0.00000"
    assert estate.owner.get("subscriber-list/", campaign_id=made["id"]) == []
    assert estate.owner.get(source["url"]) == before


def test_a_copy_starts_now_and_is_as_long(estate: Estate, worker: FakeWorker) -> None:
    estate.owner.change(estate.campaign["url"], startingdate="2026-12-01T00:00", expirationdate="2026-12-04T00:00")
    worker.virtual.set(NOW_MS + 30 * DAY_MS)
    made = copy(estate.owner, estate.campaign["url"]).json()
    assert (made["startingdate"], made["expirationdate"]) == ("2026-12-18T11:06:40Z", "2026-12-21T11:06:40Z")
    later = copy(estate.owner, estate.campaign["url"], startingdate="2027-01-01T09:00:00Z").json()
    assert (later["startingdate"], later["expirationdate"]) == ("2027-01-01T09:00:00Z", "2027-01-04T09:00:00Z")


def test_fields_of_the_body_replace_those_of_the_campaign(estate: Estate) -> None:
    answer = copy(estate.owner, estate.campaign["url"], name="autumn", maxretry=3, status=1, surprise=1)
    made = answer.json()
    assert (made["name"], made["maxretry"], made["status"]) == ("autumn", 3, 0)
    assert answer.headers["x-ignored-fields"] == "surprise"
    wrong = copy(estate.owner, estate.campaign["url"], maxretry=-1, dnc=999, expirationdate="2020-01-01T00:00")
    assert (wrong.status_code, sorted(wrong.json())) == (400, ["dnc", "expirationdate", "maxretry"])


def test_a_long_name_is_cut(estate: Estate) -> None:
    estate.owner.change(estate.campaign["url"], name="n" * 100)
    made = copy(estate.owner, estate.campaign["url"]).json()
    assert made["name"] == f"{'n' * 93} (copy)"


def test_a_copy_names_what_is_gone(estate: Estate, database: Database) -> None:
    database.write_now(lambda connection: connection.execute(update(Campaign).values(object_id=999)))
    status, body = estate.owner.refused("POST", f"{estate.campaign['url']}copy/")
    assert (status, body) == (400, {"object_id": ["Invalid hyperlink - Object does not exist."]})
    assert copy(estate.owner, estate.campaign["url"], object_id=estate.survey["id"]).status_code == 201


def test_nobody_copies_the_campaign_of_another(estate: Estate, bob: Caller, admin: Caller) -> None:
    assert copy(bob, estate.campaign["url"]).status_code == 404
    assert copy(bob, "campaigns/x/").status_code == 404
    assert copy(estate.owner, estate.sms_campaign["url"].replace("sms-campaigns", "campaigns")).status_code == 404
    assert copy(admin, estate.campaign["url"]).json()["user"] == estate.campaign["user"]


def test_a_repeated_request_copies_once(estate: Estate) -> None:
    key = {"Idempotency-Key": "k1"}
    first, again = (copy(estate.owner, estate.campaign["url"], key) for _ in range(2))
    assert (first.content, again.headers["idempotent-replayed"]) == (again.content, "true")
    assert copy(estate.owner, estate.campaign["url"], key, name="other").status_code == 422
    assert estate.owner.get("campaigns/")["count"] == 2


def test_a_body_that_is_not_json_is_refused(estate: Estate) -> None:
    path = f"{estate.campaign['url']}copy/"
    assert estate.owner.request("POST", path, content=b"name=x").status_code == 415
    json = {"Content-Type": "application/json"}
    assert estate.owner.request("POST", path, content=b"[1]", headers=json).status_code == 400
