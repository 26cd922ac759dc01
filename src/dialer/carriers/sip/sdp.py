"""Session descriptions: the sound that is offered, and the sound that is agreed on (RFC 8866, RFC 3264)."""

import ipaddress
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Final

import msgspec

from dialer.carriers.sip.sdp_security import PLAIN, Security, SoundKeys, agreed_lines, fitting_keys, offered_lines

SDP_TYPE: Final = ("Content-Type", "application/sdp")
SDP_BYTES_MAX: Final = 8_192
LINES_MAX: Final = 200
KEYS_PAYLOAD: Final = 101
"""The payload type that is offered for keys (RFC 4733)."""
PORTS: Final = range(1, 65_536)
PACKET_MS: Final = 20
PACKET_LENGTHS_MS: Final = (PACKET_MS, 10, 5)
"""The lengths of packets that we send, the best one first."""
_STATIC: Final = {0: "PCMU", 8: "PCMA"}
_RTPMAP: Final = re.compile(r"([0-9]{1,3})\s+([A-Za-z0-9-]{1,40})/([0-9]{1,6})(?:/1)?\s*\Z", re.ASCII)
MEDIA_MAX: Final = 16
"""Media of one description."""
_MEDIA: Final = re.compile(r"audio\s+([0-9]{1,5})(?:/[0-9]+)?\s+(RTP/S?AVP)F?\s+([0-9 ]{1,200})\Z", re.ASCII)
_ANY_MEDIUM: Final = re.compile(
    r"([A-Za-z0-9-]{1,20})\s+[0-9]{1,5}(?:/[0-9]{1,5})?\s+([A-Za-z0-9/-]{1,40})\s+([!-~]{1,40})(?:\s|\Z)", re.ASCII
)
_HOST: Final = re.compile(r"IN\s+IP[46]\s+([0-9A-Za-z.:-]{1,253})(?:/[0-9/]+)?\s*\Z", re.ASCII)
_LENGTH: Final = re.compile(r"(ptime|maxptime):\s*([0-9]{1,4})(?:\.[0-9]+)?\s*\Z", re.ASCII)
_REPORTS: Final = re.compile(r"rtcp:\s*([0-9]{1,5})(?:\s+(IN\s+IP[46]\s+\S+))?\s*\Z", re.ASCII)
NOWHERE: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104 - an address of hold, nothing is bound to it


class Codec(StrEnum):
    """The codecs that are spoken, by their names in SDP (RFC 3551)."""

    PCMU = "PCMU"
    PCMA = "PCMA"


PAYLOADS: Final[Mapping[Codec, int]] = {Codec.PCMU: 0, Codec.PCMA: 8}


class Profile(StrEnum):
    """The ways in which sound is carried, by their names in SDP."""

    AVP = "RTP/AVP"
    SAVP = "RTP/SAVP"
    """Encrypted (SRTP, RFC 3711)."""


class Direction(StrEnum):
    """The directions in which sound flows, from the sight of who writes it."""

    SENDRECV = "sendrecv"
    SENDONLY = "sendonly"
    RECVONLY = "recvonly"
    INACTIVE = "inactive"


_MIRRORED: Final = {Direction.SENDONLY: Direction.RECVONLY, Direction.RECVONLY: Direction.SENDONLY}


class AgreedSound(msgspec.Struct, frozen=True):
    """The sound that both sides agreed on: codec, payload types, addresses and direction."""

    host: str
    port: int
    codec: Codec
    payload: int
    """The payload type of the codec that we send, the first of the description."""
    keys_payload: int | None
    """The payload type of keys; None if the other side does not send them as events."""
    direction: Direction = Direction.SENDRECV
    """From our sight: `recvonly` means that the other side holds the call."""
    before: tuple[str, ...] = ()
    """The media of the description that come before the sound, as an answer refuses them."""
    after: tuple[str, ...] = ()
    """The media that come after the sound."""
    spoken: tuple[tuple[int, Codec], ...] = ()
    """All agreed codecs with their payload types. The other side may use each of them (RFC 3264 6.1)."""
    packet_ms: int = PACKET_MS
    """The length of the packets that we send: what the other side likes best, but no longer than ours are."""
    packet_ms_max: int = 0
    """The length of the longest packet that the other side takes; 0 if it names none."""
    reports: tuple[str, int] | None = None
    """The address of its reports, if that is not beside the one of its sound (RFC 3605)."""
    profile: Profile = Profile.AVP
    keys: SoundKeys | None = None
    """The keys of the profile `SAVP`."""


class SdpError(ValueError):
    """The description offers no sound that can be spoken."""


class LocalSound(msgspec.Struct, frozen=True):
    """The sound that we offer: our addresses and codecs."""

    host: str
    port: int
    codecs: tuple[Codec, ...]
    session: int
    """The number of the session, the same in every description of a call."""
    security: Security = PLAIN

    @property
    def profile(self) -> Profile:
        """The profile of offers."""
        return Profile.SAVP if self.security.keys else Profile.AVP


def write_offer(local: LocalSound, version: int = 1, agreed: AgreedSound | None = None) -> bytes:
    """Return the description of the sound that we offer.

    A later offer of a call keeps the places of the media that were `agreed` (RFC 3264 8).
    """
    formats = [(PAYLOADS[codec], codec.value) for codec in local.codecs]
    return _write(local, formats, KEYS_PAYLOAD, Direction.SENDRECV, version, agreed)


def write_answer(local: LocalSound, agreed: AgreedSound, version: int) -> bytes:
    """Return the answer to an offer of the other side, with the payload types of the offer.

    Each medium of the offer is answered, those that are refused with port 0 (RFC 3264 6).
    """
    formats = [(agreed.payload, agreed.codec.value)]
    return _write(local, formats, agreed.keys_payload, agreed.direction, version, agreed)


def _write(
    local: LocalSound,
    formats: Sequence[tuple[int, str]],
    keys: int | None,
    direction: Direction,
    version: int,
    agreed: AgreedSound | None,
) -> bytes:
    payloads = [payload for payload, _ in formats] + ([] if keys is None else [keys])
    family = "IP6" if ":" in local.host else "IP4"
    before, after = ((), ()) if agreed is None else (agreed.before, agreed.after)
    profile = local.profile if agreed is None else agreed.profile
    keys_of_sound = offered_lines(local.security) if agreed is None else agreed_lines(agreed.keys)
    lines = [
        "v=0",
        f"o=- {local.session} {version} IN {family} {local.host}",
        "s=-",
        f"c=IN {family} {local.host}",
        "t=0 0",
        *(f"m={medium}" for medium in before),
        f"m=audio {local.port} {profile.value} {' '.join(map(str, payloads))}",
        *(f"a=rtpmap:{payload} {name}/8000" for payload, name in formats),
        *([] if keys is None else [f"a=rtpmap:{keys} telephone-event/8000", f"a=fmtp:{keys} 0-15"]),
        *keys_of_sound,
        "a=ptime:20",
        f"a={direction.value}",
        *(f"m={medium}" for medium in after),
        "",
    ]
    return "\r\n".join(lines).encode()


def read_sound(body: bytes, codecs: Sequence[Codec], security: Security = PLAIN) -> AgreedSound:
    """Return the sound of the other side's description, with the first of its codecs that is among `codecs`.

    If several media are sound, it is the first one that can be spoken.

    Raises:
        SdpError: it has no audio over RTP, no codec in common, or is not encrypted as `security` wants it.
    """
    lines = list(_lines(body))
    starts = [place for place, (kind, _) in enumerate(lines) if kind == "m"]
    if len(starts) > MEDIA_MAX:
        raise SdpError("The description has too many media.")
    session = [line for line in lines[: starts[0] if starts else 0] if line[0] in "ca"]
    failed = SdpError("The description has no sound over RTP.")
    for start, end in pairwise([*starts, len(lines)]):
        try:
            sound = _sound_in(lines[start][1], session, lines[start + 1 : end], codecs, security)
        except SdpError as error:
            failed = error if _MEDIA.match(lines[start][1]) else failed
        else:
            before = tuple(_refused(lines[line_number][1]) for line_number in starts if line_number < start)
            return msgspec.structs.replace(
                sound,
                before=before,
                after=tuple(_refused(lines[line_number][1]) for line_number in starts if line_number > start),
            )
    raise failed


def _sound_in(
    medium: str,
    session: Sequence[tuple[str, str]],
    inside: Sequence[tuple[str, str]],
    codecs: Sequence[Codec],
    security: Security,
) -> AgreedSound:
    """Return the sound of one medium, of the lines before all media, and of its own lines."""
    media = _MEDIA.match(medium)
    if media is None or int(media.group(1)) not in PORTS:
        raise SdpError("The description has no sound over RTP.")
    profile = Profile(media.group(2))
    keys_of_sound = _keys(profile, inside, security)
    host, names = _host(session, inside), _names(inside)
    payloads = [int(payload_type) for payload_type in media.group(3).split()]
    spoken = [(payload, Codec(names[payload])) for payload in payloads if names.get(payload) in codecs]
    if not spoken:
        raise SdpError("The description has no codec in common.")
    keys = next((payload for payload in payloads if names.get(payload) == "TELEPHONE-EVENT"), None)
    direction = Direction.INACTIVE if host in NOWHERE else _direction(session, inside)
    payload, codec = spoken[0]
    lengths = _lengths((*session, *inside))
    limits = [length for length in lengths.values() if length]
    return AgreedSound(
        host,
        int(media.group(1)),
        codec,
        payload,
        keys,
        direction,
        spoken=tuple(spoken),
        packet_ms=next(
            (one for one in PACKET_LENGTHS_MS if all(one <= limit for limit in limits)), min(PACKET_LENGTHS_MS)
        ),
        packet_ms_max=max(lengths["maxptime"], min(PACKET_LENGTHS_MS)) if "maxptime" in lengths else 0,
        reports=_reports(host, inside),
        profile=profile,
        keys=keys_of_sound,
    )


def _keys(profile: Profile, inside: Sequence[tuple[str, str]], security: Security) -> SoundKeys | None:
    """Return the keys of a medium; None if it is not encrypted.

    Raises:
        SdpError: it must be, or has no key that fits.
    """
    if profile is Profile.AVP:
        if not security.takes_plain:
            raise SdpError("Its sound is not encrypted (SRTP), which is required.")
        return None
    if not security.keys:
        raise SdpError("Its sound is encrypted (SRTP), which is off.")
    keys = fitting_keys(inside, security)
    if keys is None:
        raise SdpError("Its sound is encrypted (SRTP), and no key (a=crypto) of it fits.")
    return keys


def _lengths(lines: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Return the lengths of packets that the other side likes best, and takes at most (RFC 8866 6.4, 6.5)."""
    matches = (_LENGTH.match(value) for kind, value in lines if kind == "a")
    return {match.group(1): int(match.group(2)) for match in matches if match}


def _reports(host: str, inside: Sequence[tuple[str, str]]) -> tuple[str, int] | None:
    """Return the address to which reports go, if the description names one that can be used."""
    for kind, value in inside:
        match = _REPORTS.match(value) if kind == "a" else None
        if match and int(match.group(1)) in PORTS:
            named = _HOST.match(match.group(2) or "")
            try:
                return (_literal(named.group(1)) if named else host), int(match.group(1))
            except SdpError:
                return None
    return None


def _refused(medium: str) -> str:
    """Return the medium of an offer as an answer refuses it.

    Raises:
        SdpError: it cannot be read.
    """
    match = _ANY_MEDIUM.match(medium)
    if match is None:
        raise SdpError("The description has a medium that cannot be read.")
    return f"{match.group(1)} 0 {match.group(2)} {match.group(3)}"


def _lines(body: bytes) -> Iterator[tuple[str, str]]:
    if len(body) > SDP_BYTES_MAX:
        raise SdpError("The description is too long.")
    for line in body.decode("utf-8", "replace").splitlines()[:LINES_MAX]:
        kind, equals, value = line.partition("=")
        if equals and len(kind) == 1:
            yield kind, value.strip()


def _host(before: Sequence[tuple[str, str]], inside: Sequence[tuple[str, str]]) -> str:
    """Return the address of the sound: the one of the medium, or else the one of the session."""
    for kind, value in (*inside, *before):
        match = _HOST.match(value) if kind == "c" else None
        if match:
            return _literal(match.group(1))
    raise SdpError("The description has no address.")


def _literal(host: str) -> str:
    """Return an address that needs no name server: sound is sent to nobody else."""
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        raise SdpError(f"The address of the sound, {host}, is a name. Only IP addresses are taken.") from None


def _names(inside: Sequence[tuple[str, str]]) -> dict[int, str]:
    """Return the names of payload types in capitals, of those with 8,000 samples a second."""
    names = dict(_STATIC)
    for kind, value in inside:
        match = _RTPMAP.match(value[7:]) if kind == "a" and value.startswith("rtpmap:") else None
        if match:
            names[int(match.group(1))] = match.group(2).upper() if match.group(3) == "8000" else ""
    return names


def _direction(before: Sequence[tuple[str, str]], inside: Sequence[tuple[str, str]]) -> Direction:
    """Return the direction from our sight: the attribute of the medium comes before the one of the session."""
    for kind, value in (*inside, *before):
        if kind == "a" and value in set(Direction):
            theirs = Direction(value)
            return _MIRRORED.get(theirs, theirs)
    return Direction.SENDRECV
