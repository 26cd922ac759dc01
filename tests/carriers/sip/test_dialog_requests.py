"""Tests of requests within a call: hold, keys, refreshing, routes, and requests that make no sense."""

from collections.abc import Callable
from typing import Final

import pytest
from msgspec.structs import replace

from dialer.carriers.sip.messages import Received
from dialer.carriers.sip.outputs import DigitReported, LegAnswered, LegOver, Output, SoundAgreed
from dialer.carriers.sip.sdp import Direction, write_offer
from dialer.carriers.sip.session_timer import MIN_SE_S
from tests.carriers.sip.network import OURS, SERVER, THEIRS, TRUNK, Callee, Network, dialling

SDP: Final = ("Content-Type", "application/sdp")


class Scripted(Callee):
    """A telephone that answers, sends requests of a script, and keeps the responses."""

    def __init__(self, *script: tuple[str, tuple[tuple[str, str], ...], bytes]) -> None:
        super().__init__()
        self._script = script
        self.responses: list[Received] = []
        self.answer_headers: tuple[tuple[str, str], ...] = ()
        self.acknowledges = True

    def heard(self, output: Output) -> None:
        if isinstance(output, LegAnswered):
            self.network.take(self.network.agent.acknowledge(self.network.now_ms, output.key))

    def receive(self, message: Received) -> None:
        if message.method == "ACK" and not self.is_acknowledged:
            self.network.later(1)
        if message.status:
            self.responses.append(message)
            if message.status == 200 and message.method == "INVITE" and self.acknowledges:
                self.request("ACK", message.cseq, f"ack{message.cseq}")
            self.network.later(1)
        elif message.method == "INVITE" and self.is_acknowledged:
            self.respond(message, 200, (("Contact", "<sip:c@192.0.2.10>"), SDP), write_offer(THEIRS))
        else:
            super().receive(message)

    def wake(self) -> None:
        done = len(self.responses)
        if not self.is_acknowledged:
            super().wake()
        elif done < len(self._script) and not self.is_over:
            method, headers, body = self._script[done]
            self.request(method, 10 + done, str(done), headers, body)

    def answer(self) -> None:
        if self.invite is not None:
            contact = (("Contact", f"<sip:callee@{SERVER[0]}:{SERVER[1]}>"), SDP)
            self.respond(self.invite, 200, (*contact, *self.answer_headers), write_offer(THEIRS))


def run(
    callee: Scripted, until_ms: int = 20_000, expires_s: int = 0, network_of: Callable[..., Network] = Network
) -> Network:
    """Call a telephone, and let its script run."""
    network = network_of(callee, trunk=replace(TRUNK, session_expires_s=expires_s))
    network.take(network.agent.dial(0, dialling(talk_ms=10**7), OURS))
    network.run(until_ms)
    return network


def offered(direction: str, host: str = "192.0.2.10") -> bytes:
    """Return an offer of the telephone with a direction."""
    return write_offer(replace(THEIRS, host=host)).replace(b"sendrecv", direction.encode())


def statuses(callee: Scripted) -> list[int]:
    return [one.status for one in callee.responses]


def test_the_other_side_holds_the_call_and_takes_it_back() -> None:
    callee = Scripted(
        ("INVITE", (SDP,), offered("sendonly")),
        ("UPDATE", (SDP,), offered("inactive")),
        ("INVITE", (SDP,), offered("sendrecv", host="192.0.2.99")),
        ("INVITE", (), b""),
    )
    network = run(callee)
    assert statuses(callee) == [200, 200, 200, 200]
    agreed = [(one.sound.direction, one.sound.host) for one in network.told if isinstance(one, SoundAgreed)]
    assert agreed == [
        (Direction.SENDRECV, "192.0.2.10"),
        (Direction.RECVONLY, "192.0.2.10"),
        (Direction.INACTIVE, "192.0.2.10"),
        (Direction.SENDRECV, "192.0.2.99"),
    ]
    bodies = [one.message.body for one in callee.responses]
    assert [b"a=recvonly" in bodies[0], b"a=inactive" in bodies[1], b"a=sendrecv" in bodies[2]] == [True] * 3
    assert [b" 8 0 101" in bodies[3] or b" 0 8 101" in bodies[3], network.ends] == [True, []]


def test_keys_come_as_info_and_other_requests_are_answered() -> None:
    kinds = ("application/dtmf-relay", "application/dtmf", "text/plain")
    bodies = (b"Signal= 5\r\nDuration=160\r\n", b"#", b"Signal=7\r\n")
    infos = [("INFO", (("Content-Type", kind),), body) for kind, body in zip(kinds, bodies, strict=True)]
    callee = Scripted(*infos, ("OPTIONS", (), b""), ("REFER", (), b""), ("INVITE", (SDP,), b"v=0\r\n"))
    network = run(callee)
    assert [one.digit for one in network.told if isinstance(one, DigitReported)] == ["5", "#"]
    assert statuses(callee) == [200, 200, 415, 200, 405, 488]
    assert network.ends == []


KEYS: Final = "application/dtmf-relay, application/dtmf, application/vnd.nortelnetworks.digits"
OPTIONAL: Final = ("Content-Disposition", "render;handling=optional")
GZIP: Final = ("Content-Encoding", "gzip")


@pytest.mark.parametrize(
    ("headers", "body", "answer"),
    [
        ((), b"", (200, "")),
        ((), b"\r\n", (200, "")),
        ((("Content-Type", "text/plain"),), b"", (200, "")),
        ((("Content-Type", "Application/DTMF-Relay;charset=utf-8"),), b"Signal=1\r\n", (200, "")),
        ((("Content-Type", "application/dtmf-relay"),), b"Signal=flash", (200, "")),
        ((("Content-Type", "text/plain"),), b"Signal=1\r\n", (415, KEYS)),
        ((("Content-Type", "application/media_control+xml"),), b"<media_control/>", (415, KEYS)),
        ((("Content-Type", "text/plain"), OPTIONAL), b"Signal=1\r\n", (200, "")),
        ((("Content-Type", "application/dtmf-relay"), GZIP), b"\x1f\x8b", (415, "identity")),
        ((("Content-Type", "application/dtmf-relay"), GZIP, OPTIONAL), b"\x1f\x8b", (200, "")),
        ((), b"Signal=1\r\n", (415, KEYS)),
    ],
)
def test_an_info_request_whose_body_is_not_understood_is_refused(
    headers: tuple[tuple[str, str], ...], body: bytes, answer: tuple[int, str]
) -> None:
    """RFC 3261 8.2.3, which RFC 6086 3 leaves in force for requests without a package; the call goes on (RFC 5057)."""
    callee = Scripted(("INFO", headers, body))
    network = run(callee)
    (told,) = callee.responses
    assert (told.status, told.header("Accept") or told.header("Accept-Encoding")) == answer
    assert network.ends == []


@pytest.mark.parametrize(
    ("kind", "body", "key"),
    [
        *[
            ("application/dtmf-relay", f"Signal={code}\r\nDuration=160", key)
            for code, key in enumerate("0123456789*#ABCD")
        ],
        ("application/dtmf-relay", "Signal=#\r\n", "#"),
        ("application/dtmf-relay", "Signal= b\r\nDuration= 250\r\n", "B"),
        ("application/dtmf", "11", "#"),
        ("application/vnd.nortelnetworks.digits", "p=Digit-Collection\r\ny=Digits\r\nd=7\r\n", "7"),
        # 16 is the hook flash, which is no key.
        ("application/dtmf-relay", "Signal=16\r\n", ""),
        ("application/dtmf-relay", "Signal=1.5\r\n", ""),
        ("text/plain", "Signal=1\r\n", ""),
    ],
)
def test_a_key_in_an_info_request_is_a_sign_or_the_code_of_an_event(kind: str, body: str, key: str) -> None:
    """RFC 4733 3.2 has the codes, which Asterisk and FreeSWITCH take so, too."""
    callee = Scripted(("INFO", (("Content-Type", kind),), body.encode()))
    network = run(callee)
    assert [one.digit for one in network.told if isinstance(one, DigitReported)] == [key] * bool(key)
    assert statuses(callee) == [415 if kind == "text/plain" else 200]


def test_requests_that_belong_to_no_call_or_come_out_of_order_are_refused() -> None:
    callee = Scripted(("OPTIONS", (), b""))
    network = run(callee)
    callee.request("INFO", 3, "old")
    callee.request("CANCEL", 99, "odd")
    callee.tag = "stranger"
    callee.request("BYE", 100, "strange")
    network.run(21_000)
    assert statuses(callee) == [200, 500, 481, 481]
    assert network.ends == []


def test_a_bye_that_is_repeated_gets_the_same_answer_and_another_one_belongs_to_no_call() -> None:
    callee = Scripted()
    network = run(callee)
    for branch in ("one", "one", "two"):
        callee.request("BYE", 20 if branch == "one" else 21, branch)
    network.run()
    assert (statuses(callee), network.ends) == ([200, 200, 481], [("k1", 16)])


def test_an_answer_to_a_reinvite_is_repeated_until_its_ack_and_then_the_call_ends() -> None:
    callee = Scripted(("INVITE", (SDP,), offered("sendrecv")))
    callee.acknowledges = False
    network = run(callee, until_ms=100_000)
    assert network.ends == [("k1", 102)]
    assert statuses(callee).count(200) > 8
    assert network.lines[-1] == "BYE"


@pytest.mark.parametrize(
    ("refresher", "lines"), [("uac", ["INVITE", "ACK", "INVITE", "ACK"]), ("uas", ["INVITE", "ACK", "BYE"])]
)
def test_a_session_is_refreshed_by_us_or_ends_without_the_other_side(refresher: str, lines: list[str]) -> None:
    callee = Scripted()
    callee.answer_headers = (("Session-Expires", f"{MIN_SE_S};refresher={refresher}"),)
    network = run(callee, until_ms=80_000, expires_s=MIN_SE_S)
    assert network.lines == lines
    assert network.ends == ([] if refresher == "uac" else [("k1", 102)])


def test_a_side_that_has_agreed_to_refresh_knows_timers_though_its_refreshes_do_not_say_so() -> None:
    callee = Scripted(("UPDATE", (("Session-Expires", f"{MIN_SE_S};refresher=uac"),), b""))
    callee.answer_headers = (("Session-Expires", f"{MIN_SE_S};refresher=uas"),)
    run(callee, until_ms=50_000, expires_s=MIN_SE_S)
    (refreshed,) = callee.responses
    assert refreshed.header("Session-Expires") == f"{MIN_SE_S};refresher=uac"
    assert refreshed.header("Require") == "timer"


def test_an_interval_that_is_too_short_for_the_other_side_is_asked_for_again() -> None:
    class Patient(Scripted):
        def receive(self, message: Received) -> None:
            if message.method == "INVITE" and message.number_in("Session-Expires") == 100:
                self.respond(message, 422, (("Min-SE", "200"),))
            else:
                super().receive(message)

    network = run(Patient(), expires_s=100)
    assert network.lines == ["INVITE", "ACK", "INVITE", "ACK"]
    assert [one.header("Session-Expires") for one in network.sent if one.method == "INVITE"] == ["100", "200"]


@pytest.mark.parametrize("refreshes", [0, 1])
def test_an_interval_that_is_never_long_enough_is_not_asked_for_again_and_again(refreshes: int) -> None:
    class Greedy(Scripted):
        def receive(self, message: Received) -> None:
            asked_s = message.number_in("Session-Expires") or 0
            if message.method == "INVITE" and bool(message.to_tag) == bool(refreshes):
                self.respond(message, 422, (("Min-SE", str(asked_s + 1)),))
            else:
                super().receive(message)

    callee = Greedy()
    callee.answer_headers = (("Session-Expires", "100;refresher=uac"),)
    network = run(callee, until_ms=51_000, expires_s=100)
    assert network.lines.count("INVITE") == (6 if refreshes else 4)
    assert len(network.ends) == 1 - refreshes


def test_requests_go_along_the_recorded_route_to_the_contact() -> None:
    callee = Scripted()
    callee.answer_headers = (("Record-Route", "<sip:p2.example;lr>, <sip:192.0.2.77:5099;lr>"),)
    network = run(callee)
    network.take(network.agent.clear(20_000, "k1", 16, ""))
    ack, bye = network.sent[-2:]
    assert [one.message.headers.getlist("Route") for one in (ack, bye)] == [
        ["<sip:192.0.2.77:5099;lr>", "<sip:p2.example;lr>"]
    ] * 2
    assert str(getattr(bye.message, "uri", "")) == f"sip:callee@{SERVER[0]}:{SERVER[1]}"
    assert [(type(one), one.key) for one in network.told[-1:] if isinstance(one, LegOver)] == [(LegOver, "k1")]


def test_an_answer_to_a_refresh_is_acknowledged_at_the_contact_that_it_names() -> None:
    """RFC 3261 12.2.1.2: the target is another one from then on, for the ACK too (13.2.2.4)."""

    class Moving(Scripted):
        def receive(self, message: Received) -> None:
            if message.method == "INVITE" and message.to_tag:
                self.respond(message, 200, (("Contact", "<sip:c@192.0.2.44>"), SDP), write_offer(THEIRS))
            else:
                super().receive(message)

    callee = Moving()
    callee.answer_headers = (("Session-Expires", f"{MIN_SE_S};refresher=uac"),)
    network = run(callee, until_ms=50_000, expires_s=MIN_SE_S)
    uris = [str(getattr(one.message, "uri", "")) for one in network.sent if one.method == "ACK"]
    assert uris == [f"sip:callee@{SERVER[0]}:{SERVER[1]}", "sip:c@192.0.2.44"]
