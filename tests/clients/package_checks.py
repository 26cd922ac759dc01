"""Checks of the hand-written parts of the client in Python. `test_python_client.py` runs them on its wheel."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import httpx
import pytest
from dialer_client import (
    AsyncEventStream,
    AuthenticatedClient,
    Event,
    EventStream,
    RefusedError,
    WebhookVerificationError,
    connect,
    done,
    event_of,
    follow,
    follow_async,
    models,
    verify,
)
from dialer_client.api.contact import add_contacts
from dialer_client.api.dnc_contact import add_dnc_contacts
from dialer_client.api.phonebook import import_contacts, read_phonebook
from hypothesis import given, settings
from hypothesis import strategies as st

from dialer.webhooks.examples import EXAMPLES, example_of
from dialer.webhooks.signing import new_secret, signed_headers

settings.register_profile("checks", max_examples=100, derandomize=True, database=None, deadline=None)
settings.load_profile("checks")
SECRET, OLD = new_secret(), new_secret()
BODY = json.dumps(example_of("call.ended"))
NOW = "2026-11-16T14:00:00Z"


def signed(body: str = BODY, at: datetime | None = None) -> dict[str, str]:
    return signed_headers([SECRET, OLD], "evt_42", body, at or datetime.now(UTC))


@pytest.mark.parametrize("kind", EXAMPLES)
def test_an_event_of_each_type_has_its_class_and_keeps_its_members(kind: str) -> None:
    body = json.dumps(example_of(kind))
    for secret in (SECRET, OLD):
        event = verify(secret, signed(body), body.encode())
        assert (event.type_, event.to_dict()) == (kind, example_of(kind))
        assert type(event).__name__ == "".join(word.capitalize() for word in kind.split(".")) + "Event"
        assert type(event) in get_args(Event)


def test_all_types_of_the_union_are_sent() -> None:
    assert {type(event_of(example_of(kind))) for kind in EXAMPLES} | {models.EventRead} == set(get_args(Event))


def test_an_event_of_a_younger_service_is_an_event_too() -> None:
    event = event_of({**example_of("call.ended"), "type": "call.whispered"})
    assert (type(event), event.type_) == (models.EventRead, "call.whispered")


@given(st.sampled_from(["webhook-id", "webhook-timestamp", "webhook-signature", "body", "secret"]), st.text())
def test_an_altered_event_is_refused_and_nothing_else_happens(part: str, text: str) -> None:
    headers, body, secret = signed(), BODY, SECRET
    if part in headers:
        headers[part] = text
    elif part == "body":
        body = text
    else:
        secret = f"whsec_{text}"
    with pytest.raises(WebhookVerificationError):
        verify(secret, headers, body)


def test_a_late_event_is_refused() -> None:
    with pytest.raises(WebhookVerificationError):
        verify(SECRET, signed(at=datetime.now(UTC) - timedelta(minutes=6)), BODY)


def test_a_signed_text_that_is_no_event_is_refused() -> None:
    for body in ("[]", "{}", "null", '{"type": "call.ended"}', "no JSON"):
        with pytest.raises(WebhookVerificationError):
            verify(SECRET, signed(body), body)


class Cut(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A stream that breaks after some events."""

    def __init__(self, *ids: int) -> None:
        self._ids = ids

    def __iter__(self) -> Iterator[bytes]:
        yield b": alive\n\n"
        for number in self._ids:
            data = json.dumps({**example_of("call.ended"), "id": f"evt_{number}"})
            yield f"id: evt_{number}\nevent: call.ended\ndata: {data}\n\n".encode()
        raise httpx.ReadError("cut")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self:
            yield part


def serving(*answers: httpx.Response | Exception) -> tuple[AuthenticatedClient, list[tuple[str, str]]]:
    """Return a client of a service that answers to each opening of a stream, and the openings."""
    waiting = iter(answers)
    asked: list[tuple[str, str]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.headers["Authorization"] == "Bearer dk_1"
        if request.url.path == "/rest-api/clock/":
            return httpx.Response(200, json={"now": NOW, "mode": "virtual", "seed": 0})
        asked.append((request.url.query.decode(), request.headers.get("Last-Event-ID", "")))
        found = next(waiting)
        if isinstance(found, Exception):
            raise found
        return found

    client = connect("https://dialer.example/", "dk_1")
    headers = {"Authorization": "Bearer dk_1"}
    transport = httpx.MockTransport(answer)
    client.set_httpx_client(httpx.Client(base_url="https://dialer.example", headers=headers, transport=transport))
    client.set_async_httpx_client(
        httpx.AsyncClient(base_url="https://dialer.example", headers=headers, transport=transport)
    )
    return client, asked


def heard(events: EventStream) -> list[str]:
    """Return the ids of the events until the service refuses to go on."""
    ids: list[str] = []
    with pytest.raises(RefusedError, match="401"), events as stream:
        ids.extend(event.id for event in stream)
    return ids


def heard_async(events: AsyncEventStream) -> list[str]:
    """Return the ids of the events that a program with asyncio hears until the service refuses to go on."""
    ids: list[str] = []

    async def hear() -> None:
        async with events as stream:
            async for event in stream:
                ids.append(event.id)  # noqa: PERF401 - those of a stream that fails count, too

    with pytest.raises(RefusedError, match="401"):
        asyncio.run(hear())
    return ids


@pytest.mark.parametrize("is_async", [False, True])
def test_a_stream_goes_on_where_it_broke(is_async: bool) -> None:  # noqa: FBT001 - a parameter of pytest
    gone = httpx.Response(401, json={"detail": "Invalid API key"})
    client, asked = serving(
        httpx.Response(200, stream=Cut()),
        httpx.ConnectError("nobody"),
        httpx.Response(503, text="later"),
        httpx.Response(200, stream=Cut(7, 8)),
        httpx.Response(200, stream=Cut(9)),
        gone,
    )
    sleeps: list[float] = []
    types = ["call.ended", "call.started"]

    async def sleep(seconds: float) -> None:
        sleeps.append(seconds)

    if is_async:
        ids = heard_async(follow_async(client, types=types, campaign=3, sleep=sleep))
    else:
        ids = heard(follow(client, types=types, campaign=3, sleep=sleeps.append))
    assert ids == ["evt_7", "evt_8", "evt_9"]
    wanted = "types=call.ended%2Ccall.started&campaign=3"
    since = f"{wanted}&since=2026-11-16T14%3A00%3A00Z"
    assert asked == [(wanted, ""), *[(since, "")] * 3, (wanted, "evt_8"), (wanted, "evt_9")]
    assert sleeps == [1.0, 2.0, 4.0, 1.0, 1.0]


def test_a_stream_begins_after_an_event() -> None:
    client, asked = serving(httpx.Response(200, stream=Cut(8)), httpx.Response(401, text="gone"))
    assert heard(follow(client, after="evt_7", sleep=lambda _: None)) == ["evt_8"]
    assert asked == [("", "evt_7"), ("", "evt_8")]


@pytest.mark.parametrize(
    ("answer", "messages"),
    [
        (httpx.Response(409, json={"detail": "no events"}), {"detail": "no events"}),
        (httpx.Response(500, text="oh"), "oh"),
    ],
)
def test_a_refused_stream_says_why(answer: httpx.Response, messages: Any) -> None:  # noqa: ANN401 - JSON
    client, _ = serving(answer)
    with pytest.raises(RefusedError) as refused, follow(client):
        pass
    assert refused.value.messages == messages


@pytest.mark.parametrize(
    ("url", "key", "said"),
    [
        ("https://dialer.example", "", "The API key does not begin with dk_. Make one with `dialer keys create`."),
        ("https://dialer.example", "Bearer dk_1", "The API key does not begin with dk_"),
        ("", "dk_1", "'' is not an address of a service. Give one that begins with http:// or https://."),
        ("dialer.example", "dk_1", "'dialer.example' is not an address of a service."),
    ],
)
def test_a_connection_without_an_address_or_a_key_is_refused(url: str, key: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        connect(url, key)


def answering(answer: Callable[[], httpx.Response]) -> AuthenticatedClient:
    client = connect("https://dialer.example", "dk_1")
    transport = httpx.MockTransport(lambda _: answer())
    return client.set_httpx_client(httpx.Client(base_url="https://dialer.example", transport=transport))


def test_a_refused_request_raises_what_the_service_says() -> None:
    client = answering(lambda: httpx.Response(404, json={"detail": "Not found."}))
    with pytest.raises(RefusedError) as refused:
        done(read_phonebook.sync_detailed(7, client=client))
    assert (refused.value.status, refused.value.messages) == (404, {"detail": "Not found."})


def test_many_records_are_sent_as_a_list_as_lines_or_as_csv() -> None:
    sent: list[tuple[str, str, Any]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        kind, content = request.headers["Content-Type"], request.content.decode()
        sent.append((request.url.path, kind, content if kind == "text/csv" else json.loads(content)))
        counts = {"imported": 1, "duplicates": 0, "errors": []} if kind == "text/csv" else {"created": 1, "results": []}
        return httpx.Response(200, json={**counts, "rejected": 0})

    client = connect("https://dialer.example", "dk_1")
    transport = httpx.MockTransport(answer)
    client.set_httpx_client(httpx.Client(base_url="https://dialer.example", transport=transport))
    lines = '{"phonebook":1,"contact":"+12025550101"}\n'
    contact = models.ContactWrite(phonebook=1, contact="+12025550101")
    done(add_contacts.sync_detailed(client=client, body=[contact]))
    done(add_contacts.sync_detailed(client=client, body=lines))
    done(import_contacts.sync_detailed(1, client=client, body="contact\n+12025550101\n"))
    entry = models.DncContactWrite(dnc=1, phone_number="+12025550101")
    done(add_dnc_contacts.sync_detailed(client=client, body=[entry]))
    assert sent == [
        ("/rest-api/contact/bulk/", "application/json", [contact.to_dict()]),
        ("/rest-api/contact/bulk/", "application/x-ndjson", json.loads(lines)),
        ("/rest-api/phonebook/1/import/", "text/csv", "contact\n+12025550101\n"),
        ("/rest-api/dnc-contact/bulk/", "application/json", [entry.to_dict()]),
    ]
