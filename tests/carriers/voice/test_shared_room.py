"""Tests of sound that is shared between processes: calls move, talk with each other, and outlive other processes."""

import asyncio
import os
import signal
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from dialer.carriers.media.rtp import FRAME_MS, RtpPacket
from dialer.carriers.media.sound_leg import SoundLeg, SoundTerms
from dialer.carriers.media.sound_router import OrderDone
from dialer.carriers.media.transform import Transform, transform_of
from dialer.carriers.sip.sdp import AgreedSound, Codec
from dialer.carriers.sip.sdp_security import KEY_BYTES, SoundKeys, Suite
from dialer.carriers.voice import shared_room
from dialer.carriers.voice.helper_frames import (
    EndSound,
    HelperNews,
    LegFinished,
    LegReleased,
    ReleaseLeg,
    RemoveLeg,
    ToHelper,
)
from dialer.carriers.voice.shared_room import SharedRoom
from dialer.carriers.voice.sound_process import SoundProcess
from dialer.carriers.voice.sound_room import LegSockets, SoundFailed, SoundNews, SoundOver
from dialer.domain.calls.call_recording import SoundStore
from dialer.domain.sessions.leg_protocol import Ask, Bridge, Confer, Done, Order, Play, Record
from tests.carriers.listening import WAIT_S, Watch
from tests.carriers.media.studio import key_packets

PLACE: Final = (socket.AF_INET, None)
WORD: Final = bytes(range(160))


class Callees:
    """A room of which one helper carries all calls but the first, and a telephone for each call.

    With a suite, all sound is encrypted.
    """

    def __init__(self, stack: ExitStack, suite: Suite | None) -> None:
        self.room = SharedRoom(1)
        self.watch = Watch()
        self.news: list[SoundNews] = []
        self.overs: list[SoundOver] = []
        self.phones: dict[str, socket.socket] = {}
        self._stack, self._suite = stack, suite
        self._ends: dict[str, Transform] = {}
        self._sequences = Counter[str]()

    def call(self, key: str) -> None:
        phone = self.phones[key] = self._stack.enter_context(socket.socket(type=socket.SOCK_DGRAM))
        phone.settimeout(0)
        phone.bind(("127.0.0.1", 0))
        port = self.room.add(key, PLACE, self._hear, SoundTerms())
        phone.connect(("127.0.0.1", port))
        sound = AgreedSound("127.0.0.1", phone.getsockname()[1], Codec.PCMU, 0, 101)
        ours, theirs = self._keys()
        self._ends[key] = transform_of(replace(sound, keys=theirs))
        self.room.agree(key, replace(sound, keys=ours))
        self.room.watch(key)

    def _keys(self) -> tuple[SoundKeys | None, SoundKeys | None]:
        if self._suite is None:
            return None, None
        one, other = (os.urandom(KEY_BYTES[self._suite]) for _ in range(2))
        return SoundKeys(self._suite, 1, one, other), SoundKeys(self._suite, 1, other, one)

    def send(self, key: str, packet: RtpPacket) -> None:
        self.phones[key].send(self._ends[key].write(packet))

    async def share(self, *keys: str) -> None:
        """Call somebody here, and others at the helper."""
        self.call("here")
        self.call("starts it")
        await self.room.helpers[0].started.wait()
        for key in keys:
            self.call(key)
        assert self.room.helpers[0].legs == set(keys)

    def say(self, key: str, data: bytes = WORD) -> None:
        self._sequences[key] += 1
        number = self._sequences[key]
        self.send(key, RtpPacket(0, number, 160 * number, 7, data))

    async def hears(self, key: str, is_it: Callable[[bytes], bool], speaker: str = "") -> None:
        """Wait until a telephone hears some sound, while another one speaks."""
        speaking = asyncio.create_task(self._speak(speaker)) if speaker else None
        async with asyncio.timeout(WAIT_S):
            loop, phone = asyncio.get_running_loop(), self.phones[key]
            while not is_it(self._ends[key].read(await loop.sock_recv(phone, 2_000)).data):
                pass
        if speaking is not None:
            speaking.cancel()

    async def _speak(self, key: str) -> None:
        while True:
            self.say(key)
            await asyncio.sleep(FRAME_MS / 1_000)

    async def finish(self, key: str) -> SoundOver:
        over: asyncio.Future[SoundOver] = asyncio.get_running_loop().create_future()
        self.room.finish(key, over.set_result)
        async with asyncio.timeout(WAIT_S):
            return await over

    def done(self, key: str) -> list[Done]:
        return [news.done for news in self.news if isinstance(news, OrderDone) and news.key == key]

    def _hear(self, news: SoundNews) -> None:
        self.news.append(news)
        self.watch.touch()


@pytest.fixture(params=[None, *Suite])
async def callees(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Callees]:
    """Share each call beyond the first."""
    monkeypatch.setattr(shared_room, "CALLS_EACH", 1)
    monkeypatch.setattr(shared_room, "START_EVERY_MS", 0)
    with ExitStack() as stack:
        callees = Callees(stack, request.param)
        yield callees
        await callees.room.end()


async def test_a_helper_plays_hears_keys_and_records(callees: Callees) -> None:
    await callees.share("away")
    callees.room.perform("away", Play(1, ()), WORD)
    await callees.hears("away", lambda sound: sound == WORD)
    callees.room.perform("away", Ask(2, (), 1, 30_000), WORD)
    await callees.hears("away", lambda sound: sound == WORD)
    callees.room.press("away", "5")
    await callees.watch.until(lambda: Done(2, 0, answer="5") in callees.done("away"))
    callees.room.perform("away", Ask(3, (), 1, 30_000), WORD)
    await callees.hears("away", lambda sound: sound == WORD)
    callees.send("away", key_packets("4", 0, 5_000)[0])
    await callees.watch.until(lambda: Done(3, 0, answer="4") in callees.done("away"))
    callees.room.perform("away", Record(4, "word.wav"), b"")
    callees.room.perform("away", Play(1, ()), b"")  # It is older than the order in progress.
    for _ in range(8):
        callees.say("away")
    callees.send("away", key_packets("#", 100, 50_000)[0])
    await callees.watch.until(lambda: len(callees.done("away")) == 4)
    recorded = callees.news[-1]
    assert isinstance(recorded, OrderDone)
    assert recorded.recording is not None
    assert (recorded.recording[0], recorded.recording[1][-160:]) == ("word.wav", WORD)
    callees.room.perform("away", Record(5, "cut off.wav"), b"")
    over = await callees.finish("away")
    assert "packets sent" in over.quality
    assert over.recording == ("cut off.wav", b"")
    assert await callees.finish("away") == await callees.finish("nobody") == SoundOver()


async def test_a_helper_throws_away_what_it_has_recorded(callees: Callees, tmp_path: Path) -> None:
    await callees.share("away")
    file = tmp_path / "a.call"
    callees.room.record("away", SoundStore(str(file), "0f" * 32))
    callees.room.perform("away", Play(1, ()), WORD)
    await callees.hears("away", lambda sound: sound == WORD)
    assert file.exists()
    callees.room.discard("away")
    await callees.finish("away")
    assert not file.exists()


@pytest.mark.parametrize(("first", "second"), [("here", "away"), ("away", "here"), ("away", "too")])
async def test_calls_of_two_processes_are_connected(callees: Callees, first: str, second: str) -> None:
    await callees.share("away", "too")
    for key in (first, second):
        await callees.hears(key, lambda sound: sound != WORD)
    callees.room.perform(first, Bridge(1, second), b"")
    await callees.hears(first, lambda sound: sound == WORD, speaker=second)
    await callees.hears(second, lambda sound: sound == WORD, speaker=first)
    assert (await callees.finish(second)).quality
    await callees.watch.until(lambda: Done(1, 0) in callees.done(first))


async def test_a_call_is_connected_with_one_that_moves(callees: Callees) -> None:
    await callees.share("away", "too")
    callees.room.perform("away", Bridge(1, "here"), b"")
    callees.room.perform("too", Bridge(1, "away"), b"")
    await callees.hears("away", lambda sound: sound == WORD, speaker="too")
    await callees.hears("too", lambda sound: sound == WORD, speaker="away")


async def test_the_members_of_a_conference_hear_each_other(callees: Callees) -> None:
    await callees.share("away", "too")
    for key in ("away", "here", "too"):
        callees.room.perform(key, Confer(1, "room"), b"")
    await callees.hears("here", lambda sound: len(set(sound)) > 1, speaker="away")
    await callees.hears("away", lambda sound: len(set(sound)) > 1, speaker="here")
    await callees.hears("too", lambda sound: len(set(sound)) > 1, speaker="here")


async def test_a_killed_helper_ends_its_calls_and_no_others(callees: Callees) -> None:
    await callees.share("away", "too")
    overs: list[SoundOver] = []
    os.kill(callees.room.helpers[0].pid, signal.SIGSTOP)
    callees.room.finish("too", overs.append)
    os.kill(callees.room.helpers[0].pid, signal.SIGKILL)
    await callees.watch.until(lambda: callees.news == [SoundFailed("away")])
    assert overs == [SoundOver()]
    callees.room.perform("here", Play(1, ()), WORD)
    await callees.hears("here", lambda sound: sound == WORD)
    callees.call("starts another")
    await callees.room.helpers[0].started.wait()
    callees.call("away again")
    callees.room.perform("away again", Play(1, ()), WORD)
    await callees.hears("away again", lambda sound: sound == WORD)


class FakeHelper(SoundProcess):
    """A helper without a process. It answers one frame at a time, when the test says so, and may end."""

    def __init__(self, hear: Callable[[SoundProcess, HelperNews], None], ended: Callable[[SoundProcess], None]) -> None:
        self._hear, self._ended, self._is_dead = hear, ended, False
        self.legs, self.held = set(), dict[str, SoundLeg]()
        self._frames: list[Callable[[], object]] = []

    @property
    def is_ready(self) -> bool:
        return not self._is_dead

    @property
    def pid(self) -> int:
        return 0

    def hold(self, leg: SoundLeg, sockets: LegSockets) -> None:
        assert all(bound is None or bound.fileno() >= 0 for bound in sockets)
        self.legs.add(leg.key)
        self._frames.append(lambda: self.held.update({leg.key: leg}))

    def perform(self, key: str, order: Order, prompt: bytes) -> None:
        """Check that whoever is connected is carried by the same process."""
        del prompt
        if isinstance(order, Bridge):
            self._frames.append(lambda: self._connect(key, order.other))

    def _connect(self, key: str, other: str) -> None:
        assert key in self.held
        assert other == key or other in self.held or other not in self.legs

    def send(self, frame: ToHelper) -> None:
        if isinstance(frame, ReleaseLeg):
            self._frames.append(lambda: self._hear(self, LegReleased(frame.key, self.held.pop(frame.key, None))))
        elif isinstance(frame, EndSound):
            self._frames.append(lambda: self._finish(frame.key))
        elif isinstance(frame, RemoveLeg):
            self._frames.append(lambda: self.held.pop(frame.key))

    def _finish(self, key: str) -> None:
        del self.held[key]
        self._hear(self, LegFinished(key, SoundOver(key)))

    def answer(self, frames: int | None = None) -> None:
        while self._frames and frames != 0:
            self._frames.pop(0)()
            frames = None if frames is None else frames - 1

    def die(self) -> None:
        self._frames.clear()
        self._is_dead = True
        self._ended(self)


KEYS: Final = st.integers(0, 7)
STEPS: Final = st.lists(
    st.one_of(
        st.tuples(st.just("bridge"), KEYS, KEYS),
        st.tuples(st.just("confer"), KEYS, st.integers(0, 1)),
        st.tuples(st.just("finish"), KEYS, st.just(0)),
        st.tuples(st.just("remove"), KEYS, st.just(0)),
        st.tuples(st.just("answer"), st.integers(0, 2), st.integers(1, 3)),
        st.tuples(st.just("die"), st.integers(0, 2), st.just(0)),
    ),
    max_size=40,
)


@given(STEPS)
@example([("bridge", 6, 3), ("die", 0, 0)])  # A leg moves to a helper that has died.
def test_every_call_ends_once_whatever_moves_and_dies(steps: list[tuple[str, int, int]]) -> None:
    """The end of a call is told once, a call is lost with its helper only, and no socket stays."""
    asyncio.run(_live(steps))


async def _live(steps: list[tuple[str, int, int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shared_room, "CALLS_EACH", 2)
        patch.setattr(shared_room, "START_EVERY_MS", 0)
        patch.setattr(shared_room, "SoundProcess", FakeHelper)
        room, asked, overs, failed = SharedRoom(2), Counter[str](), Counter[str](), list[str]()
        for number in range(8):
            room.add(str(number), PLACE, lambda news: failed.append(news.key), SoundTerms())
        away = [leg.sockets for leg in room._away.values()]  # noqa: SLF001 - nobody else sees them
        held = [*room._sockets.values(), *away]  # noqa: SLF001
        for turn, (step, first, second) in enumerate((*steps, *(("finish", number, 0) for number in range(8))), 1):
            if step in {"answer", "die"}:
                _let_happen(room, step, (first, second), failed)
            elif step == "finish":
                asked[str(first)] += 1
                room.finish(str(first), partial(_count, overs, str(first)))
            else:
                _order(room, step, turn, (str(first), str(second)))
        for helper in (*room.helpers, *room.helpers):
            assert isinstance(helper, FakeHelper)
            helper.answer()
        assert overs == asked
        assert len(failed) == len(set(failed))
        assert all(bound is None or bound.fileno() < 0 for sockets in held for bound in sockets)
        assert not any(helper.legs for helper in room.helpers)
        room.close()


def _count(overs: Counter[str], key: str, _: SoundOver) -> None:
    overs[key] += 1


def _order(room: SharedRoom, step: str, turn: int, keys: tuple[str, str]) -> None:
    if step == "remove":
        room.remove(keys[0])
    else:
        room.perform(keys[0], Bridge(turn, keys[1]) if step == "bridge" else Confer(turn, keys[1]), b"")


def _let_happen(room: SharedRoom, step: str, which: tuple[int, int], failed: list[str]) -> None:
    if which[0] >= len(room.helpers):
        return
    helper, before = room.helpers[which[0]], len(failed)
    assert isinstance(helper, FakeHelper)
    carried = set(helper.legs)
    if step == "answer":
        helper.answer(which[1])
        assert len(failed) == before
    else:
        helper.die()
        assert set(failed[before:]) == carried
