"""Benchmark of new SIP calls: `python -m benchmarks.calling [--quick]`. It needs sipp.

A line places 50 calls a second to sipp, which answers at once; each is acknowledged, and hung up a second later. The
benchmark measures the time from the order to dial until the answer is heard, and the processor time of a call, beside
that of sipp placing as many calls to another sipp.
"""

import asyncio
import json
import logging
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
import structlog

from benchmarks.live import p99
from benchmarks.measure import Figure, print_row
from benchmarks.servers import HOST
from dialer.carriers.line_port import Found
from dialer.carriers.voice.line import SipLine
from dialer.carriers.voice.sockets import bind
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.domain.sessions.leg_protocol import Answered, Clear, Dialling, Ended, LegReport
from dialer.store.media.folder import FolderMedia

CALLS_A_SECOND: Final = 50
SECONDS: Final = 30
QUICK_S: Final = 3
TALK_S: Final = 1.0
END_S: Final = 30.0
START_S: Final = 1.0
_MILLISECONDS: Final = 1_000


class Caller:
    """Hears of the calls of a line, and acknowledges and ends each."""

    def __init__(self, calls: int) -> None:
        self.line: SipLine
        self.is_ready = asyncio.Event()
        self.placed_s: dict[str, float] = {}
        self.setup_s: list[float] = []
        self.are_over = asyncio.Event()
        self._left = calls

    def heard(self, number: int, key: str, heard: LegReport | Found) -> None:
        """Go on with a call."""
        loop = asyncio.get_running_loop()
        if isinstance(heard, Answered):
            self.setup_s.append(time.perf_counter() - self.placed_s[key])
            loop.call_later(TALK_S, self.line.perform, key, Clear(1))
        elif isinstance(heard, Ended):
            self._left -= 1
            if not self._left:
                self.are_over.set()
        # A worker says so after its commit; a line that is called must not be called back at once.
        loop.call_soon(self.line.settled, number)

    def is_up(self, why_not: str) -> None:
        """Note that the line can dial."""
        if not why_not:
            self.is_ready.set()


async def place(port: int, calls: int) -> dict[str, float]:
    """Place calls at their rate, and return what they cost."""
    caller, room = Caller(calls), SoundRoom()
    parameters = msgspec.json.encode({"server": f"{HOST}:{port}", "session_expires": 0}).decode()
    with tempfile.TemporaryDirectory() as folder:
        caller.line = SipLine(parameters, caller, room, SoundFiles(FolderMedia(Path(folder))))
        await caller.is_ready.wait()
        began_s, before_s = time.perf_counter(), time.process_time()
        for number in range(calls):
            await asyncio.sleep(max(0.0, began_s + number / CALLS_A_SECOND - time.perf_counter()))
            key = f"call-{number}"
            caller.placed_s[key] = time.perf_counter()
            caller.line.dial(Dialling(key, f"+1202555{number % 10_000:04}", "+12025550100", 30_000, 60_000))
        async with asyncio.timeout(END_S):
            await caller.are_over.wait()
        cost_s = time.process_time() - before_s
        await caller.line.close()
        room.close()
    if len(caller.setup_s) < calls:
        sys.exit(f"{calls - len(caller.setup_s)} calls of {calls} were not answered")
    return {
        "setup, median ms": round(statistics.median(caller.setup_s) * _MILLISECONDS, 2),
        "p99 ms": round(p99(caller.setup_s) * _MILLISECONDS, 2),
        "most ms": round(max(caller.setup_s) * _MILLISECONDS, 1),
        "processor ms a call, with a second of sound": round(cost_s / calls * _MILLISECONDS, 2),
    }


def of_sipp(sipp: str, port: int, calls: int, folder: str) -> float:
    """Return the processor milliseconds of a call that sipp places."""
    command = [sipp, "-sn", "uac", f"{HOST}:{port}", "-i", HOST, "-m", str(calls), "-r", str(CALLS_A_SECOND)]
    command += ["-d", str(int(TALK_S * _MILLISECONDS)), "-nostdin"]
    before = os.times()
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)  # noqa: S603 - found in the path
    after = os.times()
    spent_s = after.children_user + after.children_system - before.children_user - before.children_system
    return round(spent_s / calls * _MILLISECONDS, 2)


@contextmanager
def answering(sipp: str, folder: str) -> Iterator[int]:
    """Run a sipp that answers every call at once, and yield its port."""
    with bind(socket.AddressFamily.AF_INET, 0) as free:
        port = int(free.getsockname()[1])
    command = [sipp, "-sn", "uas", "-i", HOST, "-p", str(port), "-nostdin"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:  # noqa: S603 - found in the path
        try:
            time.sleep(START_S)
            yield port
        finally:
            process.kill()


def main() -> None:
    """Measure and print the results."""
    sipp = shutil.which("sipp")
    if sipp is None:
        sys.stderr.write("The benchmark of SIP calls is left out: it needs sipp (Debian: apt install sip-tester)\n")
        return
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    calls = CALLS_A_SECOND * (QUICK_S if "--quick" in sys.argv else SECONDS)
    with tempfile.TemporaryDirectory() as folder, answering(sipp, folder) as port:
        found = asyncio.run(place(port, calls))
        found["processor ms a call of sipp, without sound"] = of_sipp(sipp, port, calls, folder)
    sys.stderr.write(f"{CALLS_A_SECOND} new SIP calls a second: {found}\n")
    print(json.dumps({"title": "SIP calls", **found}))
    for figure in ("p99 ms", "processor ms a call, with a second of sound"):
        print_row(Figure(f"SIP calls: {figure}", f"{CALLS_A_SECOND}/s", "", found[figure], unit="ms"))


if __name__ == "__main__":
    main()
