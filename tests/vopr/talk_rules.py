"""The rules of talks with programs, in other words than those of the program, and bugs that are planted.

No call is left without an end, no sound of a program is heard after a stop, and no connection outlives its call.
"""

import base64
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from dialer.carriers.media.agent_playout import Playout
from dialer.carriers.media.agent_stream import AgentStream
from dialer.carriers.media.conversing import Conversing
from dialer.carriers.voice.agent_sockets import AgentSockets
from tests.vopr.talks import CALLEE, DISCLOSURE, FRAME, FRAME_MS, QUIET, WORDS, TalkWorld, happened

CONNECT_FRAMES: Final = 5_000 // FRAME_MS
LAST_WORDS_FRAMES: Final = 10_000 // FRAME_MS
CLOSE_FRAMES: Final = 3_000 // FRAME_MS
"""Time for a connection to end after its call."""
SLACK_FRAMES: Final = 5
_CALLEE: Final = base64.b64encode(CALLEE).decode()
_SILENCE: Final = base64.b64encode(bytes([QUIET]) * FRAME).decode()


def longest(world: TalkWorld) -> int:
    """Return the frames after which the conversation of a world is over in any case."""
    own = len(world.disclosure) // FRAME + world.order.limit_ms // FRAME_MS + LAST_WORDS_FRAMES
    late = 100 if any(event[0] == "hold" for events in world.happens.values() for event in events) else 0
    return own + late + SLACK_FRAMES


def _whole(world: TalkWorld) -> int:
    return longest(world) + CLOSE_FRAMES


def talk_findings(seed: int) -> str:
    """Run a seed, and return the rule that it broke; empty if it broke none."""
    return next(_broken(happened(seed, _whole)), "")


def _broken(world: TalkWorld) -> Iterator[str]:
    if world.over_at is None:
        yield "the call was left without an end"
        return
    if world.sockets_left:
        yield "a connection outlives its call"
    yield from _of_the_callee(world, world.over_at)
    yield from _of_the_program(world)
    yield from _of_the_end(world)


def _words(frame: bytes) -> set[int]:
    return set(frame) & set(WORDS)


def _of_the_callee(world: TalkWorld, over_at: int) -> Iterator[str]:
    """Judge what the callee has heard."""
    first = next((number for number, frame in enumerate(world.frames) if _words(frame)), None)
    last = max((number for number, frame in enumerate(world.frames) if _words(frame)), default=-1)
    if last > over_at or (last == over_at and world.done is None):
        yield f"words are heard in frame {last}, and the call has gone on in frame {over_at}"
    stopped = next((number for number, count in enumerate(world.heard_by) if _has_stop(world, count)), None)
    if stopped is not None and last >= stopped:
        yield f"words are heard in frame {last}, and the program was stopped before frame {stopped}"
    disclosed = sum(frame.count(DISCLOSURE) for frame in world.frames)
    if first is not None and disclosed != len(world.disclosure):
        yield f"the callee hears the program after {disclosed} of {len(world.disclosure)} bytes of the disclosure"
    if first is not None and any(DISCLOSURE in frame for frame in world.frames[first:]):
        yield "the program is heard within the disclosure"
    first_end = _first_end(world)
    read_until = min(len(world.frames) if first_end is None else first_end[0], world.completed_at or len(world.frames))
    for at, epoch in world.clears:
        if at >= read_until:
            return
        old = set(WORDS[:epoch])
        late = next((n for n, frame in enumerate(world.frames[at + 1 :], at + 1) if set(frame) & old), None)
        if late is not None and epoch < len(WORDS):
            yield f"words that were dropped in frame {at} are heard in frame {late}"


def _has_stop(world: TalkWorld, count: int) -> bool:
    program = world.program
    return program is not None and count > 0 and program.heard[count - 1]["event"] == "stop"


def _of_the_program(world: TalkWorld) -> Iterator[str]:
    """Judge what the program has heard."""
    program = world.program
    if program is None:
        return
    events = [one["event"] for one in program.heard]
    if events[:2] != ["connected", "start"][: len(events)]:
        yield f"the program hears {events[:2]} first"
    if [one["sequenceNumber"] for one in program.heard[1:]] != [str(n + 1) for n in range(len(events[1:]))]:
        yield "the numbers of the messages have a gap"
    if "stop" in events[:-1]:
        yield "the program hears something after the stop"
    has_left = program.left_by_itself or not program.reads or world.killed
    if events and not has_left and events[-1] != "stop":
        yield f"the last that the program hears is {events[-1]}"
    heard = [one["media"]["payload"] for one in program.heard if one["event"] == "media"]
    if not set(heard) <= {_CALLEE, _SILENCE}:
        yield "the program hears something else than the callee"
    early = program.heard[: world.heard_by[len(world.disclosure) // FRAME]] if world.is_quiet else []
    if _CALLEE in (one["media"]["payload"] for one in early if one["event"] == "media"):
        yield "the program hears the callee within the disclosure"
    yield from _of_marks(world, [one["mark"]["name"] for one in program.heard if one["event"] == "mark"])


def _of_marks(world: TalkWorld, heard: list[str]) -> Iterator[str]:
    if heard != world.marks[: len(heard)]:
        yield f"marks come back as {heard}, and were set as {world.marks}"


def _first_end(world: TalkWorld) -> tuple[int, Any] | None:
    return next(((at, one) for at, one in world.said if one[0] in {"end", "close", "nonsense"} and _ends(one)), None)


def _ends(action: tuple[Any, ...]) -> bool:
    return bool(action[0] != "nonsense" or action[1] > 100)


def _of_the_end(world: TalkWorld) -> Iterator[str]:
    """Judge the branch, and the time, of an end that nothing else has disturbed."""
    done, program = world.done, world.program
    if done is None or world.over_at is None or world.killed or not world.is_quiet:
        return
    if program is None:
        is_short = world.order.limit_ms // FRAME_MS <= CONNECT_FRAMES
        if done.branch != "invalid" and world.completed_at is None and not (is_short and done.branch == "timeout"):
            yield f"nobody was connected, and the branch is {done.branch}"
        return
    started = next((number for number, count in enumerate(world.heard_by) if count), None)
    says = [at for at, action in world.said if action[0] not in {"nonsense", "close", "hang"}]
    first = _first_end(world)
    if started is not None and not says:
        yield from _of_silence(world, max(started, _begins(world)), is_alone=first is None and program.reads)
    if first is not None:
        in_time = world.completed_at is None and first[0] < _begins(world) + _limit(world) - SLACK_FRAMES
        in_time &= (says[0] if says else first[0]) < _begins(world) + _patience(world) - SLACK_FRAMES
        yield from _of_its_end(world, *first, counts=in_time and program.reads, is_told=started is not None)


def _begins(world: TalkWorld) -> int:
    return len(world.disclosure) // FRAME


def _limit(world: TalkWorld) -> int:
    return world.order.limit_ms // FRAME_MS


def _patience(world: TalkWorld) -> int:
    return world.order.patience_ms // FRAME_MS


def _of_silence(world: TalkWorld, hears_from: int, *, is_alone: bool) -> Iterator[str]:
    """Judge the end of a program that says nothing, and that may have closed."""
    done, over_at = world.done, world.over_at
    if done is None or over_at is None or world.completed_at is not None:
        return
    if done.branch not in {"invalid", "timeout"}:
        yield f"the program said nothing, and the branch is {done.branch}"
    if over_at > hears_from + _patience(world) + SLACK_FRAMES:
        yield "a program that says nothing is waited for"
    if is_alone and over_at < min(hears_from + _patience(world), _begins(world) + _limit(world)) - SLACK_FRAMES:
        yield "a program has less patience than it should"


def _of_its_end(world: TalkWorld, at: int, action: tuple[Any, ...], *, counts: bool, is_told: bool) -> Iterator[str]:
    """Judge the end that a program gave a conversation, if it counts."""
    done, program = world.done, world.program
    if done is None or program is None:
        return
    if (world.over_at or 0) > max(at, _begins(world)) + LAST_WORDS_FRAMES + SLACK_FRAMES:
        yield "last words are endless"
    if action[0] != "end" or not counts:
        return
    if done.branch != (action[1] or "0"):
        yield f"the program ended with {action[1]!r}, and the branch is {done.branch}"
    marks = sum(1 for _, one in world.said[: world.said.index((at, action))] if one == ("mark",))
    heard = sum(1 for one in program.heard if one["event"] == "mark")
    if is_told and not program.left_by_itself and heard < marks:
        yield f"{heard} of {marks} marks come back before the end"


def silence_is_waited_for(patch: pytest.MonkeyPatch) -> None:
    """Plant that a program that says nothing has all the time of the conversation."""
    patch.setattr("dialer.carriers.media.conversing.TalkTerms", _patient)


def _patient(patience_ms: int, limit_ms: int, parameters: Any) -> Any:  # noqa: ANN401 - as the real one
    from dialer.carriers.media.agent_stream import TalkTerms  # noqa: PLC0415 - beside the one that is planted

    return TalkTerms(patience_ms * 1_000, limit_ms, parameters)


def no_longest_time(patch: pytest.MonkeyPatch) -> None:
    """Plant that only a program, or a connection, ends a conversation."""
    patch.setattr(AgentStream, "_look", lambda *_: None)


def dropped_words_are_heard(patch: pytest.MonkeyPatch) -> None:
    """Plant that `clear` gives back marks alone."""
    patch.setattr(Playout, "clear", Playout.reached)


def sockets_outlive_their_calls(patch: pytest.MonkeyPatch) -> None:
    """Plant that a leg that does something else keeps its program."""
    tick: Callable[..., None] = AgentSockets.tick
    patch.setattr(AgentSockets, "tick", lambda self, _: tick(self, lambda key: self._talks[key].talk))


def an_end_can_be_taken_back(patch: pytest.MonkeyPatch) -> None:
    """Plant that what follows an end counts."""
    take: Callable[..., None] = AgentStream.take

    def taken(self: AgentStream, now_ms: int, raw: str | bytes) -> None:
        self.end = None
        take(self, now_ms, raw)

    patch.setattr(AgentStream, "take", taken)


def last_words_are_endless(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("dialer.carriers.media.agent_playout.LAST_WORDS_MAX", 8_000 * 300)


def a_held_disclosure_goes_by(patch: pytest.MonkeyPatch) -> None:
    """Plant that the disclosure goes on while the callee holds the call."""
    patch.setattr(Conversing, "pass_time", Conversing.next_frame)


def marks_behind_silence_are_lost(patch: pytest.MonkeyPatch) -> None:
    """Plant that marks behind what is not played any more never come back."""
    end: Callable[..., None] = Playout.end

    def ended(self: Playout) -> None:
        marks = list(self._marks)
        end(self)
        self._marks.clear()
        self._marks.extend(marks)

    patch.setattr(Playout, "end", ended)


TALKS_PLANTED: Final = {
    "a program that says nothing is waited for": (silence_is_waited_for, 18),
    "a conversation has no longest time": (no_longest_time, 0),
    "words that were dropped are heard": (dropped_words_are_heard, 54),
    "a connection outlives its call": (sockets_outlive_their_calls, 0),
    "an end can be taken back": (an_end_can_be_taken_back, 37),
    "last words are endless": (last_words_are_endless, 25),
    "the disclosure goes by while the call is held": (a_held_disclosure_goes_by, 98),
    "marks behind the last words are lost": (marks_behind_silence_are_lost, 94),
}
"""Bugs that some seed has to find, each with the one that has found it."""
