"""Tests of pauses in the recording of a leg: silence of the same length, in which nothing is kept."""

import pickle
from collections.abc import Sequence
from typing import Final

import pytest

from dialer.carriers.media.call_tape import CallTape
from dialer.carriers.media.rtp_frames import LATE_SAMPLES
from dialer.domain.formats.sealed_sound import SIDE_BYTES

FRAME: Final = 160
QUIET: Final = b"\xff"
CALLEE: Final = b"\1"
OURS: Final = b"\2"


class Shelf:
    """A spool in memory."""

    def __init__(self) -> None:
        self.blocks: list[bytes] = []

    def open(self) -> None:
        """Do nothing."""

    def discard(self) -> None:
        """Forget the blocks."""
        self.blocks.clear()

    def write(self, blocks: Sequence[bytes]) -> None:
        self.blocks += blocks


def pass_time(tape: CallTape, frames: int, at: int, *, delay: int = 0) -> int:
    """Let both sides talk for some frames, the callee so many of them late. Return the number of the next frame."""
    for number in range(at, at + frames):
        tape.hear((number - delay) * FRAME % 2**32, CALLEE * FRAME)
        tape.say(number * FRAME, OURS * FRAME)
        tape.tick()
        if tape.has_block:
            tape.spool.write([tape.take_block()])
    return at + frames


def sides(tape: CallTape) -> tuple[bytes, bytes]:
    assert isinstance(tape.spool, Shelf)
    sound = b"".join([*tape.spool.blocks, *tape.rest()])
    return sound[0::2], sound[1::2]


def spans(side: bytes) -> list[tuple[int, int]]:
    """Return the silent parts of a side, in frames."""
    silent = [side[at : at + FRAME] == QUIET * FRAME for at in range(0, len(side), FRAME)]
    edges = [at for at in range(len(silent) + 1) if (at > 0 and silent[at - 1]) != (at < len(silent) and silent[at])]
    return list(zip(edges[0::2], edges[1::2], strict=True))


LATE: Final = LATE_SAMPLES // FRAME


@pytest.mark.parametrize("moved", [False, True])
def test_a_pause_is_silence_of_both_sides_and_begins_with_what_was_under_way(*, moved: bool) -> None:
    tape = CallTape(Shelf())
    at = pass_time(tape, 100, 0)
    tape.silence(is_silent=True)
    at = pass_time(tape, 60, at)
    if moved:
        tape = pickle.loads(pickle.dumps(tape))  # noqa: S301 - our own
    at = pass_time(tape, 60, at)
    tape.silence(is_silent=False)
    pass_time(tape, 80, at)
    callee, ours = sides(tape)
    assert (len(callee), len(ours)) == (300 * FRAME, 300 * FRAME)
    assert spans(callee) == spans(ours) == [(100 - LATE, 220)]


def test_repeated_orders_change_nothing_and_pauses_follow_each_other() -> None:
    tape = CallTape(Shelf())
    at = pass_time(tape, 50, 0)
    for is_silent, frames in ((True, 10), (True, 10), (False, 40), (False, 40), (True, 30), (False, 1), (True, 20)):
        tape.silence(is_silent=is_silent)
        at = pass_time(tape, frames, at)
    callee, ours = sides(tape)
    assert spans(callee) == spans(ours) == [(50 - LATE, 70), (150 - LATE, 201)]


def test_a_tape_that_another_process_takes_up_in_a_pause_is_silent_from_its_first_moment() -> None:
    tape = CallTape(Shelf(), is_silent=True)
    at = pass_time(tape, 40, 0)
    tape.silence(is_silent=False)
    pass_time(tape, 10, at)
    callee, ours = sides(tape)
    assert spans(callee) == spans(ours) == [(0, 40)]


def test_what_was_said_in_a_pause_and_comes_after_it_is_not_kept() -> None:
    tape = CallTape(Shelf())
    at = pass_time(tape, 100, 0)
    tape.silence(is_silent=True)
    at = pass_time(tape, 100, at)
    tape.silence(is_silent=False)
    # For a tenth of a second, only packets of the pause come.
    pass_time(tape, 3, at, delay=8)
    callee, _ = sides(tape)
    assert spans(callee) == [(100 - LATE, 203)]


def test_nothing_is_in_memory_of_a_pause() -> None:
    tape = CallTape(Shelf())
    tape.silence(is_silent=True)
    tape.hear(0, b"4929" * 40)
    tape.say(0, b"4929" * 40)
    assert b"4929" not in pickle.dumps(tape)
    assert SIDE_BYTES > LATE_SAMPLES
