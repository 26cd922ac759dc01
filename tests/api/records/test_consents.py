"""Consents over the API: their defaults, their errors, whose they are, many at once, and what an erasure leaves."""

import pytest
from sqlalchemy import Connection, insert, select, update

from dialer.app.contacts.consents import CONSENTS_KEPT_MAX, CONSENTS_OF_NUMBER_MAX
from dialer.app.erasure.erasure import erase_number
from dialer.app.imports.number_rows import DncRows
from dialer.app.work.unit import UnitOfWork
from dialer.store.database.database import Database
from dialer.store.rows.wishes import SOON_MS, own_list
from dialer.store.tables import AudioFile, Campaign, Consent
from tests.api.builders import Estate
from tests.api.harness import BASE, NOW, NOW_MS, Caller, Json
from tests.console.building import store

NUMBER = "+33142345601"
AGREED: Json = {"phone_number": "+33 1 42 34 56 01", "kind": "express"}


def test_a_consent_needs_a_number_and_a_kind(alice: Caller) -> None:
    assert alice.create("consent", **AGREED) == {
        "id": 1,
        "url": f"{BASE}/consent/1/",
        "user": f"{BASE}/users/2/",
        "phone_number": "+33 1 42 34 56 01",
        "kind": "express",
        "purposes": [],
        "seller": "",
        "given_date": NOW,
        "expiration_date": None,
        "hours": "",
        "hours_date": None,
        "how": "",
        "evidence": "",
        "evidence_url": "",
        "evidence_sha256": "",
        "audio_file": None,
        "callrequest": None,
        "withdrawn_date": None,
        "withdrawn_how": "",
        "last_used_date": None,
        "created_date": NOW,
        "updated_date": NOW,
    }
    assert alice.refused("POST", "consent/") == (
        400,
        {"phone_number": ["This field is required."], "kind": ["This field is required."]},
    )
    whole = {
        "purposes": ["sales"],
        "given_date": "2027-01-10T09:00:00Z",
        "expiration_date": "2028-01-10T09:00:00Z",
        "hours": "18:00-20:30",
        "hours_date": "2027-02-01",
        "how": "web_form",
        "evidence": "Box ticked: yes, call me",
        "evidence_url": "https://shop.example/form/77",
        "evidence_sha256": "9f" * 32,
    }
    found = alice.create("consent", **AGREED, **whole)
    assert {name: found[name] for name in whole} == whole
    assert [one["id"] for one in alice.get("consent/?search=0142345601&ordering=-given_date")["results"]] == [2, 1]
    assert "Box ticked: yes, call me" in alice.request("GET", "consent/?format=csv").text


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        ({"hours": "20:30-18:00"}, {"hours": ["Write hours of a day as 18:00-20:30, the earlier one first."]}),
        ({"hours": "25:00-26:00"}, {"hours": ["Write hours of a day as 18:00-20:30, the earlier one first."]}),
        ({"hours_date": "2027-02-01"}, {"hours_date": ["A day needs hours."]}),
        ({"expiration_date": "2020-01-01T00:00:00Z"}, {"expiration_date": ["It is not after given_date."]}),
        ({"evidence_url": "javascript:alert(1)"}, {"evidence_url": ["An address begins with https:// or http://."]}),
        (
            {"evidence_sha256": "9F86"},
            {"evidence_sha256": ["Write 64 hexadecimal digits: 0 to 9, and a to f in small letters."]},
        ),
    ],
)
def test_what_says_nothing_sensible_is_refused(alice: Caller, fields: Json, errors: Json) -> None:
    assert alice.refused("POST", "consent/", **{**AGREED, **fields}) == (400, errors)


def test_a_consent_belongs_to_its_account_and_keeps_its_number(alice: Caller, bob: Caller, admin: Caller) -> None:
    made = alice.create("consent", **AGREED)
    assert bob.get("consent/")["results"] == []
    assert bob.refused("PATCH", made["url"], kind="written")[0] == 404
    assert [one["id"] for one in admin.get("consent/")["results"]] == [made["id"]]
    assert alice.refused("PATCH", made["url"], phone_number="+33142345602")[0] == 400
    assert alice.request("DELETE", made["url"]).status_code == 204


def test_a_withdrawal_stays(alice: Caller) -> None:
    made = alice.create("consent", **AGREED)
    alice.change(made["url"], withdrawn_date=NOW, withdrawn_how="letter")
    assert alice.refused("PATCH", made["url"], withdrawn_date=None)[0] == 409
    assert alice.refused("DELETE", made["url"])[0] == 409
    assert alice.get(made["url"])["withdrawn_date"] == NOW


def test_many_at_once_have_an_answer_each(alice: Caller, bob: Caller) -> None:
    other = {**AGREED, "purposes": ["survey"], "given_date": "2026-01-01T00:00:00Z", "how": "import"}
    records = [AGREED, {"kind": "spoken", "color": 1}, other, {**AGREED, "user": 3}, [1]]
    answer = alice.request("POST", "consent/bulk/", json=records).json()
    assert (answer["created"], answer["rejected"]) == (2, 3)
    assert [one["status"] for one in answer["results"]] == [201, 400, 201, 400, 400]
    assert answer["results"][0] == {"status": 201, "id": 1, "url": f"{BASE}/consent/1/"}
    assert answer["results"][1]["errors"].keys() == {"phone_number", "kind"}
    found = alice.get(answer["results"][2]["url"])
    assert (found["purposes"], found["given_date"], found["how"]) == (["survey"], "2026-01-01T00:00:00Z", "import")
    assert bob.get("consent/")["results"] == []


def test_a_number_has_only_so_many_that_are_not_over(alice: Caller) -> None:
    over: Json = {**AGREED, "given_date": "2020-01-01T00:00:00Z", "expiration_date": "2021-01-01T00:00:00Z"}
    many = [{**AGREED, "evidence": str(number)} for number in range(CONSENTS_OF_NUMBER_MAX + 1)]
    answer = alice.request("POST", "consent/bulk/", json=[over, *many]).json()
    too_many = {"phone_number": [f"A number has at most {CONSENTS_OF_NUMBER_MAX} consents."]}
    assert (answer["created"], answer["results"][-1]) == (101, {"status": 400, "errors": too_many})
    assert alice.refused("POST", "consent/", **AGREED) == (400, too_many)
    ended = [{**over, "evidence": str(number)} for number in range(CONSENTS_KEPT_MAX - 101 + 1)]
    answer = alice.request("POST", "consent/bulk/", json=ended).json()
    too_many = {"phone_number": [f"A number has at most {CONSENTS_KEPT_MAX} consents."]}
    assert (answer["created"], answer["results"][-1]) == (199, {"status": 400, "errors": too_many})


def test_a_consent_that_says_the_same_is_answered_with_the_first(alice: Caller, bob: Caller) -> None:
    first = alice.create("consent", **AGREED)
    assert alice.create("consent", **{**AGREED, "phone_number": NUMBER}) == first
    other = {**AGREED, "kind": "written"}
    answer = alice.request("POST", "consent/bulk/", json=[AGREED, other, other]).json()
    assert answer == {
        "created": 1,
        "rejected": 0,
        "results": [
            {"status": 200, "id": 1, "url": f"{BASE}/consent/1/"},
            {"status": 201, "id": 2, "url": f"{BASE}/consent/2/"},
            {"status": 200, "id": 2, "url": f"{BASE}/consent/2/"},
        ],
    }
    assert bob.create("consent", **AGREED)["id"] == 3


BEFORE: Json = {**AGREED, "given_date": "2020-01-01T00:00:00Z"}
WITHDRAWN: Json = {
    "given_date": [
        "The person has withdrawn this at that moment or later. If they have agreed again since, say when they did."
    ]
}


def test_a_withdrawn_consent_does_not_come_back(alice: Caller, bob: Caller) -> None:
    made = alice.create("consent", **BEFORE, purposes=["sales", "survey"], seller="Example Energy")
    alice.change(made["url"], withdrawn_date="2020-06-01T00:00:00Z")
    for fields in ({}, {"purposes": ["sales"]}, {"given_date": "2020-06-01T00:00:00Z", "seller": "Example Energy"}):
        assert alice.refused("POST", "consent/", **{**BEFORE, **fields}) == (400, WITHDRAWN)
    later = {**BEFORE, "given_date": "2020-06-01T00:00:01Z"}
    answer = alice.request("POST", "consent/bulk/", json=[BEFORE, later]).json()
    assert [one.get("errors") for one in answer["results"]] == [WITHDRAWN, None]
    # Those of another purpose, of another firm and of another account are others, and what ended as well did not come.
    other = alice.create("consent", **BEFORE, purposes=["debt"])
    alice.create("consent", **BEFORE, seller="Another firm")
    alice.create("consent", **{**BEFORE, "kind": "written"}, withdrawn_date="2020-05-01T00:00:00Z")
    bob.create("consent", **BEFORE)
    assert alice.refused("PATCH", other["url"], purposes=[]) == (400, WITHDRAWN)


@pytest.mark.parametrize("column", ["last_used_date", "withdrawn_date"])
def test_a_proof_is_not_rewritten(alice: Caller, database: Database, column: str) -> None:
    made = alice.create("consent", **BEFORE, evidence="Box ticked")
    wanted = update(Consent).values({column: NOW_MS})
    store(database, wanted)
    for fields in (
        {"evidence": "x"},
        {"kind": "written"},
        {"purposes": ["sales"]},
        {"given_date": "2019-01-01T00:00:00Z"},
        {"how": "paper"},
        {"expiration_date": "2019-01-01T00:00:00Z", "given_date": "2018-01-01T00:00:00Z"},
    ):
        said = {"detail": "It was used or withdrawn, so it is kept as a proof."}
        assert alice.refused("PATCH", made["url"], **fields) == (409, said)
    alice.change(made["url"], expiration_date="2030-01-01T00:00:00Z", evidence="Box ticked")
    assert alice.refused("PATCH", made["url"], expiration_date="2031-01-01T00:00:00Z")[0] == 409
    assert alice.refused("PATCH", made["url"], expiration_date=None)[0] == 409
    if column == "last_used_date":
        alice.change(made["url"], withdrawn_date=NOW, withdrawn_how="letter")
    assert alice.refused("PATCH", made["url"], withdrawn_how="key")[0] == 409
    assert alice.refused("PATCH", made["url"], withdrawn_date="2026-01-01T00:00:00Z")[0] == 409
    assert alice.get(made["url"])["evidence"] == "Box ticked"


def test_a_proof_stays_with_its_account(alice: Caller, admin: Caller) -> None:
    made = alice.create("consent", **BEFORE)
    alice.change(made["url"], withdrawn_date=NOW)
    assert admin.refused("PATCH", made["url"], user=3)[0] == 409
    assert admin.get(made["url"])["user"] == made["user"]


def test_the_recording_of_a_proof_is_kept(alice: Caller, estate: Estate) -> None:  # noqa: ARG001 - it has a file
    file = alice.get("audio-files/")["results"][0]["url"]
    made = alice.create("consent", **BEFORE, audio_file=file)
    alice.change(made["url"], withdrawn_date=NOW)
    said = {"detail": "It was used or withdrawn, so it is kept as a proof."}
    assert alice.refused("DELETE", file) == (409, said)
    assert alice.get(made["url"])["audio_file"] == file


def withdrawn(alice: Caller) -> list[tuple[str, str]]:
    found = alice.get("consent/?ordering=created_date")["results"]
    return sorted((one["phone_number"], one["withdrawn_how"]) for one in found if one["withdrawn_date"] == NOW)


def test_each_wish_on_the_accounts_own_list_withdraws(alice: Caller, bob: Caller, database: Database) -> None:
    own = database.write_now(lambda connection: own_list(connection, 2, NOW_MS))
    other = alice.create("dnc", name="Neighbours")["id"]
    numbers = [f"+3314234560{digit}" for digit in range(1, 8)]
    for number in numbers:
        alice.create("consent", phone_number=number, kind="express", purposes=["sales"])
    bob.create("consent", **AGREED)
    dnc = f"{BASE}/dnc/{own}/"
    alice.create("dnc-contact", dnc=dnc, phone_number=numbers[0])
    alice.request("POST", "dnc-contact/bulk/", json=[{"dnc": dnc, "phone_number": one} for one in numbers[1:3]])
    # Without its country, an entry stops calls to the number, and so does it here.
    alice.create("dnc-contact", dnc=dnc, phone_number=numbers[3].replace("+33", "0"))
    moved = alice.create("dnc-contact", dnc=f"{BASE}/dnc/{other}/", phone_number=numbers[4])
    assert withdrawn(alice) == [(number, "api") for number in numbers[:4]]
    alice.change(moved["url"], dnc=dnc)
    rows = {numbers[5]: (own, numbers[5], numbers[5], "import", "", "")}

    def import_rows(connection: Connection) -> None:
        DncRows(own, region=None).store(UnitOfWork(connection=connection, now_ms=NOW_MS), rows)

    database.write_now(import_rows)
    assert withdrawn(alice) == [*((number, "api") for number in numbers[:5]), (numbers[5], "import")]
    assert withdrawn(bob) == []


def test_a_wish_withdraws_what_is_given_in_a_moment_and_not_what_is_given_tomorrow(
    alice: Caller, database: Database
) -> None:
    soon, later = NOW_MS + SOON_MS, NOW_MS + SOON_MS + 1
    own = database.write_now(lambda connection: own_list(connection, 2, NOW_MS))
    for given_ms in (soon, later):
        made = alice.create("consent", **AGREED, evidence=str(given_ms))
        given = update(Consent).where(Consent.id == made["id"]).values(given_date=given_ms)
        store(database, given)
    alice.create("dnc-contact", dnc=f"{BASE}/dnc/{own}/", phone_number=NUMBER)
    found = alice.get("consent/?ordering=given_date")["results"]
    assert [(one["evidence"], one["withdrawn_date"]) for one in found] == [(str(soon), NOW), (str(later), None)]


def test_an_erasure_leaves_the_proof_without_the_person(alice: Caller, estate: Estate, database: Database) -> None:
    made = alice.create("consent", **AGREED, evidence="Jean Martin signed", callrequest=estate.call_id)
    erase_number(database, NUMBER, lambda _: None, NOW_MS)
    found = alice.get(made["url"])
    assert (found["phone_number"], found["evidence"], found["callrequest"]) == ("erased", "", None)
    assert (found["kind"], found["given_date"]) == ("express", NOW)
    numbers = database.read_now(lambda c: c.scalars(select(Consent.number).where(Consent.id == made["id"])).all())
    assert [number[0] for number in numbers] == ["#"]
    of_others = [one["url"] for one in alice.get("consent/")["results"] if one["url"] != made["url"]]
    for kind in ("csv", "ndjson"):
        file = alice.request("GET", f"consent/?format={kind}").text
        assert (made["url"] in file, [url for url in of_others if url in file]) == (False, of_others)
    alice.change(made["url"], withdrawn_date=NOW)


def test_an_erasure_deletes_the_recordings_that_nothing_else_names(
    alice: Caller,
    estate: Estate,
    database: Database,
) -> None:
    played = alice.get("audio-files/")["results"][0]
    values = {
        "user_id": 2,
        "format": "wav",
        "size": 1,
        "duration_ms": 1,
        "created_date": NOW_MS,
        "updated_date": NOW_MS,
    }
    files = [{"name": name, "audio_file": f"{name}.wav", **values} for name in ("own", "shared")]
    added = insert(AudioFile).returning(AudioFile.id, sort_by_parameter_order=True)
    own, shared = database.write_now(lambda connection: connection.scalars(added, files).all())
    for number, name in ((NUMBER, own), (NUMBER, shared), ("+33142345602", shared), (NUMBER, played["id"])):
        link = f"{BASE}/audio-files/{name}/"
        alice.create("consent", phone_number=number, kind="express", audio_file=link)
    plays = update(Campaign).where(Campaign.id == estate.campaign["id"]).values(voicemail_audiofile_id=played["id"])
    store(database, plays)
    deleted: list[str] = []
    erase_number(database, NUMBER, deleted.append, NOW_MS)
    assert deleted == ["own.wav"]
    assert sorted(one["id"] for one in alice.get("audio-files/")["results"]) == sorted([shared, played["id"]])
