"""Strangers at the sound of a call: packets and reports of anybody, in any order, before and after each move.

The rule: sound goes to the agreed address, or to a trusted one that sends, or nowhere. Keys come only from there.
Packets of the place before a move are still under way.
"""

from collections.abc import Callable
from typing import Any, Final

import pytest
from msgspec.structs import replace

from dialer.carriers.media import media_address as peer_module
from dialer.carriers.media.media_address import LEARNING_PACKETS, Address, Peer, Rank
from dialer.carriers.media.orders_in_progress import Asking
from dialer.carriers.media.rtcp import Block, RtcpReport, write_report
from dialer.carriers.media.rtp import RtpPacket, write_packet
from dialer.carriers.media.sound_leg import SoundLeg, SoundTerms
from dialer.domain.sessions.leg_protocol import Ask
from tests.carriers.media.studio import PEER, SOUND, key_packets
from tests.vopr.dice import Dice

SAME_HOST: Final = (PEER[0], 40_000)
CARRIER: Final = ("198.51.100.1", 5_000)
STRANGER: Final = ("203.0.113.66", 30_000)
NATTED: Final = ("192.168.7.3", 30_000)
PUBLIC: Final = ("203.0.113.9", 61_234)
MOVED: Final = (PEER[0], 30_100)
LOUD: Final = b"\x2a" * 160
HELD: Final = ("0.0.0.0", 30_000)  # noqa: S104 - nothing is bound to it
EVENTS_MAX: Final = 40
REPORT: Final = write_report(RtcpReport(5, None, (Block(0, 0.5, 40, 9, 160),)), "x")


def is_carrier(source: Address) -> bool:
    return source[0] == CARRIER[0]


class Call:
    """A leg that asks for keys, and its clock."""

    def __init__(self, at: Address = PEER, *, is_symmetric: bool = True) -> None:
        self.leg = SoundLeg("a", 7 << 60, SoundTerms(is_symmetric=is_symmetric, is_carrier=is_carrier))
        self.now_ms = 0
        self.asking = Asking(Ask(1, (), 99, 10**9), b"")
        self.leg.begin(self.asking)
        self.agree(at)

    def agree(self, at: Address) -> None:
        self.leg.agree(self.now_ms, replace(SOUND, host=at[0], port=at[1]))

    def send(self, source: Address, *packets: RtpPacket) -> list[bool]:
        """Send packets 20 ms after each other, and return which are believed."""
        found = []
        for packet in packets:
            self.now_ms += 20
            found.append(self.leg.receive(self.now_ms, write_packet(packet), source) is not None)
        return found

    @property
    def goes_to(self) -> Address | None:
        sent = self.leg.next_packet()
        return None if sent is None else sent[1]

    @property
    def reports_to(self) -> Address | None:
        """The place to which a report goes, if one is due."""
        sent = self.leg.look(self.now_ms)
        return None if sent is None else sent[1]

    @property
    def keys(self) -> str:
        return self.asking._keys  # noqa: SLF001 - the order is not over


# --- any sequence of moves and packets, from anybody --------------------------------------------------------------

PLACES: Final = (PEER, SAME_HOST, MOVED, CARRIER, STRANGER, (STRANGER[0], 9), NATTED, (NATTED[0], 7), PUBLIC)
AGREED: Final = (PEER, MOVED, CARRIER, NATTED, HELD)
Event = tuple[Any, ...]


def history_of(seed: int) -> list[Event]:
    """Return what happens at the sound of a call."""
    dice = Dice(seed, "sound")
    return [_event(dice) for _ in range(dice.between(1, EVENTS_MAX))]


def _event(dice: Dice) -> Event:
    match dice.between(0, 9):
        case 0:
            return "move", dice.pick(AGREED)
        case 1 | 2:
            return "key", dice.pick(PLACES), dice.pick("0123456789*#"), dice.between(0, 3)
        case 3:
            return "wait", dice.pick((20, 500, 2_000, 60_000))
        case 4:
            return "report", dice.pick(PLACES)
        case _:
            step = dice.pick((-3, 0, 1, 1, 1, 2, 7, 900))
            return "sound", dice.pick(PLACES), dice.pick((0, 8, 13, 96)), dice.between(0, 3), step, dice.between(1, 9)


class Judge:
    """The rule of sound, in other words than those of the program."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.agreed: Address = PEER
        self.runs: dict[tuple[Address, int], tuple[int, int]] = {}
        self.learnable: set[Address] = set()

    def moved(self, agreed: Address) -> None:
        if agreed != self.agreed:
            self.agreed, self.runs, self.learnable = agreed, {}, set()

    def is_trusted(self, place: Address) -> bool:
        return place[0] in {self.agreed[0], CARRIER[0]}

    def noted(self, source: Address, packet: RtpPacket) -> None:
        """Count packets of agreed types in a row: enough make a place learnable, if the agreed one is private."""
        if packet.payload not in {8, 101} or self.agreed[0] != NATTED[0]:
            return
        last, count = self.runs.get((source, packet.ssrc), (packet.sequence - 1, 0))
        step = (packet.sequence - last) % 65_536
        count = count + 1 if 0 < step <= 8 else 1
        self.runs[source, packet.ssrc] = packet.sequence, count
        if count >= LEARNING_PACKETS:
            self.learnable.add(source)

    def check(self, source: Address | None, keys_before: str) -> None:
        goes_to, reports_to = self.call.goes_to, self.call.reports_to
        assert reports_to is None or (goes_to is not None and reports_to == (goes_to[0], goes_to[1] + 1)), reports_to
        assert goes_to is not None or self.agreed == HELD
        assert goes_to != HELD
        is_right = goes_to is None or self.is_trusted(goes_to) or goes_to in self.learnable
        assert is_right, goes_to
        if self.call.keys != keys_before:
            assert source is not None
            assert self.is_trusted(source) or source in self.learnable, source


def play(history: list[Event]) -> None:
    """Play a history, and judge after each event."""
    call = Call()
    judge = Judge(call)
    numbers: dict[tuple[Address, int], int] = {}
    for number, event in enumerate(history):
        keys, source = call.keys, None
        match event:
            case "move", agreed:
                judge.moved(agreed)
                call.agree(agreed)
            case "sound", source, payload, ssrc, step, count:
                for _ in range(count):
                    at = numbers[source, ssrc] = (numbers.get((source, ssrc), 0) + step) % 65_536
                    packet = RtpPacket(payload, at, 160 * at, ssrc, LOUD)
                    judge.noted(source, packet)
                    call.send(source, packet)
            case "key", source, key, ssrc:
                for packet in key_packets(key, numbers.get((source, ssrc), 0) + 1, 7_000 * number):
                    packet = replace(packet, ssrc=ssrc, sequence=packet.sequence % 65_536)  # noqa: PLW2901 - another's
                    numbers[source, ssrc] = packet.sequence
                    judge.noted(source, packet)
                    call.send(source, packet)
            case "wait", wait_ms:
                call.now_ms += wait_ms
            case "report", source:
                call.leg.take_report(call.now_ms, REPORT, source)
            case "torn", source, data:
                call.leg.receive(call.now_ms, data, source)
            case _:
                raise ValueError(event)
        judge.check(source, keys)


def believe_all_hosts(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Peer, "_rank_of_host", lambda *_: Rank.CARRIER)


def latch_at_first(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(peer_module, "LEARNING_PACKETS", 1)
    patch.setattr(Peer, "_is_learnt", lambda *_: True)


def learn_at_once_everywhere(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(peer_module, "_is_private", lambda _: True)


def keep_after_a_move(patch: pytest.MonkeyPatch) -> None:
    """Plant that a move forgets neither the place nor its rank."""
    before: Callable[..., None] = Peer.agree

    def agree(self: Peer, now_ms: int, agreed: Address) -> None:
        heard, rank = self.heard, self._rank
        before(self, now_ms, agreed)
        self.heard, self._rank = heard, rank

    patch.setattr(Peer, "agree", agree)


def hold_is_a_place(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(peer_module, "NOWHERE", frozenset())


SOUND_PLANTED: Final = {
    "sound of all hosts is believed": believe_all_hosts,
    "the first packet is believed": latch_at_first,
    "every address is taken for one behind NAT": learn_at_once_everywhere,
    "a move forgets neither the place nor its trust": keep_after_a_move,
    "an address of hold is a place": hold_is_a_place,
}
"""Bugs that some seed has to find."""


def sound_findings(seed: int) -> str:
    """Run a seed, and return the rule that it broke; empty if it broke none."""
    try:
        play(history_of(seed))
    except AssertionError as error:
        return f"sound or keys of another place: {error}"
    return ""
