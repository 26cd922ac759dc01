"""Tests of carriers that name a place to which nothing can be sent: they get what they are owed, over real sockets."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from dialer.carriers.voice.call_trace import Capture
from dialer.carriers.voice.kept_messages import read_capture
from dialer.carriers.voice.line import SipLine
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.domain.sessions.leg_protocol import Clear, Dialling
from dialer.store.media.folder import FolderMedia
from tests.carriers.listening import Watch, Worker
from tests.carriers.voice.carrier import SmallCarrier

DIAL = Dialling("a" * 8, "1", "", 60_000, 60_000)


@pytest.mark.parametrize("contact", ["mirror", "nowhere.invalid", "[2001:db8::1]:5060", "224.0.1.75"])
async def test_a_carrier_that_names_a_wrong_place_gets_the_ack_and_the_bye(tmp_path: Path, contact: str) -> None:
    """The messages of the call, which `dialer explain` shows, say where they went."""
    watch = Watch()
    worker = Worker(watch)
    with SmallCarrier(watch.touch, contact=contact) as carrier:
        parameters = json.dumps({"server": f"127.0.0.1:{carrier.port}", "session_expires": 0, "options": False})
        capture = Capture(tmp_path / "kept")
        line = SipLine(parameters, worker, SoundRoom(), SoundFiles(FolderMedia(tmp_path)), t1_ms=100, capture=capture)
        await watch.until(lambda: not worker.why_not)
        line.dial(DIAL)
        await watch.until(lambda: "Answered" in [kind for _, kind in worker.kinds])
        line.settled(worker.heard_of[-1][0])
        await watch.until(lambda: ("1", "ACK") in carrier.seen)
        line.perform(DIAL.key, Clear(1))
        await watch.until(lambda: ("1", "BYE") in carrier.seen)
        await line.close()
    await asyncio.to_thread(capture.close)
    kept = read_capture(tmp_path / "kept", DIAL.key, time.time())
    assert [line for line in kept if f"messages go to 127.0.0.1:{carrier.port} instead" in line]
