"""Tests of the talk of a call with a program: who hears what when, and each way to end."""

import base64
import json
from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.carriers.media.agent_messages import MessageWriter, TalkEnded
from dialer.carriers.media.agent_playout import SILENCE
from dialer.carriers.media.agent_stream import AgentStream, TalkTerms

LOUD: Final = b"\x10" * 160
VOICE: Final = b"\x20" * 160
TERMS: Final = TalkTerms(20_000, 60_000, {"campaign": "1"})


class Talk:
    """A stream with a clock by hand."""

    def __init__(self, disclosure_ms: int = 0, *, is_connected: bool = True) -> None:
        self.now_ms, self.left_ms = 1_000, disclosure_ms
        self.stream = AgentStream(self.now_ms, TERMS, MessageWriter("MZ", "CA", "AC"))
        self.sent: list[dict[str, Any]] = []
        if is_connected:
            self.stream.connected()

    def tick(self, count: int = 1, voice: bytes = VOICE) -> list[bytes]:
        """Let frames pass, and return what the callee hears."""
        heard = []
        for _ in range(count):
            heard.append(self.stream.tick(self.now_ms, voice, self.left_ms))
            self.now_ms += 20
            self.left_ms = max(0, self.left_ms - 20)
        self.sent += map(json.loads, self.stream.to_send)
        self.stream.to_send.clear()
        return heard

    def says(self, event: str, **body: object) -> None:
        self.stream.take(self.now_ms, json.dumps({"event": event, event: body}))

    def speaks(self, sound: bytes) -> None:
        self.says("media", payload=base64.b64encode(sound).decode())

    def events(self) -> list[str]:
        return [one["event"] for one in self.sent]

    @property
    def is_over(self) -> bool:
        return self.stream.is_over

    @property
    def branch(self) -> str:
        return "" if self.stream.end is None else self.stream.end.branch


def test_connected_and_start_come_together_before_any_sound() -> None:
    talk = Talk()
    talk.tick(3)
    assert talk.events() == ["connected", "start", "media", "media", "media"]
    assert [one["media"]["timestamp"] for one in talk.sent[2:]] == ["0", "20", "40"]
    assert base64.b64decode(talk.sent[2]["media"]["payload"]) == VOICE


def test_a_program_that_connects_late_is_told_then() -> None:
    talk = Talk(is_connected=False)
    talk.tick(100)
    assert talk.sent == []
    talk.stream.connected()
    talk.tick(1)
    assert talk.events() == ["connected", "start", "media"]


def test_a_mark_that_comes_before_the_program_is_told_comes_back_after_that() -> None:
    talk = Talk(disclosure_ms=1_040)
    talk.says("mark", name="early")
    talk.tick(1)
    assert talk.sent == []
    talk.tick(2)
    assert talk.events() == ["connected", "start", "mark", "media"]


def test_nobody_hears_the_other_before_the_end_of_the_disclosure() -> None:
    talk = Talk(disclosure_ms=3_000)
    talk.tick(100)
    assert talk.sent == []
    talk.tick(1)
    assert talk.events() == ["connected", "start", "media"]
    talk.speaks(LOUD * 20)
    assert set(talk.tick(49)) == {SILENCE}
    payloads = {one["media"]["payload"] for one in talk.sent if one["event"] == "media"}
    assert payloads == {base64.b64encode(SILENCE).decode()}
    assert set(talk.tick(20)) == {LOUD}


def test_an_echo_is_the_same_bit_for_bit() -> None:
    talk = Talk()
    spoken = [bytes([place]) * 160 for place in range(100)]
    heard = []
    for frame in spoken:
        heard += talk.tick(1, frame)
        talk.speaks(base64.b64decode(talk.sent[-1]["media"]["payload"]))
    heard += talk.tick(20)
    assert [frame for frame in heard if frame != SILENCE] == spoken


def test_marks_come_back_in_order_and_after_a_clear() -> None:
    talk = Talk()
    talk.says("mark", name="at once")
    talk.tick(1)
    for name in ("one", "two", "three"):
        talk.speaks(LOUD * 10)
        talk.says("mark", name=name)
    talk.tick(11)
    talk.says("clear")
    assert talk.tick(2) == [SILENCE, SILENCE]
    marks = [one["mark"]["name"] for one in talk.sent if one["event"] == "mark"]
    assert marks == ["at once", "one", "two", "three"]


def test_keys_go_to_the_program_one_each() -> None:
    talk = Talk()
    talk.tick(1)
    talk.stream.press("1")
    talk.stream.press("#")
    talk.tick(1)
    assert [one["dtmf"]["digit"] for one in talk.sent if one["event"] == "dtmf"] == ["1", "#"]


def test_an_end_counts_with_its_branch_and_what_follows_changes_nothing() -> None:
    talk = Talk()
    talk.tick(1)
    talk.says("end", branch="2", result={"age": 7}, summary="Wants a call.")
    talk.stream.completed("0")
    talk.stream.closed(1006)
    talk.tick(1)
    assert talk.stream.end == TalkEnded("2", '{"age":7}', "Wants a call.")
    assert talk.stream.is_over


def test_the_last_words_are_played_before_the_call_goes_on_and_then_the_stream_is_stopped() -> None:
    talk = Talk()
    talk.tick(1)
    talk.speaks(LOUD * 10 + SILENCE * 100)
    talk.says("end", branch="2")
    assert talk.tick(10) == [LOUD] * 10
    was_over = talk.is_over
    talk.speaks(LOUD * 100)
    assert talk.tick(1) == [SILENCE]
    assert (was_over, talk.is_over) == (False, True)
    assert talk.events()[-2:] == ["media", "stop"]


@pytest.mark.parametrize(
    ("spoke", "code", "branch"),
    [
        (True, 1000, "0"),
        (True, 1001, "0"),
        (True, 1006, "invalid"),
        (True, 1011, "invalid"),
        (True, None, "invalid"),
        (False, 1000, "invalid"),
        (False, None, "invalid"),
    ],
)
def test_a_close_says_how_the_talk_went(*, spoke: bool, code: int | None, branch: str) -> None:
    talk = Talk()
    talk.tick(1)
    if spoke:
        talk.says("clear")
    talk.stream.closed(code)
    talk.tick(1)
    assert (talk.branch, talk.stream.is_over) == (branch, True)
    assert "stop" not in talk.events()


def test_a_program_may_complete_the_call_another_way() -> None:
    talk = Talk()
    talk.tick(1)
    talk.stream.completed("0")
    talk.stream.closed(1006)
    assert talk.branch == "0"


def test_no_connection_in_five_seconds_is_invalid() -> None:
    talk = Talk(is_connected=False)
    talk.tick(250)
    assert talk.branch == ""
    talk.tick(1)
    assert (talk.branch, talk.stream.is_over) == ("invalid", True)


def test_a_refused_connection_is_invalid_after_the_whole_disclosure() -> None:
    talk = Talk(disclosure_ms=1_000, is_connected=False)
    talk.stream.refused("401")
    talk.tick(50)
    assert (talk.branch, talk.stream.is_over) == ("invalid", False)
    talk.tick(1)
    assert talk.stream.is_over


def test_a_program_that_says_nothing_is_given_up_after_the_patience() -> None:
    talk = Talk()
    talk.tick(1_000)
    assert talk.branch == ""
    talk.tick(1)
    assert talk.branch == "invalid"
    assert talk.events()[-1] == "stop"


def test_the_patience_begins_when_both_hear_each_other() -> None:
    """Within the disclosure the program hears silence, and one that connects late could not say anything before."""
    talk = Talk(disclosure_ms=1_000)
    talk.tick(1_000 // 20 + 20_000 // 20)
    assert talk.branch == ""
    talk.tick(1)
    assert talk.branch == "invalid"


def test_marks_behind_the_last_words_come_back_with_them() -> None:
    talk = Talk()
    talk.tick()
    talk.speaks(LOUD)
    talk.says("mark", name="said")
    talk.speaks(SILENCE * 100)
    talk.says("mark", name="paused")
    talk.says("end", branch="2")
    talk.tick(3)
    assert [one["mark"]["name"] for one in talk.sent if one["event"] == "mark"] == ["said", "paused"]
    assert (talk.is_over, talk.events()[-1]) == (True, "stop")


def test_the_longest_time_counts_from_the_end_of_the_disclosure() -> None:
    talk = Talk(disclosure_ms=1_000)
    talk.tick(1)
    talk.says("clear")
    talk.tick(3_049)
    assert talk.branch == ""
    talk.speaks(LOUD * 500)
    talk.tick(1)
    assert (talk.branch, talk.stream.is_over) == ("timeout", True)
    assert talk.events()[-1] == "stop"


def test_a_hundred_bad_messages_of_a_second_are_passed_over_and_one_more_ends_the_talk() -> None:
    talk = Talk()
    talk.says("clear")
    for _ in range(100):
        talk.stream.take(talk.now_ms, "nonsense")
    talk.tick(60)
    for _ in range(100):
        talk.says("what")
    assert talk.branch == ""
    talk.stream.take(talk.now_ms, b"binary")
    assert (talk.branch, talk.stream.bad_messages) == ("invalid", 201)


def test_known_messages_are_never_too_many() -> None:
    talk = Talk()
    for _ in range(1_000):
        talk.speaks(LOUD)
        talk.says("mark", name="x")
    assert talk.branch == ""


def test_the_callee_who_hangs_up_stops_the_stream() -> None:
    talk = Talk()
    talk.tick(1)
    talk.stream.stop()
    talk.stream.stop()
    talk.tick(3)
    assert talk.events() == ["connected", "start", "media", "stop"]


steps = st.lists(
    st.sampled_from(["media", "mark", "clear", "end", "bad", "close", "abort", "complete", "stop", "tick", "ticks"]),
    max_size=40,
)


@given(steps, st.sampled_from([0, 500, 2_000]))
def test_whatever_happens_a_talk_ends_once_and_says_nothing_after_its_stop(what: list[str], disclosure_ms: int) -> None:
    """Every talk ends in time, with one branch, and nothing is sent after the stop."""
    talk = Talk(disclosure_ms)
    acts: dict[str, Callable[[], object]] = {
        "media": lambda: talk.speaks(LOUD * 3),
        "mark": lambda: talk.says("mark", name="m"),
        "clear": lambda: talk.says("clear"),
        "end": lambda: talk.says("end", branch="2"),
        "bad": lambda: talk.stream.take(talk.now_ms, "?"),
        "close": lambda: talk.stream.closed(1000),
        "abort": lambda: talk.stream.closed(None),
        "complete": lambda: talk.stream.completed("0"),
        "stop": talk.stream.stop,
        "tick": talk.tick,
        "ticks": lambda: talk.tick(70),
    }
    ends = []
    for step in what:
        acts[step]()
        if talk.stream.end is not None:
            ends.append(talk.stream.end)
    talk.tick((60_000 + disclosure_ms + 11_000) // 20)
    assert talk.stream.is_over
    assert talk.stream.end is not None
    assert len({*ends, talk.stream.end}) == 1
    assert "stop" not in talk.events()[:-1]
