"""The cost of a packet that is sent and one that is read, plain and encrypted, for `benchmarks.sound --packets`.

A leg of the sound of calls plays a message and hears its other side, over a socket. Only its own processor time counts,
so that it can be told on a machine with other work, too.
"""

import contextlib
import socket
import statistics
import time
from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from dialer.carriers.media.rtp import FRAME_MS, FRAME_SAMPLES, PACKET_BYTES_MAX, SEQUENCES, RtpPacket
from dialer.carriers.media.sound_leg import SoundLeg, SoundTerms
from dialer.carriers.media.sound_router import PHASES, SendSound, SoundRouter
from dialer.carriers.media.transform import transform_of
from dialer.carriers.sip.sdp import AgreedSound, Codec
from dialer.carriers.sip.sdp_security import KEY_BYTES, SoundKeys, Suite
from dialer.domain.sessions.leg_protocol import Play

PACKETS: Final = 3_000
ROUNDS: Final = 9
HOST: Final = "127.0.0.1"
PLAIN: Final = "plain"
_KEY: Final = "call"


def keys_of(suite: Suite, *, is_far: bool = False) -> SoundKeys:
    """Return the keys of all calls with encrypted sound, as our side or the far one has them."""
    keys = bytes(KEY_BYTES[suite]), bytes([1]) * KEY_BYTES[suite]
    return SoundKeys(suite, 1, *(reversed(keys) if is_far else keys))


def packet_pair_us() -> Mapping[str, float]:
    """Return the microseconds of a packet that is sent and one that is read, by the suite; medians of turns."""
    found: dict[str, list[float]] = {name: [] for name in (PLAIN, *Suite)}
    for _ in range(ROUNDS):
        for name, times in found.items():
            times.append(_pair_us(None if name == PLAIN else Suite(name)))
    return {name: round(statistics.median(times), 1) for name, times in found.items()}


def _pair_us(suite: Suite | None) -> float:
    with contextlib.ExitStack() as stack:
        ours, far = (stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in range(2))
        for one in (ours, far):
            one.bind((HOST, 0))
        sound = AgreedSound(HOST, far.getsockname()[1], Codec.PCMU, 0, None)
        theirs, router = sound, _router(sound if suite is None else replace(sound, keys=keys_of(suite)))
        if suite is not None:
            theirs = replace(sound, keys=keys_of(suite, is_far=True))
        writer = transform_of(theirs)
        taken_ns = 0
        for number in range(PACKETS):
            packet = RtpPacket(0, number % SEQUENCES, number * FRAME_SAMPLES, 9, b"x" * FRAME_SAMPLES)
            far.sendto(writer.write(packet), ours.getsockname())
            taken_ns += _exchange_ns(router, ours, number * FRAME_MS)
            far.recv(PACKET_BYTES_MAX)
    return taken_ns / PACKETS / 1_000


def _router(sound: AgreedSound) -> SoundRouter:
    router, leg = SoundRouter(), SoundLeg(_KEY, 123 << 40, SoundTerms())
    router.add(leg)
    leg.agree(0, sound)
    router.perform(_KEY, Play(1, ()), bytes(FRAME_SAMPLES * (PACKETS + 1)))
    return router


def _exchange_ns(router: SoundRouter, ours: socket.socket, now_ms: int) -> int:
    """Send a packet and read one, and return the processor time of that."""
    began_ns = time.thread_time_ns()
    for output in [sent for phase in range(PHASES) for sent in router.tick(now_ms, phase)]:
        if isinstance(output, SendSound) and not output.is_report:
            ours.sendto(output.data, output.destination)
    data, source = ours.recvfrom(PACKET_BYTES_MAX)
    router.receive(now_ms, _KEY, data, source)
    return time.thread_time_ns() - began_ns
