"""Tests of descriptions of sound in bodies of all kinds: found, refused, or the call is hung up."""

import base64
import contextlib
from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.carriers.sip.message_bodies import UnsupportedBodyError, description_in
from dialer.carriers.sip.messages import Received, read_message
from dialer.carriers.sip.outputs import LegAnswered, LegOver, SoundAgreed
from dialer.carriers.sip.sdp import write_offer
from tests.carriers.sip.calling import Calling, invitation
from tests.carriers.sip.network import OURS, SERVER, THEIRS, Network, dialling
from tests.carriers.sip.test_inbound_leg import called
from tests.carriers.sip.test_leg import Owned
from tests.carriers.sip.test_request_table import CAME_IN, PLACED, Call, came_in, placed

SDP: Final = write_offer(THEIRS)
ISUP: Final = (
    b"Content-Type: application/ISUP;version=itu-t92+\r\nContent-Disposition: signal;handling=optional\r\n\r\n"
    b"m=audio 9 RTP/AVP 0\r\nc=IN IP4 203.0.113.9\r\n\x00\xff\x01"
)
DESCRIBED: Final = b"Content-Type: application/sdp\r\n\r\n" + SDP
WORSE: Final = b"Content-Type: application/sdp\r\n\r\nv=0\r\n"
REQUIRED: Final = b"Content-Type: application/x-key\r\nContent-Disposition: render; handling=required\r\n\r\nabc"
MIXED: Final = 'multipart/mixed;boundary="a b"'


def parts(*each: bytes, boundary: bytes = b"a b") -> bytes:
    """Return a body of several parts."""
    return b"".join(b"--" + boundary + b"\r\n" + part + b"\r\n" for part in each) + b"--" + boundary + b"--\r\n"


FOUND: Final = [
    ({"c": "Application/SDP ; charset=utf-8"}, SDP),
    ({}, SDP),
    ({"Content-Type": "application/sdp", "Content-Encoding": "identity"}, SDP),
    ({"Content-Type": MIXED}, parts(DESCRIBED, ISUP)),
    ({"Content-Type": MIXED}, parts(ISUP, DESCRIBED)),
    ({"c": "multipart/mixed; x=1; Boundary=a"}, parts(ISUP, DESCRIBED, boundary=b"a")),
    ({"Content-Type": MIXED}, b"a preamble\r\n" + parts(b"\r\nplain text", DESCRIBED) + b"an epilogue"),
    ({"Content-Type": MIXED}, parts(ISUP, b"content-type:\r\n application/sdp\r\nContent-ID: <1>\r\n\r\n" + SDP)),
    ({"Content-Type": 'multipart/alternative;boundary="a b"'}, parts(WORSE, DESCRIBED)),
    (
        {"Content-Type": MIXED},
        parts(b"Content-Type: multipart/alternative;boundary=c\r\n\r\n" + parts(WORSE, DESCRIBED, boundary=b"c"), ISUP),
    ),
    (
        {"Content-Type": MIXED},
        parts(b"Content-Type: application/sdp\r\nContent-Transfer-Encoding: base64\r\n\r\n" + base64.encodebytes(SDP)),
    ),
]
NONE: Final = [
    ({"Content-Type": "application/xml"}, b"<x/>", ("Accept", "application/sdp, multipart/mixed")),
    ({"c": "text/plain"}, SDP, ("Accept", "application/sdp, multipart/mixed")),
    ({"c": "application/sdp", "e": "gzip"}, SDP, ("Accept-Encoding", "identity")),
    (
        {"Content-Type": "application/sdp", "Content-Disposition": "early-session"},
        SDP,
        ("Accept", "application/sdp, multipart/mixed"),
    ),
    ({"Content-Type": MIXED}, parts(ISUP), ("Accept", "application/sdp, multipart/mixed")),
    ({"Content-Type": MIXED}, parts(DESCRIBED, REQUIRED), ("Accept", "application/sdp, multipart/mixed")),
    ({"Content-Type": MIXED}, SDP, ("Accept", "application/sdp, multipart/mixed")),
    ({"Content-Type": "multipart/mixed"}, parts(DESCRIBED), ("Accept", "application/sdp, multipart/mixed")),
]
IGNORED: Final = [
    ({"Content-Type": "application/xml", "Content-Disposition": "render;handling=optional"}, b"<x/>"),
    ({"Content-Type": "application/sdp", "e": "gzip", "Content-Disposition": "session;handling=optional"}, b"\x1f\x8b"),
]
Headers = dict[str, str]


def lines(headers: Headers) -> tuple[str, ...]:
    return tuple(f"{name}: {value}" for name, value in headers.items())


def message(headers: Headers, body: bytes) -> Received:
    return read_message(invitation(headers=lines(headers), body=body))


@pytest.mark.parametrize(("headers", "body"), FOUND)
def test_the_description_is_found_in_each_kind_of_body(headers: Headers, body: bytes) -> None:
    assert description_in(message(headers, body)).rstrip() == SDP.rstrip()


@pytest.mark.parametrize(("headers", "body"), IGNORED)
def test_a_body_that_need_not_be_understood_is_ignored(headers: Headers, body: bytes) -> None:
    assert description_in(message(headers, body)) == b""


@pytest.mark.parametrize(("headers", "body", "says"), NONE)
def test_a_call_with_a_body_that_is_none_is_refused_before_it_rings(
    headers: Headers, body: bytes, says: tuple[str, str]
) -> None:
    phone = Calling(data=invitation(headers=lines(headers), body=body))
    network = called(phone)
    (refused,) = network.sent
    assert (refused.status, refused.header(says[0]), phone.arrivals) == (415, says[1], [])


@pytest.mark.parametrize(("headers", "body"), FOUND)
def test_a_call_with_such_a_description_has_its_sound(headers: Headers, body: bytes) -> None:
    phone = Calling(data=invitation(headers=lines(headers), body=body))
    (agreed,) = (one.sound for one in called(phone).told if isinstance(one, SoundAgreed))
    assert (agreed.host, agreed.port) == (THEIRS.host, THEIRS.port)


class Describing(Owned):
    """A telephone whose answer has any body."""

    def __init__(self, headers: Headers, body: bytes) -> None:
        super().__init__(talks_ms=2_000)
        self._described = (("Contact", f"<sip:callee@{SERVER[0]}>"), *headers.items()), body

    def answer(self) -> None:
        if self.invite is not None:
            self.respond(self.invite, 200, *self._described)


def answered_by(headers: Headers, body: bytes) -> Network:
    network = Network(Describing(headers, body))
    network.take(network.agent.dial(0, dialling(), OURS))
    network.run()
    return network


@pytest.mark.parametrize(("headers", "body"), FOUND)
def test_an_answer_with_such_a_description_has_its_sound(headers: Headers, body: bytes) -> None:
    network = answered_by(headers, body)
    assert [one.sound.port for one in network.told if isinstance(one, SoundAgreed)] == [THEIRS.port]
    assert network.ends == [("k1", 31)]


@pytest.mark.parametrize(("headers", "body"), [one[:2] for one in NONE] + IGNORED + [({}, b"")])
def test_an_answer_without_a_description_is_acknowledged_and_hung_up(headers: Headers, body: bytes) -> None:
    network = answered_by(headers, body)
    assert (network.ends, network.lines) == ([("k1", 88)], ["INVITE", "ACK", "BYE"])
    assert [one for one in network.told if isinstance(one, LegAnswered | SoundAgreed)] == []


@pytest.mark.parametrize(
    "make",
    [lambda: placed(PLACED[1]), lambda: placed(PLACED[3]), lambda: came_in(CAME_IN[0]), lambda: came_in(CAME_IN[2])],
)
@pytest.mark.parametrize("method", ["INVITE", "UPDATE"])
def test_a_request_within_a_call_with_such_a_body_is_refused(make: Callable[[], Call], method: str) -> None:
    call = make()
    refused = call.ask(method, "Content-Type: application/xml", body=b"<x/>")
    assert [(one.status, one.header("Accept")) for one in refused] == [(415, "application/sdp, multipart/mixed")]
    assert call.causes == []


@given(
    st.sampled_from(
        ["multipart/mixed;boundary=a", "multipart/alternative;boundary=a", "application/sdp", "text/x", ""]
    ),
    st.lists(
        st.sampled_from([b"--a", b"--a--", b"\r\n", b"Content-Type: multipart/mixed;boundary=a", SDP, b"\x00", b":"])
    ),
)
def test_no_body_does_any_harm(kind: str, pieces: list[bytes]) -> None:
    headers = {"Content-Type": kind} if kind else {}
    received = message(headers, b"".join(pieces))
    with contextlib.suppress(UnsupportedBodyError):
        assert len(description_in(received)) <= len(received.message.body)


def test_a_name_as_the_address_of_sound_is_refused_and_the_reason_says_so() -> None:
    """No name server is asked where sound goes (RFC 8866 5.7 allows names)."""
    named = SDP.replace(b"c=IN IP4 192.0.2.10", b"c=IN IP4 phone.example")
    network = answered_by({"Content-Type": "application/sdp"}, named)
    (over,) = (one for one in network.told if isinstance(one, LegOver))
    assert (over.cause, network.lines) == (88, ["INVITE", "ACK", "BYE"])
    assert "The address of the sound, phone.example, is a name. Only IP addresses are taken." in over.because
    phone = Calling(data=invitation(body=named))
    assert (called(phone).lines, phone.status) == (["180", "488"], 488)
