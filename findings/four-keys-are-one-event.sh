#!/usr/bin/env bash
# One would guess: a library for RTP sends each key as an event of its own, as long as the key is pressed, and counts
#   the time of G.722 as RFC 3551 does: 160 for a packet of 20 ms.
# What happens: aiortp gives each key the timestamp 0 unless the caller names another one, and its own example names
#   0. By RFC 4733 packets of one timestamp are of one event, so keys 1100 are one key, and its own receiver reports
#   "1". All packets of a key of 160 ms leave at once, and the marker is on the first of the last three, not on the
#   first. G.722 goes out with steps of 320, so to a phone that follows RFC 3551 every other packet seems to be lost.
#   Its own receiver takes both steps, so a test of the library with itself finds nothing.
# So: give each key the timestamp of the sound, and try a key that is pressed twice, against another stack.
# Versions: aiortp 0.8.0 (October 2026), G722 1.2.8. Read 2026-11-29.
# Needs: python3 (3.11 or newer) with venv, and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check aiortp==0.8.0 g722==1.2.8

"$folder/venv/bin/python" - <<'PYTHON'
import asyncio
import socket
import struct

from aiortp import PayloadType, RTPSession

HOST = "127.0.0.1"
HEADER = struct.Struct("!BBHI")


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind((HOST, 0))
        return free.getsockname()[1]


async def until(is_done) -> None:
    for _ in range(100):
        if is_done():
            return
        await asyncio.sleep(0.02)


async def heard(keys: str, *, step: int) -> str:
    """Return the keys that a session of the library hears of another one."""
    one, other, found = (HOST, free_port()), (HOST, free_port()), []
    speaker = await RTPSession.create(local_addr=one, remote_addr=other, payload_type=PayloadType.PCMU)
    listener = await RTPSession.create(local_addr=other, remote_addr=one, payload_type=PayloadType.PCMU)
    listener.on_dtmf = lambda key, duration: found.append(key)
    for place, key in enumerate(keys):
        speaker.send_dtmf(key, duration_ms=160, timestamp=place * step)
        await asyncio.sleep(0.2)
    await until(lambda: len(found) >= len(keys))
    await speaker.close()
    await listener.close()
    return "".join(found)


async def sent(payload_type: int, speak, count: int) -> list[bytes]:
    """Return the packets that a session sends to a plain socket."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.bind((HOST, 0))
        peer.setblocking(False)  # what is not sent at once is not there
        session = await RTPSession.create(
            local_addr=(HOST, free_port()), remote_addr=peer.getsockname(), payload_type=payload_type
        )
        speak(session)
        packets = [peer.recv(2_000) for _ in range(count)]
        await session.close()
        return packets


def steps(packets: list[bytes]) -> set[int]:
    times = [HEADER.unpack_from(packet)[3] for packet in packets]
    return {(later - earlier) % 2**32 for earlier, later in zip(times, times[1:], strict=False)}


def three_frames(length: int):
    return lambda session: [session.send_audio_pcm_auto(bytes(length)) for _ in range(3)]


async def main() -> None:
    same, apart = await heard("1100", step=0), await heard("1100", step=1_600)
    print(f"keys 1100 heard with the timestamp of the example: {same}, with a timestamp each: {apart}")
    assert (same, apart) == ("1", "1100")

    key = await sent(PayloadType.PCMU, lambda session: session.send_dtmf("5"), 10)
    marked = [place for place, packet in enumerate(key) if packet[1] & 0x80]
    first = HEADER.unpack_from(key[0])[3]
    print(f"packets of a key of 160 ms: {len(key)} at once, marked: {marked}, timestamp: {first}")
    assert (first, steps(key)) == (0, {0})
    assert marked == [7], marked

    pcmu = steps(await sent(PayloadType.PCMU, three_frames(320), 3))
    g722 = steps(await sent(PayloadType.G722, three_frames(640), 3))
    print(f"steps of 20 ms: PCMU {pcmu}, G.722 {g722}")
    assert (pcmu, g722) == ({160}, {320})


asyncio.run(main())
PYTHON
