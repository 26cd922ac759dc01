"""Tests of agents' telephones in browsers over the API: offers, answers, states and refusals."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from structlog.testing import capture_logs

from dialer.api.actions.telephones import OFF, TelephoneAnswer, TelephoneNow, TelephonePhase, Telephones, no_place
from dialer.carriers.voice import telephone_client
from dialer.carriers.voice.telephone_frames import TelephoneRefusal, TelephoneRefused
from dialer.commands.telephones import ExchangedTelephones, telephones_of
from dialer.resources.words.errors import AnsweredError, MalformedError, RecordNotFoundError
from dialer.settings import Settings
from tests.api.builders import Estate
from tests.api.harness import NOW_MS, Caller
from tests.api.team import AGENT, VIEWER, hire

SDP: Final = {"Content-Type": "application/sdp"}
NONE: Final = {"state": "off", "since": None, "loss_percent": None, "jitter_ms": None, "round_trip_ms": None}
SINCE: Final = datetime.fromtimestamp((NOW_MS - 2_500) // 1_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
OFFERS: Final[dict[int, str]] = {}


class FakeTelephones:
    """Telephones that keep the last offer of each agent."""

    async def answer(self, agent_id: int, user_id: int, offer: str, token: str = "") -> TelephoneAnswer:
        if offer == "full":
            raise no_place()
        if offer == "broken":
            raise MalformedError("The body is no session description with media.")
        if token not in {"", "t"}:
            raise RecordNotFoundError
        OFFERS[agent_id] = offer
        return TelephoneAnswer(f"answer to {offer} of {user_id}", "t")

    async def hang_up(self, agent_id: int, token: str) -> None:
        if token != "t" or agent_id not in OFFERS:
            raise RecordNotFoundError
        del OFFERS[agent_id]

    async def state(self, agent_id: int) -> TelephoneNow:
        return TelephoneNow(TelephonePhase.CONNECTED, 2_500, 0.4, 12, 38) if agent_id in OFFERS else TelephoneNow()


@pytest.fixture
def exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the application have telephones."""
    OFFERS.clear()
    for name in ("answer", "hang_up", "state"):
        monkeypatch.setattr(Telephones, name, getattr(FakeTelephones, name))


def send(caller: Caller, method: str, path: str, body: str = "offer", **headers: str) -> Any:  # noqa: ANN401 - an answer
    return caller.request(method, path, content=body, headers={**SDP, **headers})


def statuses(caller: Caller, path: str) -> list[int]:
    sent = [send(caller, "POST", path), send(caller, "PATCH", f"{path}t/")]
    return [one.status_code for one in (*sent, caller.request("GET", path), caller.request("DELETE", f"{path}t/"))]


@pytest.mark.usefixtures("exchange")
def test_an_offer_is_answered_renewed_told_and_hung_up(alice: Caller, estate: Estate) -> None:
    path, url = f"agent/{estate.agent['id']}/telephone/", f"{estate.agent['url']}telephone/"
    assert alice.get(path) == NONE
    answer = send(alice, "POST", path)
    assert (answer.status_code, answer.text) == (201, f"answer to offer of {estate.user_id}")
    assert answer.headers["Content-Type"].partition(";")[0] == "application/sdp"
    assert answer.headers["Location"] == f"{url}t/"
    figures = {"loss_percent": 0.4, "jitter_ms": 12, "round_trip_ms": 38}
    assert alice.get(path) == {"state": "connected", "since": SINCE, **figures}
    answer = send(alice, "PATCH", f"{path}t/", "another")
    assert (answer.status_code, answer.text) == (200, f"answer to another of {estate.user_id}")
    assert alice.request("DELETE", f"{path}t/").status_code == 204
    assert [alice.request("DELETE", f"{path}t/").status_code, alice.get(path)] == [404, NONE]


@pytest.mark.usefixtures("exchange")
def test_what_is_no_offer_is_refused(alice: Caller, estate: Estate) -> None:
    path = f"agent/{estate.agent['id']}/telephone/"
    assert send(alice, "POST", path, "{}", **{"Content-Type": "application/json"}).status_code == 415
    assert send(alice, "POST", path, "broken").status_code == 400
    assert send(alice, "POST", path, "x" * 40_000).status_code == 413
    full = send(alice, "POST", path, "full")
    assert (full.status_code, "Retry-After" in full.headers) == (503, True)
    assert send(alice, "PATCH", f"{path}other/").status_code == 404
    assert caller_of_bytes(alice, path) == 400


def caller_of_bytes(caller: Caller, path: str) -> int:
    return int(caller.request("POST", path, content=b"v=0\xff", headers=SDP).status_code)


@pytest.mark.usefixtures("exchange")
def test_agents_open_their_own_telephone_and_nobody_that_of_another_account(
    estate: Estate, bob: Caller, client: TestClient[Litestar]
) -> None:
    path, team = f"agent/{estate.agent['id']}/telephone/", hire(client, estate)
    assert statuses(team[AGENT], path) == [201, 200, 200, 204]
    assert statuses(team[VIEWER], path) == [403, 403, 200, 403]
    assert statuses(bob, path) == [404] * 4


def test_without_a_port_there_are_no_telephones(alice: Caller, estate: Estate) -> None:
    path = f"agent/{estate.agent['id']}/telephone/"
    assert statuses(alice, path) == [409, 409, 200, 409]
    refused = send(alice, "POST", path)
    assert (refused.json()["detail"], alice.get(path)) == (OFF, NONE)


def test_a_telephone_is_a_contact_or_a_browser(alice: Caller, estate: Estate) -> None:
    url = estate.agent["url"]
    assert alice.get(url)["telephone"] == "contact"
    alice.change(url, telephone="browser")
    assert alice.get(url)["telephone"] == "browser"
    assert alice.request("PATCH", url, json={"telephone": "sip"}).status_code == 400


def test_an_exchange_that_does_not_run_has_no_telephones(tmp_path: Path) -> None:
    settings = Settings(media_dir=tmp_path, telephone_port=5_004)
    telephones = telephones_of(settings)
    assert isinstance(telephones, ExchangedTelephones)
    assert type(telephones_of(Settings())) is Telephones
    assert asyncio.run(telephones.state(1)) == TelephoneNow()
    with pytest.raises(AnsweredError) as refused:
        asyncio.run(telephones.hang_up(1, "t"))
    assert refused.value.status == 404


def test_why_the_port_of_the_telephones_cannot_be_opened_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask(*_: object, **__: object) -> TelephoneRefused:
        await asyncio.sleep(0)
        return TelephoneRefused(TelephoneRefusal.PORT, "Address already in use")

    monkeypatch.setattr(telephone_client, "ask_exchange", ask)
    telephones = ExchangedTelephones(tmp_path, 5_004, "")
    with capture_logs() as lines, pytest.raises(AnsweredError) as refused:
        asyncio.run(telephones.answer(1, 2, "offer"))
    assert (refused.value.status, refused.value.headers) == (503, {"Retry-After": "5"})
    why = "Address already in use"
    assert lines == [{"event": "telephone_port_not_opened", "reason": why, "log_level": "error"}]
