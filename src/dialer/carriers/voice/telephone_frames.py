"""Frames between the exchange of browsers' telephones and those who use it: one JSON value a line.

The API asks on a connection for each question. A line has a connection for each call, which ends with the call.
"""

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

import msgspec

from dialer.domain.sessions.leg_protocol import Value

VERSION: Final = 1
"""Version of the frames. It is part of the socket's name, so processes of different versions never meet."""
FRAME_BYTES_MAX: Final = 131_072
FOLDER: Final = ".phone"


class TelephoneFrameError(Exception):
    """Raised when the other process sent bytes that are no frame, or nothing."""


class TelephoneRefusal(StrEnum):
    """The reasons why an offer, or a call, is refused."""

    OFFER = "offer"
    """The offer cannot be read or spoken."""
    FULL = "full"
    """There is no place for another telephone."""
    PORT = "port"
    """The port cannot be opened."""
    UNKNOWN = "unknown"
    """There is no such telephone."""


class AnswerOffer(Value, frozen=True):
    """Answer the offer of an agent's browser, on a port of this host."""

    agent_id: int
    user_id: int
    offer: str
    port: int
    host: str = ""
    """The host that browsers know; empty for this machine's own address."""
    token: str = ""
    """The telephone that goes on with this offer; empty for a new one."""


class HangUpTelephone(Value, frozen=True):
    """End a telephone, and its call."""

    agent_id: int
    token: str


class AskTelephone(Value, frozen=True):
    """Ask for the state of an agent's telephone."""

    agent_id: int


class RingTelephone(Value, frozen=True):
    """Connect the sound at a port of this machine with an agent's telephone, as long as the connection lasts."""

    agent_id: int
    port: int
    is_kept: bool = False
    """True for a call in progress: its telephone may connect a moment later."""


class TelephoneAnswered(Value, frozen=True):
    """The answer to an offer, and the name of its telephone."""

    answer: str
    token: str


class TelephoneRefused(Value, frozen=True):
    """Nothing was done."""

    reason: TelephoneRefusal
    why: str = ""


class TelephoneDone(Value, frozen=True):
    """The telephone is over."""


class TelephoneState(Value, frozen=True):
    """The state of an agent's telephone: `off`, `connecting`, `connected` or `lost`."""

    state: str = "off"
    since_age_ms: int | None = None
    loss_percent: float | None = None
    jitter_ms: int | None = None
    round_trip_ms: int | None = None


class TelephoneRings(Value, frozen=True):
    """The telephone has the call. Its sound is at this port of this machine."""

    port: int


class TelephoneGone(Value, frozen=True):
    """The telephone has left the call."""

    why: str


ToExchange: TypeAlias = AnswerOffer | HangUpTelephone | AskTelephone | RingTelephone
FromExchange: TypeAlias = (
    TelephoneAnswered | TelephoneRefused | TelephoneDone | TelephoneState | TelephoneRings | TelephoneGone
)
_Frame = TypeVar("_Frame")
_TO_EXCHANGE: Final = msgspec.json.Decoder[ToExchange](ToExchange)
_FROM_EXCHANGE: Final = msgspec.json.Decoder[FromExchange](FromExchange)


def exchange_path(media: Path) -> Path:
    """Return the path of the socket of the exchange of a service, which has its media folder."""
    # It may be no longer than that of the lines: the path of a socket has at most 108 bytes.
    return media.absolute() / FOLDER / f"phone-{VERSION}.sock"


def encode_frame(frame: ToExchange | FromExchange) -> bytes:
    """Return a frame as a line."""
    return msgspec.json.encode(frame) + b"\n"


async def read_question(reader: asyncio.StreamReader) -> ToExchange:
    """Return the frame of somebody who asks the exchange.

    Raises:
        TelephoneFrameError: it is none.
    """
    return await _read(reader, _TO_EXCHANGE)


async def read_news(reader: asyncio.StreamReader) -> FromExchange:
    """Return the next frame of the exchange.

    Raises:
        TelephoneFrameError: it is none, or the exchange has ended.
    """
    return await _read(reader, _FROM_EXCHANGE)


async def _read(reader: asyncio.StreamReader, decoder: "msgspec.json.Decoder[_Frame]") -> _Frame:
    try:
        return decoder.decode(await reader.readline())
    except (ValueError, OSError, msgspec.DecodeError) as error:
        raise TelephoneFrameError(str(error)) from None
