"""Tests of `dialer serve` as a process: its start, its responses and its end."""

import base64
import contextlib
import http.client
import json
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import httpx
import pytest

from dialer.api.actions.imports import IMPORTS_OF_A_USER_MAX
from tests.forked import ForkedProcess
from tests.new_database import new_database
from tests.patience import ANSWER_S_MAX

DIALER = Path(sys.executable).with_name("dialer")
PASSWORD = "correct horse battery"
ADMIN = {"DIALER_ADMIN_USERNAME": "root", "DIALER_ADMIN_PASSWORD": PASSWORD}
VIRTUAL = {"DIALER_CLOCK": "virtual", "DIALER_CLOCK_START": "2026-01-31T09:00:00Z"}


Process: TypeAlias = "subprocess.Popen[str] | ForkedProcess"


def address_in(line: str) -> str:
    """Return the address in the line that says that a process is ready; empty if the line says something else."""
    found = re.search(r" is ready at (http://[^\s\"]+)", line)
    return found[1] if found else ""


def ready_address(process: Process) -> str:
    """Return the address that a process tells once it is ready.

    Raises:
        AssertionError: it has ended before; the error has what it said.
    """
    assert process.stdout is not None
    line = process.stdout.readline()
    if found := address_in(line):
        return found
    assert process.stderr is not None
    raise AssertionError(f"not ready: {line or process.stderr.read()}")


class Served:
    """A server process, and a client of it."""

    def __init__(self, process: Process, ready: str) -> None:
        self.process = process
        self.ready = ready
        self.base = address_in(ready)
        self.client = httpx.Client(base_url=self.base, auth=("root", PASSWORD), timeout=60)

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        """Send a signal to the server, and return its exit code and its remaining output."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        assert self.process.returncode is not None
        return self.process.returncode, out, err


@contextlib.contextmanager
def serving(folder: Path, *arguments: str, **environ: str) -> Iterator[Served]:
    """Run a server without the imports of the program, and without migrations where there is no database."""
    new_database(folder)
    with _served(ForkedProcess(_command(arguments), folder, {**os.environ, **environ})) as served:
        yield served


@contextlib.contextmanager
def serving_as_a_shell_does(folder: Path, *arguments: str, **environ: str) -> Iterator[Served]:
    """Start the program as a shell does."""
    process = subprocess.Popen(
        [DIALER, *_command(arguments)],
        cwd=folder,
        env={**os.environ, **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with _served(process) as served:
        yield served


def _command(arguments: tuple[str, ...]) -> list[str]:
    return ["serve", "--port", "0", *arguments]


@contextlib.contextmanager
def _served(process: Process) -> Iterator[Served]:
    try:
        assert process.stdout is not None
        served = Served(process, process.stdout.readline())
        with served.client:
            yield served
    finally:
        process.kill()
        process.wait()
        # The process of the lines may live on for a minute, and holds the other ends of these.
        for stream in filter(None, (process.stdout, process.stderr)):
            stream.close()


def raw(served: Served, head: str) -> bytes:
    """Send a request with this header line, and return the raw response."""
    url = served.client.base_url
    with socket.create_connection((url.host, url.port or 0)) as client:
        client.sendall(f"GET / HTTP/1.1\r\nHost: x\r\n{head}\r\n\r\n".encode())
        return client.makefile("rb").read()


def test_it_serves_from_one_line_until_it_is_told_to_end(tmp_path: Path) -> None:
    with serving_as_a_shell_does(tmp_path, **ADMIN, **VIRTUAL) as served:
        ready = json.loads(served.ready)
        assert (ready["event"], ready["level"]) == (f"dialer is ready at {served.base}", "info")
        assert served.client.get("clock/").json()["now"] == "2026-01-31T09:00:00Z"
        (user,) = served.client.get("users/").json()["results"]
        assert (user["username"], user["balance"]) == ("root", 0)
        assert raw(served, "X: " + "x" * 33_000).startswith(b"HTTP/1.1 431 ")
        assert raw(served, "no header").startswith(b"HTTP/1.1 400 ")
        code, out, err = served.end()
    assert (code, out) == (0, "")
    (rules, start, *others) = (json.loads(line) for line in err.splitlines())
    assert (rules["event"], rules["level"]) == ("time_zone_rules", "info")
    assert (start["event"], start["level"]) == ("dialling_taken_up", "info")
    assert {line["level"] for line in others} == {"warning"}
    assert PASSWORD not in err


def test_odd_clients_get_their_answers_and_no_trace_of_them_is_an_error(tmp_path: Path) -> None:
    """HEAD on a kept connection, an offer of another protocol, and a truncated body."""
    with serving(tmp_path, **ADMIN, **VIRTUAL) as served:
        url = served.client.base_url
        basic = {"Authorization": "Basic " + base64.b64encode(f"root:{PASSWORD}".encode()).decode()}
        with contextlib.closing(http.client.HTTPConnection(url.host, url.port or 0)) as connection:
            for path in ("/health/live", "/rest-api/subscriber-list/", "/rest-api/users/?format=csv", "/nothing"):
                connection.request("HEAD", path, headers=basic)
                head = connection.getresponse()
                assert head.read() == b""
                connection.request("GET", path, headers=basic)
                answer = connection.getresponse()
                assert (answer.status, bool(answer.read())) == (head.status, True)
            offer = {**basic, "Connection": "Upgrade", "Upgrade": "h2c", "Content-Type": "application/json"}
            connection.request("POST", "/rest-api/phonebook/", b'{"name": "book"}', offer)
            assert connection.getresponse().status == 201
        with socket.create_connection((url.host, url.port or 0)) as client:
            lines = [f"{name}: {value}" for name, value in {**offer, "Content-Length": "100"}.items()]
            lines = ["POST /rest-api/phonebook/ HTTP/1.1", "Host: x", *lines, "", "{"]
            client.sendall("\r\n".join(lines).encode())
        metrics = httpx.get(f"http://{url.host}:{url.port}/metrics", timeout=ANSWER_S_MAX)
        assert metrics.headers["content-type"].count("charset") == 1
        assert 'status="500"' not in metrics.text
        _, _, err = served.end()
    assert {json.loads(line)["level"] for line in err.splitlines()} <= {"info", "warning"}


GARBAGE = b"\x00\xff garbage\r\n\r\n"


def statuses(answers: bytes) -> list[int]:
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d+) ", answers)]


def reset(client: socket.socket) -> None:
    """Reset a connection."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


@pytest.mark.parametrize("leave", [reset, socket.socket.close], ids=["reset", "closed"])
def test_nothing_a_client_sends_and_no_way_in_which_it_leaves_is_an_error(
    tmp_path: Path, leave: Callable[[socket.socket], None]
) -> None:
    """Garbage after requests, truncated and malformed bodies, and responses that are not read to their end."""
    with serving(tmp_path, **ADMIN, **VIRTUAL) as served:
        served.client.post("phonebook/", json={"name": "book"})
        contacts = b"contact\n" + b"".join(b"+1202%07d\n" % number for number in range(5_550_000, 5_560_000))
        served.client.post("phonebook/1/import/", content=contacts, headers={"Content-Type": "text/csv"})
        url = served.client.base_url
        credentials = base64.b64encode(f"root:{PASSWORD}".encode()).decode()

        def request(line: str, *headers: str) -> bytes:
            lines = [f"{line} HTTP/1.1", "Host: x", f"Authorization: Basic {credentials}", *headers, "", ""]
            return "\r\n".join(lines).encode()

        def sent(data: bytes) -> socket.socket:
            client = socket.create_connection((url.host, url.port or 0), timeout=60)
            client.sendall(data)
            return client

        one, stream = request("GET /rest-api/contact/"), request("GET /rest-api/contact/?format=csv")
        for requests in ([one], [one] * 3, [stream], [stream, one, stream]):
            with sent(b"".join(requests) + GARBAGE) as client, client.makefile("rb") as answers:
                assert statuses(answers.read()) == [200] * len(requests) + [400]
        chunked = request("POST /rest-api/phonebook/", "Content-Type: application/json", "Transfer-Encoding: chunked")
        with sent(one + chunked + b'5\r\n{"nam\r\nzz\r\n') as client, client.makefile("rb") as answers:
            assert statuses(answers.read()) == [200, 400]
        for path, media_type in (("phonebook/", "application/json"), ("phonebook/1/import/", "text/csv")):
            head = request(f"POST /rest-api/{path}", f"Content-Type: {media_type}", "Content-Length: 1000")
            leave(sent(head + b'{"na'))
        for read in (0, 1, 100_000):
            for data in (stream, stream * 3, one * 20, stream + GARBAGE):
                client = sent(data)
                client.recv(read)
                leave(client)
        assert httpx.get(f"http://{url.host}:{url.port}/health/ready", timeout=ANSWER_S_MAX).status_code == 200
        metrics = httpx.get(f"http://{url.host}:{url.port}/metrics", timeout=ANSWER_S_MAX).text
        code, _, err = served.end()
    assert (code, 'status="500"' in metrics) == (0, False)
    told = [json.loads(line) for line in err.splitlines()]
    assert [line for line in told if "exception" in line or line["level"] not in {"info", "warning"}] == []


def test_imports_that_drip_in_hold_up_nobody_else(tmp_path: Path) -> None:
    """A user's import beyond the limit is told to retry, and another user's import is done at once."""
    with serving(tmp_path, **ADMIN, **VIRTUAL) as served, contextlib.ExitStack() as stack:
        create = (DIALER, "users", "create", "ben", "--password-stdin")
        subprocess.run(create, cwd=tmp_path, input=PASSWORD, text=True, check=True, capture_output=True)
        for auth in (("root", PASSWORD), ("ben", PASSWORD)):
            served.client.post("phonebook/", json={"name": "book"}, auth=auth)
        url = served.client.base_url
        credentials = base64.b64encode(f"root:{PASSWORD}".encode()).decode()
        lines = ["POST /rest-api/phonebook/1/import/ HTTP/1.1", "Host: x", f"Authorization: Basic {credentials}"]
        lines += ["Content-Type: text/csv", "Content-Length: 1000000", "", "contact\n"]
        clients = []
        for _ in range(IMPORTS_OF_A_USER_MAX + 1):
            clients.append(stack.enter_context(socket.create_connection((url.host, url.port or 0))))
            clients[-1].sendall("\r\n".join(lines).encode())
        (refused,), _, _ = select.select(clients, [], [], 60)
        head = refused.recv(10_000).decode()
        assert (head.split()[1], "retry-after: 30" in head) == ("429", True)
        done = served.client.post(
            "phonebook/2/import/",
            content=b"contact\n+12025550101\n",
            headers={"Content-Type": "text/csv"},
            auth=("ben", PASSWORD),
        )
        assert (done.status_code, done.json()["imported"]) == (200, 1)


def test_acknowledged_writes_survive_a_kill_and_the_clock_goes_on(tmp_path: Path) -> None:
    with serving_as_a_shell_does(tmp_path, **ADMIN, **VIRTUAL) as served:
        assert served.client.post("phonebook/", json={"name": "book"}).status_code == 201
        assert served.client.post("clock/advance/", json={"seconds": 60}).status_code == 200
        served.end(signal.SIGKILL)
    with serving(tmp_path, **VIRTUAL) as served:
        assert served.client.get("phonebook/1/").json()["name"] == "book"
        assert served.client.get("clock/").json()["now"] == "2026-01-31T09:01:00Z"


def test_without_users_it_says_how_to_create_one(tmp_path: Path) -> None:
    with serving_as_a_shell_does(tmp_path) as served:
        code, _, err = served.end(signal.SIGINT)
    assert code == 0
    said = [json.loads(line)["event"] for line in err.splitlines()]
    assert said[0] == "There are no users yet. To create the first: dialer users create NAME --admin"


def test_an_upload_that_hangs_does_not_hold_up_the_end(tmp_path: Path) -> None:
    with serving(tmp_path, **ADMIN) as served:
        served.client.post("phonebook/", json={"name": "book"})
        arrived, ended = threading.Event(), threading.Event()

        def drip() -> Iterator[bytes]:
            yield b"contact\n" + b"".join(b"+1202%07d\n" % number for number in range(20_000))
            arrived.set()
            ended.wait()

        def upload() -> None:
            with contextlib.suppress(httpx.HTTPError):
                served.client.post("phonebook/1/import/", content=drip(), headers={"Content-Type": "text/csv"})

        hanging = threading.Thread(target=upload)
        hanging.start()
        assert arrived.wait(60)
        code, _, _ = served.end()
        ended.set()
        hanging.join()
    assert code == 0
