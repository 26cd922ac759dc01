"""Tests of the name that a request is for (RFC 9112, 3.2), and of the headers that every answer has."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from structlog.testing import capture_logs

from dialer.api.app import create_app
from dialer.api.http.hosts import NAMES_TOLD_MAX
from dialer.settings import Settings
from dialer.store.database.database import Database
from tests.api.harness import PASSWORD, Caller, FakeWorker
from tests.api.quick_client import QuickClient
from tests.test_server import ADMIN, VIRTUAL, Served, serving

ALICE = ("alice", PASSWORD)


@pytest.fixture
def named(database: Database, worker: FakeWorker) -> Iterator[TestClient[Litestar]]:
    """Yield a client of a service with a name of its own."""
    settings = Settings(base_url="https://dialer.example.com/calls", other_hosts=("dialer.internal",))
    app = create_app(settings, database=database, worker=worker)
    with QuickClient(app, base_url="http://dialer.example.com") as client:
        yield client


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("dialer.example.com", 200),
        ("DIALER.example.com:8443", 200),
        ("dialer.example.com.", 200),
        ("dialer.internal", 200),
        ("127.0.0.1:8000", 200),
        ("[::1]:8000", 200),
        ("192.0.2.7", 200),
        ("localhost", 200),
        ("api-1:8000", 200),
        ("evil.example", 400),
        ("dialer.example.com.evil.example", 400),
        ("dialer.example.com@evil.example", 400),
        ("evil.example:80", 400),
        ("127.0.0.1.evil.example", 400),
    ],
)
def test_a_service_with_a_name_answers_under_no_foreign_one(
    named: TestClient[Litestar], host: str, status: int
) -> None:
    """A foreign name that leads to this machine makes a browser take the service for a part of that site."""
    answer = named.get("/rest-api/", auth=ALICE, headers={"Host": host})
    assert answer.status_code == status
    if status == 400:
        assert "is not a name of this service" in answer.json()["detail"]
        assert named.get("/health/ready", headers={"Host": host}).status_code == 200


def test_a_foreign_name_is_told_what_to_set_and_logged_once(named: TestClient[Litestar]) -> None:
    """An upgrade may refuse a name under which a service was reached so far."""
    with capture_logs() as lines:
        answers = [
            named.get("/rest-api/", headers={"Host": host}) for host in ("old.example.com", "OLD.example.com:80")
        ]
        for number in range(2 * NAMES_TOLD_MAX):
            named.get("/rest-api/", headers={"Host": f"{number}.example.com"})
    expected = "'old.example.com' is not a name of this service. Use dialer.example.com, or add the name to"
    assert answers[0].json()["detail"] == f"{expected} DIALER_OTHER_HOSTS."
    told = [line["host"] for line in lines if line["event"] == "host_refused"]
    assert told == ["old.example.com", *(f"{number}.example.com" for number in range(NAMES_TOLD_MAX - 1))]


def test_a_service_without_a_name_answers_under_every_one(client: TestClient[Litestar]) -> None:
    assert client.get("/rest-api/", auth=ALICE, headers={"Host": "any.example"}).status_code == 200


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), **ADMIN, **VIRTUAL) as served:
        yield served


@pytest.mark.parametrize(
    ("request_line", "headers", "status"),
    [
        ("GET /health/live HTTP/1.1", ["Host: x"], 200),
        ("GET /health/live HTTP/1.1", [], 400),
        ("GET /health/live HTTP/1.1", ["Host: x", "Host: y"], 400),
        ("GET /health/live HTTP/1.1", ["Host: x", "Host: x"], 400),
        ("GET /health/live HTTP/1.0", [], 200),
        ("GET /health/live HTTP/1.0", ["Host: x", "Host: y"], 400),
        ("POST /rest-api/phonebook/ HTTP/1.0", ["Host: x", "Transfer-Encoding: chunked"], 400),
    ],
)
def test_a_request_has_one_host(served: Served, request_line: str, headers: list[str], status: int) -> None:
    """RFC 9112, 3.2: a request without a host, or with several, is refused; 6.1: HTTP/1.0 knows no chunks."""
    lines = [request_line, *headers, "Connection: close", "", ""]
    answer = sent(served, "\r\n".join(lines).encode() + (b"0\r\n\r\n" if "POST" in request_line else b""))
    assert answer.startswith(f"HTTP/1.1 {status} ".encode()), answer


def test_a_request_of_http_09_is_refused(served: Served) -> None:
    answer = sent(served, b"GET /health/live\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 ")


def test_a_large_body_that_nobody_may_send_is_answered_and_cut_off(served: Served) -> None:
    """A client that goes on sending after its answer gets no further than some mebibytes."""
    url = served.client.base_url
    with socket.create_connection((url.host, url.port or 0), timeout=20) as client:
        head = "POST /rest-api/audio-files/ HTTP/1.1\r\nHost: x\r\nContent-Length: 209715200\r\n\r\n"
        client.sendall(head.encode())
        answer = client.recv(65_536)
        assert answer.startswith(b"HTTP/1.1 401 ")
        assert sent_until_closed(client, 209_715_200) < 50_000_000


def sent_until_closed(client: socket.socket, bytes_max: int) -> int:
    """Send bytes until the other side closes the connection, and return their number."""
    piece = b"x" * 65_536
    for size in range(0, bytes_max, len(piece)):
        try:
            client.sendall(piece)
        except OSError:
            return size
    return bytes_max


def sent(served: Served, data: bytes) -> bytes:
    """Send bytes to a server, and return everything that it answers."""
    url = served.client.base_url
    with socket.create_connection((url.host, url.port or 0), timeout=20) as client:
        client.sendall(data)
        return client.makefile("rb").read()


@pytest.mark.parametrize(
    "path",
    [
        "/rest-api/users/",
        "/rest-api/users/?format=csv",
        "/rest-api/users/2/",
        "/rest-api/users/99/",
        "/rest-api/nothing/",
        "/health/ready",
        "/metrics",
        "/schema",
    ],
)
def test_no_answer_is_kept_by_others_or_taken_for_something_else(client: TestClient[Litestar], path: str) -> None:
    """RFC 9111, 5.2.2.5: lists of people and recordings stay in no cache."""
    for auth in (ALICE, None):
        answer = client.get(path, auth=auth)
        assert answer.headers.get_list("cache-control") == ["no-store"]
        assert answer.headers.get_list("x-content-type-options") == ["nosniff"]


@pytest.mark.usefixtures("estate")
def test_sound_and_archives_are_not_kept_either(alice: Caller) -> None:
    for path in ("audio-files/1/download/", "campaigns/1/recordings/"):
        answer = alice.request("GET", path)
        assert answer.headers.get_list("cache-control") == ["no-store"], (path, answer.status_code)
        assert answer.headers.get_list("x-content-type-options") == ["nosniff"]


@pytest.mark.parametrize("path", ["/metrics/", "/metrics//", "//metrics", "/metrics%2f", "/%6detrics", "/metrics/x"])
def test_metrics_have_one_path(served: Served, path: str) -> None:
    """A proxy that hides the path hides it in every spelling."""
    answer = sent(served, f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert b"dialer_http" not in answer


@pytest.mark.parametrize("passed", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via", "X-Forwarded-Proto"])
def test_metrics_can_be_kept_from_requests_that_passed_a_proxy(tmp_path: Path, passed: str) -> None:
    with serving(tmp_path, **ADMIN, **VIRTUAL, DIALER_METRICS="direct") as served:
        url = served.client.base_url.join("/metrics")
        assert served.client.get(url).status_code == 200
        assert served.client.get(url, headers={passed: "192.0.2.7"}).status_code == 404
