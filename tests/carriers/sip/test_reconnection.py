"""Tests of what is sent over a new connection to the carrier, after the one before is lost."""

from typing import Final

import pytest
from msgspec.structs import replace

from dialer.carriers.sip.flows import Flow, Transport
from dialer.carriers.sip.messages import Received, read_message, write_response
from dialer.carriers.sip.outputs import LegOver, Output, Send
from dialer.carriers.sip.sdp import SDP_TYPE, write_offer
from dialer.carriers.sip.trunk import Trunk
from dialer.carriers.sip.user_agent import UserAgent
from tests.carriers.sip.network import OURS, THEIRS, dialling


def trunk(port: int) -> Trunk:
    """Return a carrier over TLS that finds us at a port."""
    server = Flow(("192.0.2.9", 5_061), Transport.TLS)
    return Trunk(server=server, domain="carrier.example", here=("192.0.2.1", port), asks_options=False)


def invites(outputs: list[Output]) -> list[str]:
    """Return the branches of the INVITEs among outputs."""
    sent = [read_message(output.data) for output in outputs if isinstance(output, Send)]
    return [message.branch for message in sent if message.method == "INVITE"]


def test_an_invite_goes_again_to_its_own_server_and_never_after_another_one() -> None:
    agent = UserAgent(trunk(1), "secret")
    agent.open(0)
    [branch] = invites(agent.dial(0, dialling(), OURS))
    assert invites(agent.reopen(2_000, trunk(2), is_same_server=True)) == [branch]
    assert invites(agent.reopen(4_000, trunk(3), is_same_server=False)) == []
    # The other server is the one of before now, and does not know the INVITE all the same.
    assert invites(agent.reopen(6_000, trunk(4), is_same_server=True)) == []


def test_a_call_that_is_withdrawn_is_not_placed_over_the_next_connection() -> None:
    agent = UserAgent(trunk(1), "secret")
    agent.open(0)
    assert invites(agent.withdraw(0, dialling(), OURS)) == []
    assert invites(agent.reopen(5_000, trunk(2), is_same_server=True)) == []


def test_a_call_that_rang_meanwhile_tells_where_we_are_now_once_it_is_up() -> None:
    agent = UserAgent(trunk(1), "secret")
    agent.open(0)
    [sent] = [output for output in agent.dial(0, dialling(), OURS) if isinstance(output, Send)]
    invite, server = read_message(sent.data), Flow(("192.0.2.9", 5_061), Transport.TLS)
    agent.receive(100, write_response(invite, 180, "Ringing", server, to_tag="t"), server)
    assert invites(agent.reopen(2_000, trunk(2), is_same_server=True)) == []
    headers = (("Contact", "<sip:callee@192.0.2.9>"), SDP_TYPE)
    answer = write_response(invite, 200, "OK", server, to_tag="t", headers=headers, body=write_offer(THEIRS))
    assert invites(agent.receive(3_000, answer, server)) == []
    acknowledged = agent.acknowledge(3_100, "k1")
    assert len(invites(acknowledged)) == 1
    contacts = [read_message(output.data).header("Contact") for output in acknowledged if isinstance(output, Send)]
    assert contacts[-1] == "<sip:dialer@192.0.2.1:2;transport=tls>"


OUTAGE_MS: Final = 300_000
CARRIER: Final = Flow(("192.0.2.9", 5_061), Transport.TLS)


class Call:
    """A call over TLS that is up, and all that is sent."""

    def __init__(self, session_expires_s: int = 0) -> None:
        self.agent = UserAgent(replace(trunk(1), session_expires_s=session_expires_s), "secret")
        self.expires_s, self.now_ms = session_expires_s, 0
        self.sent: list[Received] = []
        self.ends: list[str] = []
        self.take(self.agent.open(0))
        self.take(self.agent.dial(0, dialling(talk_ms=10**7), OURS))
        self.answer("INVITE")
        self.take(self.agent.acknowledge(0, "k1"))
        [invite] = self.of("INVITE")
        self.origin, self.to, self.call_id = invite.header("From"), invite.header("To"), invite.call_id
        self.sent.clear()

    def take(self, outputs: list[Output]) -> None:
        """Note what the agent does."""
        self.sent += [read_message(output.data) for output in outputs if isinstance(output, Send)]
        self.ends += [output.because for output in outputs if isinstance(output, LegOver)]

    def run(self, for_ms: int) -> None:
        """Let time pass."""
        until_ms = self.now_ms + for_ms
        while (due_ms := self.agent.next_ms()) is not None and due_ms <= until_ms:
            self.now_ms = due_ms
            self.take(self.agent.run(due_ms))
        self.now_ms = until_ms

    def answer(self, method: str, status: int = 200) -> None:
        """Answer the last request."""
        request = [one for one in self.sent if one.method == method and not one.status][-1]
        expires = (("Session-Expires", f"{self.expires_s};refresher=uac"),) if self.expires_s else ()
        headers = (("Contact", "<sip:callee@192.0.2.9>"), *expires, SDP_TYPE)
        is_taken = method == "INVITE" and status < 300
        body = write_offer(THEIRS) if is_taken else b""
        data = write_response(
            request, status, "OK", CARRIER, to_tag="t", headers=headers if is_taken else (), body=body
        )
        self.take(self.agent.receive(self.now_ms, data, CARRIER))

    def offer(self) -> None:
        """Have the other side offer the same sound again."""
        body = write_offer(THEIRS)
        lines = [
            "INVITE sip:dialer@192.0.2.1 SIP/2.0",
            "Via: SIP/2.0/TLS 192.0.2.9:5061;branch=z9hG4bKoffer",
            f"From: {self.to};tag=t",
            f"To: {self.origin}",
            f"Call-ID: {self.call_id}",
            "CSeq: 1 INVITE",
            "Content-Type: application/sdp",
            f"Content-Length: {len(body)}",
        ]
        self.take(self.agent.receive(self.now_ms, "\r\n".join([*lines, "", ""]).encode() + body, CARRIER))

    def cut(self) -> None:
        """Lose the connection."""
        self.take(self.agent.cut(self.now_ms))

    def join(self, port: int) -> None:
        """Get another one."""
        there = replace(trunk(port), session_expires_s=self.expires_s)
        self.take(self.agent.reopen(self.now_ms, there, is_same_server=True))
        self.run(1_000)

    def of(self, method: str) -> list[Received]:
        """Return the requests with a method."""
        return [one for one in self.sent if one.method == method and not one.status]


@pytest.mark.parametrize("session_expires_s", [0, 90])
def test_a_call_goes_on_however_long_its_connection_is_gone(session_expires_s: int) -> None:
    call = Call(session_expires_s)
    call.cut()
    call.run(OUTAGE_MS)
    assert (call.sent, call.ends) == ([], [])
    call.join(2)
    call.answer("INVITE")
    assert [one.header("Contact") for one in call.of("INVITE")] == ["<sip:dialer@192.0.2.1:2;transport=tls>"]
    call.run(40_000)
    assert call.ends == []


def test_a_call_that_the_other_side_has_ended_meanwhile_is_over_with_the_next_connection() -> None:
    call = Call()
    call.cut()
    call.run(OUTAGE_MS)
    call.join(2)
    call.answer("INVITE", 481)
    assert call.ends == ["the other side is gone"]


def test_a_refresh_that_is_lost_with_two_connections_is_sent_once_over_the_third() -> None:
    call = Call()
    for port in (2, 3):
        call.cut()
        call.run(5_000)
        call.join(port)
    assert len(call.of("INVITE")) == 2
    call.cut()
    call.run(40_000)
    call.sent.clear()
    call.join(4)
    assert [one.header("Contact") for one in call.of("INVITE")] == ["<sip:dialer@192.0.2.1:4;transport=tls>"]
    call.answer("INVITE")
    call.run(100_000)
    assert (len(call.of("INVITE")), call.ends) == (1, [])


def test_two_losses_before_the_turn_of_a_call_are_one_refresh() -> None:
    call = Call()
    for port in (2, 3):
        call.cut()
        call.take(call.agent.reopen(call.now_ms, trunk(port), is_same_server=True))
    call.run(1_000)
    assert [one.header("Contact") for one in call.of("INVITE")] == ["<sip:dialer@192.0.2.1:3;transport=tls>"]


def test_a_call_that_was_ended_without_a_connection_ends_at_the_carrier_with_the_next() -> None:
    call = Call()
    call.cut()
    call.take(call.agent.clear(call.now_ms, "k1", 16, "hung up"))
    call.run(OUTAGE_MS)
    call.sent.clear()
    call.join(2)
    assert [one.method for one in call.sent] == ["BYE"]
    call.answer("BYE")
    call.run(100_000)
    assert len(call.sent) == 1


@pytest.mark.parametrize("status", [488, 491, 500, 503])
def test_a_refresh_that_tells_where_we_are_is_sent_again_if_it_is_refused(status: int) -> None:
    call = Call()
    call.cut()
    call.join(2)
    call.answer("INVITE", status)
    call.run(4_000)
    call.answer("INVITE")
    call.run(100_000)
    assert ([one.cseq for one in call.of("INVITE")], call.ends) == ([2, 3], [])


def test_an_answer_of_ours_may_be_acknowledged_over_the_next_connection() -> None:
    """The time for that counts from when the connection is there again: nothing could come before."""
    call = Call()
    call.offer()
    call.cut()
    call.run(OUTAGE_MS)
    call.take(call.agent.reopen(call.now_ms, trunk(2), is_same_server=True))
    call.run(25_000)
    assert call.ends == []
    call.run(10_000)
    assert call.ends == ["the other side did not acknowledge an answer"]


def test_a_refresh_that_was_to_be_tried_again_is_one_with_that_of_the_next_connection() -> None:
    call = Call()
    call.cut()
    call.join(2)
    call.answer("INVITE", 491)
    call.cut()
    call.join(3)
    call.answer("INVITE")
    call.run(60_000)
    assert [one.cseq for one in call.of("INVITE")] == [2, 3]
