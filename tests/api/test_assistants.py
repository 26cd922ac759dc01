"""Tests of the server for assistants, with a client of the protocol and the API of a service."""

from collections.abc import Callable
from typing import Any, Final

import anyio
import anyio.to_thread
import httpx
import pytest
from litestar import Litestar
from litestar.testing import TestClient
from mcp import Client

from dialer.mcp.api import ANSWER_MAX, Api
from dialer.mcp.server import create_server
from tests.api.harness import BASE, Caller, Json
from tests.console.building import campaign

READS: Final = {
    *("list_campaigns", "read_campaign", "read_statistics", "check_campaign", "forecast_campaign", "explain_number"),
    *("list_calls", "read_answers", "list_promised_call_backs"),
}
WRITES: Final = {"count_people", "start_campaign", "pause_campaign", "add_contact", "add_to_do_not_call_list"}


class ServiceTransport(httpx.AsyncBaseTransport):
    """The way to a service that runs in the tests."""

    def __init__(self, client: TestClient[Litestar]) -> None:
        self._client = client

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = await request.aread()
        answer = await anyio.to_thread.run_sync(
            lambda: self._client.request(request.method, str(request.url), headers=dict(request.headers), content=body)
        )
        headers = {name: value for name, value in answer.headers.items() if name != "content-encoding"}
        return httpx.Response(answer.status_code, headers=headers, content=answer.content)


Ask = Callable[..., Any]


def asking(client: TestClient[Litestar], key: str, *, allow_writes: bool = True) -> Ask:
    """Return a function that calls a tool, and returns its result, or its message if it failed."""
    url = BASE.removesuffix("/rest-api")

    async def call(name: str, arguments: dict[str, Any]) -> Json:
        server = create_server(Api(url, key, ServiceTransport(client)), allow_writes=allow_writes)
        async with Client(server) as assistant:
            result = await assistant.call_tool(name, arguments)
        (text, *_) = [getattr(part, "text", "") for part in result.content]
        return text if result.is_error else result.structured_content

    return lambda tool, **arguments: anyio.run(call, tool, arguments)


def names_of(*, allow_writes: bool) -> set[str]:
    async def listed() -> set[str]:
        async with Client(create_server(Api("http://x", "k"), allow_writes=allow_writes)) as assistant:
            return {tool.name for tool in (await assistant.list_tools()).tools}

    return anyio.run(listed)


@pytest.fixture
def key(alice: Caller) -> str:
    """Return a key with which Alice's assistant reads and writes."""
    return str(alice.create("api-key", name="assistant", scopes=["read", "campaigns"])["key"])


def test_what_writes_is_not_even_there_unless_it_is_allowed() -> None:
    assert names_of(allow_writes=False) == READS
    assert names_of(allow_writes=True) == READS | WRITES


def test_an_assistant_reads_campaigns_and_why_a_number_waits(alice: Caller, key: str) -> None:
    identity = campaign(alice, started="no")
    ask = asking(alice.client, key, allow_writes=False)
    listed = ask("list_campaigns", search="Campaign")
    assert [row["id"] for row in listed["results"]] == [identity]
    read = ask("read_campaign", campaign=identity)
    assert (read["name"], read["machine_answered"], read["warnings"]) == ("Campaign", 0, [])
    assert listed["results"][0]["machine_answered"] == 0
    assert "findings" in ask("check_campaign", campaign=identity)
    assert ask("read_statistics", campaign=identity)["totals"]["calls"] == 0
    assert ask("list_calls", campaign=identity) == {"count": 0, "results": []}
    assert ask("list_promised_call_backs") == {"results": []}
    alice.change(f"campaigns/{identity}/", status=1)
    found = ask("explain_number", number="+12025550101")
    assert [row["campaign"] for row in found["subscribers"]["results"]] == [f"{BASE}/campaigns/{identity}/"]


def test_an_assistant_is_told_that_a_do_not_call_list_protects_nobody(alice: Caller, key: str) -> None:
    identity = campaign(alice, started="no")
    dnc = alice.create("dnc-list", name="No")
    alice.create("dnc-contact", dnc=dnc["url"], phone_number="1001")
    alice.change(f"campaigns/{identity}/", dnc=dnc["url"])
    (warning,) = asking(alice.client, key)("read_campaign", campaign=identity)["warnings"]
    assert warning.startswith("A number on a do-not-call list protects nobody")


def test_a_campaign_starts_only_with_the_number_of_people_that_it_calls(alice: Caller, key: str) -> None:
    identity = campaign(alice, started="no")
    ask = asking(alice.client, key)
    assert ask("count_people", campaign=identity) == {"people": 4}
    assert "would call 4 people, not 400" in ask("start_campaign", campaign=identity, people=400)
    assert alice.get(f"campaigns/{identity}/")["status"] == 0
    assert ask("start_campaign", campaign=identity, people=4) == {"campaign": identity, "status": 1, "people": 4}
    assert ask("pause_campaign", campaign=identity) == {"campaign": identity, "status": 2}
    assert alice.get(f"campaigns/{identity}/")["status"] == 2
    assert ask("count_people", campaign=identity) == {"people": 4}


def test_an_assistant_counts_nobody_twice_and_nobody_who_must_not_be_called(alice: Caller, key: str) -> None:
    identity = campaign(alice, started="no")
    dnc, book = alice.create("dnc-list", name="No"), alice.create("phonebook", name="Second")
    alice.create("dnc-contact", dnc=dnc["url"], phone_number="+12025550100")
    alice.create("contact", phonebook=book["url"], contact="+12025550101")
    first = alice.get(f"campaigns/{identity}/")["phonebook"]
    alice.change(f"campaigns/{identity}/", dnc=dnc["url"], phonebook=[*first, book["url"]])
    assert asking(alice.client, key)("count_people", campaign=identity) == {"people": 3}


def test_an_assistant_adds_a_contact_and_puts_a_number_on_a_list(alice: Caller, key: str) -> None:
    book = alice.create("phonebook", name="Book")
    dnc = alice.create("dnc-list", name="No")
    ask = asking(alice.client, key)
    assert ask("add_contact", phonebook=book["id"], number="+12025550177", name="Lee")["contact"] == "+12025550177"
    assert ask("add_to_do_not_call_list", dnc_list=dnc["id"], number="+12025550178")["phone_number"] == "+12025550178"


def test_a_refusal_of_the_service_is_told(alice: Caller, bob: Caller, key: str) -> None:
    ask = asking(alice.client, key)
    identity = campaign(bob, started="no")
    assert "The service refuses (404)" in ask("read_campaign", campaign=identity)
    assert "greater than or equal to 1" in ask("read_campaign", campaign=0)
    wrong = asking(alice.client, "dk_wrong")
    assert "The service refuses (401)" in wrong("list_campaigns")


def test_a_key_that_only_reads_starts_nothing(alice: Caller) -> None:
    identity = campaign(alice, started="no")
    key = str(alice.create("api-key", name="reader", scopes=["read"])["key"])
    ask = asking(alice.client, key)
    assert "The service refuses (403)" in ask("start_campaign", campaign=identity, people=4)
    assert alice.get(f"campaigns/{identity}/")["status"] == 0


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (httpx.Response(200, content=b"<html>"), "something else than JSON"),
        (httpx.Response(200, content=b"1" * (ANSWER_MAX + 1)), "The answer is too long."),
        (httpx.Response(500, content=b"x" * 5_000), "The service refuses (500)"),
        (httpx.Response(302, headers={"location": "http://elsewhere"}), "The service refuses (302)"),
        (httpx.ConnectError("refused"), "The service does not answer: ConnectError."),
    ],
)
def test_a_strange_service_is_a_message_and_no_crash(answer: httpx.Response | Exception, message: str) -> None:
    def respond(_: httpx.Request) -> httpx.Response:
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def call() -> str:
        server = create_server(Api("http://x", "k", httpx.MockTransport(respond)), allow_writes=False)
        async with Client(server) as assistant:
            result = await assistant.call_tool("list_promised_call_backs", {})
        return str(getattr(result.content[0], "text", ""))

    found = anyio.run(call)
    assert message in found
    assert len(found) < 1_200
