"""Tests of the page of test calls; the calls themselves are those of the API."""

from typing import Any

import pytest

from dialer.api.records.trial_calls import TrialCaller, TrialCallRead
from dialer.app.campaigns.trial_calls import TrialCall
from dialer.runtime.clock import VirtualClock
from tests.api.harness import NOW_MS, Caller, FakeWorker
from tests.console.building import HOSTILE
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
    assert "Test call" in admin.text("records/gateway/1/")
    assert "the carrier may charge for it" in admin.text(PATH)
    refused = admin.send(PATH, number="112", callerid="")
    assert (refused.status_code, "is an emergency number" in refused.text, placed) == (409, True, [])
    done = admin.send(PATH, number=NUMBER, callerid="")
    assert (done.status_code, "<script>alert" in done.text) == (200, False)
    assert "It rang, and nobody answered No answer (19) Rang after 0.4 s Answered after never" in words(done.text)
    assert "0.412 <-" in words(done.text)
    assert [call.number for call in placed] == [NUMBER]
    assert admin.request("GET", "gateways/99/test-call/").status_code == 404
    assert admin.request("POST", PATH, data={"number": NUMBER}).status_code == 403


def test_a_simulated_gateway_has_no_carrier_to_try(admin: Visitor, api: Caller) -> None:
    Caller(api.client, "admin").create("gateway", name="Carrier", protocol="sim")
    assert "This gateway is simulated, so there is no carrier to try." in admin.text(PATH)
