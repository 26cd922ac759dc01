"""Tests of the API's contract, endpoint by endpoint: requests, statuses and responses."""

import io
import re
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl

import pytest

from tests.api.builders import Estate
from tests.api.harness import BASE, Caller, FakeWorker, Json

ENVELOPE: Final = {"count", "next", "previous", "results"}
CAMPAIGN: Final = {
    "name": "spring",
    "description": "a campaign",
    "callerid": "1-800-0000",
    "startingdate": "2026-11-18 09:13:33",
    "expirationdate": "2026-12-14 09:13:33",
    "frequency": "20",
    "max_aleg": 5,
    "max_xfer": 2,
    "dial_method": 1,
    "agent_dial_rate": 1,
    "callmaxduration": "50",
    "maxretry": "3",
    "intervalretry": "3000",
    "calltimeout": "45",
    "aleg_gateway": "<gateway>",
    "sms_gateway": "",
    "object_id": "<survey-template id>",
    "extra_data": "2000",
    "voicemail": "False",
    "amd_behavior": "1",
    "voicemail_audiofile": "",
    "dnc": "",
    "user": "<users>",
    "phonebook": ["<phonebook>"],
    "daily_start_time": "00:00:00",
    "daily_stop_time": "23:59:59",
    "callerid_group": "<callerid-group>",
}

CREATION: Final[dict[str, dict[str, Json]]] = {
    "callerid": {"areacode": "34", "callerid_num": "+34650784355", "callerid_group": "<callerid-group>"},
    "contact": {
        "contact": "+12025550101",
        "full_name": "Jane Doe",
        "phonebook": "<phonebook>",
        "additional_vars": '{"city": "Paris"}',
    },
    "survey-template": {"name": "poll", "user": "<users>"},
    "phonebook": {"name": "friends", "user": "<users>"},
    "queue": {"name": "desk"},
    "branching-template": {"keys": "2", "section": "<section-template>", "goto": "<section-template>"},
    "dnc-list": {"name": "never", "user": "<users>"},
    "dnc-contact": {"phone_number": "+12025550102", "dnc": "<dnc-list>"},
    "payment": {"amount": 0.2, "user": "<users>", "description": "first"},
    "section-template": {
        "type": 1,
        "audiofile": "<audio-files>",
        "question": "Hello",
        "survey": "<survey-template>",
        "invalid_audiofile": "<audio-files>",
        "queue": "<queue>",
    },
    "campaigns": CAMPAIGN,
    "did": {"did_number": "+12025550103", "user": "<users>", "campaign": "<campaigns>"},
    "subscriber-list": {
        "contact": "<contact>",
        "campaign": "<campaigns>",
        "status": 1,
        "duplicate_contact": "+12025550104",
        "full_name": "Jane Doe",
        "additional_vars": '{"city": "Paris"}',
    },
}
"""The documented creation of each resource. `<contact>` is the path of a contact, and `<contact id>` its id."""

OPTIONAL: Final = {"survey-template": "user", "subscriber-list": "contact"}
"""Fields that the document calls optional."""

FIELDS: Final = {
    "callerid": "url:url areacode:string callerid_num:string callerid_name:string created_date:timestamp "
    "callerid_group:ref",
    "contact": "url:url phonebook:ref contact:string full_name:string additional_vars:string",
    "phonebook": "url:url name:string description:string user:ref created_date:timestamp updated_date:timestamp",
    "survey-template": "url:url name:string description:string? created_date:timestamp updated_date:timestamp user:ref",
    "section-template": "url:url order:integer type:integer question:string script:string audiofile:ref? "
    "retries:integer? timeout:integer key_0:string? key_1:string? key_2:string? key_3:string? key_4:string? "
    "key_5:string? key_6:string? key_7:string? key_8:string? key_9:string? rating_laps:integer "
    "validate_number:boolean number_digits:integer min_number:integer max_number:integer phonenumber:string? "
    "conference:string? completed:boolean queue:ref? created_date:timestamp updated_date:timestamp survey:ref "
    "invalid_audiofile:ref?",
    "branching-template": "url:url keys:string created_date:timestamp updated_date:timestamp section:ref goto:ref?",
    "audio-files": "id:integer url:url name:string audio_file:string user:ref user_id:integer created_date:timestamp "
    "updated_date:timestamp",
    "queue": "manager:string url:url name:string strategy:integer moh_sound:string record_template:string "
    "time_base_score:string tier_rules_apply:boolean tier_rule_wait_second:integer "
    "tier_rule_wait_multiply_level:boolean tier_rule_no_agent_no_wait:boolean discard_abandoned_after:integer "
    "abandoned_resume_allowed:boolean max_wait_time:integer max_wait_time_with_no_agent:integer "
    "max_wait_time_with_no_agent_time_reached:integer created_date:timestamp updated_date:timestamp",
    "dnc-list": "url:url name:string user:ref created_date:timestamp updated_date:timestamp",
    "dnc-contact": "url:url dnc:ref phone_number:string",
    "payment": "amount:decimal user:ref description:string created_date:timestamp",
    "cdr": "url:url callid:string callerid:string phone_number:string starting_date:timestamp duration:integer "
    "billsec:integer call_cost:decimal billed_duration:integer hangup_cause_q850:integer leg_type:integer "
    "amd_status:integer callrequest:ref campaign:ref subscriber_id:integer contact_id:integer?",
    "users": "url:url username:string last_name:string first_name:string email:string balance:number call_rate:number "
    "sms_rate:number",
    "campaigns": "id:integer name:string description:string callerid:string startingdate:timestamp "
    "expirationdate:timestamp frequency:integer max_aleg:integer max_xfer:integer dial_method:integer "
    "agent_dial_rate:number callmaxduration:integer maxretry:integer intervalretry:integer calltimeout:integer "
    "aleg_gateway:ref sms_gateway:ref? object_id:string extra_data:string voicemail:boolean amd_behavior:integer "
    "voicemail_audiofile:ref? dnc:ref? user:ref phonebook:refs daily_start_time:time daily_stop_time:time "
    "callerid_group:ref? status:integer",
    "did": "url:url did_number:string created_date:timestamp updated_date:timestamp user:ref campaign:ref?",
    "subscriber-list": "id:integer url:url contact:ref? campaign:ref last_attempt:timestamp? count_attempt:integer "
    "status:integer duplicate_contact:string full_name:string gmt_offset:string tz_code:string additional_vars:object",
}
"""The documented fields of each resource, with their types; `?` if null is allowed."""


def _matches(pattern: str) -> Callable[[Json], bool]:
    compiled = re.compile(pattern)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None


_url = _matches(rf"{re.escape(BASE)}/[a-z-]+/[0-9]+/")
TYPES: Final[dict[str, Callable[[Json], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) in {int, float},
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "decimal": _matches(r"-?[0-9]+\.[0-9]{5}"),
    "timestamp": _matches(r"[0-9-]{10}T[0-9:]{8}(\.[0-9]{6})?Z"),
    "time": _matches(r"[0-9]{2}:[0-9]{2}:[0-9]{2}"),
    "url": _url,
    "ref": _url,
    "refs": lambda value: isinstance(value, list) and all(map(_url, value)),
}


def misfits(resource: str, record: Json) -> list[str]:
    """Return the documented fields that a record lacks, or has with another type."""
    wrong = []
    for field in FIELDS[resource].split():
        name, _, kind = field.partition(":")
        is_null = kind.endswith("?") and name in record and record[name] is None
        if not is_null and not (name in record and TYPES[kind.removesuffix("?")](record[name])):
            wrong.append(f"{field}: {record.get(name, 'is not there')!r}")
    return wrong


class House:
    """The records that the examples refer to, and the callers of each resource."""

    def __init__(self, estate: Estate) -> None:
        self.estate: Final = estate
        shared = {
            "gateway": estate.gateway,
            "sms-gateway": estate.sms_gateway,
            "callerid-group": estate.callerid_group,
        }
        self._paths: Final = {
            **estate.paths(),
            **{path: f"/rest-api/{path}/{record['id']}/" for path, record in shared.items()},
        }

    def caller(self, resource: str) -> Caller:
        """Return Alice, or the admin for resources that only admins may write."""
        return self.estate.admin if resource == "payment" else self.estate.owner

    def filled(self, value: Json) -> Json:
        """Fill an example with the paths and ids of real records."""
        if isinstance(value, dict):
            return {name: self.filled(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self.filled(member) for member in value]
        match = re.fullmatch(r"<([a-z-]+)( id)?>", value) if isinstance(value, str) else None
        if match is None:
            return value
        path = self._paths[match[1]]
        return path.split("/")[-2] if match[2] else path

    def create(self, resource: str, **changed: Json) -> Json:
        """Create the record of the document's example, and return it."""
        return self.caller(resource).create(resource, **self.filled({**CREATION[resource], **changed}))

    def record(self, resource: str) -> Json:
        """Return any record of the resource as it is read; a new one if clients can create it."""
        found = self.create(resource) if resource in CREATION else {"id": self._paths[resource].split("/")[-2]}
        return self.caller(resource).get(f"{resource}/{found['id']}/")

    def records(self, resource: str) -> list[Json]:
        """Return all records of the resource."""
        found = self.caller(resource).get(f"{resource}/", page_size=1000)
        return list(found if isinstance(found, list) else found["results"])


@pytest.fixture
def house(estate: Estate, worker: FakeWorker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:  # noqa: ARG001 - it resets the clock
    # Uploads go to a folder of the working directory, unless a setting names another.
    monkeypatch.chdir(tmp_path)
    return House(estate)


@pytest.mark.parametrize("resource", CREATION)
def test_post_answers_201_with_the_record_and_its_location(resource: str, house: House) -> None:
    sent = house.filled(CREATION[resource])
    answer = house.caller(resource).request("POST", f"{resource}/", json=sent)
    assert (answer.status_code, misfits(resource, answer.json())) == (201, [])
    assert house.caller(resource).get(answer.headers["location"]) == answer.json()
    assert house.records(resource)[-1] == answer.json()


@pytest.mark.parametrize("resource", OPTIONAL)
def test_post_without_optional_fields_answers_201(resource: str, house: House) -> None:
    sent = {name: value for name, value in CREATION[resource].items() if name != OPTIONAL[resource]}
    answer = house.caller(resource).request("POST", f"{resource}/", json=house.filled(sent))
    assert (answer.status_code, misfits(resource, answer.json())) == (201, [])


def test_post_of_a_recording_is_a_form_and_answers_with_its_id(house: House) -> None:
    sound = io.BytesIO()
    with wave.open(sound, "wb") as file:
        file.setparams((1, 2, 8_000, 0, "NONE", "not compressed"))
        file.writeframes(b"\0\0" * 800)
    form = {"data": {"name": "hello", "user_id": "2"}, "files": {"audio_file": ("hello.wav", sound.getvalue())}}
    answer = house.caller("audio-files").request("POST", "audio-files/", **form)
    assert (answer.status_code, misfits("audio-files", answer.json())) == (201, [])
    assert (answer.json()["name"], answer.json()["user_id"]) == ("hello", 2)
    assert house.caller("audio-files").get(answer.headers["location"]) == answer.json()


ITEMS: Final = sorted(FIELDS)


@pytest.mark.parametrize("resource", ITEMS)
def test_get_of_a_record_answers_200_with_its_fields(resource: str, house: House) -> None:
    record = house.record(resource)
    assert misfits(resource, record) == []
    assert record in house.records(resource)


@pytest.mark.parametrize("resource", [resource for resource in ITEMS if resource != "subscriber-list"])
def test_get_of_a_list_answers_200_with_a_page(resource: str, house: House) -> None:
    record = house.record(resource)
    page = house.caller(resource).get(f"{resource}/")
    assert (page.keys(), page["next"], page["previous"]) == (ENVELOPE, None, None)
    assert page["count"] == len(page["results"])
    assert record in page["results"]
    assert [wrong for item in page["results"] for wrong in misfits(resource, item)] == []


def test_get_of_a_long_list_links_to_the_next_page_by_number(house: House) -> None:
    for _ in range(11):
        house.create("phonebook")
    page = house.caller("phonebook").get("phonebook/")
    assert (page["count"], len(page["results"])) == (12, 10)
    assert re.fullmatch(rf"{re.escape(BASE)}/phonebook/\?page=2(&.*)?", page["next"])
    following = house.caller("phonebook").get(page["next"])
    assert (following["next"], len(following["results"])) == (None, 2)
    assert following["previous"].startswith(f"{BASE}/phonebook/?")


def test_get_of_all_subscribers_is_a_plain_array(house: House) -> None:
    record = house.record("subscriber-list")
    found = house.caller("subscriber-list").get("subscriber-list/")
    assert found[-1] == record
    assert [wrong for item in found for wrong in misfits("subscriber-list", item)] == []


@pytest.mark.parametrize(
    ("resource", "query"),
    [
        ("callerid", "callerid_group_id={callerid-group}"),
        ("callerid", "areacode=34"),
        ("callerid", "callerid_num=%2B34650784355"),
        ("callerid", "callerid_group_id={callerid-group}&areacode=34&callerid_num=%2B34650784355"),
        ("callerid", "areacode="),
        ("callerid", "areacode=&callerid_num=%2B12025550199"),
        ("callerid", "areacode=49"),
        ("contact", "phonebook_id={phonebook}"),
        ("contact", "phonebook_id=9999"),
    ],
)
def test_get_of_a_list_is_narrowed_by_the_filters(resource: str, query: str, house: House) -> None:
    house.create(resource)
    other = house.create("phonebook")
    house.create("contact", phonebook=other["url"])
    ids = {name: house.filled(f"<{name} id>") for name in ("callerid-group", "phonebook")}
    asked = query.replace("{callerid-group}", ids["callerid-group"]).replace("{phonebook}", ids["phonebook"])

    def is_meant(record: Json) -> bool:
        return all(
            record[name.removesuffix("_id")].endswith(f"/{value}/") if name.endswith("_id") else record[name] == value
            for name, value in parse_qsl(asked)
        )

    found = house.caller(resource).get(f"/rest-api/{resource}/?{asked}")["results"]
    assert found == [record for record in house.records(resource) if is_meant(record)]


def _does(code: str, reason: str = "") -> dict[str, Json]:
    """Return the activity of a campaign that nobody's hours bound."""
    return {"code": code, "reason": reason, "until": None}


class Update(NamedTuple):
    """A documented update: the resource, the method and the body."""

    resource: str
    method: str
    sent: dict[str, Json]
    shown: dict[str, Any] = {}  # noqa: RUF012 - a named tuple's default, never written to
    """The values that are read afterwards, if they differ from the body."""


UPDATES: Final = (
    Update("callerid", "PATCH", {"callerid_num": "+34650784366"}),
    Update("callerid", "PATCH", {"areacode": "35", "callerid_group": "<callerid-group>"}),
    Update("contact", "PATCH", {"contact": "+12025550109", "full_name": "Joe"}),
    Update("contact", "PATCH", {"phonebook": "<phonebook>"}),
    Update("contact", "PATCH", {"phonebook": "<phonebook id>"}),
    Update("survey-template", "PATCH", {"name": "new"}),
    Update("phonebook", "PATCH", {"name": "new"}),
    Update("queue", "PUT", {"name": "new"}),
    Update("branching-template", "PATCH", {"keys": "3", "section": "<section-template>"}),
    Update("branching-template", "PATCH", {"keys": "4", "survey": "<survey-template>"}, {"keys": "4"}),
    Update("dnc-list", "PATCH", {"name": "new"}),
    Update("dnc-contact", "PUT", {"phone_number": "+12025550108"}),
    Update(
        "section-template",
        "PATCH",
        {"type": 1, "question": "new", "survey": "<survey-template>", "invalid_audiofile": "<audio-files>"},
    ),
    Update("campaigns", "PATCH", {"status": 1}, {"status": 1, "totalcontact": 1, "activity": _does("dialling")}),
    Update("campaigns", "PATCH", {"status": "1"}, {"status": 1, "totalcontact": 1, "activity": _does("dialling")}),
    Update(
        *("campaigns", "PATCH", {"status": 3}),
        {"status": 3, "status_reason": "user", "activity": _does("aborted", "user")},
    ),
    Update(
        *("campaigns", "PATCH", {"status": 4}),
        {"status": 4, "status_reason": "user", "activity": _does("ended", "user")},
    ),
    Update("did", "PATCH", {"did_number": "+12025550107"}),
    Update("did", "PATCH", {"campaign": None}),
    Update("did", "PATCH", {"did_number": "+12025550107", "campaign": "<campaigns>"}),
    Update("subscriber-list", "PATCH", {"status": 2}, {"status": 2, "waits_for": ""}),
)


@pytest.mark.parametrize("row", UPDATES, ids=lambda row: f"{row.method} {row.resource} {' '.join(row.sent)}")
def test_an_update_answers_202_with_nothing_and_is_read_afterwards(row: Update, house: House) -> None:
    before = house.record(row.resource)
    caller = house.caller(row.resource)
    url = f"{row.resource}/{before['id']}/"
    answer = caller.request(row.method, url, json=house.filled(row.sent))
    assert (answer.status_code, answer.content) == (202, b"")
    expected = {**before, **_as_read(house.filled(row.shown or row.sent))}
    assert caller.get(url) == expected


def _as_read(sent: dict[str, Json]) -> dict[str, Json]:
    """Return a body as it is read: references become absolute URLs."""

    def absolute(name: str, value: Json) -> Json:
        if name == "phonebook" and value.isdigit():
            return f"{BASE}/phonebook/{value}/"
        is_path = isinstance(value, str) and value.startswith("/rest-api/")
        return f"{BASE}{value.removeprefix('/rest-api')}" if is_path else value

    return {name: absolute(name, value) for name, value in sent.items()}


def test_a_did_is_assigned_by_the_absolute_url_of_a_campaign(house: House) -> None:
    did = house.create("did", campaign=None)
    assert did["campaign"] is None
    house.caller("did").change(did["url"], campaign=house.estate.campaign["url"])
    assert house.caller("did").get(did["url"])["campaign"] == house.estate.campaign["url"]


def test_a_campaign_is_started_paused_and_started_again(house: House) -> None:
    campaign = house.create("campaigns")
    shown = []
    for status in (1, 2, 1):
        house.caller("campaigns").change(f"campaigns/{campaign['id']}/", status=status)
        shown.append(house.caller("campaigns").get(f"campaigns/{campaign['id']}/")["status"])
    assert (campaign["status"], shown) == (0, [1, 2, 1])


DELETED: Final[dict[str, Json]] = {
    **dict.fromkeys(("callerid", "contact", "survey-template", "phonebook", "audio-files", "section-template", "did")),
    "subscriber-list": {"data": "subscriber deleted"},
}


@pytest.mark.parametrize("resource", DELETED)
def test_delete_answers_as_it_says_and_the_record_is_gone(resource: str, house: House) -> None:
    record = house.record(resource)
    answer = house.caller(resource).request("DELETE", f"{resource}/{record['id']}/")
    message = DELETED[resource]
    assert answer.status_code == (200 if message else 204)
    assert (answer.json() if answer.content else None) == message
    assert house.caller(resource).refused("GET", f"{resource}/{record['id']}/")[0] == 404


def test_the_url_of_a_do_not_call_list_says_dnc(house: House) -> None:
    never = house.create("dnc-list")
    assert never["url"] == f"{BASE}/dnc/{never['id']}/"


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_payments_answer_only_admins(method: str, house: House) -> None:
    sent = house.filled(CREATION["payment"]) if method == "POST" else None
    answer = house.estate.owner.request(method, "payment/", json=sent)
    assert answer.status_code == 403


def test_an_amount_is_sent_as_a_number_and_read_with_five_decimals(house: House) -> None:
    assert house.create("payment")["amount"] == "0.20000"
    assert house.caller("users").get(house.filled("<users>"))["balance"] == 0.2
