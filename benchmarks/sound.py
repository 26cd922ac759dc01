"""Benchmark of the sound of many calls: `python -m benchmarks.sound [--quick | --packets] [CALLS ...]`.

dialer plays a message in each call, and hears as many packets as it sends, in as many processes as it starts for them.
The benchmark measures their share of a processor, beside a loop that sends and reads equal datagrams and knows nothing
of sound, and calls with encrypted sound (SRTP) beside the same calls without. The kernel says when each packet was
sent, so lateness is that of the processes alone: the time of a packet after the earliest possible one of its call. The
last row has another server under full load on the same processors.
`--packets` measures only the cost of a packet: one that a recording or detection hears, and an encrypted one.
"""

import asyncio
import contextlib
import itertools
import json
import multiprocessing
import os
import resource
import select
import socket
import statistics
import struct
import sys
import tempfile
import time
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from benchmarks.fixture_database import AUTHORIZATION, PHONEBOOK, create_database
from benchmarks.live import p99
from benchmarks.load import request_bytes, run_load
from benchmarks.measure import Figure, print_row, sizes_of
from benchmarks.secret_packets import PLAIN, keys_of, packet_pair_us
from benchmarks.servers import DIALER, HOST, cpu_s_of_all, running
from dialer.carriers.media import g711
from dialer.carriers.media.detection_orders import Detecting
from dialer.carriers.media.orders_in_progress import Activity
from dialer.carriers.media.recording import Recording
from dialer.carriers.media.rtp import FRAME_MS, FRAME_SAMPLES, RATE_HZ, RtpPacket, write_packet
from dialer.carriers.media.sound_leg import SoundTerms
from dialer.carriers.media.srtp import Srtp
from dialer.carriers.sip.sdp import AgreedSound, Codec
from dialer.carriers.sip.sdp_security import Suite
from dialer.carriers.voice.shared_room import SharedRoom
from dialer.domain.sessions.leg_protocol import Play
from dialer.forecast.processes import processes_of_machine

CALLS: Final = (100, 500, 1_000)
LATE_MS_MAX: Final = 20
SHARE_WANTED: Final = 0.55
SHARE_WANTED_AT: Final = "1,000 calls"
PACKET_US_WANTED: Final = {"recording": 12, "detecting": 30}
SECRET_WANTED: Final = 2.0
"""The processor's share of calls with encrypted sound, as a multiple of the same calls without."""
LOADED: Final = 100
WARM_UP_S: Final = 2.0
MEASURE_S: Final = 10.0
QUICK_S: Final = 2.0
BEGIN_EVERY_S: Final = 0.005
"""Time between the begins of two calls."""
HEARD_EVERY: Final = 25
"""One call of so many is timed. A benchmark that reads all of them would need a processor of its own."""
PARTS: Final = 4
"""A loop sends for a quarter of the calls at a time."""
SPARE_S: Final = 8
SECRET_SIZES: Final = 1
"""Sizes, from the first on, at which encrypted sound is measured."""
MARGIN_FILES: Final = 100
PACKET_RUNS: Final = 9
_TIMESTAMPS: Final = 35
"""SO_TIMESTAMPNS of Linux, which Python does not name."""
_STAMP: Final = struct.Struct("qq")
_SEQUENCE: Final = struct.Struct("!H")
_PACKET: Final = write_packet(RtpPacket(0, 0, 0, 1, b"\xff" * FRAME_SAMPLES))


class Shown(NamedTuple):
    """The share of a processor that a process took, and the lateness of its packets in milliseconds."""

    name: str
    share: float
    late_ms: list[float]

    def figures(self) -> dict[str, float | str]:
        """Return what is printed."""
        return {
            "name": self.name,
            "share of a processor": round(self.share, 3),
            "late, median ms": round(statistics.median(self.late_ms), 2),
            "p99 ms": round(p99(self.late_ms), 2),
            "most ms": round(max(self.late_ms), 1),
        }


def dialer(
    calls: int,
    far: tuple[int, int],
    pipe: Connection,
    seconds: float,
    *,
    helpers: int = processes_of_machine(),
    suite: Suite | None = None,
) -> None:
    """Play in calls whose other side is on two ports: every `HEARD_EVERY`th call on the one that is read."""
    asyncio.run(_dialer(calls, far, pipe, seconds, helpers, suite))


async def _dialer(
    calls: int, far: tuple[int, int], pipe: Connection, seconds: float, helpers: int, suite: Suite | None
) -> None:
    keys = None if suite is None else keys_of(suite)
    room = SharedRoom(helpers)
    prompt = bytes(int(RATE_HZ * (calls * BEGIN_EVERY_S + WARM_UP_S + seconds + SPARE_S)))
    ports = []
    for number in range(calls):
        key = str(number)
        ports.append(room.add(key, (socket.AF_INET, None), lambda _: None, SoundTerms(is_symmetric=False)))
        room.agree(key, AgreedSound(HOST, far[number % HEARD_EVERY != 0], Codec.PCMU, 0, None, keys=keys))
        room.perform(key, Play(1, ()), prompt)
        await asyncio.sleep(BEGIN_EVERY_S)
    pipe.send(ports)
    await asyncio.sleep(WARM_UP_S)
    ours = [os.getpid()]
    before_s, began_s = cpu_s_of_all(ours), time.perf_counter()
    await asyncio.sleep(seconds)
    pipe.send((cpu_s_of_all(ours) - before_s) / (time.perf_counter() - began_s))
    await room.end()


def bare(calls: int, far: tuple[int, int], pipe: Connection, seconds: float) -> None:
    """Send and read equal datagrams in a loop."""
    poll, bound = select.epoll(), list[socket.socket]()
    for _ in range(calls):
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        one.settimeout(0)
        one.bind((HOST, 0))
        bound.append(one)
        poll.register(one, select.EPOLLIN)
    by_number = {one.fileno(): one for one in bound}
    pipe.send([one.getsockname()[1] for one in bound])
    due_s = time.perf_counter()
    began_s, ends_s, before_s = due_s + WARM_UP_S, due_s + WARM_UP_S + seconds, 0.0
    for turn in itertools.count():
        due_s += FRAME_MS / PARTS / 1_000
        if before_s == 0.0 and due_s >= began_s:
            before_s = time.process_time()
        while (wait_s := due_s - time.perf_counter()) > 0:
            for number, _ in poll.poll(wait_s):
                by_number[number].recvfrom(2_048)
        sequence = _SEQUENCE.pack(turn // PARTS % 65_536)
        for place in range(turn % PARTS, calls, PARTS):
            bound[place].sendto(_PACKET[:2] + sequence + _PACKET[4:], (HOST, far[place % HEARD_EVERY != 0]))
        if due_s >= ends_s:
            break
    pipe.send((time.process_time() - before_s) / (time.perf_counter() - began_s))


def plain_packets() -> Iterator[bytes]:
    """Yield the packets of the other side, which are all alike."""
    return itertools.repeat(_PACKET)


def secret_packets(suite: Suite) -> Iterator[bytes]:
    """Yield the packets of the other side of calls with encrypted sound. All calls get the same ones."""
    far_end = Srtp(keys_of(suite, is_far=True))
    for number in itertools.count():
        yield far_end.write(RtpPacket(0, number % 65_536, number * FRAME_SAMPLES, 1, b"\xff" * FRAME_SAMPLES))


def measured(
    name: str, work: Callable[..., None], calls: int, seconds: float, packets: Iterator[bytes] | None = None
) -> Shown:
    """Run a work in a process of its own, and be the other side of its calls, with `packets` or plain ones."""
    with _timed() as heard, _timed() as unheard:
        far = (heard.getsockname()[1], unheard.getsockname()[1])
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(target=work, args=(calls, far, theirs, seconds))
        process.start()
        arrivals = _talk(heard, unheard, ours, packets or plain_packets())
        share = float(ours.recv())
        process.join()
    return Shown(name, share, _lateness(arrivals))


@contextlib.contextmanager
def _timed() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        one.setsockopt(socket.SOL_SOCKET, _TIMESTAMPS, 1)
        one.settimeout(0)
        one.bind((HOST, 0))
        yield one


def _talk(
    heard: socket.socket, unheard: socket.socket, pipe: Connection, packets: Iterator[bytes]
) -> dict[int, list[tuple[int, float]]]:
    """Send a packet to each call every 20 ms until the work is done; return the number and moment of each arrival."""
    ports: list[int] = pipe.recv()
    arrivals: dict[int, list[tuple[int, float]]] = defaultdict(list)
    due_s, packet = time.perf_counter(), b""
    for turn in itertools.count():
        due_s += FRAME_MS / PARTS / 1_000
        packet = packet if turn % PARTS else next(packets)
        for place in range(turn % PARTS, len(ports), PARTS):
            (unheard if place % HEARD_EVERY else heard).sendto(packet, (HOST, ports[place]))
        with contextlib.suppress(BlockingIOError):
            while True:
                data, notes, _, source = heard.recvmsg(2_048, 64)
                seconds, nanoseconds = _STAMP.unpack(notes[0][2])
                arrivals[source[1]].append((_SEQUENCE.unpack_from(data, 2)[0], seconds * 1_000 + nanoseconds / 1e6))
        if pipe.poll(max(0.0, due_s - time.perf_counter())):
            return arrivals
    raise AssertionError


def _lateness(arrivals: dict[int, list[tuple[int, float]]]) -> list[float]:
    """Return how late each packet was, after the warm-up."""
    found = []
    for packets in arrivals.values():
        first, warm = packets[0][0], packets[int(WARM_UP_S * 1_000 / FRAME_MS) :]
        offsets = [at_ms - (sequence - first) % 65_536 * FRAME_MS for sequence, at_ms in warm]
        found += [one - min(offsets) for one in offsets]
    return found


def _load(address: tuple[str, int], seconds: float) -> None:
    request = request_bytes(
        address, "GET", f"/rest-api/contact/?phonebook_id={PHONEBOOK}", {"Authorization": AUTHORIZATION}
    )
    run_load(address, itertools.repeat(request), clients=8, seconds=seconds)


def beside_load(seconds: float) -> Shown:
    """Measure calls while a server answers as many requests as it can."""
    with tempfile.TemporaryDirectory() as folder:
        path = create_database(Path(folder), contacts=1_000)
        with running(DIALER, path) as server:
            load = multiprocessing.get_context("spawn").Process(
                target=_load, args=(server.address, WARM_UP_S + seconds + SPARE_S)
            )
            load.start()
            found = measured(f"{LOADED} calls beside a loaded API", dialer, LOADED, seconds)
            load.join()
    return found


def packets_to_hear() -> list[bytes]:
    """Return packets of syllables of noise, and of pauses."""
    chance = Random(_TIMESTAMPS)
    loud, quiet = (
        g711.encode(array("h", [chance.randrange(-level, level) for _ in range(RATE_HZ)])) for level in (4_000, 30)
    )
    begins = range(0, RATE_HZ, FRAME_SAMPLES)
    return [sound[begin : begin + FRAME_SAMPLES] for sound in (loud, quiet) * 3 for begin in begins]


def hear(activity: Activity, packets: Sequence[bytes]) -> None:
    """Let an order hear packets, and send a frame for each."""
    for number, packet in enumerate(packets):
        activity.next_frame()
        activity.take_frame(number * FRAME_SAMPLES, packet)
        activity.done(number * FRAME_MS)


def packet_us(start: Callable[[], Activity]) -> float:
    """Return the microseconds in which an order hears a packet."""
    packets, taken_s = packets_to_hear(), []
    for _ in range(PACKET_RUNS):
        activity, began_s = start(), time.process_time()
        hear(activity, packets)
        taken_s.append(time.process_time() - began_s)
    return round(statistics.median(taken_s) / len(packets) * 1_000_000, 1)


def encrypted(calls: int, suite: Suite, seconds: float) -> tuple[Shown, Shown]:
    """Measure calls with encrypted sound, and right after them the same calls without."""
    ours = measured(
        f"{calls:,} calls, {suite.value}", partial(dialer, suite=suite), calls, seconds, secret_packets(suite)
    )
    return ours, measured(f"{calls:,} calls", dialer, calls, seconds)


def _print_pairs(pairs: Mapping[str, float]) -> None:
    """Print what a packet that is sent and one that is read cost with each suite, beside plain ones."""
    print(json.dumps({"title": "a packet that is sent and one that is read", "us": pairs}))
    for name in Suite:
        ratio = pairs[name] / pairs[PLAIN]
        print_row(Figure("A packet sent and one read", name, PLAIN, ratio, SECRET_WANTED, "times", at_most=True))


def main() -> None:
    """Measure and print the results."""
    heard = {"recording": packet_us(partial(Recording, 1, "a")), "detecting": packet_us(partial(Detecting, 1))}
    sys.stderr.write(f"  a packet that is heard, µs: {heard}\n")
    print(json.dumps({"title": "a packet that is heard", "us": heard}))
    if "--packets" in sys.argv:
        for order, cost_us in heard.items():
            print_row(Figure("A packet that is heard", order, "", cost_us, PACKET_US_WANTED[order], "µs", at_most=True))
        _print_pairs(packet_pair_us())
        return
    sizes, seconds = sizes_of(CALLS), QUICK_S if "--quick" in sys.argv else MEASURE_S
    files = 2 * max(sizes) + MARGIN_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(files, hard)), hard))
    rows = []
    secret = [encrypted(calls, suite, seconds) for calls in sizes[:SECRET_SIZES] for suite in Suite]
    for calls in sizes:
        rows += [measured(f"{calls:,} calls", dialer, calls, seconds), measured("a bare loop", bare, calls, seconds)]
    alone = partial(dialer, helpers=0)
    rows.append(measured(f"{max(sizes):,} calls in one process", alone, max(sizes), seconds))
    rows.append(beside_load(seconds))
    everything = [*rows, *(ours for ours, _ in secret)]
    for row in everything:
        sys.stderr.write(f"  {row.figures()}\n")
    print(json.dumps({"title": "sound", "rows": [row.figures() for row in everything]}))
    for ours, plain in secret:
        ratio = ours.share / plain.share
        print_row(
            Figure("The sound of calls: processor", ours.name, plain.name, ratio, SECRET_WANTED, "times", at_most=True)
        )
    for ours, theirs in zip(rows[:-2:2], rows[1:-2:2], strict=True):
        print_row(Figure("The sound of calls: processor", ours.name, theirs.name, theirs.share / ours.share))
        share = Figure("The sound of calls: processor", ours.name, "", ours.share, SHARE_WANTED, "cores", at_most=True)
        print_row(share._replace(wanted_at=SHARE_WANTED_AT))
        late_ms = p99(ours.late_ms)
        print_row(
            Figure("The sound of calls: packets late, p99", ours.name, "", late_ms, LATE_MS_MAX, "ms", at_most=True)
        )


if __name__ == "__main__":
    main()
