"""Tests of the recording of both sides of a leg: who is heard where, and when."""

from collections import deque
from collections.abc import Sequence
from typing import Final

import pytest

from dialer.carriers.media import g711
from dialer.carriers.media.call_tape import CallTape
from dialer.carriers.media.dtmf_inband import silence, tone
from dialer.carriers.media.rtp import RtpPacket
from dialer.carriers.sip.sdp import AgreedSound, Codec
from dialer.domain.formats.sealed_sound import BLOCK_BYTES
from dialer.domain.sessions.leg_protocol import Bridge, Play
from tests.carriers.media.studio import PEER, Studio

ULAW: Final = AgreedSound(PEER[0], PEER[1], Codec.PCMU, 0, 101)
QUIET: Final = bytes([g711.SILENCE])
HELLO: Final = tone((440,), 200)
PROMPT: Final = tone((880,), 400)


class Shelf:
    """A spool in memory."""

    def __init__(self) -> None:
        self.blocks: list[bytes] = []

    def open(self) -> None:
        """Do nothing."""

    def write(self, blocks: Sequence[bytes]) -> None:
        self.blocks += blocks

    def discard(self) -> None:
        self.blocks.clear()


def record(studio: Studio, key: str) -> Shelf:
    shelf = Shelf()
    studio.leg(key).tape = CallTape(shelf)
    return shelf


def run(studio: Studio, shelf: Shelf, length_ms: int) -> None:
    """Let time pass, and write what is finished, as a room does."""
    studio.run(length_ms)
    shelf.write([one.block for one in studio.taped])
    studio.taped.clear()


def sides(studio: Studio, key: str, shelf: Shelf) -> tuple[bytes, bytes]:
    """Return both sides of a recording that ends now."""
    tape = studio.leg(key).tape
    assert tape is not None
    assert {len(block) for block in shelf.blocks} <= {BLOCK_BYTES}
    sound = b"".join([*shelf.blocks, *tape.rest()])
    return sound[0::2], sound[1::2]


def say(studio: Studio, shelf: Shelf, key: str, sound: bytes, timestamp: int = 5_000) -> None:
    """Say something in packets of 20 ms, as time passes."""
    for number, at in enumerate(range(0, len(sound), 160)):
        studio.say(key, RtpPacket(0, number, timestamp + at, 5, sound[at : at + 160]))
        run(studio, shelf, 20)


def test_the_callee_is_left_and_the_prompt_is_right_each_at_its_moment() -> None:
    studio = Studio("a", sound=ULAW)
    shelf = record(studio, "a")
    run(studio, shelf, 200)
    say(studio, shelf, "a", HELLO)
    studio.order("a", Play(1, ()), PROMPT)
    run(studio, shelf, 1_200)
    callee, ours = sides(studio, "a", shelf)
    assert (len(callee), len(ours)) == (8 * 1_600, 8 * 1_600)
    assert callee == QUIET * 1_600 + HELLO + QUIET * (8 * 1_200)
    assert ours.replace(silence(20), b"") == PROMPT
    assert ours.find(PROMPT) in range(8 * 400, 8 * 440)


def test_who_talks_with_the_callee_is_right() -> None:
    studio = Studio("a", "b", sound=ULAW)
    shelf = record(studio, "a")
    studio.order("a", Bridge(1, "b"))
    run(studio, shelf, 100)
    say(studio, shelf, "b", PROMPT, timestamp=4_000_000_000)
    say(studio, shelf, "a", HELLO)
    run(studio, shelf, 300)
    callee, ours = sides(studio, "a", shelf)
    assert callee == QUIET * (8 * 500) + HELLO + QUIET * (8 * 300)
    assert ours == QUIET * (8 * 100) + PROMPT + QUIET * (8 * 500)


def test_lost_packets_and_nonsense_leave_the_rest_in_its_place() -> None:
    studio = Studio("a", sound=ULAW)
    shelf = record(studio, "a")
    for number in range(50):
        if number % 5:
            studio.say("a", RtpPacket(0, number, 160 * number, 5, PROMPT[:160]))
        run(studio, shelf, 20)
    for number in range(200):
        studio.say("a", RtpPacket(0, number, number * 123_456_789 % 2**32, 5, HELLO[:160]))
    run(studio, shelf, 1_000)
    callee, _ = sides(studio, "a", shelf)
    assert len(callee) == 8 * 2_000
    heard = [callee[at : at + 160] == PROMPT[:160] for at in range(0, 8 * 800, 160)]
    assert heard == [number % 5 != 0 for number in range(40)]


def kept(arrivals: Sequence[tuple[int, int]], length_ms: int) -> bytes:
    """Return what is kept of a callee whose packets of 20 ms come at moments, with timestamps in packets."""
    tape, found, waiting = CallTape(Shelf()), bytearray(), deque(arrivals)
    for at_ms in range(0, length_ms, 20):
        while waiting and waiting[0][0] <= at_ms:
            tape.hear(waiting.popleft()[1] * 160 % 2**32, b"\1" * 160)
        tape.tick()
        if tape.has_block:
            found += tape.take_block()[0::2]
    return bytes(found + b"".join(tape.rest())[0::2])


@pytest.mark.parametrize("step_ms", [300, 800, 980, 1_400])
def test_a_callee_whose_delay_grows_for_good_is_still_heard(step_ms: int) -> None:
    before = [(20 * number, number) for number in range(100)]
    after = [(20 * number + step_ms, number) for number in range(100, 600)]
    sound = kept([*before, *after], 12_000 + step_ms)
    assert len(sound) == 8 * (12_000 + step_ms)
    assert sound.count(1) >= 160 * (600 - 5)
    assert sound[-8_000:] == b"\1" * 8_000


@pytest.mark.parametrize("percent", [-0.5, -0.01, 0.01, 0.5])
def test_a_callee_whose_clock_is_another_one_is_heard_for_the_whole_call(percent: float) -> None:
    length_ms = 10 * 60_000
    packet_ms = 20 * (1 - percent / 100)
    sound = kept([(int(number * packet_ms), number) for number in range(int(length_ms / packet_ms))], length_ms)
    assert len(sound) == 8 * length_ms
    assert sound.count(1) >= 0.96 * len(sound)


def test_packets_that_come_much_too_late_do_not_move_the_others() -> None:
    in_time = [(20 * number, number + 100) for number in range(400)]
    late = [(20 * number, number) for number in range(200, 400, 2)]
    assert kept(sorted([*in_time, *late]), 8_000) == b"\1" * 64_000


def test_a_burst_after_a_pause_leaves_what_follows_in_its_place() -> None:
    steady = [(20 * number, number) for number in (*range(100), *range(150, 400))]
    burst = [(3_000, number) for number in range(100, 150)]
    sound = kept(sorted([*steady, *burst]), 8_000)
    assert (len(sound), sound[-8 * 5_000 :]) == (64_000, b"\1" * 40_000)
