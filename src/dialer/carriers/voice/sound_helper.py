"""A helper of the process of the lines: it carries the sound of some calls. It ends with the process."""

import asyncio
import gc
import signal
import socket
import sys
from typing import Final, assert_never, cast

from dialer.carriers.media import srtp
from dialer.carriers.voice.helper_frames import (
    AgreeSound,
    BeginOrder,
    DiscardTape,
    EndSound,
    FromHelper,
    HelperReady,
    HoldLeg,
    KeepPrompt,
    LegFinished,
    LegReleased,
    PressKey,
    RecordLeg,
    ReleaseLeg,
    RemoveLeg,
    SilenceLeg,
    ToHelper,
    WatchLeg,
    encode_for_helper,
    read_frame,
)
from dialer.carriers.voice.sound_room import LegSockets, SoundRoom

SOCKETS_MAX: Final = 2
"""Sockets of one leg."""


class SoundHelper:
    """The room of a helper, as its frames order."""

    def __init__(self, sockets: socket.socket, writer: asyncio.StreamWriter) -> None:
        """Prepare it. The sockets of legs come over `sockets`."""
        self._sockets: Final = sockets
        self._writer: Final = writer
        self._room: Final = SoundRoom()
        self._prompts: dict[int, bytes] = {0: b""}

    def obey(self, frame: ToHelper) -> None:
        """Perform the order of a frame in this helper's sound room."""
        room = self._room
        match frame:
            case HoldLeg():
                room.hold(frame.leg, self._next_sockets(), self._send)
            case ReleaseLeg():
                self._release(frame.key)
            case AgreeSound() | WatchLeg() | RecordLeg() | SilenceLeg() | DiscardTape() | PressKey():
                self._change(frame)
            case KeepPrompt():
                self._keep(frame)
            case BeginOrder():
                room.perform(frame.key, frame.order, self._prompts[frame.prompt])
            case EndSound():
                room.finish(frame.key, lambda over: self._send(LegFinished(frame.key, over)))
            case RemoveLeg():
                room.remove(frame.key)
            case _:
                assert_never(frame)

    def _change(self, frame: AgreeSound | WatchLeg | RecordLeg | SilenceLeg | DiscardTape | PressKey) -> None:
        match frame:
            case AgreeSound():
                self._room.agree(frame.key, frame.sound)
            case WatchLeg():
                self._room.watch(frame.key)
            case RecordLeg():
                self._room.record(frame.key, frame.store)
            case SilenceLeg():
                self._room.silence(frame.key, is_silent=frame.is_silent)
            case DiscardTape():
                self._room.discard(frame.key)
            case PressKey():
                self._room.press(frame.key, frame.digit)

    def _keep(self, prompt: KeepPrompt) -> None:
        self._prompts[prompt.number] = prompt.sound
        for number in prompt.forgotten:
            del self._prompts[number]

    def _next_sockets(self) -> LegSockets:
        # They were sent before the frame that needs them, so this does not wait.
        _, numbers, _, _ = socket.recv_fds(self._sockets, 1, SOCKETS_MAX)
        bound = [socket.socket(fileno=number) for number in numbers]
        return LegSockets(bound[0], bound[1] if len(bound) == SOCKETS_MAX else None)

    def _release(self, key: str) -> None:
        leg, sockets, _ = self._room.release(key) or (None, None, None)
        if sockets is not None:
            sockets.close()
        self._send(LegReleased(key, leg))

    def _send(self, frame: FromHelper) -> None:
        self._writer.write(encode_for_helper(frame))


async def _serve(frames: socket.socket, sockets: socket.socket) -> None:
    reader, writer = await asyncio.open_connection(sock=frames)
    helper = SoundHelper(sockets, writer)
    writer.write(encode_for_helper(HelperReady()))
    while (frame := await read_frame(reader)) is not None:
        helper.obey(cast("ToHelper", frame))


def main() -> None:
    """Carry sound for the process at the other end of two sockets, whose numbers are the arguments."""
    for number in (signal.SIGTERM, signal.SIGINT):
        # They are for the process of the lines, with which this one ends.
        signal.signal(number, signal.SIG_IGN)
    srtp.load()
    gc.freeze()
    frames, sockets = (socket.socket(fileno=int(argument)) for argument in sys.argv[1:])
    asyncio.run(_serve(frames, sockets))
