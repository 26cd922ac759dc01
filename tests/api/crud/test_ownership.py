"""Tests that a record refers only to records of its owner, even if an admin writes it."""

from typing import Any

import pytest
from sqlalchemy import select

from dialer.resources.crud.resource import references_of
from dialer.resources.records.table import RESOURCES
from dialer.store.database.database import Database
from dialer.store.tables import Campaign
from tests.api.builders import Estate
from tests.api.crud.test_statements import heard, scans
from tests.api.harness import Caller, Json

NO_OBJECT = ["Invalid hyperlink - Object does not exist."]
ALICE, BOB = 2, 3
OWNED = {resource.path for resource in RESOURCES if resource.owner not in {None, "id"}}


def named() -> list[tuple[str, str, str]]:
    """Return every reference between records of one user: resource, field and target."""
    return [
        (resource.path, name, kind.path)
        for resource in RESOURCES
        if resource.write is not None and resource.owner is not None
        for name, kind in references_of(resource.write).items()
        if kind.path in OWNED and name not in {resource.owner, *resource.shapes.fixed}
    ]


@pytest.mark.parametrize(("path", "field", "target"), named())
def test_an_admin_cannot_make_a_record_refer_to_another_users_record(
    path: str, field: str, target: str, both_estates: tuple[Estate, Estate], admin: Caller
) -> None:
    alices, bobs = both_estates
    theirs = bobs.paths()[target]
    assert admin.refused("PATCH", alices.paths()[path], **{field: theirs}) == (400, {field: NO_OBJECT})


@pytest.mark.parametrize(("path", "field", "target"), named())
def test_an_admin_may_make_it_name_another_record_of_its_owner(
    path: str, field: str, target: str, both_estates: tuple[Estate, Estate], admin: Caller
) -> None:
    alices = both_estates[0]
    admin.change(alices.paths()[path], **{field: alices.paths()[target]})


def test_a_record_made_for_a_user_refers_to_that_users_records(
    both_estates: tuple[Estate, Estate], admin: Caller
) -> None:
    alices, bobs = both_estates
    fields = {**bobs.campaign_fields(), "phonebook": [bobs.phonebook["url"], alices.phonebook["url"]], "user": ALICE}
    refusal = (400, {"object_id": NO_OBJECT, "phonebook": NO_OBJECT})
    assert admin.refused("POST", "campaigns/", **fields) == refusal
    assert admin.refused("POST", "campaigns/", **{**fields, "user": 1})[1] == refusal[1]
    own = {**bobs.campaign_fields(), "phonebook": [bobs.phonebook["url"]], "user": BOB}
    assert admin.create("campaigns", **own)["user"].endswith("/users/3/")


def test_a_part_belongs_to_the_owner_of_the_whole(both_estates: tuple[Estate, Estate], admin: Caller) -> None:
    alices, bobs = both_estates
    agent, contact = bobs.agent["url"], bobs.contact["url"]
    assert admin.refused("POST", "tier/", queue=alices.queue["url"], agent=agent) == (400, {"agent": NO_OBJECT})
    subscriber = {"campaign": alices.campaign["url"], "contact": contact}
    assert admin.refused("POST", "subscriber-list/", **subscriber) == (400, {"contact": NO_OBJECT})
    did = {"did_number": "+12025550188", "campaign": alices.campaign["url"]}
    assert admin.refused("POST", "did/", **did, user=BOB) == (400, {"campaign": NO_OBJECT})


def test_an_unknown_owner_is_the_only_error(estate: Estate, admin: Caller) -> None:
    campaign = {**estate.campaign_fields(), "user": 999}
    assert admin.refused("POST", "campaigns/", **campaign) == (400, {"user": NO_OBJECT})
    assert admin.refused("POST", "tier/", queue=999, agent=estate.agent["id"]) == (400, {"queue": NO_OBJECT})


def test_a_campaign_does_not_move_away_from_the_records_it_refers_to(
    estate: Estate, admin: Caller, bob: Caller, database: Database
) -> None:
    estate.owner.change(estate.campaign["url"], phonebook=[estate.phonebook["url"]], dnc=estate.dnc["url"])
    wrong = {
        "object_id": NO_OBJECT,
        "phonebook": NO_OBJECT,
        "dnc": NO_OBJECT,
        "user": ["Still used by did 1, report-schedule 1. Change or delete them first."],
    }
    assert admin.refused("PATCH", estate.campaign["url"], user=BOB) == (400, wrong)
    owner = select(Campaign.user_id).where(Campaign.id == estate.campaign["id"])
    assert database.read_now(lambda connection: connection.execute(owner).scalar_one()) == ALICE
    assert bob.get("subscriber-list/") == []


def test_an_unchanged_owner_is_not_checked_again(estate: Estate, admin: Caller) -> None:
    admin.change(estate.campaign["url"], user=ALICE, name="still hers")
    assert estate.owner.get(estate.campaign["url"])["name"] == "still hers"


def uses() -> list[Any]:
    """Return cases: the resource that is referred to, the resource that refers to it, and the fields."""
    return [
        pytest.param("phonebook", "campaigns", {"phonebook": ["phonebook"]}, id="campaign's phonebook"),
        pytest.param("phonebook", "sms-campaigns", {"phonebook": ["phonebook"]}, id="sms campaign's phonebook"),
        pytest.param("survey-template", "campaigns", {}, id="survey"),
        pytest.param("survey-template", "section-template", {"audiofile": "audio-files"}, id="survey that plays"),
        pytest.param("survey-template", "section-template", {"queue": "queue"}, id="survey that transfers"),
        pytest.param("dnc-list", "campaigns", {"dnc": "dnc-list"}, id="dnc list"),
        pytest.param("queue", "tier", {}, id="queue with agents"),
        pytest.param("queue", "section-template", {"queue": "queue"}, id="queue"),
        pytest.param("agent", "tier", {}, id="agent"),
    ]


@pytest.mark.parametrize(("path", "by", "fields"), uses())
def test_a_record_that_its_owners_records_refer_to_does_not_move(
    path: str, by: str, fields: dict[str, Json], estate: Estate, admin: Caller
) -> None:
    paths = estate.paths()
    given = {
        name: [paths[item] for item in value] if isinstance(value, list) else paths[value]
        for name, value in fields.items()
    }
    if path == "survey-template" and given:
        admin.change(estate.campaign["url"], object_id=estate.owner.create("survey-template", name="other")["id"])
    if path == "queue" and given:
        estate.owner.request("DELETE", paths["tier"])
    if given:
        estate.owner.change(paths[by], **given)
    used, owner = (
        f"Still used by {by} {paths[by].split('/')[-2]}. Change or delete them first.",
        "manager" if path == "queue" else "user",
    )
    assert admin.refused("PATCH", paths[path], **{owner: BOB}, name="moved") == (400, {owner: [used]})
    assert estate.owner.get(paths[path])["name"] != "moved"


def test_a_contact_does_not_move_away_from_its_subscriber(
    both_estates: tuple[Estate, Estate], admin: Caller, alice: Caller
) -> None:
    alices, bobs = both_estates
    subscriber = alice.create("subscriber-list", campaign=alices.campaign["url"], contact=alices.contact["url"])
    used = [f"Still used by subscriber-list {subscriber['id']}. Change or delete them first."]
    away = admin.refused("PATCH", alices.contact["url"], phonebook=bobs.phonebook["url"])
    assert away == (400, {"phonebook": used})
    assert admin.refused("PATCH", alices.phonebook["url"], user=BOB) == (400, {"user": used})
    alice.change(alices.contact["url"], phonebook=alice.create("phonebook", name="other")["url"])


def test_a_campaign_does_not_take_subscribers_away_from_their_contacts(
    both_estates: tuple[Estate, Estate], admin: Caller, alice: Caller
) -> None:
    alices, bobs = both_estates
    for one in (alices.did, *alice.get("report-schedule/")["results"]):
        assert alice.request("DELETE", one["url"]).status_code == 204
    subscriber = alice.create("subscriber-list", campaign=alices.campaign["url"], contact=alices.contact["url"])
    moved = {"user": BOB, "object_id": bobs.survey["id"]}
    used = [f"Still used by subscriber-list {subscriber['id']}. Change or delete them first."]
    assert admin.refused("PATCH", alices.campaign["url"], **moved) == (400, {"user": used})
    assert alice.request("DELETE", subscriber["url"]).status_code == 200
    admin.change(alices.campaign["url"], **moved)
    assert alices.owner.request("GET", alices.campaign["url"]).status_code == 404


def test_a_record_without_references_moves_with_all_its_parts(estate: Estate, admin: Caller, bob: Caller) -> None:
    paths = estate.paths()
    survey = estate.owner.create("survey-template", name="free")
    section = estate.owner.create("section-template", survey=survey["url"], question="Well?")
    branch = estate.owner.create("branching-template", section=section["url"], keys="1", goto=section["url"])
    for url in (paths["phonebook"], paths["dnc-list"], paths["callerid"], survey["url"]):
        admin.change(url, user=BOB)
    queue = estate.owner.create("queue", name="free")["url"]
    admin.change(queue, manager=BOB)
    seen = [paths[path] for path in ("phonebook", "contact", "dnc-list", "dnc-contact", "callerid")]
    seen += [queue, survey["url"], section["url"], branch["url"]]
    assert [bob.request("GET", url).status_code for url in seen] == [200] * len(seen)


@pytest.mark.sqlite_only("reads the query plans of SQLite")
@pytest.mark.parametrize("path", ["phonebook", "survey-template", "queue", "agent", "dnc-list", "campaigns"])
def test_giving_away_reads_no_table_from_one_end_to_the_other(
    path: str, estate: Estate, admin: Caller, database: Database
) -> None:
    admin.get("users/")  # This request verifies the password, which is cached from here on.
    with heard(database) as statements:
        admin.request("PATCH", estate.paths()[path], json={"manager" if path == "queue" else "user": BOB})
    # Among them are the entry of the audit log, the one before it, and the removal of old entries.
    assert (len(statements) <= 16, scans(database, statements)) == (True, [])
