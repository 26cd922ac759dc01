"""Tests of the sound of a call over real sockets: strangers who send to its port, and a callee who sends nothing."""

import asyncio
import json
import socket
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from dialer.carriers.media.rtp import RtpPacket, write_packet
from dialer.carriers.media.sound_leg import SoundTerms
from dialer.carriers.media.sound_router import PHASES
from dialer.carriers.sip.parameters import SipParameters
from dialer.carriers.sip.sdp import KEYS_PAYLOAD, AgreedSound, Codec
from dialer.carriers.voice.call_trace import Capture
from dialer.carriers.voice.clock import steady_ms
from dialer.carriers.voice.kept_messages import read_capture
from dialer.carriers.voice.line import SipLine
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import STRANGERS_MAX, SoundRoom
from dialer.domain.sessions.leg_protocol import Ask, Clear, Dialling, Done
from dialer.store.media.folder import FolderMedia
from tests.carriers.listening import Watch, Worker
from tests.carriers.media.studio import key_packets
from tests.carriers.voice.carrier import SmallCarrier
from tests.carriers.voice.listener import Listener

DIAL: Final = Dialling("a" * 8, "1", "", 60_000, 60_000)
STRANGER: Final = "127.0.0.3"
FLOOD: Final = 300


def bound(host: str) -> socket.socket:
    one = socket.socket(type=socket.SOCK_DGRAM)
    one.settimeout(0)
    one.bind((host, 0))
    return one


def sound(number: int) -> bytes:
    return write_packet(RtpPacket(0, number, 160 * number, 7, b"\x2a" * 160))


async def test_a_stranger_who_comes_first_gets_no_sound_and_presses_no_key(tmp_path: Path) -> None:
    """RFC 3550 9.1: a stranger sprays the port before the callee says anything, and goes on while the callee talks."""
    watch = Watch()
    worker, loop = Worker(watch), asyncio.get_running_loop()
    with ExitStack() as stack:
        callee, stranger = stack.enter_context(bound("127.0.0.1")), stack.enter_context(bound(STRANGER))
        carrier = stack.enter_context(SmallCarrier(watch.touch, callee.getsockname()[1]))
        parameters = json.dumps({"server": f"127.0.0.1:{carrier.port}", "session_expires": 0})
        capture = Capture(tmp_path / "kept")
        line = SipLine(parameters, worker, SoundRoom(), SoundFiles(FolderMedia(tmp_path)), t1_ms=100, capture=capture)
        await watch.until(lambda: not worker.why_not)
        line.dial(DIAL)
        await watch.until(lambda: "Answered" in [kind for _, kind in worker.kinds])
        line.settled(worker.heard_of[-1][0])
        line.perform(DIAL.key, Ask(1, (), 1, 30_000))
        port = ("127.0.0.1", carrier.ports[0])
        for number in range(FLOOD):
            stranger.sendto(sound(number), port)
            for packet in key_packets("9", number, 7_000 * number)[:1]:
                stranger.sendto(write_packet(packet), port)
        for _ in range(20):
            assert await loop.sock_recv(callee, 2_000)
        for packet in key_packets("4", 0, 5_000):
            callee.sendto(write_packet(packet), port)
        await watch.until(lambda: "Done" in [kind for _, kind in worker.kinds])
        assert [heard.answer for _, _, heard in worker.heard_of if isinstance(heard, Done)] == ["4"]
        assert await loop.sock_recv(callee, 2_000)
        try:
            got = stranger.recv(2_000)
        except BlockingIOError:
            got = b""
        assert got == b""
        line.perform(DIAL.key, Clear(2))
        await watch.until(lambda: "Ended" in [kind for _, kind in worker.kinds])
        await line.close()
        capture.close()
        kept = read_capture(tmp_path / "kept", DIAL.key, 0)
        assert [text for text in kept if "  sound: " in text and " received, 0 lost (0.0 %), jitter 0 ms" in text], kept


async def test_a_flood_of_strangers_delays_no_call() -> None:
    """Packets that come faster than they are thrown away would fill the socket, and silence the call."""
    room, heard = SoundRoom(), list[str]()
    with ExitStack() as stack:
        stack.callback(room.close)
        callee, stranger = stack.enter_context(bound("127.0.0.1")), stack.enter_context(bound(STRANGER))
        for key in ("ada", "bert"):
            port = room.add(key, (socket.AF_INET, None), lambda output: heard.append(output.key), SoundTerms())
            host, sound_port = callee.getsockname()
            if (leg := room.leg(key)) is not None:
                leg.agree(steady_ms(), AgreedSound(host, sound_port, Codec.PCMU, 0, KEYS_PAYLOAD))
            room.perform(key, Ask(1, (), 1, 30_000), b"")
            for number in range(STRANGERS_MAX - 1):
                stranger.sendto(sound(number), ("127.0.0.1", port))
            callee.sendto(write_packet(key_packets("4", 0, 5_000)[0]), ("127.0.0.1", port))
        # A tick for each call, and four until both have told.
        for phase in range(2 + PHASES):
            room._tick(phase % PHASES)  # noqa: SLF001 - its clock waits for the test to end
    assert sorted(heard) == ["ada", "bert"]


async def test_a_call_whose_callee_sends_nothing_is_hung_up(tmp_path: Path) -> None:
    """Neither sound nor reports come, and nobody holds the call: the callee is gone without a BYE."""
    listener = Listener()
    with SmallCarrier(lambda: None) as carrier:
        parameters = SipParameters(server=f"127.0.0.1:{carrier.port}", session_expires=0, sound_timeout=1)
        await listener.call(parameters, tmp_path, DIAL)
    assert ("1", "BYE") in carrier.seen
    assert listener.heard[DIAL.key] == ["answered", "over 102"]
