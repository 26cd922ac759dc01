"""Tests of the sound of a program on its way to the callee."""

from hypothesis import given
from hypothesis import strategies as st

from dialer.carriers.media.agent_playout import BEGINS_AT, LAST_WORDS_MAX, SILENCE, WAITING_MAX, Playout

LOUD = b"\x10"
FRAME = len(SILENCE)


def frames(playout: Playout, count: int) -> list[bytes]:
    return [playout.frame() for _ in range(count)]


def sizes(pieces: list[bytes]) -> list[int]:
    """Return how many bytes of each frame are heard."""
    return [len(piece.rstrip(b"\xff")) for piece in pieces]


def test_sound_begins_once_160_ms_wait() -> None:
    playout = Playout()
    playout.add(LOUD * (BEGINS_AT - 1))
    assert sizes(frames(playout, 1)) == [0]
    playout.add(LOUD)
    assert sizes(frames(playout, 9)) == [FRAME] * 8 + [0]


def test_sound_that_stays_short_begins_once_it_has_waited_as_long() -> None:
    playout = Playout()
    playout.add(LOUD * 100)
    assert sizes(frames(playout, 10)) == [0] * 8 + [100, 0]


def test_a_mark_that_waits_lets_the_sound_before_it_begin_and_comes_back_after_it() -> None:
    playout = Playout()
    playout.add(LOUD * 200)
    assert playout.mark("greeting")
    assert playout.reached() == []
    assert sizes(frames(playout, 2)) == [FRAME, 40]
    assert playout.reached() == ["greeting"]


def test_pieces_with_marks_between_them_have_no_holes() -> None:
    playout = Playout()
    for number in range(20):
        playout.add(LOUD * 100)
        playout.mark(str(number))
    assert sizes(frames(playout, 13)) == [FRAME] * 12 + [80]


def test_after_a_pause_sound_waits_again() -> None:
    playout = Playout()
    playout.add(LOUD * BEGINS_AT)
    frames(playout, 8)
    playout.add(LOUD * FRAME)
    assert sizes(frames(playout, 2)) == [0, 0]
    playout.add(LOUD * BEGINS_AT)
    assert sizes(frames(playout, 1)) == [FRAME]


def test_a_clear_is_silence_at_once_and_gives_the_marks_back_in_order() -> None:
    playout = Playout()
    for number in range(3):
        playout.add(LOUD * 8_000)
        playout.mark(str(number))
    frames(playout, 10)
    assert playout.clear() == ["0", "1", "2"]
    assert sizes(frames(playout, 2)) == [0, 0]
    assert playout.clear() == []
    playout.add(LOUD * BEGINS_AT)
    assert sizes(frames(playout, 1)) == [FRAME]


def test_300_seconds_wait_and_no_more() -> None:
    playout = Playout()
    playout.add(LOUD * (WAITING_MAX - 10))
    playout.add(LOUD * 30)
    playout.mark("late")
    assert (len(playout), playout.dropped) == (WAITING_MAX, 20)
    frames(playout, WAITING_MAX // FRAME)
    assert playout.reached() == ["late"]


def test_the_last_words_are_played_and_not_the_silence_behind_them_nor_for_too_long() -> None:
    playout = Playout()
    playout.add(LOUD * 300 + b"\xff" * 16_000)
    playout.end()
    assert sizes(frames(playout, 3)) == [FRAME, 140, 0]
    playout.add(LOUD * (LAST_WORDS_MAX + 1))
    playout.end()
    assert len(playout) == LAST_WORDS_MAX


@given(st.lists(st.binary(min_size=1, max_size=700) | st.just("mark"), max_size=30), st.integers(0, 40))
def test_all_sound_comes_out_in_order_and_all_marks_come_back_in_order(parts: list[bytes | str], ticks: int) -> None:
    """However sound comes in, what is played is the same bytes with silence between them."""
    playout, marks, out = Playout(), [], b""
    back: list[str] = []
    for number, part in enumerate(parts):
        if isinstance(part, bytes):
            playout.add(part)
        else:
            marks.append(str(number))
            playout.mark(str(number))
        if number % 7 == 0:
            out += b"".join(frames(playout, ticks % 5))
            back += playout.reached()
    out += b"".join(frames(playout, 300))
    back += playout.reached()
    sound = b"".join(part for part in parts if isinstance(part, bytes))
    assert [byte for byte in out if byte != 0xFF] == [byte for byte in sound if byte != 0xFF]
    assert back == marks
