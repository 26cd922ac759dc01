"""Gateways, caller IDs and DIDs."""

import json
from functools import partial
from typing import Final

import pytest
from sqlalchemy import Connection, Update, select, update

from dialer.store.database.database import Database
from dialer.store.tables import CallRequest, Gateway
from tests.api.builders import Estate
from tests.api.harness import BASE, NOW, NOW_MS, Caller, FakeWorker, Json


def test_a_gateway_shows_its_behaviour_as_an_object(admin: Caller, worker: FakeWorker) -> None:
    gateway = admin.create("gateway", name="trunk", parameters='{"answer": 0.1, "busy": 0}', max_cps="5")
    assert gateway == {
        "id": 1,
        "url": f"{BASE}/gateway/1/",
        "name": "trunk",
        "description": "",
        "addprefix": "",
        "removeprefix": "",
        "protocol": "sim",
        "allowed_callerids": "",
        "max_channels": 0,
        "max_cps": 5,
        "parameters": {"answer": 0.1, "busy": 0},
        "rests_until": None,
        "line_down": "",
        "created_date": NOW,
        "updated_date": NOW,
    }
    assert worker.settled == 1


def execute(connection: Connection, statement: Update) -> None:
    connection.execute(statement)


@pytest.mark.parametrize("path", ["gateway", "sms-gateway"])
def test_a_gateway_that_rests_says_until_when(admin: Caller, alice: Caller, database: Database, path: str) -> None:
    """And nobody can send it to rest, or wake it, by saying so."""
    gateway = admin.create(path, name="trunk")
    for ends_ms, shown in ((NOW_MS + 30_000, "2026-11-18T11:07:10Z"), (NOW_MS, None), (NOW_MS - 1, None)):
        rests = update(Gateway).values(failures=5, rest_ms=30_000, rests_until_ms=ends_ms)
        database.write_now(partial(execute, statement=rests))
        assert alice.get(gateway["url"])["rests_until"] == shown
        assert [one["rests_until"] for one in alice.get(f"{path}/")["results"]] == [shown]
    answer = admin.request("PATCH", gateway["url"], json={"rests_until": "2027-01-01T00:00:00Z"})
    assert (answer.status_code, answer.headers["X-Ignored-Fields"]) == (202, "rests_until")


@pytest.mark.parametrize(
    "parameters", [{"answer": 2}, {"anwser": 0.5}, {"answer": 0.9, "busy": 0.9}, "[]", "{", {"ring": [5, 1]}, None]
)
def test_what_describes_no_behaviour_is_refused(admin: Caller, parameters: Json) -> None:
    status, errors = admin.refused("POST", "gateway/", name="trunk", parameters=parameters)
    assert (status, list(errors)) == (400, ["parameters"])
    assert admin.refused("POST", "gateway/", name="trunk", protocol="isdn") == (
        400,
        {"protocol": ['"isdn" is not a valid choice. Use one of: sim, sip, freeswitch.']},
    )


@pytest.mark.parametrize(
    "wrong",
    [
        *({}, {"server": "sip.example.com", "passwort": "x"}, {"server": "a b"}, {"server": "x:70000"}),
        *({"server": "x", "codecs": []}, {"server": "x", "codecs": ["G729"]}, {"server": "x", "transport": "sctp"}),
        *({"server": "x", "register": True}, {"server": "x", "rtp_ports": "9"}, {"server": "x", "session_expires": 60}),
        *({"server": "x", "username": "a\r\nVia: b"}, {"server": "x", "public_host": "me"}, {"answer": 0.5}),
    ],
)
def test_wrong_parameters_of_sip_are_refused(admin: Caller, wrong: Json) -> None:
    status, errors = admin.refused("POST", "gateway/", name="trunk", protocol="sip", parameters=wrong)
    assert (status, list(errors)) == (400, ["parameters"])
    sim = admin.create("gateway", name="trunk", parameters={"answer": 0.5})
    assert admin.refused("PATCH", sim["url"], protocol="sip")[0] == 400


FREESWITCH: Final[dict[str, Json]] = {"host": "pbx.example.com", "dial_string": "sofia/gateway/trunk/{number}"}


@pytest.mark.parametrize(
    "wrong",
    [
        *({"password": "x", "dial_string": None}, {}, {"password": "x", "passwort": "x"}, {"password": "x y"}),
        *(
            {"password": "ClueCon"},
            {"password": "x\ny"},
            {"password": "x", "host": "a b"},
            {"password": "x", "port": 0},
        ),
        *(
            {"password": "x", "dial_string": one}
            for one in ("user/1", "a/{number},b/{number}", "a b/{number}", "${number}")
        ),
        *({"password": "x", "variables": one} for one in ({"a b": "1"}, {"a": "1,b=2"}, {"originate_timeout": "9"})),
        # Each of these makes the switch run something.
        *(
            {"password": "x", "variables": {name: "system:/tmp/x"}}
            for name in (
                *("execute_on_media", "execute_on_ring_2", "api_on_answer", "api_hangup_hook", "Execute_On_Answer"),
                *(
                    "bridge_pre_execute_aleg_app",
                    "session_in_hangup_hook",
                    "sip_h_",
                    "sip_h_X\n",
                    "playback_terminators",
                ),
            )
        ),
        *(
            {"password": "x", "media_path": "sounds"},
            {"password": "x", "amd": "magic"},
            {"password": "x", "hold_music": ""},
        ),
    ],
)
def test_wrong_parameters_of_freeswitch_are_refused(admin: Caller, wrong: dict[str, Json]) -> None:
    parameters = {name: value for name, value in {**FREESWITCH, **wrong}.items() if value is not None}
    status, errors = admin.refused("POST", "gateway/", name="pbx", protocol="freeswitch", parameters=parameters)
    assert (status, list(errors)) == (400, ["parameters"])


def test_the_password_of_a_freeswitch_is_needed_for_each_new_address(admin: Caller) -> None:
    given = {**FREESWITCH, "password": "top-secret", "variables": {"absolute_codec_string": "PCMU", "sip_h_X-A": "1"}}
    gateway = admin.create("gateway", name="pbx", protocol="freeswitch", parameters=given)
    shown = {**FREESWITCH, "variables": {"absolute_codec_string": "PCMU", "sip_h_X-A": "1"}}
    assert gateway["parameters"] == shown
    admin.change(gateway["url"], parameters={**shown, "amd": "none"})
    assert admin.get(gateway["url"])["parameters"] == {**shown, "amd": "none"}
    for move in ({"host": "elsewhere.example.com"}, {"port": 9}):
        assert admin.refused("PATCH", gateway["url"], parameters={**shown, **move})[0] == 400
    local = {"password": "ClueCon", "dial_string": FREESWITCH["dial_string"], "host": "::1"}
    admin.create("gateway", name="local", protocol="freeswitch", parameters=local)


def test_the_password_of_a_gateway_is_stored_and_never_shown(admin: Caller, database: Database) -> None:
    """A client may write back what it has read. A password is not given to another server."""
    public = {"server": "sip.example.com", "username": "anna"}

    def stored() -> Json:
        parameters = database.read_now(lambda connection: connection.scalar(select(Gateway.parameters)))
        return json.loads(parameters or "").get("password")

    gateway = admin.create("gateway", name="trunk", protocol="sip", parameters={**public, "password": "top secret"})
    shown = [gateway, admin.get(gateway["url"]), *admin.get("gateway/")["results"]]
    admin.change(gateway["url"], parameters={**public, "register": True})
    shown.append(admin.get(gateway["url"]))
    assert [one["parameters"] for one in shown] == [public, public, public, {**public, "register": True}]
    assert stored() == "top secret"
    admin.change(gateway["url"], name="renamed", parameters={**public, "password": "new secret"})
    assert stored() == "new secret"
    admin.change(gateway["url"], parameters={"server": "elsewhere.example.com", "username": "anna"})
    assert stored() is None
    assert "secret" not in admin.request("GET", "audit-log/").text


def test_calls_in_progress_keep_the_behaviour_they_were_dialled_with(
    admin: Caller, estate: Estate, database: Database
) -> None:

    def parameters(status: int) -> str | None:
        of_call = CallRequest.id == estate.call_id
        reset = update(CallRequest).where(of_call).values(status=status, parameters=None)
        database.write_now(lambda connection: connection.execute(reset))
        admin.change(estate.gateway["url"], parameters={"answer": status / 10})
        return database.read_now(
            lambda connection: connection.scalar(
                CallRequest.__table__.select().where(of_call).with_only_columns(CallRequest.parameters)
            )
        )

    assert parameters(7) == "{}"
    assert parameters(4) is None
    admin.change(estate.gateway["url"], name="renamed")
    assert parameters(7) == '{"answer":0.4}'


def test_a_caller_id_belongs_to_a_group(alice: Caller, estate: Estate) -> None:
    group = estate.callerid_group
    created = alice.create("callerid", areacode="*", callerid_num="+12025550198", callerid_group=group["url"])
    assert created == {
        "id": 2,
        "url": f"{BASE}/callerid/2/",
        "areacode": "*",
        "callerid_num": "+12025550198",
        "callerid_name": "",
        "created_date": NOW,
        "callerid_group": group["url"],
        "user": f"{BASE}/users/2/",
    }
    assert alice.get("callerid/", areacode="*", callerid_group_id=1)["results"] == [created]


def test_a_did_is_assigned_and_unassigned(alice: Caller, estate: Estate) -> None:
    alice.change(estate.did["url"], campaign=None)
    assert alice.get(estate.did["url"])["campaign"] is None
    alice.change(estate.did["url"], campaign=estate.campaign["url"])
    assert alice.get(estate.did["url"])["campaign"] == estate.campaign["url"]
    assert alice.request("DELETE", estate.campaign["url"]).status_code == 200
    assert alice.get(estate.did["url"])["campaign"] is None


def test_only_admins_see_the_way_to_a_carrier(admin: Caller, alice: Caller) -> None:
    """Part of a URL or a nested field may be a secret that nobody can tell from other texts."""
    way = {"url": "https://hooks.example/T0/B0/XXXX", "body": {"to": "{number}", "text": "{text}"}}
    texts = admin.create("sms-gateway", name="web", protocol="http", parameters=way)
    trunk = admin.create("gateway", name="trunk", protocol="sip", parameters={"server": "sip.example.com"})
    for gateway in (texts, trunk):
        assert admin.get(gateway["url"])["parameters"] != {}
        assert alice.get(gateway["url"])["parameters"] == {}
    simulated = admin.create("gateway", name="made up", parameters={"answer": 0.5})
    assert alice.get(simulated["url"])["parameters"] == {"answer": 0.5}
    listed = {one["id"]: one["parameters"] for one in alice.get("gateway/")["results"]}
    assert (listed[trunk["id"]], listed[simulated["id"]]) == ({}, {"answer": 0.5})
