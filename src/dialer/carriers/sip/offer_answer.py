"""The sound of a call as both sides describe it, one description after the other (RFC 3264)."""

from collections.abc import Callable
from typing import Final

import msgspec

from dialer.carriers.sip.sdp import (
    NOWHERE,
    PAYLOADS,
    AgreedSound,
    Direction,
    LocalSound,
    SdpError,
    read_sound,
    write_answer,
    write_offer,
)
from dialer.carriers.sip.trunk import Trunk

_NO_PORT: Final = 9
"""The port that discards everything."""
TAKEN_UP: Final = 1_000
"""The first number of a process that takes up a call. It does not know of those since the answer."""
_NUMBER_MS: Final = 100
"""No process uses more than one number in this time."""


def first_number(age_ms: int) -> int:
    """Return the first number of a process that takes up a call of this age, for its CSeq and descriptions.

    It is beyond those of all processes before: the other side takes a lower one for an old request, and ignores it.
    """
    return TAKEN_UP + age_ms // _NUMBER_MS


def agree_on(body: bytes, local: LocalSound, trunk: Trunk) -> AgreedSound:
    """Return the codec, addresses and direction of the sound, from the other side's session description.

    Raises:
        SdpError: it cannot be spoken, or it is at an address to which sound must not be sent.
    """
    sound = read_sound(body, local.codecs, local.security)
    if sound.host not in NOWHERE and not trunk.may_sound_be_at(sound.host):
        raise SdpError(f"Sound must not be sent to {sound.host}. If it is the carrier's, list it in media_hosts.")
    if sound.reports is not None and sound.reports[0] != sound.host:
        may_report = sound.reports[0] not in NOWHERE and trunk.may_sound_be_at(sound.reports[0])
        return sound if may_report else msgspec.structs.replace(sound, reports=None)
    return sound


def bound_to(local: LocalSound, sound: AgreedSound) -> LocalSound:
    """Return our side of a call with agreed sound: it stays encrypted with our same key, or plain, to its end."""
    return msgspec.structs.replace(local, security=local.security.agreed(sound.keys))


def unknown_sound(local: LocalSound) -> AgreedSound:
    """Return the sound of a call whose other side describes its own only when it acknowledges our offer."""
    codec = local.codecs[0]
    return AgreedSound(local.host, _NO_PORT, codec, PAYLOADS[codec], None, Direction.INACTIVE)


class Descriptions:
    """Our session descriptions of one call. Each changed description gets the next version (RFC 3264 8)."""

    def __init__(self, local: LocalSound, version: int = 1) -> None:
        self._local: Final = local
        self._version = version
        self._last = b""

    def offer(self, agreed: AgreedSound | None = None) -> bytes:
        """Return an offer of all codecs. `agreed` is the sound until now."""
        return self._next(lambda version: write_offer(self._local, version, agreed))

    def answer(self, agreed: AgreedSound) -> bytes:
        """Return our session description with the agreed sound, as an answer or as an unchanged offer."""
        return self._next(lambda version: write_answer(self._local, agreed, version))

    def _next(self, write: Callable[[int], bytes]) -> bytes:
        if self._last and write(self._version) != self._last:
            self._version += 1
        self._last = write(self._version)
        return self._last
