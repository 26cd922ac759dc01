"""Tests of `dialer listen` and `dialer trigger`: events come once each, signed, and after a lost connection too."""

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
import pytest
from rich_click import ClickException
from standardwebhooks.webhooks import Webhook

from dialer.commands.listen import Following, show
from dialer.webhooks.examples import EXAMPLES
from dialer.webhooks.server_sent import SentEvent
from dialer.webhooks.signing import new_secret
from tests.commands.conftest import Run
from tests.test_server import ADMIN, DIALER, VIRTUAL, serving

Answer = httpx.Response | Exception


class Service:
    """A service that answers one request after the other, and remembers where each stream was to begin."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.begun: list[str] = []
        self.slept: list[float] = []

    def respond(self, request: httpx.Request) -> httpx.Response:
        self.begun.append(request.headers.get("Last-Event-ID", ""))
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if not self._answers:
            raise KeyboardInterrupt

    def follow(self) -> list[str]:
        """Return the ids of the events that come until somebody interrupts."""
        found: list[str] = []
        client = httpx.Client(base_url="http://x", transport=httpx.MockTransport(self.respond))
        with client, pytest.raises(KeyboardInterrupt):
            found.extend(event.id for event in self._watched(Following(client, {}, sleep=self.sleep), found))
        return found

    @staticmethod
    def _watched(following: Following, found: list[str]) -> Iterator[SentEvent]:
        for event in following.events():
            found.append(event.id)
            yield from ()


def stream(*ids: str, end: str = "") -> httpx.Response:
    text = "".join(f"id: {one}\nevent: call.ended\ndata: {{}}\n\n" for one in ids)
    return httpx.Response(200, text="retry: 2000\n\n" + text + end)


def test_a_lost_stream_goes_on_after_the_last_event(capsys: pytest.CaptureFixture[str]) -> None:
    service = Service(
        stream("evt_1", "evt_2", end="id: evt_9\ndata: cut"),
        httpx.ConnectError("refused"),
        httpx.Response(503),
        stream("evt_3"),
    )
    assert service.follow() == ["evt_1", "evt_2", "evt_3"]
    assert service.begun == ["", "evt_2", "evt_2", "evt_2"]
    assert service.slept == [1.0, 2.0, 4.0, 1.0]
    assert capsys.readouterr().err.splitlines() == [
        "No connection to http://x (ConnectError). Again in 2 s.",
        "The service is not ready (503). Again in 4 s.",
    ]


@pytest.mark.parametrize("status", [400, 401, 403, 409])
def test_a_refusal_ends_it(status: int) -> None:
    service = Service(httpx.Response(status, json={"detail": "The account keeps no events."}))
    client = httpx.Client(base_url="http://x", transport=httpx.MockTransport(service.respond))
    with client, pytest.raises(ClickException, match=rf"refuses \({status}\): .*keeps no events"):
        list(Following(client, {}, sleep=service.sleep).events())


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"types": ["'call.lost' is not a type."], "limit": ["'x' is no number."]}, "types: .*type.; limit: 'x' is no"),
        ({"detail": "The account keeps no events."}, "400.: The account keeps no events."),
        ([1], r"400.: \[1\]"),
    ],
)
def test_the_reason_of_a_refusal_is_told_in_words(answer: object, words: str) -> None:
    client = httpx.Client(
        base_url="http://x", transport=httpx.MockTransport(lambda _: httpx.Response(400, json=answer))
    )
    with client, pytest.raises(ClickException, match=words):
        list(Following(client, {}).events())


def test_what_is_no_event_is_said_and_passed_over(capsys: pytest.CaptureFixture[str]) -> None:
    show(SentEvent("evt_1", "x", "not JSON"), None)
    show(SentEvent("evt_2", "call.ended", '{"time": "now", "subject": "callrequest/7\\u001b[2J"}'), None)
    printed = capsys.readouterr()
    assert printed.out == "now evt_2 call.ended callrequest/7?[2J\n"
    assert "something else than an event" in printed.err


@contextmanager
def receiving(status: int = 204) -> Iterator[tuple[str, list[tuple[dict[str, str], str]], threading.Event]]:
    """Run a program that receives events; give its address, what came, and what happens when something comes."""
    came: list[tuple[dict[str, str], str]] = []
    happened = threading.Event()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            came.append((dict(self.headers.items()), body))
            self.send_response(status)
            self.end_headers()
            happened.set()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/events", came, happened
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_an_example_is_posted_with_a_signature(run: Run) -> None:
    secret = new_secret()
    with receiving() as (url, came, _):
        done = run("trigger", "call.ended", "--forward-to", url, "--secret", secret)
    assert (done.code, done.out.startswith("call.ended evt_test_"), done.out.endswith(" -> 204\n")) == (0, True, True)
    ((headers, body),) = came
    assert Webhook(secret).verify(body, headers)["data"]["seconds"] == 42


def test_an_example_takes_the_data_that_somebody_gives(run: Run) -> None:
    with receiving() as (url, came, _):
        done = run("trigger", "call.ended", "--data", '{"call": 12, "cause": 17, "seconds": 0}', "--forward-to", url)
    ((_, body),) = came
    event = json.loads(body)
    assert (done.code, event["subject"]) == (0, "callrequest/12")
    links = event["data"].pop("links")
    assert (links["self"], links["call"]) == (f"{event['source']}callrequest/12/",) * 2
    example = {"campaign": 1, "subscriber": 3, "attempt": 1, "is_inbound": False, "state": "answered"}
    assert event["data"] == {**example, "cost": 1_400, "currency": "EUR", "call": 12, "cause": 17, "seconds": 0}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            '{"causee": 1}',
            "Object contains unknown field `causee`. Give JSON with members of call.ended: campaign",
        ),
        ('{"cause": "busy"}', "Expected `int`, got `str` - at `$.cause`. Give JSON"),
        ("[]", "Expected `object`, got `array`. Give JSON"),
        ("{", "Input data was truncated. Give JSON"),
        ('{"links": {}}', "links follow from the ids, so leave them out"),
    ],
)
def test_data_that_no_event_has_is_refused(run: Run, data: str, message: str) -> None:
    refused = run("trigger", "call.ended", "--forward-to", "http://127.0.0.1:1/", "--data", data)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith(f"dialer: --data: {message}")


@pytest.mark.parametrize("command", ["listen", "trigger"])
def test_the_help_lists_the_types_of_events(run: Run, command: str) -> None:
    printed = run(command, "--help").out
    assert [kind for kind in EXAMPLES if f" {kind} " not in printed] == []


def test_an_example_that_nobody_takes_fails(run: Run) -> None:
    with receiving(500) as (url, _, _):
        refused = run("trigger", "call.ended", "--forward-to", url)
    assert (refused.code, "the program did not take the event" in refused.err) == (1, True)
    assert "Signing secret: whsec_" in refused.err
    with receiving(400) as (url, _, _):
        assert "takes the event only with its own secret" in run("trigger", "call.ended", "--forward-to", url).err
    assert f"not delivered: no program answers at {url}" in run("trigger", "call.ended", "--forward-to", url).out
    assert "is not a type of events: agent.status" in run("trigger", "x", "--forward-to", url).err
    assert "'call.end' is not a type of events: did you mean call.ended?" in (
        run("trigger", "call.end", "--forward-to", url).err
    )
    assert "--secret: A secret is whsec_" in run("trigger", "call.ended", "--forward-to", url, "--secret", "x").err
    assert "begins with http" in run("trigger", "call.ended", "--forward-to", "ftp://x").err


def test_events_of_a_service_reach_a_program_on_this_machine(tmp_path: Path) -> None:
    secret = new_secret()
    with serving(tmp_path, **ADMIN, **VIRTUAL) as served, receiving() as (url, came, happened):
        client = served.client
        client.patch("events/", json={"enabled": True}).raise_for_status()
        key = client.post("api-key/", json={"name": "listener"}).json()["key"]
        client.post("dnc-list/", json={"name": "No"}).raise_for_status()
        client.post("dnc-contact/", json={"dnc": 1, "phone_number": "+12025550100"}).raise_for_status()
        address = served.base.removesuffix("/rest-api/")
        command = [str(DIALER), "listen", "--url", address, "--after", "evt_0", "--forward-to", url, "--secret", secret]
        environ = {**os.environ, "DIALER_API_KEY": key}
        listener = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            assert happened.wait(60)
            assert listener.stdout is not None
            line = listener.stdout.readline()
        finally:
            listener.kill()
            listener.communicate()
    assert line.endswith("evt_1 dnc.added dnc-contact/1 -> 204\n")
    ((headers, body),) = came
    event = Webhook(secret).verify(body, headers)
    assert (event["id"], event["type"], json.loads(body)) == (headers["webhook-id"], "dnc.added", event)
