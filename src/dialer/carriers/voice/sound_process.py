"""A helper that carries sound, as the process of the lines sees it."""

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, cast

from dialer.carriers.media.sound_leg import SoundLeg
from dialer.carriers.voice.helper_frames import (
    BeginOrder,
    HelperNews,
    HelperReady,
    HoldLeg,
    KeepPrompt,
    ToHelper,
    encode_for_helper,
    read_frame,
)
from dialer.carriers.voice.sound_files import KEPT_BYTES_MAX
from dialer.carriers.voice.sound_room import LegSockets
from dialer.domain.credentials.environment import clean_environment
from dialer.domain.sessions.leg_protocol import Order

UNSENT_BYTES_MAX: Final = 256 * 1024 * 1024
"""Frames that wait for a helper that does not read. Then it counts as dead."""
_COMMAND: Final = "from dialer.carriers.voice.sound_helper import main; main()"


class SoundProcess:
    """A helper, from its start to its end."""

    def __init__(
        self, hear: Callable[["SoundProcess", HelperNews], None], ended: Callable[["SoundProcess"], None]
    ) -> None:
        """Start it. `hear` takes what it tells, and `ended` learns once of its end."""
        self._hear, self._ended = hear, ended
        self.legs: set[str] = set()
        """The keys of the legs whose sound it carries."""
        self.started: Final = asyncio.Event()
        self._writer: asyncio.StreamWriter | None = None
        self._prompts: OrderedDict[bytes, int] = OrderedDict()
        self._prompts_sent = self._prompt_bytes = 0
        frames, far_frames = socket.socketpair()
        self._sockets, far_sockets = socket.socketpair(type=socket.SOCK_SEQPACKET)
        self._sockets.settimeout(0)
        with far_frames, far_sockets:
            numbers = (far_frames.fileno(), far_sockets.fileno())
            self._process: Final = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-c", _COMMAND, *map(str, numbers)],
                env=clean_environment(os.environ),
                stdin=subprocess.DEVNULL,
                pass_fds=numbers,
            )
        self._work: Final = asyncio.get_running_loop().create_task(self._listen(frames))

    @property
    def is_ready(self) -> bool:
        """True once it can carry sound, until its end."""
        return self.started.is_set() and self._writer is not None and not self._writer.is_closing()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def hold(self, leg: SoundLeg, sockets: LegSockets) -> None:
        """Carry the sound of a leg.

        Raises:
            OSError: it does not read.
        """
        numbers = [bound.fileno() for bound in sockets if bound is not None]
        socket.send_fds(self._sockets, [b"."], numbers)
        self.send(HoldLeg(leg))
        self.legs.add(leg.key)

    def perform(self, key: str, order: Order, prompt: bytes) -> None:
        """Begin an order. A prompt is sent once for many calls."""
        self.send(BeginOrder(key, order, self._number_of(prompt) if prompt else 0))

    def _number_of(self, prompt: bytes) -> int:
        number = self._prompts.get(prompt)
        if number is not None:
            self._prompts.move_to_end(prompt)
            return number
        forgotten = []
        self._prompt_bytes += len(prompt)
        while self._prompts and self._prompt_bytes > KEPT_BYTES_MAX:
            oldest, its_number = self._prompts.popitem(last=False)
            self._prompt_bytes -= len(oldest)
            forgotten.append(its_number)
        self._prompts_sent += 1
        self._prompts[prompt] = self._prompts_sent
        self.send(KeepPrompt(self._prompts_sent, prompt, tuple(forgotten)))
        return self._prompts_sent

    def send(self, frame: ToHelper) -> None:
        """Send a frame to the helper. A frame for a helper that has ended is lost."""
        if self._writer is None or self._writer.is_closing():
            return
        self._writer.write(encode_for_helper(frame))
        if self._writer.transport.get_write_buffer_size() > UNSENT_BYTES_MAX:
            self._process.kill()

    async def _listen(self, frames: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        reader, self._writer = await asyncio.open_connection(sock=frames)
        while (frame := await read_frame(reader)) is not None:
            if isinstance(frame, HelperReady):
                self.started.set()
            else:
                # If the news of one call does harm, the others are still heard.
                loop.call_soon(self._hear, self, cast("HelperNews", frame))
        self._end()
        loop.call_soon(self._ended, self)

    def _end(self) -> None:
        self._sockets.close()
        if self._writer is not None:
            self._writer.close()
        self._process.kill()
        self._process.wait()

    async def close(self) -> None:
        """End the helper, with the sound that it carries."""
        self._work.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._work
        self._end()
