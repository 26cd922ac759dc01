"""Tests of every response: it has a request id and JSON, and no stack trace."""

import re

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from tests.api.harness import PASSWORD, Caller, FakeWorker

ALICE = ("alice", PASSWORD)
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/rest-api/users/", 200),
        ("GET", "/health/live", 200),
        ("GET", "/", 200),
        ("GET", "/nothing", 404),
        ("GET", "/rest-api/", 200),
        ("GET", "/rest-api/nothing/", 404),
        ("GET", "/rest-api/users/2/more/", 404),
        ("GET", "/rest-api/../../etc/passwd", 404),
        ("GET", "/rest-api/users/%FF/", 404),
        ("DELETE", "/rest-api/cdr/", 405),
        ("PUT", "/rest-api/phonebook/", 405),
        ("POST", "/rest-api/cdr/", 405),
        ("TRACE", "/rest-api/phonebook/", 405),
        ("BREW", "/rest-api/phonebook/", 405),
        ("POST", "/rest-api/phonebook/", 415),
        ("OPTIONS", "/rest-api/phonebook/", 204),
    ],
)
def test_every_answer_has_a_request_id(client: TestClient[Litestar], method: str, path: str, status: int) -> None:
    answer = client.request(method, path, auth=ALICE)
    assert answer.status_code == status
    assert re.fullmatch("[0-9a-f]{32}", answer.headers["x-request-id"])
    if status >= 400:
        assert list(answer.json()) == ["detail"]


def test_a_clients_own_request_id_is_kept_if_it_is_plain(client: TestClient[Litestar]) -> None:
    def request_id(given: str) -> str:
        answer = client.get("/rest-api/users/", headers={"X-Request-ID": given})
        return answer.headers["x-request-id"]

    assert request_id("trace-17.a_B") == "trace-17.a_B"
    assert request_id("a" * 64) == "a" * 64
    for given in ("", "a" * 65, "a b", "<x>", "a\tb"):
        assert request_id(given) != given


def test_options_needs_no_authentication(client: TestClient[Litestar]) -> None:
    paths = {route.path_format.replace("{record_id}", "1") for route in client.app.routes}
    assert "/rest-api/payment/1" in paths
    answers = {path: client.options(path).status_code for path in paths}
    assert set(answers.values()) == {204}, answers


@pytest.mark.parametrize("host", ["[1:2]", "[::::]", "[....]", "[::1]x"])
def test_an_address_in_brackets_that_is_none_is_not_repeated(client: TestClient[Litestar], host: str) -> None:
    answer = client.get("/rest-api/", auth=ALICE, headers={"Host": host})
    assert answer.status_code == 200
    assert host not in answer.text


def test_a_wrong_method_says_which_are_right(client: TestClient[Litestar]) -> None:
    answer = client.request("PUT", "/rest-api/phonebook/", auth=ALICE)
    assert answer.json() == {"detail": 'Method "PUT" not allowed.'}
    assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD", "OPTIONS", "POST", "DELETE"}
    options = client.options("/rest-api/phonebook/1/")
    assert set(options.headers["allow"].split(", ")) == {"GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"}


@pytest.mark.parametrize("path", ["users/", "users/2/", "subscriber-list/", "users/9/", "subscriber-list/?format=csv"])
@pytest.mark.usefixtures("estate")
def test_head_is_get_without_a_body(alice: Caller, path: str) -> None:
    head, get = alice.request("HEAD", path), alice.request("GET", path)
    assert (head.status_code, head.content) == (get.status_code, b"")
    assert head.headers.get("content-length") == get.headers.get("content-length")


def test_an_unexpected_error_says_nothing(admin: Caller, worker: FakeWorker) -> None:
    async def fail(_to_ms: int) -> None:
        raise RuntimeError("secret")

    worker.advance = fail  # type: ignore[assignment]
    assert admin.refused("POST", "clock/advance/", seconds=1) == (500, {"detail": "Internal error."})


QUERIES = [
    "%",
    "%FF",
    "page=1&page=2",
    "a=" + "b" * 20_000,
    "=",
    "&&&",
    "phonebook_id[]=1",
    "contact=%00",
    "full_name=%00",
    "cursor=%FF",
]


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query[:20])
@pytest.mark.parametrize("path", ["contact", "cdr", "subscriber-list", "clock"])
def test_no_query_breaks_a_list(alice: Caller, path: str, query: str) -> None:
    assert alice.request("GET", f"/rest-api/{path}/?{query}").status_code in {200, 400, 404}


HEADERS = [
    {"Content-Type": "application/json; charset=\xff"},
    {"Content-Type": "multipart/form-data"},
    {"Accept": "\xff\xfe"},
    {"Accept": "*/*;q=x"},
    {"Cookie": "a=b; c"},
    {"Content-Length": "5"},
    {"Idempotency-Key": "\xff"},
    {"Host": "\xff"},
]


@pytest.mark.parametrize("headers", HEADERS, ids=lambda headers: next(iter(headers)))
def test_no_header_breaks_a_request(alice: Caller, headers: dict[str, str]) -> None:
    encoded = {name: value.encode("latin-1") for name, value in {**JSON, **headers}.items()}
    for method in ("GET", "POST"):
        answer = alice.request(method, "phonebook/", content=b'{"name": "x"}', headers=encoded)
        assert answer.status_code in {200, 201, 400, 415}
