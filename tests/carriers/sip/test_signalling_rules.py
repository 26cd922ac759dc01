"""Tests of rules of signalling that carriers rely on, each named by its place in the RFCs."""

from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dialer.carriers.calls_per_second import SECOND_MS, WirePace
from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.messages import (
    LINE_LENGTH_MAX,
    MalformedMessageError,
    Received,
    read_message,
    split_list,
)
from dialer.carriers.sip.outputs import Outputs, Send, SoundAgreed, TrunkState
from dialer.carriers.sip.sdp import Codec, SdpError, read_sound, write_answer, write_offer
from dialer.carriers.sip.user_agent import UserAgent
from tests.carriers.sip.calling import Calling, invitation
from tests.carriers.sip.network import OURS, SERVER, THEIRS, TRUNK, Callee, Network, dialling
from tests.carriers.sip.test_dialog_requests import SDP, Scripted, offered, run, statuses
from tests.carriers.sip.test_leg import Owned, call, told

IDENTITY: Final = f"Identity: {'x' * 9_000};info=<https://carrier.example/c.pem>;alg=ES256;ppt=shaken"
VIDEO: Final = b"m=video 51372 RTP/AVP 31 32\r\na=rtpmap:31 H261/90000\r\na=sendonly\r\n"


def with_header(data: bytes, line: str) -> bytes:
    """Return a message with one more header line, the first."""
    return data.replace(b"\r\n", f"\r\n{line}\r\n".encode(), 1)


def media_of(body: bytes) -> list[str]:
    """Return the media lines of a description."""
    return [line for line in body.decode().split("\r\n") if line.startswith("m=")]


def versions_of(bodies: list[bytes]) -> list[str]:
    """Return the versions in the origin lines of descriptions."""
    return [body.decode().split("o=- ")[1].split(" ")[1] for body in bodies]


# --- RFC 3261 7.3, 25.1: messages ----------------------------------------------------------------------------------


def test_a_long_identity_is_no_reason_to_drop_a_message() -> None:
    """RFC 8224: a signed Identity has thousands of characters. The callee must not be left in silence."""

    class Signed(Owned):
        def answer(self) -> None:
            contact = (
                ("Contact", f"<sip:callee@{SERVER[0]}>"),
                ("Content-Type", "application/sdp"),
                ("Identity", IDENTITY),
            )
            assert self.invite is not None
            self.respond(self.invite, 200, contact, write_offer(THEIRS))

    network = call(Signed(talks_ms=1_000))
    assert (network.ends, network.lines) == ([("k1", 31)], ["INVITE", "ACK", "200"])
    phone = Calling(data=invitation(headers=(IDENTITY.replace("x" * 9_000, "x" * 5_000),)))
    phone.network = Network(phone)
    phone.call()
    phone.network.run()
    assert phone.status == 200


@pytest.mark.parametrize("name", ["To", "Record-Route", "Contact", "Via"])
def test_a_needed_line_may_be_long_too(name: str) -> None:
    """RFC 3261 7.3.1: a list may be several lines, and the tag is what counts of To (12.2)."""
    value = {
        "To": f'"{"Zoe " * 900}" <sip:a@b>;x={"y" * 3_000};tag=t',
        "Record-Route": ", ".join(["<sip:192.0.2.77;lr>"] * 200),
        "Contact": ", ".join(["<sip:z@192.0.2.99>"] * 200),
        "Via": ", ".join(["SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1"] * 100),
    }[name]
    lines = {"Via": "SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1", "From": "<sip:c@d>;tag=f", "To": "<sip:a@b>;tag=t"}
    whole = {**lines, "Call-ID": "x", "CSeq": "1 INVITE", "Record-Route": "<sip:192.0.2.77;lr>"} | {name: value}
    head = "".join(f"{one}: {text}\r\n" for one, text in whole.items())
    found = read_message(f"SIP/2.0 200 OK\r\n{head}\r\n".encode())
    assert (found.to_tag, found.branch, found.record_route[0].uri.host) == ("t", "z9hG4bK1", "192.0.2.77")
    assert found.contact is None or found.contact.host == "192.0.2.99"
    assert all(len(one) <= LINE_LENGTH_MAX for one in found.message.headers.getlist(name))


@pytest.mark.parametrize(
    "name", ["Zoë Müller", "Zoe @ work, Inc.", "(Zoe)", '"a \\" <sip:x@y>" ', "日本", "", "Z\xa0\x85"]
)
def test_a_display_name_may_be_any_text(name: str) -> None:
    """RFC 3261 25.1 wants quotes around most names, and many do not write them."""
    data = invitation().replace(b'"Zoe" <', f"{name} <".encode())
    phone = Calling(data=data)
    phone.network = Network(phone)
    phone.call()
    phone.network.run()
    assert [(one.caller, phone.status) for one in phone.arrivals] == [("+12025550999", 200)]
    latin = data.replace("ë".encode(), b"\xeb")
    assert read_message(latin).from_tag == "zoe"


@pytest.mark.parametrize("torn", [b"\r", b"\n", b"\n\r", b"\r\rContact: <sip:evil@203.0.113.1>\r"])
def test_a_bare_cr_or_lf_is_no_part_of_a_message(torn: bytes) -> None:
    """RFC 3261 25.1: what we echo of From and To must not become a line of its own."""
    data = invitation().replace(b'"Zoe"', b'"Zo' + torn + b'e"')
    with pytest.raises(MalformedMessageError):
        read_message(data)
    assert not [one for one in UserAgent(TRUNK, "secret").receive(0, data, Flow(SERVER)) if isinstance(one, Send)]


@given(st.text(max_size=40))
def test_a_list_is_split_and_nothing_is_lost(text: str) -> None:
    quoted = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    assert split_list(f"{quoted} <sip:a,b@c>, <sip:d@e>") == [f"{quoted} <sip:a,b@c>", "<sip:d@e>"]


# --- RFC 3264: descriptions ----------------------------------------------------------------------------------------


def test_each_medium_of_an_offer_is_answered() -> None:
    """RFC 3264 6: in their order, those that are refused with port 0. A direction of one says nothing of another."""
    offer = write_offer(THEIRS)
    head, _, audio = offer.partition(b"m=audio")
    both = head + VIDEO + b"m=audio" + audio + b"m=application 9 UDP/BFCP *\r\n"
    agreed = read_sound(both, OURS.codecs)
    assert media_of(write_answer(OURS, agreed, 1)) == [
        "m=video 0 RTP/AVP 31",
        "m=audio 20000 RTP/AVP 8 101",
        "m=application 0 UDP/BFCP *",
    ]
    assert agreed.direction.value == "sendrecv"
    callee = Scripted(("INVITE", (SDP,), both), ("INVITE", (), b""))
    run(callee)
    assert [len(media_of(one.message.body)) for one in callee.responses] == [3, 3]


def test_the_first_sound_that_can_be_spoken_is_taken() -> None:
    """RFC 3264 6: encrypted sound comes first in many offers, and is refused."""
    head, _, audio = write_offer(THEIRS).partition(b"m=audio")
    agreed = read_sound(head + b"m=audio 4000 RTP/SAVP 8\r\nm=audio" + audio, OURS.codecs)
    assert (agreed.port, agreed.before, agreed.after) == (THEIRS.port, ("audio 0 RTP/SAVP 8",), ())
    with pytest.raises(SdpError, match="too many media"):
        read_sound(head + VIDEO * 20 + b"m=audio" + audio, OURS.codecs)
    with pytest.raises(SdpError, match="cannot be read"):
        read_sound(head + b"m=a\tb\r\nm=audio" + audio, (Codec.PCMA,))


def test_a_description_that_differs_has_the_next_version() -> None:
    """RFC 3264 8. A refresh with one codec differs from the offer of two; the next one does not."""
    callee = Scripted()
    callee.answer_headers = (("Session-Expires", "90;refresher=uac"),)
    network = run(callee, until_ms=140_000, expires_s=90)
    offers = [one.message.body for one in network.sent if one.method == "INVITE"]
    assert versions_of(offers) == ["1", "2", "2", "2"]
    held = Scripted(*(("INVITE", (SDP,), offered(direction)) for direction in ("sendonly", "sendonly", "sendrecv")))
    run(held)
    assert versions_of([one.message.body for one in held.responses]) == ["2", "2", "3"]


def test_an_early_answer_counts_if_the_last_one_has_none() -> None:
    """RFC 3261 13.2.1: the first description of a telephone is its answer."""

    class Early(Owned):
        def _invited(self, message: Received) -> None:
            if self.invite is None:
                self.invite = message
                contact = (("Contact", f"<sip:c@{SERVER[0]}>"), ("Content-Type", "application/sdp"))
                self.respond(message, 183, contact, write_offer(THEIRS))
                self.network.later(100)

        def answer(self) -> None:
            assert self.invite is not None
            self.respond(self.invite, 200, (("Contact", f"<sip:c@{SERVER[0]}>"),))

    network = call(Early(talks_ms=1_000))
    assert told(network) == ["LegRinging", "SoundAgreed", "LegAnswered", "SoundAgreed", "LegOver"]
    assert network.ends == [("k1", 31)]
    sounds = [one.sound for one in network.told if isinstance(one, SoundAgreed)]
    assert sounds[0] == sounds[1]


# --- RFC 3261 9, RFC 6086 ------------------------------------------------------------------------------------------


def test_a_call_is_cancelled_once() -> None:
    """RFC 3261 9.1, however often it rings afterwards."""

    class Ringing(Callee):
        def receive(self, message: Received) -> None:
            if message.method == "CANCEL":
                assert self.invite is not None
                for _ in range(3):
                    self.respond(self.invite, 180)
            super().receive(message)

    network = call(Ringing(answers_ms=None), ring_ms=1_000)
    assert (network.ends, network.lines) == ([("k1", 19)], ["INVITE", "CANCEL", "ACK"])


def test_an_info_of_a_package_is_refused() -> None:
    """RFC 6086 4.2.2: we have offered none. An INFO without a package is one of before."""
    package = (("Info-Package", "infoDtmf"), ("Content-Type", "application/dtmf"))
    callee = Scripted(("INFO", package, b"5"), ("INFO", package[1:], b"5"))
    run(callee)
    assert statuses(callee) == [469, 200]
    assert [len(one.message.headers.getlist("Recv-Info")) for one in callee.responses] == [1, 0]


# --- OPTIONS (RFC 3261 11) -----------------------------------------------------------------------------------------


class Silent(Callee):
    """A carrier that never answers OPTIONS, or no more, and answers calls."""

    answers_options = False

    def receive(self, message: Received) -> None:
        if message.method == "OPTIONS":
            if self.answers_options:
                self.respond(message, 200)
        elif message.method == "INVITE":
            self.respond(message, 486)
        else:
            super().receive(message)


def states(network: Network) -> list[str]:
    """Return why the trunk does not work, each time that it was told."""
    return [one.why_not for one in network.told if isinstance(one, TrunkState)]


def test_a_carrier_that_never_answers_options_is_not_down() -> None:
    network = Network(Silent())
    network.take(network.agent.open(0))
    network.run(600_000)
    assert (states(network), network.lines.count("OPTIONS") > 20) == ([], True)


def test_any_response_to_a_call_is_proof_of_life() -> None:
    carrier = Silent()
    carrier.answers_options = True
    network = Network(carrier)
    network.take(network.agent.open(0))
    network.run(10_000)
    carrier.answers_options = False
    for place in range(8):
        network.take(network.agent.dial(network.now_ms, dialling(f"k{place}"), OURS))
        network.run(network.now_ms + 60_000)
    assert states(network) == [""]
    network.run(network.now_ms + 150_000)
    assert states(network)[1:2] == ["3 OPTIONS in a row: no answer"]
    network.take(network.agent.dial(network.now_ms, dialling("last"), OURS))
    network.run(network.now_ms + 1_000)
    assert states(network)[-1] == ""


def test_a_parameter_turns_options_off() -> None:
    network = Network(Silent(), trunk=replace(TRUNK, asks_options=False))
    network.take(network.agent.open(0))
    network.run(100_000)
    assert network.sent == []


# --- max_cps -------------------------------------------------------------------------------------------------------


def left(moments: list[int], cps_max: int) -> Iterator[int]:
    """Give the moments at which calls leave that are ordered at some moments, as far as they have a turn."""
    wire, gone = Outputs(), []
    pace = WirePace(wire)

    def leave() -> bool:
        gone.append(wire.now_ms)
        return True

    for moment in [*moments, *range(max(moments), max(moments) + 3_000, 7)]:
        wire.run(moment)
        if moment in moments and pace.has_turn(cps_max):
            moments.remove(moment)
            pace.add(cps_max, leave)
    yield from gone


@given(st.lists(st.integers(0, 4_000), min_size=1, max_size=60), st.integers(1, 9))
def test_no_second_has_more_calls_than_the_carrier_takes(moments: list[int], cps_max: int) -> None:
    """However late and however many at once a step orders them."""
    found = list(left(sorted(moments), cps_max))
    assert found
    assert all(later - earlier >= SECOND_MS for earlier, later in zip(found, found[cps_max:], strict=False))


def test_a_burst_leaves_over_two_seconds_and_no_more_has_a_turn() -> None:
    network = Network(Callee(answers_ms=None))
    turns = []
    for place in range(8):
        turns.append(network.agent.has_turn(3))
        if turns[-1]:
            network.take(network.agent.dial(0, replace(dialling(f"k{place}"), cps_max=3), OURS))
    assert turns == [True] * 6 + [False] * 2
    network.run(999)
    assert network.lines == ["INVITE"] * 3
    network.run(1_000)
    assert network.lines.count("INVITE") == 6


def test_a_call_that_ends_before_its_turn_never_leaves() -> None:
    network = Network(Callee(answers_ms=None))
    for place in range(3):
        network.take(network.agent.dial(0, replace(dialling(f"k{place}"), cps_max=1), OURS))
    network.take(network.agent.clear(0, "k1", 16, "hung up"))
    assert network.ends == [("k1", 16)]
    network.run(5_000)
    assert list(dict.fromkeys(one.call_id for one in network.sent)) == ["k0", "k2"]
