"""Tests of the events of an account as a stream: from which place it begins, and when it ends."""

from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import anyio
import httpx
import msgspec
import pytest
from litestar.types import HTTPReceiveMessage, HTTPScope, Message, Receive, Scope, Send
from sqlalchemy import Connection

from dialer.api.http import event_streams
from dialer.api.http.event_streams import STREAMS_OF_ACCOUNT_MAX, EventStreams, SlowReadersCutOff
from dialer.api.http.stream_places import StreamPlaces
from dialer.api.routes import event_stream
from dialer.resources.words.errors import AnsweredError
from dialer.store.database.database import Database
from dialer.store.queries.accounts import is_still_as
from tests.api.at_once import app_on_this_loop, scope_of
from tests.api.harness import NOW_MS, Caller, FakeWorker

Json = dict[str, Any]


@pytest.fixture
def listed(alice: Caller) -> Callable[[int], None]:
    """Return a function that puts a number on a list of Alice's, who keeps events."""
    alice.create("dnc-list", name="first")
    assert alice.request("PATCH", "events/", json={"enabled": True}).status_code == 200

    def add(number: int) -> None:
        alice.create("dnc-contact", dnc=1, phone_number=f"+120255501{number:02}")

    return add


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let streams look twice for news, at once, and then end."""
    monkeypatch.setattr(event_streams, "STREAM_TICKS", 2)
    monkeypatch.setattr(event_streams, "EVERY_S", 0.0)


def stream(caller: Caller, last_id: str = "", **parameters: str) -> httpx.Response:
    headers = {"Accept": "text/event-stream", **({"Last-Event-ID": last_id} if last_id else {})}
    answer: httpx.Response = caller.request("GET", "events/", params=parameters, headers=headers)
    return answer


async def nothing() -> HTTPReceiveMessage:
    return {"type": "http.disconnect"}


def events(answer: httpx.Response) -> list[Json]:
    """Return the events of a stream, each with its id and its type as the fields say."""
    found = []
    for piece in answer.text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in piece.splitlines() if ": " in line)
        if "data" in fields:
            data = msgspec.json.decode(fields["data"])
            assert (data["id"], data["type"]) == (fields["id"], fields["event"])
            found.append(data)
    return found


def test_a_stream_goes_on_after_the_last_event_that_came(
    alice: Caller, bob: Caller, listed: Callable[[int], None]
) -> None:
    for number in range(3):
        listed(number)
    answer = stream(alice, after="evt_0")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    assert answer.text.startswith("retry: 2000\n\n")
    first, second, third = events(answer)
    assert first == alice.get("events/")["results"][0]
    assert events(stream(alice, first["id"])) == [second, third]
    assert events(stream(alice, second["id"], types="dnc.added")) == [third]
    assert events(stream(alice, first["id"], types="call.ended")) == []
    assert events(stream(alice)) == []
    assert stream(alice, "evt_x").status_code == 400
    assert stream(bob).status_code == HTTPStatus.CONFLICT


def test_events_of_many_pages_come_in_one_stream(
    alice: Caller, listed: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "AT_ONCE", 2)
    for number in range(5):
        listed(number)
    assert [one["id"] for one in events(stream(alice, since="2026-01-01T00:00:00Z"))] == [
        one["id"] for one in alice.get("events/")["results"]
    ]


def test_a_silent_stream_sends_comments(
    alice: Caller, listed: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    listed(1)
    monkeypatch.setattr(event_stream, "HEARTBEAT_TICKS", 1)
    assert stream(alice).text == "retry: 2000\n\n:\n\n:\n\n"


def test_a_stream_ends_when_its_reader_loses_a_right(
    alice: Caller, listed: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    listed(1)
    asked = []

    def refused(_connection: Connection, *who: object, **key: object) -> bool:
        asked.append((who, key["key_id"]))
        return False

    monkeypatch.setattr(event_stream, "is_still_as", refused)
    assert events(stream(alice, since="2026-01-01T00:00:00Z")) == []
    assert asked == [((2, ("manager", None)), None)]


def test_a_right_holds_as_long_as_user_role_and_key_do(alice: Caller, admin: Caller, database: Database) -> None:
    key = int(alice.create("api-key", name="reader", expirationdate="2026-11-19T00:00:00Z")["id"])

    def holds(now_ms: int = NOW_MS, role: str = "manager", key_id: int | None = key) -> bool:
        return database.read_now(lambda c: is_still_as(c, 2, (role, None), key_id=key_id, now_ms=now_ms))

    assert (holds(), holds(key_id=None), holds(key_id=99)) == (True, True, False)
    assert (holds(role="admin"), holds(now_ms=NOW_MS + 86_400_000)) == (False, False)
    alice.change(f"api-key/{key}/", enabled=False)
    assert (holds(), holds(key_id=None)) == (False, True)
    admin.change("users/2/", enabled=False)
    assert not holds(key_id=None)


def test_an_account_has_few_streams_and_never_takes_those_of_others() -> None:
    places = EventStreams().places
    taken = [places.take(2, 2) for _ in range(STREAMS_OF_ACCOUNT_MAX)]
    with pytest.raises(AnsweredError) as refused:
        places.take(2, 5)
    assert refused.value.status == HTTPStatus.TOO_MANY_REQUESTS
    other = places.take(3, 3)
    taken.pop().release()
    with other, places.take(2, 2), pytest.raises(AnsweredError):
        places.take(2, 2)
    places.take(2, 2)


async def test_streams_that_are_opened_at_once_have_the_same_limit(
    database: Database, worker: FakeWorker, listed: Callable[[int], None]
) -> None:
    """Nobody gets a place between the look for a free one and the beginning of the stream."""
    listed(1)
    answers: list[int | None] = []
    is_held, may_go_on = anyio.Event(), anyio.Event()
    wanted = 3 * STREAMS_OF_ACCOUNT_MAX
    app = app_on_this_loop(database, worker)

    async def wait_to_leave() -> HTTPReceiveMessage:
        await may_go_on.wait()
        return await nothing()

    async def hold(message: Message) -> None:
        if message["type"] == "http.response.start":
            answers.append(message["status"])
            if len(answers) == wanted:
                is_held.set()
            await may_go_on.wait()

    async with anyio.create_task_group() as tasks:
        for _ in range(wanted):
            tasks.start_soon(
                app, scope_of("alice", "/rest-api/events/", accept="text/event-stream"), wait_to_leave, hold
            )
        with anyio.fail_after(30):
            await is_held.wait()
        may_go_on.set()
    assert Counter(answers) == {200: STREAMS_OF_ACCOUNT_MAX, 429: 2 * STREAMS_OF_ACCOUNT_MAX}


def test_the_place_of_a_stream_that_never_begins_is_free_again() -> None:
    places = StreamPlaces(1, 1, 1, "Too many.")
    answer = [places.take(1, 1)]
    with pytest.raises(AnsweredError):
        places.take(2, 2)
    answer.clear()
    places.take(2, 2)


async def test_streams_end_with_the_service() -> None:
    streams = EventStreams()
    ticks = streams.ticks()
    assert await anext(ticks) == 0
    streams.end()
    with pytest.raises(StopAsyncIteration):
        await anext(ticks)


@pytest.mark.parametrize("has_tasks", [False, True])
async def test_a_reader_who_takes_nothing_is_cut_off(monkeypatch: pytest.MonkeyPatch, *, has_tasks: bool) -> None:
    """It is no error: neither alone nor in the group of tasks in which the framework sends an answer."""
    monkeypatch.setattr(event_streams, "SLOW_S", 0.01)

    sent: list[Message] = []

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        for body in (b"one", b"two", b"three"):
            await send({"type": "http.response.body", "body": body, "more_body": True})

    async def stuck(message: Message) -> None:
        if sent:
            await anyio.sleep_forever()
        sent.append(message)

    async def app_of_tasks(scope: Scope, receive: Receive, send: Send) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(app, scope, receive, send)

    await SlowReadersCutOff(app_of_tasks if has_tasks else app)(HTTPScope(type="http"), nothing, stuck)  # type: ignore[typeddict-item]
    assert sent == [{"type": "http.response.body", "body": b"one", "more_body": True}]


async def test_other_failures_beside_a_slow_reader_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_streams, "SLOW_S", 0.0)

    async def fail() -> None:
        raise RuntimeError

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(send, {"type": "http.response.body"})  # type: ignore[arg-type] # a message of ASGI
            tasks.start_soon(fail)

    async def stuck(_message: Message) -> None:
        await anyio.sleep_forever()

    with pytest.raises(BaseExceptionGroup) as raised:
        await SlowReadersCutOff(app)(HTTPScope(type="http"), nothing, stuck)  # type: ignore[typeddict-item]
    assert [type(error) for error in raised.value.exceptions] == [RuntimeError]
