"""Tests of the forms of carriers: each kind by its own fields, and nothing that is stored is lost."""

import json
import re
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select, update

from dialer.console.parts.carrier_inputs import PREFIX, carrier_inputs, parameters_given
from dialer.console.words.carrier_kinds import KINDS
from dialer.domain.calls.plans import FREESWITCH, HTTP, KANNEL, SIMULATED, SIP, SMPP
from dialer.resources.records.carriers import PARAMETER_FIELDS, PROTOCOLS, SMS_PROTOCOLS
from dialer.store.database.database import Database
from dialer.store.tables import Gateway
from tests.api.harness import NOW_MS, Caller
from tests.console.building import HOSTILE, store
from tests.console.translations import texts_of_forms
from tests.console.visitor import Visitor, words

SECRET: Final = "s3cret-of-the-carrier"
MADE: Final[dict[tuple[str, str], tuple[dict[str, str], dict[str, Any]]]] = {
    ("gateway", SIP): (
        {"server": "192.0.2.10:5080", "username": "anna", "password": SECRET, "register": "1", "codecs": "PCMA, PCMU"},
        {
            "server": "192.0.2.10:5080",
            "username": "anna",
            "password": SECRET,
            "register": True,
            "codecs": ["PCMA", "PCMU"],
        },
    ),
    ("gateway", FREESWITCH): (
        {"host": "192.0.2.9", "password": SECRET, "dial_string": "user/{number}", "variables": "privacy: yes"},
        {
            "host": "192.0.2.9",
            "password": SECRET,
            "dial_string": "user/{number}",
            "variables": {"privacy": "yes"},
        },
    ),
    ("gateway", SIMULATED): ({"answer": "60", "ring": "3 - 8"}, {"answer": 0.6, "ring": [3, 8]}),
    ("sms-gateway", HTTP): (
        {
            "url": "https://api.carrier.example/messages",
            "username": "shop",
            "password": SECRET,
            "headers": "X-Account: 7",
            "body": '{"to": "{number}", "text": "{text}"}',
            "receipt.id": "name",
        },
        {
            "url": "https://api.carrier.example/messages",
            "username": "shop",
            "password": SECRET,
            "headers": {"X-Account": "7"},
            "body": {"to": "{number}", "text": "{text}"},
            "receipt": {"id": "name"},
        },
    ),
    ("sms-gateway", KANNEL): (
        {"url": "https://kannel.example/sendsms", "username": "shop", "password": SECRET, "receipts": "0"},
        {"url": "https://kannel.example/sendsms", "username": "shop", "password": SECRET, "receipts": False},
    ),
    ("sms-gateway", SMPP): (
        {"host": "smpp.example", "port": "2776", "system_id": "shop", "password": SECRET, "source_ton": "5"},
        {"host": "smpp.example", "port": 2776, "system_id": "shop", "password": SECRET, "source_ton": 5},
    ),
    ("sms-gateway", SIMULATED): ({"sms_delivered": "12.5"}, {"sms_delivered": 0.125}),
}
"""The fields that are filled in for each kind, and the parameters that they become."""


def prefixed(fields: dict[str, str]) -> dict[str, str]:
    return {f"{PREFIX}{name}": text for name, text in fields.items()}


def stored(database: Database) -> dict[str, Any]:
    """Return the parameters of the only gateway, with its secrets."""
    found = database.read_now(lambda c: c.scalar(select(Gateway.parameters)))
    return dict(json.loads(str(found)))


def filled_in(page: str) -> dict[str, str]:
    """Return what the form of a page for a carrier would send, if nobody changed anything."""
    fields = {}
    for tag in re.findall(r"<input [^>]*>", page):
        name, value = re.search(r' name="([^"]*)"', tag), re.search(r' value="([^"]*)"', tag)
        if name and value and name[1] != "csrf" and ('type="checkbox"' not in tag or " checked" in tag):
            fields[name[1]] = _unescaped(value[1])
    for name, text in re.findall(r'<textarea [^>]*name="([^"]*)"[^>]*>\n?(.*?)</textarea>', page, re.DOTALL):
        fields[name] = _unescaped(text)
    for name, options in re.findall(r'<select [^>]*name="([^"]*)"[^>]*>(.*?)</select>', page, re.DOTALL):
        chosen = re.search(r'value="([^"]*)" selected', options)
        fields[name] = _unescaped(chosen[1]) if chosen else ""
    return fields


def _unescaped(text: str) -> str:
    return (
        text.replace("&#34;", '"').replace("&lt;", "<").replace("&gt;", ">").replace("&#39;", "'").replace("&amp;", "&")
    )


def test_every_protocol_is_a_kind_with_fields() -> None:
    """Add a new protocol to `KINDS` and to `PARAMETER_FIELDS`."""
    assert set(KINDS) == {("gateway", name) for name in PROTOCOLS} | {("sms-gateway", name) for name in SMS_PROTOCOLS}
    assert PARAMETER_FIELDS.keys() == PROTOCOLS.keys() | SMS_PROTOCOLS.keys()
    assert set(MADE) == set(KINDS)


def test_every_parameter_has_a_title_that_is_translated() -> None:
    fields = [field for several in PARAMETER_FIELDS.values() for field in several]
    assert {field.title for field in fields} <= set(texts_of_forms())
    assert [field.name for field in fields if not field.title[:1].isupper()] == []


def test_the_kind_is_asked_first(admin: Visitor) -> None:
    for path in ("gateway", "sms-gateway"):
        asked = admin.text(f"records/{path}/new/")
        assert "Which kind is it?" in asked
        assert [title for title, about in KINDS.values() if f"{title} {about}" not in asked] == []
    assert "Which kind is it?" in admin.text("records/gateway/new/?protocol=smpp")
    assert "SIP trunk · Choose another kind" in admin.text("records/gateway/new/?protocol=sip")
    assert 'name="name" type="text" value="" autocomplete="off" maxlength="255" required autofocus' in admin.page
    assert ' name="parameters.' in admin.page
    assert ' name="parameters"' not in admin.page


@pytest.mark.parametrize(("path", "protocol"), MADE)
def test_a_carrier_of_each_kind_is_made_and_changed_and_keeps_its_password(
    admin: Visitor, database: Database, path: str, protocol: str
) -> None:
    fields, expected = MADE[path, protocol]
    form = filled_in(admin.get(f"records/{path}/new/?protocol={protocol}"))
    assert form["protocol"] == protocol
    made = admin.send(f"records/{path}/", **{**form, "name": "Carrier", **prefixed(fields)})
    assert (made.status_code, made.headers.get("location")) == (303, f"/console/records/{path}/1/"), words(made.text)
    assert stored(database) == expected
    page = admin.get(f"records/{path}/1/")
    assert SECRET not in page
    form = filled_in(page)
    assert form.get(f"{PREFIX}password", "") == ""
    assert admin.send(f"records/{path}/1/", **{**form, "name": "Renamed"}).status_code == 303
    assert stored(database) == expected
    assert "Renamed" in admin.text(f"records/{path}/1/")


@pytest.mark.parametrize(
    ("fields", "place", "message"),
    [
        ({"server": ""}, "server", "This field is required."),
        ({"server": "two words"}, "server", "characters that are not allowed"),
        ({"server": "carrier.example:99999"}, "server", "a port that does not exist"),
        ({"server": HOSTILE}, "server", "characters that are not allowed"),
        ({"server": "x" * 300}, "server", "more than 255 characters"),
        ({"local_port": "70000"}, "local_port", "Give a number from 0 to 65535."),
        ({"local_port": "\N{SUPERSCRIPT TWO}"}, "local_port", "This is not a whole number."),
        ({"local_port": "9" * 5_000}, "local_port", "This is not a whole number."),
        ({"rtp_ports": "many"}, "rtp_ports", "is not a range such as 20000-20999"),
        ({"register": "1", "username": ""}, "register", "register needs a username."),
        ({"codecs": "G729"}, "codecs", "Choose one of the list."),
        ({"inbound_hosts": "192.0.2.0/24\nnowhere"}, "inbound_hosts", "is no IP address or network"),
        ({"sound_timeout": "3"}, "sound_timeout", "is too short"),
        ({"simulated": "[" * 50_000}, "simulated", "JSON parse error"),
    ],
)
def test_an_error_stands_beside_its_field_and_nothing_is_lost(
    admin: Visitor, fields: dict[str, str], place: str, message: str
) -> None:
    form = filled_in(admin.get("records/gateway/new/?protocol=sip"))
    given = {**form, "name": HOSTILE[:100], **prefixed({"server": "carrier.example", "username": "anna", **fields})}
    answer = admin.send("records/gateway/", **{**given, f"{PREFIX}password": SECRET})
    assert answer.status_code == 400
    beside = re.search(rf'<p class="error" id="{re.escape(PREFIX + place)}-hint">(.*?)</p>', answer.text)
    assert beside is not None
    assert message in words(beside[1])
    assert (SECRET in answer.text, "<script>alert" in answer.text) == (False, False)
    shown = filled_in(answer.text)
    kept = {name: text for name, text in given.items() if name not in {"name", "csrf", f"{PREFIX}codecs"}}
    assert {name: shown[name] for name in kept if name in shown} == {name: kept[name] for name in kept if name in shown}
    assert "Nothing is saved yet." in words(answer.text)


def test_a_password_is_not_sent_to_another_server(admin: Visitor, database: Database) -> None:
    form = filled_in(admin.get("records/gateway/new/?protocol=sip"))
    fields = prefixed({"server": "192.0.2.10", "username": "anna", "password": SECRET})
    admin.send("records/gateway/", **{**form, "name": "Trunk", **fields})
    form = filled_in(admin.get("records/gateway/1/"))
    moved = {**form, f"{PREFIX}server": "192.0.2.66"}
    refused = admin.send("records/gateway/1/", **moved)
    assert (refused.status_code, "Fill it in again." in words(refused.text)) == (400, True)
    assert stored(database)["server"] == "192.0.2.10"
    assert admin.send("records/gateway/1/", **{**moved, f"{PREFIX}password": "another"}).status_code == 303
    assert stored(database) == {"server": "192.0.2.66", "username": "anna", "password": "another"}
    form = filled_in(admin.get("records/gateway/1/"))
    assert admin.send("records/gateway/1/", **{**form, f"{PREFIX}username": ""}).status_code == 303
    assert stored(database) == {"server": "192.0.2.66"}


def test_a_parameter_that_is_unknown_is_kept_and_shown(admin: Visitor, api: Caller, database: Database) -> None:
    known = {"server": "192.0.2.10", "username": "anna", "password": SECRET}
    Caller(api.client, "admin").create("gateway", name="Trunk", protocol="sip", parameters=known)
    odd = {**known, "of_the_future": {"x": [1, "<b>"]}, "register": False}
    store(database, update(Gateway).values(parameters=json.dumps(odd)))
    form = filled_in(admin.get("records/gateway/1/"))
    assert "Other parameters" in words(admin.page)
    assert json.loads(form[f"{PREFIX}_others"]) == {"of_the_future": {"x": [1, "<b>"]}}
    assert admin.send("records/gateway/1/", **{**form, "name": "Renamed"}).status_code == 303
    assert stored(database) == odd
    form = filled_in(admin.get("records/gateway/1/"))
    moved = admin.send("records/gateway/1/", **{**form, f"{PREFIX}local_port": "5070"})
    assert (moved.status_code, "unknown field `of_the_future`" in words(moved.text)) == (400, True)
    gone = {**form, f"{PREFIX}local_port": "5070", f"{PREFIX}_others": ""}
    assert admin.send("records/gateway/1/", **gone).status_code == 303
    assert stored(database) == {**known, "register": False, "local_port": 5070}


def test_the_state_of_a_line_is_shown(admin: Visitor, api: Caller, database: Database) -> None:
    parameters = {"server": "192.0.2.10", "username": "anna", "password": SECRET, "register": True}
    Caller(api.client, "admin").create("gateway", name="Trunk", protocol="sip", parameters=parameters, max_channels=30)
    assert "The line Not opened yet Calls in progress 0 of 30" in admin.text("records/gateway/1/")
    store(database, update(Gateway).values(line_since_ms=NOW_MS - 60_000, rests_until_ms=0))
    assert "The line Registered and up Up since 11:05" in admin.text("records/gateway/1/")
    assert "Trunk SIP Registered and up 30" in admin.text("records/gateway/")
    store(database, update(Gateway).values(rests_until_ms=NOW_MS + 60_000))
    assert "Rests until 11:07 the carrier wants no calls until then" in admin.text("records/gateway/1/")
    store(database, update(Gateway).values(rest_ms=120_000))
    assert "Rests until 11:07 after failures of the carrier in a row" in admin.text("records/gateway/1/")
    store(database, update(Gateway).values(line_down="not registered: the answer 403"))
    assert "Nobody is called over it now: not registered: the answer 403." in admin.text("records/gateway/1/")


def test_others_than_admins_see_no_way_to_a_carrier(alice: Visitor, api: Caller) -> None:
    parameters = {"server": "192.0.2.10", "username": "anna", "password": SECRET}
    Caller(api.client, "admin").create("gateway", name="Trunk", protocol="sip", parameters=parameters)
    shown = alice.get("records/gateway/1/")
    assert [word for word in ("192.0.2.10", "anna", SECRET, "Test call") if word in shown] == []
    assert "The line Not opened yet" in words(shown)
    assert alice.request("GET", "records/gateway/new/?protocol=sip").status_code == 403


ODD: Final = ("{", "[", "{}", "[1]", '{"a":', "9" * 400, "1e999", "-1", "\x00", "\ud800")
JSON_TEXT: Final = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20)


@settings(max_examples=200)
@given(
    protocol=st.sampled_from(sorted(PARAMETER_FIELDS)),
    values=st.dictionaries(
        st.sampled_from(sorted({field.name for several in PARAMETER_FIELDS.values() for field in several})) | JSON_TEXT,
        st.none()
        | st.booleans()
        | st.integers(-5, 99_999)
        | st.floats(0, 1)
        | JSON_TEXT
        | st.lists(JSON_TEXT, max_size=3)
        | st.dictionaries(JSON_TEXT, JSON_TEXT, max_size=3),
        max_size=8,
    ),
)
def test_whatever_is_stored_a_form_that_nobody_changes_changes_nothing(protocol: str, values: dict[str, Any]) -> None:
    stored_text = json.dumps(values)
    main, more = carrier_inputs(protocol, stored_text)
    filled = {one.name: one.value for one in (*main, *more)}
    parameters, errors = parameters_given(protocol, filled, stored_text)
    if not errors:
        without = {name: value for name, value in values.items() if name not in {"password", "secret"}}
        assert parameters is None or {**without, **parameters} == without


@settings(max_examples=200)
@given(
    protocol=st.sampled_from(sorted(PARAMETER_FIELDS)),
    name=st.sampled_from(sorted({field.name for several in PARAMETER_FIELDS.values() for field in several})),
    text=st.text(max_size=60)
    | st.sampled_from(["{", "[", "{}", "[1]", '{"a":', "9" * 400, "1e999", "-1", "\x00", "\ud800"]),
)
def test_whatever_is_filled_in_is_taken_or_refused_beside_its_field(protocol: str, name: str, text: str) -> None:
    _, errors = parameters_given(protocol, {f"{PREFIX}{name}": text}, "{}")
    assert errors.keys() <= {f"{PREFIX}{name}"}
