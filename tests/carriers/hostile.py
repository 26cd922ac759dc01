"""Hostile input: mutated captures of SIP and sound, as `python -m tests.carriers.hostile --count 1000000` by hand."""

import argparse
import resource
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Final

import rich_click as click
from msgspec.structs import replace

from dialer.carriers.media.rtcp import Block, RtcpReport, Sent, write_report
from dialer.carriers.media.rtp import RtpPacket, write_packet
from dialer.carriers.media.sound_leg import SoundLeg, SoundTerms
from dialer.carriers.media.sound_router import SendSound, SoundRouter
from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.outputs import LegArrived, Send
from dialer.carriers.sip.sdp import AgreedSound, Codec, SdpError, read_sound, write_offer
from dialer.domain.sessions.leg_protocol import Ask, Confer, Order, Record
from tests.carriers.sip.calling import invitation, order_for
from tests.carriers.sip.network import OURS, SERVER, THEIRS
from tests.carriers.sip.test_dialog_requests import SDP, Scripted, offered, run

REPORTED_EVERY: Final = 50_000
OUTPUTS_MAX: Final = 12
"""Outputs that one datagram may cause: a few messages, and what is told of them."""
LEGS_MAX: Final = 500
"""Legs of one user agent: the call, and calls that mutated INVITEs have begun."""
PEER: Final = (THEIRS.host, THEIRS.port)
STRANGER: Final = ("203.0.113.66", PEER[1])
SOUND: Final = AgreedSound(PEER[0], PEER[1], Codec.PCMA, 8, 101)
ORDERS: Final[tuple[Order, ...]] = (Ask(1, (), 9, 10**9), Record(2, "r"), Confer(3, "room"))
_TOKENS: Final = (
    *(b"\r\n", b"\r\n ", b":", b";", b",", b'"', b"<", b">", b"=", b"\0"),
    *(b"\xff\xfe", b"-1", b"9" * 40, b" ", b"%", b"tag="),
)


class Capture:
    """A user agent in a call, the board of its sound, and all datagrams that the other side had sent until now."""

    def __init__(self) -> None:
        callee = Scripted(
            ("INVITE", (SDP, ("Session-Expires", "90;refresher=uac")), offered("sendonly")),
            ("INFO", (("Content-Type", "application/dtmf-relay"),), b"Signal=5\r\nDuration=160\r\n"),
            ("UPDATE", (SDP,), offered("sendrecv")),
            ("OPTIONS", (("Reason", 'Q.850;cause=16;text="x"'),), b""),
        )
        callee.answer_headers = (("Record-Route", "<sip:p1.example;lr>,<sip:192.0.2.77;lr>"), ("Session-Expires", "90"))
        network = run(callee, expires_s=90)
        callee.request("BYE", 50, "bye", (("Reason", "Q.850;cause=27"),))
        callee.respond(network.sent[0], 401, (("WWW-Authenticate", 'Digest realm="a, b", nonce="n", qop="auth"'),))
        self.agent, self.now_ms = network.agent, network.now_ms
        self.datagrams = [*network.received, invitation(), invitation(body=b"")]
        self._count = 0
        self.packets = [write_packet(RtpPacket(payload, 1, 2, 3, b"\5\x8a\0\xa0" * 40)) for payload in (8, 101)]
        self.report = write_report(RtcpReport(3, Sent(1, 2, 3, 4), (Block(1, 0.5, 6, 7, 8, 9, 10),)), "them")
        self.router = SoundRouter()
        for number, order in enumerate(ORDERS):
            self.router.add(SoundLeg(str(number), 1, SoundTerms()))
            self._leg(str(number)).agree(0, SOUND)
            self.router.perform(str(number), order)

    def _leg(self, key: str) -> SoundLeg:
        leg = self.router.leg(key)
        assert leg is not None
        return leg

    def attack(self, chance: Random) -> None:
        """Send one mutated datagram to each door."""
        self.now_ms += chance.randrange(50)
        self._count += 1
        datagram = chance.choice(self.datagrams).replace(b"a1@", b"%d@" % self._count)
        outputs = self.agent.receive(self.now_ms, mutated(datagram, chance), Flow(SERVER))
        assert len(outputs) <= OUTPUTS_MAX, outputs
        for arrived in [one for one in outputs if isinstance(one, LegArrived)]:
            if chance.randrange(2):
                self.agent.answer(self.now_ms, order_for(arrived), OURS)
            else:
                self.agent.clear(self.now_ms, arrived.key, 17, "no")
        assert all(len(one.data) < 70_000 for one in outputs if isinstance(one, Send))
        assert len(self.agent) <= LEGS_MAX
        key = str(chance.randrange(len(ORDERS)))
        datagram = mutated(chance.choice(self.packets), chance)
        source = chance.choice((PEER, PEER, (PEER[0], 9), STRANGER))
        self.router.receive(self.now_ms, key, datagram, source)
        self._leg(key).take_report(self.now_ms, mutated(self.report, chance), source)
        if chance.randrange(50) == 0:
            self._leg(key).agree(self.now_ms, chance.choice((SOUND, replace(SOUND, port=PEER[1] + 2))))
        try:
            read_sound(mutated(write_offer(OURS), chance), tuple(Codec))
        except SdpError:
            return


def mutated(data: bytes, chance: Random) -> bytes:
    """Return bytes with one to four changes."""
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        at = chance.randrange(len(data) + 1)
        to = min(len(data), at + chance.choice((1, 1, 2, 8, 60)))
        match chance.randrange(6):
            case 0:
                data = data[:at] + data[to:]
            case 1:
                data = data[:at] + chance.choice(_TOKENS) + data[to:]
            case 2:
                data = data[:at] + chance.choice(_TOKENS) * chance.choice((1, 3, 300)) + data[at:]
            case 3:
                data = data[:at] + chance.randbytes(to - at) + data[to:]
            case 4:
                data = data[:to] + data[at:]
            case _:
                data = data[:at]
    return data


def attacks(count: int, seed: int) -> Iterator[int]:
    """Attack a call `count` times. It begins again now and then, as most calls do not survive their own BYE."""
    chance, capture = Random(seed), Capture()  # noqa: S311 - chance makes attacks, never a secret
    for number in range(count):
        if number % 500 == 499:
            capture = Capture()
        for output in capture.router.tick(capture.now_ms, number % 4):
            assert not isinstance(output, SendSound) or output.destination[0] == PEER[0], output
        capture.attack(chance)
        yield number


def report(attacks_of: Callable[[int, int], Iterator[int]], description: str | None, count: int) -> None:
    """Attack, and print the rate, the growth of memory and the slowest attack. `count` is the default number."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    began, slowest, last = time.monotonic(), 0.0, time.process_time()
    for number in attacks_of(asked.count, asked.seed):
        now = time.process_time()
        slowest, last = max(slowest, now - last), now
        if number % REPORTED_EVERY == 0:
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            took_s = time.monotonic() - began
            click.echo(f"{number:>9,}  {took_s:7.1f} s  {memory} MiB  slowest {slowest * 1_000:.1f} ms")
    click.echo(f"{asked.count:,} attacks; no exception")


if __name__ == "__main__":
    report(attacks, __doc__, 1_000_000)
