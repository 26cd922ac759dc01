"""Test of the sound of two calls that are connected, over real sockets."""

import asyncio
import json
import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from dialer.carriers.line_port import Alive, LiveLeg
from dialer.carriers.media.dtmf_inband import silence
from dialer.carriers.media.rtp import RtpPacket, read_packet, write_packet
from dialer.carriers.voice.line import SipLine
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.domain.sessions.leg_protocol import Answered, Bridge, Clear, Dialling, Hold
from dialer.store.media.folder import FolderMedia
from tests.carriers.listening import WAIT_S, Watch, Worker
from tests.carriers.voice.carrier import SmallCarrier

LEGS: Final = tuple(Dialling(name, "1", "", 60_000, 60_000) for name in ("first", "second"))
WORD: Final = bytes(range(160))
SILENCE: Final = silence(20)
MUSIC: Final = b"\x21" * 160


def packet(sequence: int) -> bytes:
    return write_packet(RtpPacket(0, sequence, 160 * sequence, 7, WORD))


async def heard_by(callee: socket.socket, is_it: Callable[[bytes], bool]) -> None:
    """Wait until a callee hears some sound."""
    async with asyncio.timeout(WAIT_S):
        while not is_it(read_packet(await asyncio.get_running_loop().sock_recv(callee, 2_000)).data):
            pass


async def talk(line: SipLine, turn: int, callees: list[socket.socket]) -> None:
    """Connect the two legs, and check that the callees hear each other."""
    first, second = LEGS
    for callee in callees:
        callee.send(packet(3 * turn))
        await heard_by(callee, lambda sound: sound != WORD)
    line.perform(first.key, Bridge(turn, second.key))
    for callee, other in (callees, callees[::-1]):
        callee.send(packet(3 * turn + 1))
        await heard_by(other, lambda sound: sound == WORD)


async def test_two_callees_hear_each_other_until_one_hangs_up_though_the_process_ends(tmp_path: Path) -> None:
    watch = Watch()
    worker, again = Worker(watch), Worker(watch)

    def count(worker: Worker, kind: str) -> int:
        return [heard for _, heard in worker.kinds].count(kind)

    with ExitStack() as stack:
        carrier = stack.enter_context(SmallCarrier(watch.touch))
        callees = [stack.enter_context(socket.socket(type=socket.SOCK_DGRAM)) for _ in LEGS]
        parameters = json.dumps({"server": f"127.0.0.1:{carrier.port}", "session_expires": 0})
        line = SipLine(parameters, worker, SoundRoom(), SoundFiles(FolderMedia(tmp_path)), t1_ms=100)
        await watch.until(lambda: not worker.why_not)
        for leg in LEGS:
            line.dial(leg)
        await watch.until(lambda: count(worker, "Answered") == len(LEGS))
        line.settled(worker.heard_of[-1][0])
        for callee, port in zip(callees, carrier.ports, strict=True):
            callee.settimeout(0)
            callee.connect(("127.0.0.1", port))
        await talk(line, 1, callees)
        await line.close()

        handles = {key: heard.handle for _, key, heard in worker.heard_of if isinstance(heard, Answered)}
        line = SipLine(parameters, again, SoundRoom(), SoundFiles(FolderMedia(tmp_path)), t1_ms=100)
        await watch.until(lambda: not again.why_not)
        legs = [LiveLeg(leg, 10**6, 0, handles[leg.key]) for leg in LEGS]
        assert await line.find(legs) == [Alive(), Alive()]
        await talk(line, 2, callees)
        first, second = LEGS
        line.perform(second.key, Clear(1))
        await watch.until(lambda: (count(again, "Done"), count(again, "Ended")) == (1, 1))
        line.perform(first.key, Clear(3))
        await watch.until(lambda: count(again, "Ended") == len(LEGS))
        await line.close()


async def test_a_callee_on_hold_hears_music_and_the_agent_hears_nothing_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither leg is cleared as one that nobody steers, however long the hold is."""
    watch = Watch()
    worker, music = Worker(watch), SoundFiles(FolderMedia(tmp_path))
    with ExitStack() as stack:
        carrier = stack.enter_context(SmallCarrier(watch.touch))
        callees = [stack.enter_context(socket.socket(type=socket.SOCK_DGRAM)) for _ in LEGS]
        parameters = json.dumps({"server": f"127.0.0.1:{carrier.port}", "session_expires": 0})
        line = SipLine(parameters, worker, SoundRoom(), music, t1_ms=100)
        await watch.until(lambda: not worker.why_not)
        for leg in LEGS:
            line.dial(leg)
        await watch.until(lambda: [kind for _, kind in worker.kinds].count("Answered") == len(LEGS))
        for callee, port in zip(callees, carrier.ports, strict=True):
            callee.settimeout(0)
            callee.connect(("127.0.0.1", port))
        await talk(line, 1, callees)

        line.perform(LEGS[0].key, Hold(2))
        line.perform(LEGS[1].key, Hold(1, is_silent=True))
        for place, callee in enumerate(callees):
            callee.send(packet(4 + place))
        await heard_by(callees[0], lambda sound: sound not in {WORD, SILENCE})
        await heard_by(callees[1], lambda sound: sound == SILENCE)
        monkeypatch.setattr("dialer.carriers.voice.line.NO_ORDER_MS", 0)
        line.look()

        await talk(line, 3, callees)
        music.write("music.wav", MUSIC * 50)
        line.perform(LEGS[0].key, Hold(4, file="music.wav"))
        await heard_by(callees[0], lambda sound: sound == MUSIC)
        line.perform(LEGS[0].key, Hold(5, file="gone.wav"))
        await heard_by(callees[0], lambda sound: sound not in {WORD, SILENCE, MUSIC})
        await talk(line, 6, callees)
        line.look()
        assert [kind for _, kind in worker.kinds if kind == "Ended"] == []
        await line.close()
