"""Tests of the demonstration's client, which checks every response."""

from collections.abc import Callable
from decimal import Decimal

import httpx
import pytest

from dialer.local_service.client import Client
from dialer.local_service.errors import DemoError
from dialer.local_service.server import DemoAccount

URL = "http://127.0.0.1:8000"


def client_of(answer: Callable[[httpx.Request], httpx.Response]) -> Client:
    """Return a client of a server with this handler."""
    return Client(URL, DemoAccount("ben", "a long password"), transport=httpx.MockTransport(answer))


def test_pages_are_followed_to_the_last() -> None:
    pages = {
        "/rest-api/cdr/?campaign_id=1&page_size=1000": f"{URL}/rest-api/cdr/?campaign_id=1&page=2",
        "/rest-api/cdr/?campaign_id=1&page=2": None,
    }

    def answer(request: httpx.Request) -> httpx.Response:
        path = request.url.raw_path.decode()
        return httpx.Response(200, json={"count": 2, "next": pages[path], "previous": None, "results": [{"of": path}]})

    with client_of(answer) as client:
        assert client.every_page("cdr", campaign_id=1) == [{"of": path} for path in pages]


def test_numbers_are_read_as_the_decimals_they_are() -> None:
    with client_of(lambda _: httpx.Response(200, text='{"balance": 0.30000}')) as client:
        assert str(client.read("users", 1)["balance"]) == str(Decimal("0.30000"))


def test_another_status_than_the_documented_one_is_an_error() -> None:
    with (
        client_of(lambda _: httpx.Response(400, text='{"name": ["This field is required."]}')) as client,
        pytest.raises(DemoError) as error,
    ):
        client.create("phonebook")
    assert str(error.value) == (
        'POST /rest-api/phonebook/ returned 400, not 201: {"name": ["This field is required."]}'
    )


@pytest.mark.parametrize("content", ["", "[]", "<html>", '{"count": "many"}'])
def test_an_answer_that_is_no_page_is_an_error(content: str) -> None:
    with client_of(lambda _: httpx.Response(200, text=content)) as client, pytest.raises(DemoError):
        client.count("cdr")


def test_a_server_that_has_gone_is_an_error() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("connection refused", request=request)

    with client_of(refuse) as client, pytest.raises(DemoError, match="connection refused"):
        client.advance_to("2026-11-16T00:00:00Z")
