"""Frames between a worker and the process of its lines: one JSON value a line."""

import asyncio
from typing import Final, TypeAlias, TypeVar

import msgspec

from dialer.carriers.line_port import Alive, LiveLeg, Over, Unknown, Unplaced
from dialer.domain.sessions.leg_protocol import (
    Accepted,
    Answered,
    Arrived,
    Arriving,
    Dialling,
    Done,
    Ended,
    Order,
    Receipt,
    Ringing,
    Texting,
    TextReceived,
    Value,
)
from dialer.domain.words.voices import NO_VOICE, SpeechVoice

VERSION: Final = 6
"""Version of the frames. It is part of the socket's name, so processes of different versions never meet."""
FRAME_BYTES_MAX: Final = 32 * 1024 * 1024


class OpenLine(Value, frozen=True):
    """Open the line of a gateway, or listen to it if it is open. It is the first frame of a connection."""

    gateway_id: int
    parameters: str
    speech: SpeechVoice = NO_VOICE
    """The voice of the service."""
    seal: str = ""
    """The keys that encrypt the keys of sound in handles."""
    agent_networks: tuple[str, ...] = ()
    """Networks besides the public internet in which programs may be that talk."""


class PlaceLeg(Value, frozen=True):
    """A frame that orders the process of the lines to place a leg."""

    leg: Dialling | Texting | Arriving


class PerformOrder(Value, frozen=True):
    """Give an order to a leg."""

    key: str
    order: Order


class FindLegs(Value, frozen=True):
    """Ask for the state of legs."""

    legs: list[LiveLeg]


class LineSettled(Value, frozen=True):
    """All events of a line up to this number are stored."""

    number: int


class LineOpened(Value, frozen=True):
    """The line is open. `instance` names the process: numbers begin again in another one."""

    instance: str


class LineHeard(Value, frozen=True):
    """A report about a call, which the process with the lines sends to the worker."""

    number: int
    key: str
    heard: (
        Arrived
        | Ringing
        | Answered
        | Done
        | Ended
        | Accepted
        | Receipt
        | TextReceived
        | Alive
        | Over
        | Unplaced
        | Unknown
    )


class LineState(Value, frozen=True):
    """The line works, or `why_not`."""

    why_not: str


class LegsFound(Value, frozen=True):
    """The states of the legs that were asked for, in their order."""

    found: list[Alive | Over | Unplaced | Unknown]


ToProcess: TypeAlias = OpenLine | PlaceLeg | PerformOrder | FindLegs | LineSettled
ToWorker: TypeAlias = LineOpened | LineHeard | LineState | LegsFound

_Frame = TypeVar("_Frame")
_TO_PROCESS: Final = msgspec.json.Decoder[ToProcess](ToProcess)
_TO_WORKER: Final = msgspec.json.Decoder[ToWorker](ToWorker)


class FrameError(Exception):
    """Raised when the other process sent bytes that are no frame."""


def encode_frame(frame: ToProcess | ToWorker) -> bytes:
    """Return a frame as a line."""
    return msgspec.json.encode(frame) + b"\n"


async def read_from_worker(reader: asyncio.StreamReader) -> ToProcess | None:
    """Return the next frame of a worker; None at the end.

    Raises:
        FrameError: it is no frame.
    """
    return await _read(reader, _TO_PROCESS)


async def read_from_process(reader: asyncio.StreamReader) -> ToWorker | None:
    """Return the next frame of the process; None at the end.

    Raises:
        FrameError: it is no frame.
    """
    return await _read(reader, _TO_WORKER)


async def _read(reader: asyncio.StreamReader, decoder: "msgspec.json.Decoder[_Frame]") -> _Frame | None:
    try:
        line = await reader.readline()
        return decoder.decode(line) if line.endswith(b"\n") else None
    except (ValueError, OSError, msgspec.DecodeError) as error:
        raise FrameError(str(error)) from None
