"""Tests of the REST resource of a call in which a program talks, as programs made for Twilio use it."""

from typing import Any, Final

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import insert, select, update

from dialer.api.http.auth import Authenticator
from dialer.store.database.database import Database
from dialer.store.tables import CallRequest, LiveLeg, SealedSurvey, ServiceState
from tests.api.builders import Estate, stored
from tests.api.harness import NOW_MS

ACCOUNT: Final = "AC" + "1" * 32
SECRET: Final = "made-up"
CALLID: Final = "0a1b2c3d-0000-8000-8000-0123456789ab"
SID: Final = f"CA{CALLID.replace('-', '')}"
PATH: Final = f"/2010-04-01/Accounts/{ACCOUNT}/Calls/{SID}.json"
COMPLETE: Final = {"Status": "completed"}


@pytest.fixture
def talk(estate: Estate, database: Database) -> int:
    """Return the id of a call in which a program talks."""
    live = {"status": 7, "started_ms": NOW_MS - 20_000, "callid": CALLID, "ended_ms": None}
    standing = {"stage": "conversing", "place": {"section_id": 5, "visited": 3}}
    database.write_now(
        lambda c: [
            c.execute(update(CallRequest).where(CallRequest.id == estate.call_id).values(**live)),
            c.execute(insert(ServiceState).values(id=1, now_ms=NOW_MS, agent_account=ACCOUNT)),
        ]
    )
    leg = {"key": "leg", "call_id": estate.call_id, "medium": "voice", "gateway_id": 1, "dialling": "{}", "handle": ""}
    leg |= {"standing": msgspec.json.encode(standing).decode(), "wanted_ms": NOW_MS}
    database.write_now(lambda c: c.execute(insert(LiveLeg).values(leg)))
    stored(
        database,
        SealedSurvey,
        id=estate.campaign["id"],
        document='{"sections":[]}',
        agent_secrets=msgspec.json.encode({"5": SECRET}).decode(),
    )
    return estate.call_id


def asked(
    client: TestClient[Litestar],
    method: str = "GET",
    path: str = PATH,
    auth: tuple[str, str] | None = (ACCOUNT, SECRET),
    data: dict[str, str] | None = None,
) -> tuple[int, Any]:
    answer = client.request(method, path, auth=auth, data=data)
    return answer.status_code, answer.json()


def completed(database: Database) -> str | None:
    return database.read_now(
        lambda c: c.scalar(select(CallRequest.recording_orders).where(CallRequest.callid == CALLID))
    )


def test_a_program_reads_its_call_and_completes_it_once(
    client: TestClient[Litestar], talk: int, database: Database
) -> None:
    status, shown = asked(client)
    assert (status, shown["sid"], shown["status"], shown["direction"]) == (200, SID, "in-progress", "outbound-api")
    assert shown.keys() == {"sid", "account_sid", "status", "duration", "to", "from", "direction"}
    for _ in range(2):
        status, shown = asked(client, "POST", data=COMPLETE)
        assert (status, shown["status"]) == (200, "completed")
    assert completed(database) == '{"talk_completed":3}'
    assert talk


@pytest.mark.usefixtures("talk")
@pytest.mark.parametrize(
    ("auth", "path", "status", "code"),
    [
        (None, PATH, 401, 20003),
        ((ACCOUNT, "guessed"), PATH, 401, 20003),
        ((ACCOUNT, ""), PATH, 401, 20003),
        (("AC" + "2" * 32, SECRET), PATH, 401, 20003),
        (("AC" + "2" * 32, SECRET), PATH.replace("1" * 32, "2" * 32), 401, 20003),
        (("SK" + "1" * 32, SECRET), PATH, 401, 20003),
        ((ACCOUNT, SECRET), PATH.replace(SID, "CA" + "9" * 32), 404, 20404),
        ((ACCOUNT, SECRET), PATH.replace(SID, "CA9"), 404, 20404),
        ((ACCOUNT, SECRET), PATH.removesuffix(".json"), 404, 20404),
    ],
)
def test_others_are_refused_and_unknown_calls_are_not_found(
    client: TestClient[Litestar], database: Database, auth: tuple[str, str] | None, path: str, status: int, code: int
) -> None:
    for method, body in (("GET", None), ("POST", COMPLETE)):
        answered, shown = asked(client, method, path, auth, data=body)
        assert (answered, shown["code"]) == (status, code)
    assert completed(database) is None


@pytest.mark.usefixtures("talk")
def test_guesses_are_limited_for_a_call_and_the_programs_of_others_go_on(client: TestClient[Litestar]) -> None:
    other = "AC" + "2" * 32
    path = PATH.replace(ACCOUNT, other).replace(SID, "CA" + "7" * 32)
    guesses = [asked(client, path=path, auth=(other, f"guess {number}")) for number in range(11)]
    assert [status for status, _ in guesses] == [401] * 10 + [429]
    assert guesses[-1][1]["code"] == 20429
    assert asked(client)[0] == 200


@pytest.mark.usefixtures("talk")
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_right_secret_is_taken_from_an_address_that_sent_too_many_wrong_ones(
    client: TestClient[Litestar], monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    async def waits_s(_authenticator: Authenticator, sid: str, host: str) -> int:
        return 77 if (sid, host) == (CALLID, "testclient") else 0

    monkeypatch.setattr(Authenticator, "program_waits_s", waits_s)
    data = COMPLETE if method == "POST" else None
    refused = client.request(method, PATH, auth=(ACCOUNT, "guess"), data=data)
    assert (refused.status_code, refused.headers["Retry-After"], refused.json()["code"]) == (429, "77", 20429)
    assert asked(client, method, data=data)[0] == 200


@pytest.mark.usefixtures("talk")
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"Status": "canceled"}, "Only Status=completed is served."),
        ({"Twiml": "<Response/>"}, "Only Status=completed is served."),
        ({"Status": "completed", "Twiml": "<Response/>"}, "Twiml is not served"),
        ({"Status": "completed", "Url": "https://example.com"}, "Url is not served"),
    ],
)
def test_other_changes_are_refused_in_words(
    client: TestClient[Litestar], database: Database, fields: dict[str, str], words: str
) -> None:
    status, shown = asked(client, "POST", data=fields)
    assert (status, shown["message"].startswith(words)) == (400, True)
    assert completed(database) is None


def test_a_call_that_is_over_or_in_which_nobody_talks_is_not_found(
    client: TestClient[Litestar], talk: int, database: Database
) -> None:
    database.write_now(lambda c: c.execute(update(LiveLeg).values(standing='{"stage":"playing"}')))
    assert asked(client)[0] == 404
    database.write_now(lambda c: c.execute(update(CallRequest).where(CallRequest.id == talk).values(status=4)))
    assert asked(client, "POST", data=COMPLETE)[0] == 404
