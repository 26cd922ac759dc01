"""Pauses and refusals of a recorded call: at any moment, with packets late, moves between processes, and kill -9.

The rules: nothing is kept of a pause. Its words are in no block of the file, whatever becomes of the processes that
carry the sound, and the file is as long as the call. Nothing at all is kept of a call whose callee has refused.
"""

import pickle
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from dialer.carriers.media.call_tape import CallTape
from dialer.carriers.media.rtp import FRAME_MS, FRAME_SAMPLES
from dialer.carriers.media.sound_leg import SoundLeg, SoundTerms
from dialer.carriers.media.sound_router import SoundTaped
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.carriers.voice.sound_stores import SoundStores
from dialer.domain.calls.call_recording import SoundStore, TapeState
from dialer.domain.formats.sealed_sound import HEADER_BYTES, SIDE_BYTES
from dialer.store.media.call_recordings import RecordedSound, measured, read_sound
from dialer.store.media.folder import FolderMedia
from tests.vopr.dice import Dice

KEY: Final = "3c" * 32
FILE: Final = "a.call"
LEG: Final = "a"
OPEN: Final = b"\1"
SECRET: Final = b"\4"
QUIET: Final = 0xFF
DELAY_MAX: Final = 8
"""Frames by which a packet of the callee may be late."""
LOST_MAX: Final = 2 * SIDE_BYTES
"""Samples that a killed process may lose at the end of what it had recorded."""


class RecordedCall:
    """A call, whose recording is in a real file, and its pauses as the service has ordered them."""

    def __init__(self, seed: int, folder: Path) -> None:
        self._dice: Final = Dice(seed, "recorded")
        self._folder: Final = folder
        self._store = SoundStore(str(folder / FILE), KEY)
        self._now = 0
        self._said: list[bytes] = []
        """The sound of both sides in each frame."""
        self._under_way: dict[int, list[int]] = {}
        self._kills = 0
        self._begin()

    def _begin(self) -> None:
        """Let a new process record the call."""
        self._room = SoundRoom()
        self._router = self._room._router  # noqa: SLF001 - without sockets and clock
        self._router.add(SoundLeg(LEG, 7 << 60, SoundTerms()))
        self._stores = SoundStores(self._room)
        self._stores.add(LEG, replace(self._store, age_ms=self._now * FRAME_MS))
        self._stores.answered(LEG)
        self._ours_at = self._dice.between(0, 2**31)
        self._under_way.clear()
        self._is_first = True

    @property
    def _tape(self) -> CallTape | None:
        return self._leg().tape

    def play(self) -> str:
        """Let the call happen, and return the rule that it broke; empty if it broke none."""
        length = self._dice.between(50, 300)
        orders = self._orders(length)
        refused_at = self._dice.between(0, length - 1) if self._dice.happens(40) else length
        self._said = [_said(orders, number) for number in range(length)]
        for number in range(length):
            for is_silent in orders.get(number, ()):
                self._order(is_silent=is_silent)
            if number == refused_at:
                self._refuse()
            match self._dice.between(0, 60):
                case 0:
                    self._move()
                case 1:
                    self._kill()
                case _:
                    pass
            self._frame(number)
        if (tape := self._tape) is not None:
            self._room._keep(self._leg(), lambda: tape.spool.write(tape.rest()))  # noqa: SLF001 - as a room
        if refused_at < length:
            return "something is kept of a call that was refused" if (self._folder / FILE).exists() else ""
        return self._judge()

    def _leg(self) -> SoundLeg:
        leg = self._router.leg(LEG)
        assert leg is not None
        return leg

    def _orders(self, length: int) -> dict[int, list[bool]]:
        """Return the orders by frame; some are repeated, and two may come at once."""
        found: dict[int, list[bool]] = {}
        for _ in range(self._dice.between(1, 6)):
            found.setdefault(self._dice.between(0, length - 1), []).append(self._dice.happens(60))
        return found

    def _order(self, *, is_silent: bool) -> None:
        if self._store.state is not TapeState.REFUSED:
            self._store = replace(self._store, state=TapeState.SILENT if is_silent else TapeState.KEEPING)
            self._stores.order(LEG, self._store.state)

    def _refuse(self) -> None:
        """Refuse. The service has stored it, and the process that carries the sound may be killed before it hears."""
        self._store = replace(self._store, state=TapeState.REFUSED)
        if self._dice.happens(30):
            self._kill()
        else:
            self._stores.order(LEG, self._store.state)

    def _move(self) -> None:
        """Let another process carry the sound, to which the leg is given as it is."""
        leg = pickle.loads(pickle.dumps(self._router.release(LEG)))  # noqa: S301 - our own
        self._room = SoundRoom()
        self._router = self._room._router  # noqa: SLF001 - without sockets and clock
        self._router.add(leg)
        self._stores = SoundStores(self._room)

    def _kill(self) -> None:
        """Kill the process. After a while, another one takes the call up with what the service has stored."""
        self._kills += 1
        self._now += self._dice.between(0, 40)
        self._begin()

    def _frame(self, number: int) -> None:
        """Let 20 ms pass."""
        tape, dice = self._tape, self._dice
        if tape is None:
            self._now += 1
            return
        if self._is_first or not dice.happens(5):
            # The first packet says where the others belong.
            delay = 0 if self._is_first else dice.between(0, DELAY_MAX)
            self._under_way.setdefault(number + delay, []).append(number)
            self._is_first = False
        for one in self._under_way.pop(number, ()):
            tape.hear(one * FRAME_SAMPLES, self._said[one] * FRAME_SAMPLES)
        self._ours_at += FRAME_SAMPLES
        tape.say(self._ours_at % 2**32, self._said[number] * FRAME_SAMPLES)
        tape.tick()
        self._now += 1
        if tape.has_block:
            self._room._write(SoundTaped(LEG, tape.take_block()))  # noqa: SLF001 - as its clock does

    def _judge(self) -> str:
        files = FolderMedia(self._folder)
        size = measured(files, FILE, KEY)
        if size is None:
            return "there is no file"
        sound = b""
        while piece := read_sound(files, RecordedSound(FILE, KEY, HEADER_BYTES + size), HEADER_BYTES + len(sound)):
            sound += piece
        for name, side in (("callee", sound[0::2]), ("ours", sound[1::2])):
            if SECRET in side:
                return f"of the {name}'s pause, {side.count(SECRET)} samples are kept"
            if not self._kills and len(side) != self._now * FRAME_SAMPLES:
                return f"the file has {len(side)} samples, and the call {self._now * FRAME_SAMPLES}"
            if len(side) < self._now * FRAME_SAMPLES - self._kills * LOST_MAX:
                return f"the file has {len(side)} samples only, and the call {self._now * FRAME_SAMPLES}"
        return ""


def _said(orders: dict[int, list[bool]], number: int) -> bytes:
    """Return what is said in a frame: a secret in a pause."""
    given = [one for at in sorted(orders) if at <= number for one in orders[at]]
    return SECRET if given and given[-1] else OPEN


def pauses_are_not_silent(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(CallTape, "silence", lambda *_, **__: None)


def late_sound_is_kept(patch: pytest.MonkeyPatch) -> None:
    """Plant that silence takes the place of sound of its own time only as long as it lasts."""
    patch.setattr("dialer.carriers.media.call_tape.silent_spans", lambda *_: [])


def another_process_forgets(patch: pytest.MonkeyPatch) -> None:
    """Plant that whoever takes up a call in a pause records it."""
    record: Callable[..., Any] = SoundRoom.record

    def recorded(self: SoundRoom, key: str, store: SoundStore) -> None:
        record(self, key, replace(store, state=TapeState.KEEPING))

    patch.setattr(SoundRoom, "record", recorded)


def a_second_pause_is_the_end_of_the_first(patch: pytest.MonkeyPatch) -> None:
    """Plant that an order which is repeated turns the pause over."""
    silence: Callable[..., None] = CallTape.silence

    def turned(self: CallTape, *, is_silent: bool) -> None:
        silence(self, is_silent=is_silent and not len(self._silences) % 2)

    patch.setattr(CallTape, "silence", turned)


def a_refusal_is_a_pause(patch: pytest.MonkeyPatch) -> None:
    def paused(self: SoundRoom, key: str, _store: SoundStore | None = None) -> None:
        self.silence(key, is_silent=True)

    patch.setattr(SoundRoom, "discard", paused)


def a_refused_call_is_recorded_on(patch: pytest.MonkeyPatch) -> None:
    """Plant that the file goes, and the tape runs on."""
    discard: Callable[..., None] = SoundRoom.discard

    def discarded(self: SoundRoom, key: str, store: SoundStore | None = None) -> None:
        leg = self.leg(key)
        tape = None if leg is None else leg.tape
        discard(self, key, store)
        if leg is not None:
            leg.tape = tape

    patch.setattr(SoundRoom, "discard", discarded)


def another_process_forgets_the_refusal(patch: pytest.MonkeyPatch) -> None:
    """Plant that whoever takes up a call that was refused leaves what another process has recorded."""
    discard: Callable[..., None] = SoundRoom.discard

    def discarded(self: SoundRoom, key: str, store: SoundStore | None = None) -> None:
        if store is None:
            discard(self, key)

    patch.setattr(SoundRoom, "discard", discarded)


RECORDED_PLANTED: Final = {
    "pauses are not silent": pauses_are_not_silent,
    "what was said in a pause is kept if it comes late": late_sound_is_kept,
    "a process that takes up a call forgets its pause": another_process_forgets,
    "a repeated pause ends it": a_second_pause_is_the_end_of_the_first,
    "a refusal is a pause": a_refusal_is_a_pause,
    "a call is recorded on after a refusal": a_refused_call_is_recorded_on,
    "a process that takes up a refused call leaves its file": another_process_forgets_the_refusal,
}
"""Bugs that some seed has to find."""


def recorded_findings(seed: int) -> str:
    """Run a seed, and return the rule that it broke; empty if it broke none."""
    folder = Path(tempfile.mkdtemp(prefix="recorded-"))
    try:
        return RecordedCall(seed, folder).play()
    finally:
        shutil.rmtree(folder)
