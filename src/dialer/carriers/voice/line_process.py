"""The process of the lines: it holds calls and their sound, whatever becomes of the worker."""

import asyncio
import contextlib
import fcntl
import os
import resource
import secrets
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import structlog

from dialer.carriers.line_port import Found
from dialer.carriers.sip.timers import T1_MS
from dialer.carriers.voice.agent_addresses import AgentAddresses, SharedLookups, nobody
from dialer.carriers.voice.call_trace import Capture
from dialer.carriers.voice.line import SipLine
from dialer.carriers.voice.process_frames import (
    FRAME_BYTES_MAX,
    VERSION,
    FindLegs,
    FrameError,
    LegsFound,
    LineHeard,
    LineOpened,
    LineSettled,
    LineState,
    OpenLine,
    PerformOrder,
    PlaceLeg,
    ToProcess,
    ToWorker,
    encode_frame,
    read_from_worker,
)
from dialer.carriers.voice.sealed_handles import HandleSeal
from dialer.carriers.voice.shared_room import SharedRoom
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.speech import Speaker
from dialer.domain.formats.media_files import MediaFiles
from dialer.domain.sessions.leg_protocol import LegReport

IDLE_S: Final = 60.0
"""Time after which a process ends that has neither a worker nor a leg."""
UNSENT_BYTES_MAX: Final = 64 * 1024 * 1024
"""Frames that wait for a worker that does not read. Then the connection is cut; nothing is lost."""
_log = structlog.get_logger(__name__)


class _Listener:
    """The worker on a connection, as a line sees it."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def heard(self, number: int, key: str, heard: LegReport | Found) -> None:
        """Send an event of a leg to the worker."""
        self.send(LineHeard(number, key, heard))

    def is_up(self, why_not: str) -> None:
        """Send the state of the line."""
        self.send(LineState(why_not))

    def send(self, frame: ToWorker) -> None:
        """Send a frame, unless the worker is gone. Things that are not settled are sent again to the next one."""
        if self._writer.transport.get_write_buffer_size() > UNSENT_BYTES_MAX:
            self._writer.transport.abort()
        elif not self._writer.is_closing():
            self._writer.write(encode_frame(frame))


class LineProcess:
    """The SIP lines of all gateways of one worker, in a process that outlives the worker."""

    def __init__(
        self,
        media: MediaFiles,
        t1_ms: int = T1_MS,
        capture: Capture | None = None,
        *,
        helpers: int = 0,
        allowed: AgentAddresses = nobody,
        telephones: Path | None = None,
    ) -> None:
        """Prepare it. `allowed` returns the addresses of a program that may be connected.

        `telephones` is the path of the exchange of agents' telephones in browsers.
        """
        self._lookups: Final = SharedLookups(allowed)
        self._telephones: Final = telephones
        self._capture: Final = capture
        self.room: Final = SharedRoom(helpers)
        self._files: Final = SoundFiles(media)
        self._speaker: Final = Speaker(media)
        self._seal: Final = HandleSeal()
        self._t1_ms: Final = t1_ms
        self._instance: Final = secrets.token_hex(8)
        self._lines: dict[int, tuple[str, SipLine]] = {}
        self._connections: set[asyncio.Task[None] | None] = set()

    async def serve(self, path: Path, stop: asyncio.Event) -> None:
        """Serve workers on a Unix socket until `stop`, or until no worker has connected for a while."""
        server = await asyncio.start_unix_server(self._serve_one, sock=bind_unix(path), limit=FRAME_BYTES_MAX)
        try:
            await self._wait(stop)
        finally:
            server.close()
            for task in filter(None, self._connections):
                task.cancel()
            await asyncio.gather(*(line.close() for _, line in self._lines.values()))
            await self.room.end()

    async def _wait(self, stop: asyncio.Event) -> None:
        idle_s = 0.0
        while not stop.is_set() and idle_s < IDLE_S:
            is_needed = bool(self._connections) or any(len(line) for _, line in self._lines.values())
            idle_s = 0.0 if is_needed else idle_s + 1.0
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), 1.0)

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self._connections.add(task)
        try:
            first = await read_from_worker(reader)
            if isinstance(first, OpenLine):
                await self._serve_line(first, reader, _Listener(writer))
        except (ConnectionError, asyncio.CancelledError):
            # The worker is gone in the middle of a frame, and another one connects; or this process ends.
            return
        except FrameError as error:
            _log.warning("worker_frame_unreadable", error=str(error))
        finally:
            self._connections.discard(task)
            writer.close()

    async def _serve_line(self, opened: OpenLine, reader: asyncio.StreamReader, listener: _Listener) -> None:
        listener.send(LineOpened(self._instance))
        line = await self._line(opened, listener)
        line.agent_networks = opened.agent_networks
        line.listen(listener)
        while (frame := await read_from_worker(reader)) is not None:
            await self._perform(line, frame, listener)

    async def _line(self, opened: OpenLine, listener: _Listener) -> SipLine:
        """Return the line of a gateway. Other parameters make another line once no leg is left on the old one."""
        # The worker may have been started anew with another voice, or with other keys.
        self._speaker.voice, self._seal.keys = opened.speech, opened.seal
        parameters, open_line = self._lines.get(opened.gateway_id, ("", None))
        if open_line is not None and (parameters == opened.parameters or len(open_line)):
            return open_line
        if open_line is not None:
            await open_line.close()
        sound = (self.room, self._files)
        line = SipLine(
            *(opened.parameters, listener, *sound, self._t1_ms, self._speaker, self._capture, self._seal),
            telephones=self._telephones,
        )
        line.lookups = self._lookups
        self._lines[opened.gateway_id] = (opened.parameters, line)
        return line

    async def _perform(self, line: SipLine, frame: ToProcess, listener: _Listener) -> None:
        match frame:
            case PlaceLeg():
                line.dial(frame.leg)
            case PerformOrder():
                line.perform(frame.key, frame.order)
            case LineSettled():
                line.settled(frame.number)
            case FindLegs():
                listener.send(LegsFound(await line.find(frame.legs)))
            case OpenLine():
                raise FrameError("a connection opens one line")


def bind_unix(path: Path) -> socket.socket:
    """Return a socket at a path that only this user may open. One that a dead process left behind is removed."""
    path.unlink(missing_ok=True)
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    bound.bind(str(path))
    path.chmod(0o600)
    return bound


def socket_path(folder: Path) -> Path:
    """Return the path of the socket in the folder of a worker."""
    return folder / f"dialer-line-{VERSION}.sock"


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Take the lock of a folder, and yield whether this is its only process of lines."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(folder / f"dialer-line-{VERSION}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(lock)


async def serve_lines(
    folder: Path,
    media: MediaFiles,
    messages: Path,
    helpers: int = 0,
    t1_ms: int = T1_MS,
    allowed: AgentAddresses = nobody,
    *,
    telephones: Path | None = None,
) -> None:
    """Serve lines until SIGTERM, or until no worker has connected for a while. Calls in progress are not ended.

    The messages of calls are kept in the folder `messages`. At most `helpers` processes share the sound.
    `allowed` returns the addresses of a program that may be connected, and `telephones` is the path of the exchange of
    agents' telephones in browsers.
    """
    _, files_max = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Each call has a socket, and the usual limit is 1,024.
    resource.setrlimit(resource.RLIMIT_NOFILE, (files_max, files_max))
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    capture = Capture(messages)
    process = LineProcess(media, t1_ms, capture, helpers=helpers, allowed=allowed, telephones=telephones)
    await process.serve(socket_path(folder), stop)
    capture.close()
