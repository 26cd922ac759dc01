"""Tests of the share of requests in progress that each account and each address has."""

from collections import Counter
from collections.abc import AsyncIterator
from typing import Any, Final

import anyio
import httpx
import pytest
from litestar.types import Receive, Scope, Send

from dialer.api.http import request_shares
from dialer.api.http.refusal_pace import PROMPT_REFUSALS, REFUSAL_WAITS_S
from dialer.api.http.request_shares import (
    REQUESTS_AT_ONCE,
    REQUESTS_OF_ACCOUNT,
    REQUESTS_WAITING_OF_ACCOUNT,
    UPLOADS_WAITING_OF_ACCOUNT,
    RequestShares,
    count_for_account,
)
from dialer.api.http.requesters import KnownCredentials, RequestSender
from dialer.resources.words.headers import header
from dialer.store.database.database import Database
from tests.api.at_once import app_on_this_loop, client_on_this_loop
from tests.api.harness import Caller, FakeWorker

ALL_OF_ACCOUNT: Final = REQUESTS_OF_ACCOUNT + REQUESTS_WAITING_OF_ACCOUNT
OWN: Final = "Too many of your requests are in progress. Try again when some are answered."


class Work:
    """An application whose requests end when they are told to. The password `p1` is that of the account 1."""

    def __init__(self) -> None:
        self.goes_on = anyio.Event()
        self.at_work = Counter[str]()
        self.most = Counter[str]()

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        password = header(scope, b"authorization") or ""
        status, media_type = 200, header(scope, b"accept") or ""
        if password.startswith("p"):
            await count_for_account(scope, int(password[1:]))  # type: ignore[arg-type] # of HTTP
        elif password:
            status = 401
        self.at_work[password] += 1
        self.most[password] = max(self.most[password], self.at_work[password])
        if media_type == "text/event-stream":
            await _start(send, status, media_type)
            await self.goes_on.wait()
        else:
            await self.goes_on.wait()
            await _start(send, status, media_type)
        self.at_work[password] -= 1
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _start(send: Send, status: int, media_type: str) -> None:
    headers = [(b"content-type", media_type.encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})


class House:
    """The shares around some work, and clients that wait for their answers."""

    def __init__(self, tasks: Any) -> None:  # noqa: ANN401 - a group of tasks
        self.work = Work()
        self.shares = RequestShares(self.work)
        self.answers: list[httpx.Response] = []
        self._tasks = tasks

    async def send(self, count: int, password: str = "", path: str = "/", **headers: str) -> list[anyio.CancelScope]:
        """Send requests at the same time, and wait until all of them are answered or blocked."""
        scopes = [anyio.CancelScope() for _ in range(count)]
        for scope in scopes:
            self._tasks.start_soon(self._send, scope, path, {"authorization": password, **headers})
        await anyio.wait_all_tasks_blocked()
        return scopes

    async def _send(self, scope: anyio.CancelScope, path: str, headers: dict[str, str]) -> None:
        async def app(one: Scope, receive: Receive, send: Send) -> None:
            one["state"] = {}  # As the edge does.
            await self.shares(one, receive, send)

        given = {name: value for name, value in headers.items() if value}
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as client:  # type: ignore[arg-type]
            with scope:
                self.answers.append(await client.get(path, headers=given))

    @property
    def statuses(self) -> Counter[int]:
        return Counter(answer.status_code for answer in self.answers)


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with anyio.create_task_group() as tasks:
        house = House(tasks)
        yield house
        house.work.goes_on.set()
        tasks.cancel_scope.cancel()


async def test_an_account_has_its_share_and_another_one_does_not_wait_for_it(house: House) -> None:
    await house.send(ALL_OF_ACCOUNT, "p1")
    await house.send(1, "p2")
    assert house.work.at_work == {"p1": REQUESTS_OF_ACCOUNT, "p2": 1}
    await house.send(1, "p1", accept="application/problem+json")
    (refused,) = house.answers
    assert (refused.status_code, refused.headers["retry-after"], refused.headers["vary"]) == (429, "1", "Accept")
    assert refused.json() == {
        "title": "Too Many Requests",
        "status": 429,
        "detail": OWN,
        "code": "too_many_requests",
    }
    house.work.goes_on.set()
    await anyio.wait_all_tasks_blocked()
    assert house.statuses == {200: ALL_OF_ACCOUNT + 1, 429: 1}
    assert house.work.most["p1"] == REQUESTS_OF_ACCOUNT
    assert set(house.work.at_work.values()) == {0}


async def test_whoever_waits_gives_up_when_the_client_does(house: House) -> None:
    await house.send(REQUESTS_OF_ACCOUNT, "p1")
    for scope in await house.send(REQUESTS_WAITING_OF_ACCOUNT, "p1"):
        scope.cancel()
    await anyio.wait_all_tasks_blocked()
    await house.send(REQUESTS_WAITING_OF_ACCOUNT, "p1")
    house.work.goes_on.set()
    await anyio.wait_all_tasks_blocked()
    assert house.statuses == {200: ALL_OF_ACCOUNT}


async def test_strangers_have_no_share_and_fill_nobodys(house: House) -> None:
    """Right credentials count for their account as soon as they are known, however many strangers wait or work."""
    for number in range(REQUESTS_AT_ONCE):
        await house.send(1, f"wrong{number}")
    await house.send(1, "p1")
    assert (house.work.at_work.total(), house.work.at_work["p1"]) == (REQUESTS_AT_ONCE + 1, 1)
    house.work.goes_on.set()
    await anyio.wait_all_tasks_blocked()
    assert house.statuses == {401: REQUESTS_AT_ONCE, 200: 1}


async def test_credentials_that_were_not_known_take_a_turn_of_their_account(house: House) -> None:
    house.work.goes_on.set()
    await house.send(1, "p1")
    house.work.goes_on = anyio.Event()
    await house.send(REQUESTS_OF_ACCOUNT, "p1")
    await house.send(1, "p01")
    assert house.work.at_work["p1"] == REQUESTS_OF_ACCOUNT
    assert house.work.at_work["p01"] == 0


async def test_credentials_that_are_wrong_now_do_not_count_for_the_account(house: House) -> None:
    house.work.goes_on.set()
    await house.send(1, "p1")
    credentials = house.shares.known.sender(_scope("p1")).credentials
    assert house.shares.known.sender(_scope("p1")).requester == 1
    assert credentials is not None
    house.shares.known.remember(house.shares.known.sender(_scope("old")).credentials or b"", 1)
    assert house.shares.known.sender(_scope("old")).requester == 1
    await house.send(1, "old")
    assert house.shares.known.sender(_scope("old")).requester == "192.0.2.1"
    assert house.shares.known.sender(_scope("p1")).requester == 1


def _scope(password: str) -> Any:  # noqa: ANN401 - of ASGI
    return {"headers": [(b"authorization", password.encode())], "client": ("192.0.2.1", 1)}


async def test_streams_and_monitors_hold_no_turn(house: House) -> None:
    await house.send(ALL_OF_ACCOUNT + 1, "p1", accept="text/event-stream")
    assert house.work.at_work["p1"] == ALL_OF_ACCOUNT + 1
    await house.send(1, "p1", path="/health/live")
    assert house.work.at_work["p1"] == ALL_OF_ACCOUNT + 2
    assert house.answers == []


async def test_whoever_waits_for_long_is_told_to_come_again(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    await house.send(REQUESTS_OF_ACCOUNT, "p1")
    monkeypatch.setattr(request_shares, "WAIT_S", 0)
    await house.send(1, "p1")
    with anyio.fail_after(20):
        while not house.answers:
            await anyio.lowlevel.checkpoint()
    (refused,) = house.answers
    detail = "Too many requests are in progress. Try again later."
    assert (refused.status_code, refused.json()) == (503, {"detail": detail})


async def test_refusals_in_a_loop_come_later_and_later(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    waits_s: list[float] = []

    async def sleep(seconds: float) -> None:
        waits_s.append(seconds)

    await house.send(ALL_OF_ACCOUNT, "p1")
    monkeypatch.setattr(anyio, "sleep", sleep)
    await house.send(PROMPT_REFUSALS, "p1")
    assert waits_s == []
    await house.send(PROMPT_REFUSALS * 3, "p1")
    assert house.statuses == {429: PROMPT_REFUSALS * 4}
    assert waits_s == sorted(waits_s)
    assert max(waits_s) == pytest.approx(REFUSAL_WAITS_S)
    await house.send(1, "p2")
    assert house.work.at_work["p2"] == 1


async def test_slow_bodies_of_an_account_hold_up_no_request_with_a_small_one(
    alice: Caller, database: Database, worker: FakeWorker
) -> None:
    """They wait in a queue of their own, and beyond it one is refused before its body is read."""
    arrives, read, answers = anyio.Event(), Counter[str](), Counter[int]()
    alice.create("phonebook", name="One")

    async def body() -> AsyncIterator[bytes]:
        read["begun"] += 1
        yield b'{"name": '
        await arrives.wait()
        yield b'"Two"}'

    async def save(client: httpx.AsyncClient) -> None:
        headers = {"Content-Type": "application/json"}
        answer = await client.patch("phonebook/1/", content=body(), headers=headers)
        answers[answer.status_code] += 1

    app = app_on_this_loop(database, worker)
    async with (
        client_on_this_loop(app, "alice") as first,
        client_on_this_loop(app, "bob") as other,
        anyio.create_task_group() as tasks,
    ):
        assert (await first.get("phonebook/1/")).status_code == 200
        for _ in range(REQUESTS_OF_ACCOUNT + UPLOADS_WAITING_OF_ACCOUNT + 1):
            tasks.start_soon(save, first)
        with anyio.fail_after(20):
            while read["begun"] < REQUESTS_OF_ACCOUNT:
                await anyio.lowlevel.checkpoint()
            assert (await first.get("phonebook/1/")).json()["name"] == "One"
            made = await other.post("phonebook/", json={"name": "Bob's"})
        assert (made.status_code, answers, read["begun"]) == (201, {429: 1}, REQUESTS_OF_ACCOUNT)
        arrives.set()
    assert answers == {202: REQUESTS_OF_ACCOUNT + UPLOADS_WAITING_OF_ACCOUNT, 429: 1}


def test_requests_of_a_browser_are_known_by_their_cookies() -> None:
    known = KnownCredentials()
    cookies: Any = {"headers": [(b"cookie", b"dialer_session=abc")], "client": ("192.0.2.1", 1)}
    credentials = known.sender(cookies).credentials
    assert (known.sender(cookies).requester, credentials is None) == ("192.0.2.1", False)
    known.remember(credentials or b"", 5)
    assert known.sender(cookies).requester == 5
    cookies["headers"].append((b"authorization", b"that of a proxy"))
    assert known.sender(cookies).requester == "192.0.2.1"


@pytest.mark.parametrize(
    ("headers", "is_upload"),
    [
        ({}, False),
        ({"content-length": "65536"}, False),
        ({"content-length": "65537"}, True),
        ({"content-length": "9" * 5_000}, True),
        ({"content-length": "many"}, True),
        ({"transfer-encoding": "chunked"}, True),
    ],
)
def test_a_body_that_the_server_does_not_take_in_by_itself_is_an_upload(
    headers: dict[str, str],
    is_upload: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    sent = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope: Any = {"headers": sent, "client": None}
    assert KnownCredentials().sender(scope) == RequestSender("", None, is_upload)
