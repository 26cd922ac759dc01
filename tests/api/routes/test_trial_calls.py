"""Tests of test calls over a gateway, with a carrier that only notes them."""

import asyncio
from collections.abc import Iterator
from typing import Any, Final

import anyio
import httpx
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.actions.trial_calls import TRIALS_MAX, TrialCaller, TrialCallRead, TrialFailedError
from dialer.api.app import create_app
from dialer.app.campaigns.trial_calls import TrialCall
from dialer.resources.words.errors import AnsweredError
from dialer.runtime.steps.clock import VirtualClock
from dialer.settings import Settings
from dialer.store.database.database import Database
from tests.api.builders import Estate
from tests.api.harness import HOST, NOW_MS, Caller, FakeWorker

DAY_MS: Final = NOW_MS + 6 * 3_600_000
"""A moment at which it is noon in Washington."""
NUMBER: Final = "+1 202 555 0123"
PATH: Final = "gateway/1/test-call/"
OUTCOME: Final = TrialCallRead(
    rang_ms=4, answered_ms=9, ended_ms=10, cause=16, cause_text="clear", because="hung up", keys="7", messages=["→ A"]
)


class RealTime(VirtualClock):
    """A clock that stands still, and says that it is the real one."""

    mode = "real"


class NotingCarrier:
    """A carrier that notes the calls, and refuses them if told to."""

    def __init__(self) -> None:
        self.placed: list[TrialCall] = []
        self.failure = ""

    async def __call__(self, call: TrialCall) -> TrialCallRead:
        await anyio.lowlevel.checkpoint()
        self.placed.append(call)
        if self.failure:
            raise TrialFailedError(self.failure)
        return OUTCOME


@pytest.fixture
def carrier() -> NotingCarrier:
    return NotingCarrier()


@pytest.fixture
def ours(
    estate: Estate, database: Database, worker: FakeWorker, carrier: NotingCarrier
) -> Iterator[TestClient[Litestar]]:
    """Return a client of a service with a SIP gateway, at noon by the real clock."""
    parameters = {"server": "192.0.2.10", "username": "anna", "password": "secret"}
    fields = {"protocol": "sip", "parameters": parameters, "removeprefix": "+", "allowed_callerids": "+12025550150"}
    Caller(estate.owner.client, "admin").change("gateway/1/", **fields)
    worker.clock = RealTime(DAY_MS)
    app = create_app(Settings(), database=database, worker=worker, trial_call=carrier)
    with TestClient(app, base_url=f"http://{HOST}") as client:
        yield client


def ask(client: TestClient[Litestar], path: str = PATH, *, user: str = "admin", **fields: Any) -> httpx.Response:  # noqa: ANN401 - JSON
    answer: httpx.Response = Caller(client, user).request("POST", path, json=fields)
    return answer


def test_a_call_is_placed_and_told_and_logged_without_its_number(
    ours: TestClient[Litestar], carrier: NotingCarrier
) -> None:
    answer = ask(ours, number=NUMBER, callerid="+12025550150", numer=1)
    assert (answer.status_code, answer.headers["x-ignored-fields"]) == (200, "numer")
    assert answer.json() == {
        "rang_ms": 4,
        "answered_ms": 9,
        "ended_ms": 10,
        "cause": 16,
        "cause_text": "clear",
        "because": "hung up",
        "keys": "7",
        "messages": ["→ A"],
    }
    (call,) = carrier.placed
    assert (call.gateway_id, call.protocol, call.number, call.callerid) == (1, "sip", "12025550123", "+12025550150")
    assert '"password":"secret"' in call.parameters.replace(" ", "")
    entry = Caller(ours, "admin").get("audit-log/", ordering="-id")["results"][0]
    assert (entry["action"], entry["resource"], entry["record_id"]) == ("trial_call_placed", "gateway", 1)
    assert "555" not in str(entry["after"])


def test_calls_that_no_campaign_may_place_are_refused(
    ours: TestClient[Litestar], carrier: NotingCarrier, worker: FakeWorker
) -> None:
    admin = Caller(ours, "admin")
    lists = admin.create("dnc-list", name="Everywhere", is_global=True)
    admin.create("dnc-contact", phone_number="+12025550199", dnc=lists["url"])
    assert [ask(ours, **fields).json() for fields in ({}, {"number": "112"}, {"number": "5550123"})] == [
        {"number": ["This field is required."]},
        {"number": ["'112' is an emergency number. Enter a number that may be called."]},
        {"number": ["'5550123' is not a possible phone number. Use the country code, as in +12025550150."]},
    ]
    assert "not among the allowed_callerids" in ask(ours, number=NUMBER, callerid="+12025550151").text
    on_list = ask(ours, number="+12025550199")
    worker.clock = RealTime(NOW_MS)
    early = ask(ours, number=NUMBER)
    worker.clock = VirtualClock(DAY_MS)
    made_up = ask(ours, number=NUMBER)
    admin.change("gateway/1/", protocol="sim", parameters={})
    simulated = ask(ours, number=NUMBER)
    refused = [on_list, early, made_up, simulated]
    assert [one.status_code for one in refused] == [409] * 4
    assert [one.json()["detail"].partition(" (")[0][:32] for one in refused] == [
        "The number is on a do-not-call l",
        "It is outside of the calling hou",
        "A test call needs the real clock",
        "Carrier 1 has the protocol sim. ",
    ]
    others = [ask(ours, path, number=NUMBER).status_code for path in ("gateway/9/test-call/", "gateway/x/test-call/")]
    assert (others, ask(ours, user="alice", number=NUMBER).status_code) == ([404, 404], 403)
    assert carrier.placed == []
    assert not any(entry["action"] == "trial_call_placed" for entry in admin.get("audit-log/")["results"])


def test_a_carrier_that_cannot_be_used_is_told(ours: TestClient[Litestar], carrier: NotingCarrier) -> None:
    carrier.failure = "no way to 192.0.2.10"
    answer = ask(ours, number=NUMBER)
    assert (answer.status_code, answer.json()) == (
        409,
        {"detail": "The call could not be placed: no way to 192.0.2.10"},
    )


async def test_each_gateway_has_one_call_at_a_time_and_no_call_lasts_for_ever() -> None:
    caller = TrialCaller(_no_end, seconds_max=0)
    refused: list[int] = []
    with caller.turn(1), caller.turn(2), caller.turn(3), caller.turn(4):
        for gateway_id in (1, 5):
            with pytest.raises(AnsweredError) as error, caller.turn(gateway_id):
                pass
            refused.append(error.value.status)
    with caller.turn(1), pytest.raises(AnsweredError) as late:
        await caller.place(TrialCall(1, "sip", "{}", "12025550123", ""))
    assert (refused, late.value.status, TRIALS_MAX) == ([409, 503], 503, 4)


async def _no_end(_call: TrialCall) -> TrialCallRead:
    await asyncio.Event().wait()
    return OUTCOME


@pytest.mark.parametrize(
    "number", ["(202) 555-0123", "202.555.0123", "\uff08202\uff09 555\u20110123", "tel:2025550123"]
)
def test_a_number_without_its_country_is_one_of_the_users(
    ours: TestClient[Litestar], carrier: NotingCarrier, number: str
) -> None:
    assert ask(ours, number=number).status_code == 400
    Caller(ours, "admin").change("users/1/", default_region="US")
    assert ask(ours, number=number, callerid="(202) 555-0150").status_code == 200
    assert [(call.number, call.callerid) for call in carrier.placed] == [("12025550123", "+12025550150")]


def test_a_caller_id_of_another_country_is_refused(ours: TestClient[Litestar], carrier: NotingCarrier) -> None:
    Caller(ours, "admin").change("users/1/", default_region="DE")
    answer = ask(ours, number=NUMBER, callerid="(202) 555-0150")
    assert (answer.status_code, list(answer.json()), carrier.placed) == (400, ["callerid"], [])
