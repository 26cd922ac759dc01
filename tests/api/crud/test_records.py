"""Tests of create, read, update and delete, which are equal for every resource."""

import pytest

from dialer.resources.crud.resource import Resource
from dialer.resources.records.table import RESOURCES
from dialer.store.database.database import StorageUnavailableError
from tests.api.builders import Estate
from tests.api.harness import BASE, NOW, Caller, FakeWorker

ID_MAX = 2**63 - 1
CHANGEABLE = [item for item in RESOURCES if item.write is not None and "PATCH" in item.methods and item.owner]

CREATABLE = [item for item in RESOURCES if item.write is not None and "POST" in item.methods]


def test_a_created_record_is_the_answer_and_can_be_read_again(alice: Caller) -> None:
    answer = alice.request("POST", "phonebook/", json={"name": "friends", "description": "all of them"})
    record = {
        "id": 1,
        "url": f"{BASE}/phonebook/1/",
        "name": "friends",
        "description": "all of them",
        "user": f"{BASE}/users/2/",
        "created_date": NOW,
        "updated_date": NOW,
    }
    assert (answer.status_code, answer.json()) == (201, record)
    assert answer.headers["location"] == record["url"]
    assert alice.get("phonebook/1/") == record
    assert alice.get("phonebook/")["results"] == [record]


@pytest.mark.parametrize("path", ["phonebook", "phonebook/"])
def test_paths_answer_with_and_without_their_last_slash(alice: Caller, path: str) -> None:
    assert alice.request("POST", path, json={"name": "friends"}).status_code == 201
    assert alice.get(path)["count"] == 1
    assert alice.request("GET", "phonebook/1").json() == alice.get("phonebook/1/")


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_change_keeps_what_is_not_given(alice: Caller, worker: FakeWorker, method: str) -> None:
    book = alice.create("phonebook", name="friends", description="old")
    worker.virtual.set(worker.clock.now_ms() + 1_500)
    answer = alice.request(method, book["url"], json={"description": "new"})
    assert (answer.status_code, answer.content) == (202, b"")
    assert alice.get(book["url"]) == {**book, "description": "new", "updated_date": "2026-11-18T11:06:41.500000Z"}


@pytest.mark.parametrize("resource", CHANGEABLE, ids=lambda resource: resource.path)
def test_a_change_of_nothing_is_accepted_and_changes_nothing(resource: Resource, estate: Estate, alice: Caller) -> None:
    url = estate.paths()[resource.path]
    before = alice.get(url)
    estate.writer(resource).change(url)
    assert alice.get(url) == before


@pytest.mark.parametrize("resource", CHANGEABLE, ids=lambda resource: resource.path)
def test_a_record_can_be_sent_back_as_it_was_read(resource: Resource, estate: Estate, alice: Caller) -> None:
    url = estate.paths()[resource.path]
    before = alice.get(url)
    estate.writer(resource).change(url, **before)
    assert alice.get(url) == before


def test_a_deleted_record_is_gone(alice: Caller) -> None:
    book = alice.create("phonebook", name="friends")
    answer = alice.request("DELETE", book["url"])
    assert (answer.status_code, answer.content) == (204, b"")
    assert alice.refused("GET", book["url"]) == (404, {"detail": "Not found."})
    assert alice.refused("DELETE", book["url"]) == (404, {"detail": "Not found."})
    assert alice.create("phonebook", name="enemies")["id"] == book["id"] + 1


@pytest.mark.parametrize(
    "text", ["0", "-1", "x", "1.0", str(ID_MAX + 1), "9" * 400, "%D9%A1", "1%00", "+1", "%20", "1e3"]
)
@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_an_invalid_id_is_not_found(alice: Caller, text: str, method: str) -> None:
    assert alice.refused(method, f"phonebook/{text}/") == (404, {"detail": "Not found."})


def test_the_greatest_id_is_an_id(alice: Caller) -> None:
    assert alice.refused("GET", f"phonebook/{ID_MAX}/") == (404, {"detail": "Not found."})


def test_every_wrong_field_is_told_at_once(alice: Caller) -> None:
    methods = "Use one of: 1 (fixed_rate), 2 (progressive), 3 (predictive), 4 (preview)."
    status, errors = alice.refused(
        "POST",
        "campaigns/",
        name="",
        object_id="999",
        frequency="many",
        maxretry=-1,
        monday="perhaps",
        startingdate="soon",
        daily_start_time="25:00",
        phonebook=["/rest-api/phonebook/999/"],
        status=9,
        dial_method=[],
        agent_dial_rate="NaN",
        callerid="x" * 81,
        user=None,
        voicemail_audiofile={},
    )
    assert (status, errors) == (
        400,
        {
            "name": ["This field may not be blank."],
            "aleg_gateway": ["This field is required."],
            "object_id": ["Invalid hyperlink - Object does not exist."],
            "frequency": ["A valid integer is required."],
            "maxretry": ["Ensure this value is greater than or equal to 0."],
            "monday": ["Must be a valid boolean."],
            "startingdate": ["Datetime has wrong format. Use YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."],
            "daily_start_time": ["Time has wrong format. Use HH:MM:SS."],
            "phonebook": ["Invalid hyperlink - Object does not exist."],
            "status": ['"9" is not a valid choice. Use one of: 0 (new), 1 (start), 2 (pause), 3 (abord), 4 (end).'],
            "dial_method": [f'"list" is not a valid choice. {methods}'],
            "agent_dial_rate": ["A valid number is required."],
            "callerid": ["Ensure this field has no more than 80 characters."],
            "user": ["This field may not be null."],
            "voicemail_audiofile": ["Incorrect type. Expected URL string, received dict."],
        },
    )
    assert alice.get("campaigns/")["count"] == 0


@pytest.mark.parametrize("resource", CREATABLE, ids=lambda resource: resource.path)
def test_a_creation_of_nothing_names_what_is_required(resource: Resource, admin: Caller) -> None:
    required = {
        "callerid": {"callerid_num", "callerid_group"},
        "contact": {"contact", "phonebook"},
        "section-template": {"survey", "question"},
        "branching-template": {"section", "keys"},
        "dnc-contact": {"phone_number", "dnc"},
        "number-note": {"number", "text"},
        "payment": {"amount", "user"},
        "rate-card": {"user", "prefix", "rate"},
        "campaigns": {"name", "aleg_gateway", "object_id"},
        "did": {"did_number"},
        "sms-campaigns": {"name", "sms_gateway"},
        "subscriber-list": {"campaign", "duplicate_contact"},
        "tier": {"queue", "agent"},
        "users": {"username", "password"},
        "consent": {"phone_number", "kind"},
        "contact-rule": {"name", "limit", "period", "unit"},
        "webhook": {"name", "target_url"},
        "report-link": {"name", "campaign"},
    }.get(resource.path, {"name"})
    others = {
        "report-schedule": {"recipients": ["Give at least one address of mail, or tell webhooks."]},
    }
    status, errors = admin.refused("POST", f"{resource.path}/")
    missing = {name: ["This field is required."] for name in required}
    assert (status, errors) == (400, missing | others.get(resource.path, {}))


def test_fields_that_are_unknown_or_only_read_are_ignored_and_named(alice: Caller) -> None:
    body = {"name": "friends", "nmae": 1, "id": 77, "created_date": "never", "ü\r\nX-Evil: 1": 0}
    answer = alice.request("POST", "phonebook/", json=body)
    assert answer.status_code == 201
    assert answer.headers["x-ignored-fields"] == "nmae, id, created_date, %C3%BC%0D%0AX-Evil: 1"
    assert answer.json()["id"] == 1
    assert "x-ignored-fields" not in alice.request("PATCH", "phonebook/1/", json={"name": "x"}).headers


def test_the_header_of_ignored_fields_stays_short(alice: Caller) -> None:
    body = {"name": "friends"} | {f"{number}" * 1_000: 1 for number in range(10, 100)}
    header = alice.request("POST", "phonebook/", json=body).headers["x-ignored-fields"]
    assert len(header) < 1_024
    assert header.endswith(", ...")


def test_a_record_that_others_need_cannot_go(estate: Estate, alice: Caller, admin: Caller) -> None:
    def refusal(caller: Caller, url: str) -> tuple[int, str]:
        status, body = caller.refused("DELETE", url)
        return status, body["detail"]

    campaign, survey = estate.campaign["id"], estate.survey["url"]
    admin.change(estate.campaign["url"], dnc=estate.dnc["url"], phonebook=[estate.phonebook["url"]])
    admin.change(estate.campaign["url"], callerid_group=estate.callerid_group["url"])
    alice.change(estate.section["url"], queue=estate.queue["url"])
    used = (409, f"Still used by campaigns {campaign}. Change or delete them first.")
    assert refusal(admin, estate.gateway["url"]) == used
    assert refusal(admin, estate.callerid_group["url"]) == used
    assert refusal(alice, estate.dnc["url"]) == used
    assert refusal(alice, estate.phonebook["url"]) == used
    assert refusal(alice, survey) == used
    assert refusal(alice, estate.queue["url"]) == (
        409,
        f"Still used by section-template {estate.section['id']}. Change or delete them first.",
    )


def test_a_change_is_done_even_if_the_worker_is_in_trouble(alice: Caller, worker: FakeWorker) -> None:
    worker.failure = StorageUnavailableError("disk full")
    book = alice.create("phonebook", name="friends")
    assert alice.get("phonebook/")["results"] == [book]


TEXTS = [
    "'; DROP TABLE contact; --",
    "{{7*7}}",
    "%s%n",
    "$(id)",
    "`id`",
    "<script>",
    "a\tb\r\nc",
    "\u202e",
    "日本",
    "😀",
    " x ",
]


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_is_stored_and_found_byte_for_byte(alice: Caller, text: str) -> None:
    book = alice.create("phonebook", name=text, description=text)
    assert (book["name"], book["description"]) == (text, text)
    assert [found["id"] for found in alice.get("phonebook/", name=text)["results"]] == [book["id"]]
