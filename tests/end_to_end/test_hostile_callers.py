"""A service whose carrier sends nonsense: its users' calls go on, also after its processes were killed."""

import contextlib
import json
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.api.harness import Caller
from tests.carriers.sip.test_sipp import free_port
from tests.end_to_end.killed_calls import LOG, Life
from tests.end_to_end.killing import client_of
from tests.end_to_end.service import upload
from tests.end_to_end.test_sip_campaign import wait_for_line
from tests.new_database import new_database

DID: Final = "3545550199"
ASKED_MAX: Final = 2_000
SOUND: Final = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 40000 RTP/AVP 0\r\n"
CALLERS: Final = (
    *(
        "+493012345678",
        "+49",
        "+",
        "++",
        "",
        "0",
        "112",
        "anonymous",
        "%00",
        "%2B49",
        "a@b",
        "1e9",
        "-1",
        "NaN",
        "\x00",
    ),
    *("'; DROP TABLE--", "\u0661\u0662\u0663", "9" * 300, "x" * 10_000),
)
CALLED: Final = (DID, f"+{DID}", "", "++", "112", "x" * 3_000)
BODIES: Final = (
    *(b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 50_000, b'{"id":{},"status":[]}', b'{"id":"\\ud800"}'),
    *(b'{"from":"++","to":"","text":"STOP"}', b'{"from":"+493012345678","to":"1","text":"STOP"}', b'{"from":1e999}'),
    b'{"from":"' + b"9" * 60_000 + b'","text":"STOP"}',
)
SIMULATED: Final = {"answer": 1, "machine": 0, "busy": 0, "rejected": 0, "invalid": 0, "ring": 0, "talk": 1}


class HostileCarrier:
    """A carrier that sends calls with nonsense, and answers nothing."""

    def __init__(self, service_port: int) -> None:
        self._service: Final = ("127.0.0.1", service_port)
        self._socket: Final = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port: Final[int] = self._socket.getsockname()[1]
        self._calls = 0

    def attack(self) -> None:
        """Call every number from every caller."""
        for caller in CALLERS:
            for called in CALLED:
                self.invite(f"<sip:{caller}@127.0.0.1>;tag={self._calls}", called)
        for sender in (
            "",
            "<>",
            ";",
            "sip:",
            "tel:+4930;tag=3",
            '"\\" <sip:+4930@x>;tag=1',
            "<sip:+4930@[::1]:99999>;tag=a",
        ):
            self.invite(sender, DID)
        for _ in range(20):
            self.invite("<sip:+493012345678@127.0.0.1>;tag=same", DID, "the-same-call")

    def invite(self, sender: str, called: str, call_id: str = "") -> None:
        """Send one INVITE."""
        self._calls += 1
        lines = (
            f"INVITE sip:{called}@127.0.0.1 SIP/2.0",
            f"Via: SIP/2.0/UDP 127.0.0.1:{self.port};branch=z9hG4bK{self._calls}",
            f"From: {sender}",
            f"To: <sip:{called}@127.0.0.1>",
            f"Call-ID: {call_id or self._calls}",
            "CSeq: 1 INVITE",
            f"Contact: <sip:c@127.0.0.1:{self.port}>",
            "Content-Type: application/sdp",
            f"Content-Length: {len(SOUND)}",
        )
        self._socket.sendto("\r\n".join((*lines, "", SOUND)).encode(), self._service)

    def close(self) -> None:
        """Stop to exist."""
        self._socket.close()


def prepare(root: Caller, carrier: HostileCarrier, service_port: int) -> None:
    """Let the admin answer calls of the carrier, and another user dial over a simulated gateway."""
    parameters = {"server": f"127.0.0.1:{carrier.port}", "local_port": service_port, "options": False}
    trunk = root.create("gateway", name="trunk", protocol="sip", removeprefix="+", parameters=parameters)
    simulated = root.create("gateway", name="simulated", protocol="sim", parameters=SIMULATED)
    root.create("users", username="bob", password="correct horse battery")
    root.create("payment", user=2, amount="10")
    bob = Caller(root.client, "bob")
    for user, gateway, name in ((root, trunk, "answers"), (bob, simulated, "dials")):
        phonebook = user.create("phonebook", name=name)
        for place in range(60):
            user.create("contact", phonebook=phonebook["url"], contact=f"+3545551{place:03}")
        survey = user.create("survey-template", name=name)
        user.create(
            "section-template", survey=survey["url"], type=1, question="?", audiofile=upload(user, name, 1)["url"]
        )
        common = {"object_id": str(survey["id"]), "phonebook": [phonebook["url"]], "callerid": "+3545550198"}
        if user is root:
            common |= {"startingdate": "2037-01-01 00:00:00", "expirationdate": "2037-01-02 00:00:00"}
        made = user.create("campaigns", name=name, aleg_gateway=gateway["url"], frequency=60, **common)
        user.change(made["url"], status=1)
        if user is root:
            root.create("did", did_number=f"+{DID}", campaign=made["url"])
    for name, protocol in (("http", "http"), ("kannel", "kannel")):
        words = {"url": "http://127.0.0.1:9/x", "callback_url": "http://127.0.0.1:9", "secret": "s" * 16}
        body = {"to": "{number}", "text": "{text}"}
        own = {"body": body, "id": "id"} if protocol == "http" else {"username": "u", "password": "p"}
        root.create("sms-gateway", name=name, protocol=protocol, parameters={**words, **own})


def bobs_dials(root: Caller) -> int:
    """Return how many calls Bob has in his list."""
    count: int = Caller(root.client, "bob").get("callrequest/?page_size=1")["count"]
    return count


def dials_go_on(root: Caller) -> None:
    """Wait until Bob's campaign has dialled again. Meanwhile the service is ready."""
    before = bobs_dials(root)
    for _ in range(ASKED_MAX):
        assert root.client.get("/health/ready").status_code == 200
        if bobs_dials(root) > before:
            return
    raise AssertionError("nobody is dialled")


def send_callbacks(root: Caller) -> None:
    """Send nonsense as a carrier of text messages. No answer is an error of the service."""
    for gateway_id in (1, 2, 99):
        for kind in ("receipt", "received"):
            path = f"/callbacks/sms-gateway/{gateway_id}/{kind}?secret={'s' * 16}"
            answers = [root.client.post(path, content=body) for body in BODIES]
            answers += [root.client.get(f"{path}&from=%00&text=STOP&key=%00&id=%00&status=1")]
            assert max(one.status_code for one in answers) < 500


def kill_lines(folder: Path) -> int:
    """Kill the process of the lines of this service, whose folder is below that of the service."""
    killed = 0
    for one in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (one / "cmdline").read_bytes()
            if b"\0line\0" in command and f"{folder}/".encode() in command:
                os.kill(int(one.name), signal.SIGKILL)
                killed += 1
    return killed


def errors_of(log: str) -> set[str]:
    """Return the events of a log that are errors."""
    lines: list[dict[str, Any]] = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    return {line["event"] for line in lines if line["level"] in {"error", "critical"}}


@pytest.fixture
def carrier() -> Iterator[tuple[HostileCarrier, int]]:
    port = free_port()
    hostile = HostileCarrier(port)
    yield hostile, port
    hostile.close()


def test_nonsense_of_carriers_stops_nobody(tmp_path: Path, carrier: tuple[HostileCarrier, int]) -> None:
    hostile, port = carrier
    new_database(tmp_path)
    with Life(tmp_path) as life, client_of(life.base) as root:  # It is killed at its end.
        prepare(root, hostile, port)
        wait_for_line(port)
        hostile.attack()
        send_callbacks(root)
        dials_go_on(root)
        assert kill_lines(tmp_path) >= 1  # A process that another one begins has the same name for a moment.
        hostile.attack()
        dials_go_on(root)
        hostile.attack()
    with Life(tmp_path) as life, client_of(life.base) as root:
        wait_for_line(port)
        hostile.attack()
        dials_go_on(root)
        assert "dialer_reports_set_aside_total 0.0" in root.client.get("/metrics").text
        life.end()
    assert errors_of((tmp_path / LOG).read_text("utf-8")) == set()
