"""Tests of supervisors who hear calls, as clients of the API see them. tests/runtime has the calls themselves."""

from typing import Any, NamedTuple

import httpx
import pytest
from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import Executable, insert, select, update

from dialer.domain.words.enums import CallRequestStatus, TransferStatus
from dialer.store.database.database import Database
from dialer.store.tables import Agent, CallRequest, Gateway, LiveLeg, Transfer, User
from tests.api.builders import Estate
from tests.api.harness import NOW_MS, Caller
from tests.api.team import hire
from tests.console.building import store

PROBLEM = {"Accept": "application/problem+json"}


class Scene(NamedTuple):
    """A call in which an agent of Alice's talks, over a SIP trunk, and the people who send requests about it."""

    call: int
    people: dict[str, Caller]
    database: Database

    def send(self, who: str, path: str, method: str = "POST", **options: Any) -> httpx.Response:  # noqa: ANN401 - of the client
        """Send a request about the call."""
        answer: httpx.Response = self.people[who].request(method, f"callrequest/{self.call}/{path}/", **options)
        return answer

    def listen(self, who: str = "alice", mode: object = "listen") -> tuple[int, str]:
        """Ask to hear the call, and return the status of the answer and its code."""
        answer = self.send(who, "listen", json={"mode": mode}, headers=PROBLEM)
        return answer.status_code, answer.json().get("code", "")

    def wish(self) -> tuple[Any, ...]:
        """Return what is wanted of the agent's call."""
        columns = (Agent.supervised_call_id, Agent.supervision_turn, Agent.supervision_mode, Agent.supervision_contact)
        query = select(*columns).order_by(Agent.id).limit(1)
        return tuple(self.database.read_now(lambda c: c.execute(query).one()))


@pytest.fixture
def scene(client: TestClient[Litestar], estate: Estate, alice: Caller, bob: Caller, admin: Caller) -> Scene:
    """Return the scene. Alice's telephone is an extension."""
    people = {"alice": alice, "bob": bob, "admin": admin, **hire(client, estate)}
    leg = {"call_id": estate.call_id, "medium": "voice", "gateway_id": estate.gateway["id"], "dialling": "{}"}
    store(
        estate.database,
        update(CallRequest).where(CallRequest.id == estate.call_id).values(status=CallRequestStatus.CALLING),
        update(Transfer).where(Transfer.id == estate.transfer_id).values(status=TransferStatus.CONNECTED),
        insert(LiveLeg).values({**leg, "key": "a", "wanted_ms": NOW_MS, "handle": ""}),
        update(Gateway).values(protocol="sip"),
    )
    admin.change(f"users/{estate.user_id}/", telephone="1001")
    return Scene(estate.call_id, people, estate.database)


def test_a_supervisor_listens_whispers_joins_and_stops(scene: Scene) -> None:
    assert scene.send("alice", "listen", "GET").status_code == 404
    for mode in ("listen", "whisper", "whisper", "join"):
        answer = scene.send("alice", "listen", json={"mode": mode})
        assert (answer.status_code, answer.json()) == (200, {"callrequest_id": scene.call, "mode": mode})
        assert scene.send("alice", "listen", "GET").json() == answer.json()
        assert scene.send("vera", "listen", "GET").json() == answer.json()
    assert scene.wish() == (scene.call, 1, "join", "1001")
    for _ in range(2):
        answer = scene.send("alice", "stop-listening")
        assert (answer.status_code, answer.json()) == (200, {"callrequest_id": scene.call})
    assert scene.wish()[:2] == (None, 1)
    assert scene.listen() == (200, "")
    assert scene.wish()[:3] == (scene.call, 2, "listen")
    entries = scene.people["alice"].get("audit-log/", page_size=100, ordering="id")["results"]
    told = [(one["action"], one["actor"]) for one in entries if one["action"].startswith("call_")]
    actions = ["call_listened", "call_whispered", "call_joined", "call_left", "call_listened"]
    assert told == [(action, "alice") for action in actions]


def test_only_managers_of_the_account_and_admins_hear_calls(scene: Scene) -> None:
    """An admin hears it at the own telephone."""
    for user, telephone in ((1, "1002"), (3, "1003")):
        scene.people["admin"].change(f"users/{user}/", telephone=telephone)
    for who, status in (("bob", 404), ("vera", 403), ("carl", 403)):
        assert scene.listen(who)[0] == status
        assert scene.send(who, "stop-listening").status_code == status
    assert [scene.send(who, "listen", "GET").status_code for who in ("bob", "carl")] == [404, 403]
    assert scene.wish()[:2] == (None, 0)
    assert scene.listen("admin") == (200, "")
    assert (scene.wish()[3], scene.listen("alice")) == ("1002", (409, "limit_reached"))
    assert scene.send("alice", "stop-listening").status_code == 200
    assert scene.wish()[:2] == (None, 1)


def test_calls_that_cannot_be_heard_are_refused(scene: Scene) -> None:
    assert [scene.listen(mode=mode)[0] for mode in ("shout", "", None, 1)] == [400] * 4
    assert scene.send("alice", "listen").status_code == 400
    assert scene.people["alice"].request("POST", "callrequest/999/listen/", json={"mode": "join"}).status_code == 404
    changes: list[tuple[Executable, str]] = [
        (update(Gateway).values(protocol="freeswitch"), "protocol"),
        (update(LiveLeg).values(call_id=999), "protocol"),
        (update(Transfer).values(status=TransferStatus.OVER), "no_agent_talks"),
    ]
    for change, code in changes:
        store(scene.database, change)
        assert scene.listen() == (409, code)
    assert scene.send("alice", "stop-listening", headers=PROBLEM).json()["code"] == "no_agent_talks"


@pytest.mark.parametrize(
    "columns", [{"telephone": ""}, {"telephone": "+4930123456", "allowed_countries": "US"}, {"telephone": "911"}]
)
def test_a_supervisor_needs_a_telephone_that_may_be_called(scene: Scene, columns: dict[str, str]) -> None:
    store(scene.database, update(User).where(User.id == 2).values(columns))
    assert scene.listen() == (409, "no_telephone")
    assert scene.wish()[:2] == (None, 0)


def test_only_admins_enter_telephones_and_no_emergency_numbers(scene: Scene) -> None:
    """Calls to them cost nothing, so nobody may enter a number of their own choice."""
    alice, admin = scene.people["alice"], scene.people["admin"]
    assert alice.request("PATCH", "users/2/", json={"telephone": "1002"}).status_code == 403
    refused = admin.request("PATCH", "users/2/", json={"telephone": "112"}).json()
    assert list(refused) == ["telephone"]
    assert alice.get("users/2/")["telephone"] == "1001"
