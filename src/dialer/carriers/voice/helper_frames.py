"""Frames between the process of the lines and the helpers that carry sound for it, over a pair of sockets of their own.

A leg moves between processes as it is, so frames are pickled: nobody else can write to these sockets.
"""

import asyncio
import pickle
import struct
from typing import Final, TypeAlias

import msgspec

from dialer.carriers.media.sound_leg import SoundLeg
from dialer.carriers.sip.sdp import AgreedSound
from dialer.carriers.voice.sound_room import SoundNews, SoundOver
from dialer.domain.calls.call_recording import SoundStore
from dialer.domain.sessions.leg_protocol import Order

_LENGTH: Final = struct.Struct("!I")


class HoldLeg(msgspec.Struct, frozen=True):
    """Carry the sound of a leg. Its sockets come by themselves, in the order of these frames."""

    leg: SoundLeg


class ReleaseLeg(msgspec.Struct, frozen=True):
    """Give a leg back, as it is to go on elsewhere."""

    key: str


class AgreeSound(msgspec.Struct, frozen=True):
    """Tell a helper where the sound of a leg comes from and goes to, as both session descriptions say."""

    key: str
    sound: AgreedSound


class WatchLeg(msgspec.Struct, frozen=True):
    """Tell a helper that a leg is answered: from now on it reports silence of the other side."""

    key: str


class RecordLeg(msgspec.Struct, frozen=True):
    """Tell a helper to record both sides of a leg from now on."""

    key: str
    store: SoundStore


class SilenceLeg(msgspec.Struct, frozen=True):
    """Tell a helper to keep silence in the recording of a leg from now on, or sound again."""

    key: str
    is_silent: bool


class DiscardTape(msgspec.Struct, frozen=True):
    """Tell a helper to throw away what it has recorded of a leg, and to record no more."""

    key: str


class PressKey(msgspec.Struct, frozen=True):
    """Tell a helper that the telephone of a leg pressed a key, which came by SIP and not with the sound."""

    key: str
    digit: str


class KeepPrompt(msgspec.Struct, frozen=True):
    """Keep a prompt, which orders name by its number."""

    number: int
    sound: bytes
    forgotten: tuple[int, ...]
    """The numbers of prompts that no later order names."""


class BeginOrder(msgspec.Struct, frozen=True):
    """Tell a helper to begin an order of sound on a leg: to play, to record, to connect, to listen."""

    key: str
    order: Order
    prompt: int
    """The number of a prompt that was kept; 0 for none."""


class EndSound(msgspec.Struct, frozen=True):
    """Tell a helper to close the sockets of a leg, and to answer with the rest of its sound."""

    key: str


class RemoveLeg(msgspec.Struct, frozen=True):
    """Tell a helper to close the sockets of a leg and to forget the sound that still waits."""

    key: str


class HelperReady(msgspec.Struct, frozen=True):
    """The helper has started."""


class LegReleased(msgspec.Struct, frozen=True):
    """A leg as it was when it was given back; None if it was gone."""

    key: str
    leg: SoundLeg | None


class LegFinished(msgspec.Struct, frozen=True):
    """The rest of the sound of a leg, which has ended."""

    key: str
    over: SoundOver


ToHelper: TypeAlias = (
    HoldLeg
    | ReleaseLeg
    | AgreeSound
    | WatchLeg
    | RecordLeg
    | SilenceLeg
    | DiscardTape
    | PressKey
    | KeepPrompt
    | BeginOrder
    | EndSound
    | RemoveLeg
)
HelperNews: TypeAlias = SoundNews | LegReleased | LegFinished
FromHelper: TypeAlias = HelperReady | HelperNews


def encode_for_helper(frame: ToHelper | FromHelper) -> bytes:
    """Return a frame with its length."""
    pickled = pickle.dumps(frame, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(pickled)) + pickled


async def read_frame(reader: asyncio.StreamReader) -> object:
    """Return the next frame; None at the end."""
    try:
        (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
        return pickle.loads(await reader.readexactly(length))  # noqa: S301 - the other end is our parent or child
    except (asyncio.IncompleteReadError, OSError):
        return None
