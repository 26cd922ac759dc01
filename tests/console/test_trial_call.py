"""Tests of the page of test calls; the calls themselves are those of the API."""

from typing import Any

import pytest
from sqlalchemy import update

from dialer.api.actions.trial_calls import TrialCaller, TrialCallRead
from dialer.app.campaigns.trial_calls import TrialCall
from dialer.runtime.steps.clock import VirtualClock
from dialer.store.database.database import Database
from dialer.store.tables import Gateway
from tests.api.harness import NOW_MS, Caller, FakeWorker
from tests.console.building import HOSTILE, store
from tests.console.visitor import Visitor, words

PATH = "gateways/1/test-call/"
NUMBER = "+12025550123"


class RealTime(VirtualClock):
    mode = "real"


@pytest.fixture
def placed(monkeypatch: pytest.MonkeyPatch) -> list[TrialCall]:
    """Answer test calls as a carrier would, and return those that were placed."""
    calls: list[TrialCall] = []

    async def place(_: Any, call: TrialCall) -> TrialCallRead:  # noqa: ANN401 - in place of the method
        calls.append(call)
        return TrialCallRead(412, None, 9_100, 19, "no answer", HOSTILE, "", [f"0.412 <- {HOSTILE}"])

    monkeypatch.setattr(TrialCaller, "place", place)
    return calls


def test_a_call_is_placed_by_an_admin_and_told_message_by_message(
    admin: Visitor, alice: Visitor, api: Caller, worker: FakeWorker, placed: list[TrialCall]
) -> None:
    gateway = {"protocol": "sip", "parameters": {"server": "192.0.2.10", "username": "anna", "password": "secret"}}
    Caller(api.client, "admin").create("gateway", name=HOSTILE, **gateway)
    assert alice.request("GET", PATH).status_code == 403
    assert "A test call needs the real clock" in admin.text(PATH)
    worker.clock = RealTime(NOW_MS + 6 * 3_600_000)
    assert "Test call Before you call" in admin.text("records/gateway/1/")
    assert "the carrier may charge for it" in admin.text(PATH)
    refused = admin.send(PATH, number="112", callerid="")
    assert (refused.status_code, "is an emergency number" in refused.text, placed) == (409, True, [])
    assert 'id="number-hint">&#39;112&#39; is an emergency number' in refused.text
    done = admin.send(PATH, number=NUMBER, callerid="")
    assert (done.status_code, "<script>alert" in done.text) == (200, False)
    assert "It rang, and nobody answered No answer (19) Rang after 0.4 s Answered after never" in words(done.text)
    assert "0.412 <-" in words(done.text)
    assert [call.number for call in placed] == [NUMBER]
    assert admin.request("GET", "gateways/99/test-call/").status_code == 404
    assert admin.request("POST", PATH, data={"number": NUMBER}).status_code == 403


@pytest.mark.parametrize(
    ("number", "told"),
    [
        ("+12025550100", "The call was answered Answered (16) Rang after 1.0 s Answered after 5.0 s"),
        ("+12025550110", "an answering machine answered"),
        ("+12025550111", "The call did not get through Busy (17) Rang after never"),
        ("+12025550112", "It rang, and nobody answered No answer (19) Rang after 1.0 s Answered after never"),
        ("+12025550118", "over: the callee hung up"),
        ("112", "'112' is an emergency number."),
        ("", "This field is required."),
        (HOSTILE, "has more than 64 characters"),
    ],
)
def test_a_test_call_over_a_simulated_gateway_is_made_up(
    admin: Visitor, api: Caller, placed: list[TrialCall], number: str, told: str
) -> None:
    Caller(api.client, "admin").create("gateway", name="Carrier", protocol="sim")
    assert "No telephone rings, and nothing is charged." in admin.text(PATH)
    done = admin.send(PATH, number=number)
    assert (told in words(done.text), "<script>alert" in done.text, placed) == (True, False, []), words(done.text)
    assert "The line Simulated" in words(done.text)


def test_a_line_that_is_down_says_why_beside_the_test_call(
    admin: Visitor, api: Caller, worker: FakeWorker, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway = {"protocol": "sip", "parameters": {"server": "192.0.2.10"}}
    Caller(api.client, "admin").create("gateway", name="Trunk", **gateway)
    store(database, update(Gateway).values(line_down="3 OPTIONS in a row: no answer", line_since_ms=NOW_MS))
    worker.clock = RealTime(NOW_MS + 6 * 3_600_000)

    async def place(_: Any, call: TrialCall) -> TrialCallRead:  # noqa: ANN401, ARG001 - in place of the method
        return TrialCallRead(None, None, 32_000, 102, "timer expiry", "no answer to INVITE", "", ["0.000 -> INVITE"])

    monkeypatch.setattr(TrialCaller, "place", place)
    admin.get(PATH)
    done = words(admin.send(PATH, number=NUMBER).text)
    assert "The call did not get through Timer expired (102) Nothing answered: the server or its port is wrong" in done
    assert "The line Down Nobody is called over it now: 3 OPTIONS in a row: no answer. Down since 11:06" in done
