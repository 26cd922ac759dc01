"""Tests of a pause whose process is killed: another one takes up the call, and nothing of the pause is in the file."""

import asyncio
import json
import os
import signal
import socket
from contextlib import suppress
from pathlib import Path
from typing import Final

from dialer.carriers.line_port import Alive, LiveLeg
from dialer.carriers.media.rtp import FRAME_MS, FRAME_SAMPLES, RtpPacket, write_packet
from dialer.carriers.voice.line_factory import sip_lines
from dialer.domain.calls.call_recording import SoundStore, TapeState
from dialer.domain.formats.sealed_sound import HEADER_BYTES, SEALED_BYTES
from dialer.domain.sessions.leg_protocol import Answered, Clear, Dialling, Tape
from dialer.store.media.call_recordings import RecordedSound, measured, read_sound
from dialer.store.media.folder import FolderMedia
from tests.carriers.listening import Watch, Worker
from tests.carriers.voice.carrier import SmallCarrier
from tests.carriers.voice.test_line_process import process_of

KEY: Final = "7b" * 32
FILE: Final = "a.call"
BEFORE, SECRET, AFTER = b"\1", b"\4", b"\2"
SILENT, KEEPING = TapeState.SILENT, TapeState.KEEPING


class Callee:
    """A telephone that says one thing, again and again, until it is to say another one."""

    def __init__(self, watch: Watch) -> None:
        self._watch: Final = watch
        self.socket: Final = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.says = BEFORE
        self.count = 0
        """Packets since it was told what to say."""

    def say(self, word: bytes) -> None:
        self.says, self.count = word, 0

    async def talk(self, port: int) -> None:
        number = 0
        while True:
            sound = self.says * FRAME_SAMPLES
            packet = write_packet(RtpPacket(0, number % 2**16, number * FRAME_SAMPLES % 2**32, 5, sound))
            self.socket.sendto(packet, ("127.0.0.1", port))
            number, self.count = number + 1, self.count + 1
            self._watch.touch()
            await asyncio.sleep(FRAME_MS / 1_000)


def kept(folder: Path) -> bytes:
    """Return what is kept of the callee."""
    files = FolderMedia(folder)
    size = measured(files, FILE, KEY)
    assert size is not None
    sound = b""
    while piece := read_sound(files, RecordedSound(FILE, KEY, HEADER_BYTES + size), HEADER_BYTES + len(sound)):
        sound += piece
    return sound[0::2]


async def test_nothing_is_kept_of_a_pause_in_which_the_process_is_killed(tmp_path: Path) -> None:
    watch = Watch()
    worker, callee, until = Worker(watch), Callee(watch), watch.until
    store = SoundStore(str(tmp_path / FILE), KEY)
    dialling = Dialling("call", "1", "", 60_000, 600_000, sound_store=store)
    with SmallCarrier(watch.touch, sound_port=callee.socket.getsockname()[1]) as carrier:
        parameters = json.dumps({"server": f"127.0.0.1:{carrier.port}", "session_expires": 0})
        line = sip_lines(tmp_path, tmp_path)(1, parameters, worker)
        talk: asyncio.Task[None] | None = None

        def blocks() -> int:
            path = tmp_path / FILE
            return path.stat().st_size // SEALED_BYTES if path.exists() else 0

        try:
            await until(lambda: not worker.why_not)
            line.dial(dialling)
            await until(lambda: ("call", "Answered") in worker.kinds)
            answered = worker.first(Answered)
            assert isinstance(answered, Answered)
            line.settled(worker.heard_of[-1][0])
            talk = asyncio.create_task(callee.talk(carrier.ports[-1]))
            await until(lambda: blocks() >= 2)
            line.perform("call", Tape(1, SILENT))
            # The line has the order long before a second is over, and says nothing of it.
            await until(lambda: callee.count >= 125)
            callee.say(SECRET)
            await until(lambda: callee.count >= 50)
            os.kill(process_of(tmp_path), signal.SIGKILL)
            await until(lambda: worker.why_not)
            await until(lambda: not worker.why_not)
            order = Dialling("call", "1", "", 60_000, 600_000, sound_store=SoundStore(store.file, KEY, 6_000, SILENT))
            assert await line.find([LiveLeg(order, 10**6, 6_000, answered.handle)]) == [Alive()]
            found = blocks()
            await until(lambda: blocks() >= found + 3)
            callee.say(AFTER)
            await until(lambda: callee.count >= 50)
            line.perform("call", Tape(2, KEEPING))
            found = blocks()
            await until(lambda: blocks() >= found + 6)
            line.perform("call", Clear(3))
            await until(lambda: ("call", "Ended") in worker.kinds)
        finally:
            if talk is not None:
                talk.cancel()
                with suppress(asyncio.CancelledError):
                    await talk
            callee.socket.close()
            await line.close()
            os.kill(process_of(tmp_path), signal.SIGTERM)
    sound = kept(tmp_path)
    assert SECRET not in sound
    assert sound.index(BEFORE) < sound.index(AFTER)
    assert (sound.count(BEFORE) > FRAME_SAMPLES, sound.count(AFTER) > FRAME_SAMPLES) == (True, True)
