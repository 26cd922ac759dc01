"""Session descriptions of browsers: the offer of a telephone, and our answer (RFC 8829, RFC 8839, RFC 8842)."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

OFFER_BYTES_MAX: Final = 32_768
LINES_MAX: Final = 1_000
MEDIA_MAX: Final = 16
PCMU: Final = 0
"""The payload type of the only sound that is spoken, as it passes through to carriers."""
_MEDIUM: Final = re.compile(r"([a-z]{1,20}) ([0-9]{1,5}) ([A-Za-z0-9/-]{1,40}) ([!-~]{1,40}(?: [!-~]{1,40}){0,99})\Z")
_PROFILE: Final = "UDP/TLS/RTP/SAVPF"
_TOKEN: Final = re.compile(r"[!-~]{1,64}\Z")
_UFRAG: Final = re.compile(r"[A-Za-z0-9+/]{4,256}\Z")
_FINGERPRINT: Final = re.compile(r"(?i)sha-256 ((?:[0-9a-f]{2}:){31}[0-9a-f]{2})\Z")
_KEYS: Final = re.compile(r"(?i)([0-9]{1,3}) telephone-event/8000\Z")
_PAYLOAD_MAX: Final = 127
"""The highest payload type of RTP. Keys of a higher one cannot be sent, and are taken for none."""
_MAY_CALL: Final = frozenset({"actpass", "active"})


class OfferError(ValueError):
    """The text is no offer of a telephone. The message says why."""


class BrowserOffer(msgspec.Struct, frozen=True):
    """The offer of a browser."""

    ufrag: str
    """Its part of the user name in requests of STUN."""
    fingerprint: bytes
    """The SHA-256 of its certificate."""
    mid: str
    """The name of the sound among the media."""
    place: int
    """The place of the sound among the media."""
    media: tuple[tuple[str, str], ...]
    """The line of each medium as an answer refuses it, and its name."""
    keys_payload: int | None = None
    """The payload type of keys (RFC 4733); None if it sends none."""


class LocalTelephone(msgspec.Struct, frozen=True):
    """Our end of the path to a browser."""

    host: str
    port: int
    ufrag: str
    password: str
    fingerprint: bytes
    """The SHA-256 of our certificate."""
    ssrc: int
    session: int


def read_offer(text: str) -> BrowserOffer:
    """Return the offer in a session description.

    Raises:
        OfferError: it is none, or its sound cannot be spoken.
    """
    lines = list(_lines(text))
    starts = [place for place, (kind, _) in enumerate(lines) if kind == "m"]
    if not lines or lines[0] != ("v", "0") or not starts:
        raise OfferError("The body is no session description with media.")
    if len(starts) > MEDIA_MAX:
        raise OfferError("The description has too many media.")
    ends = [*starts[1:], len(lines)]
    sections = [lines[start:end] for start, end in zip(starts, ends, strict=True)]
    place = next((place for place, section in enumerate(sections) if _is_sound(section[0][1])), None)
    if place is None:
        raise OfferError(f"The description has no audio over {_PROFILE} with PCMU (payload type 0).")
    media = tuple((_refused(section[0][1]), _one(section, "mid", _TOKEN, "")) for section in sections)
    return _offer(lines[: starts[0]], sections[place], place, media)


def _offer(
    before: Sequence[tuple[str, str]],
    sound: Sequence[tuple[str, str]],
    place: int,
    media: tuple[tuple[str, str], ...],
) -> BrowserOffer:
    if ("a", "rtcp-mux") not in sound:
        raise OfferError("The audio lacks a=rtcp-mux.")
    # An attribute of the medium comes before the one of the session.
    both = [*sound, *before]
    if _one(both, "setup", _TOKEN, "actpass") not in _MAY_CALL:
        raise OfferError("The browser must begin DTLS: a=setup:actpass.")
    fingerprint = _FINGERPRINT.match(next(_values(both, "fingerprint"), ""))
    if fingerprint is None:
        raise OfferError("The description lacks a=fingerprint:sha-256.")
    payloads = set(sound[0][1].split(" ")[3:])
    keys = (found for found in map(_KEYS.match, _values(sound, "rtpmap")) if found and found[1] in payloads)
    return BrowserOffer(
        ufrag=_one(both, "ice-ufrag", _UFRAG),
        fingerprint=bytes.fromhex(fingerprint[1].replace(":", "")),
        mid=_one(sound, "mid", _TOKEN, ""),
        place=place,
        media=media,
        keys_payload=next((int(found[1]) for found in keys if int(found[1]) <= _PAYLOAD_MAX), None),
    )


def _is_sound(medium: str) -> bool:
    found = _MEDIUM.match(medium)
    return found is not None and (found[1], found[3]) == ("audio", _PROFILE) and str(PCMU) in found[4].split(" ")


def _refused(medium: str) -> str:
    """Return a medium of an offer as an answer refuses it.

    Raises:
        OfferError: it cannot be read.
    """
    found = _MEDIUM.match(medium)
    if found is None:
        raise OfferError("The description has a medium that cannot be read.")
    return f"{found[1]} 0 {found[3]} {found[4].split(' ')[0]}"


def _lines(text: str) -> Iterator[tuple[str, str]]:
    if len(text) > OFFER_BYTES_MAX:
        raise OfferError("The description is too long.")
    lines = text.replace("\r\n", "\n").split("\n")
    if len(lines) > LINES_MAX:
        raise OfferError("The description has too many lines.")
    for line in lines:
        kind, equals, value = line.partition("=")
        if equals and len(kind) == 1:
            yield kind, value


def _values(lines: Sequence[tuple[str, str]], name: str) -> Iterator[str]:
    return (value[len(name) + 1 :] for kind, value in lines if kind == "a" and value.startswith(f"{name}:"))


def _one(lines: Sequence[tuple[str, str]], name: str, form: re.Pattern[str], default: str | None = None) -> str:
    """Return the value of an attribute.

    Raises:
        OfferError: it is missing, or of another form.
    """
    value = next(_values(lines, name), default)
    if value is None:
        raise OfferError(f"The description lacks a={name}.")
    if value != default and not form.match(value):
        raise OfferError(f"The description has a wrong a={name}.")
    return value


def write_answer(offer: BrowserOffer, local: LocalTelephone) -> str:
    """Return the answer: each medium has its place, and all but the sound are refused."""
    family = "IP6" if ":" in local.host else "IP4"
    lines = ["v=0", f"o=- {local.session} 1 IN {family} {local.host}", "s=-", "t=0 0", "a=ice-lite"]
    lines += [f"a=group:BUNDLE {offer.mid}"] if offer.mid else []
    for place, (medium, mid) in enumerate(offer.media):
        if place == offer.place:
            lines += _sound(offer, local, family)
        else:
            lines += [f"m={medium}", f"c=IN {family} {local.host}", "a=inactive", *([f"a=mid:{mid}"] if mid else [])]
    return "\r\n".join([*lines, ""])


def _sound(offer: BrowserOffer, local: LocalTelephone, family: str) -> list[str]:
    keys = offer.keys_payload
    fingerprint = ":".join(f"{byte:02X}" for byte in local.fingerprint)
    return [
        f"m=audio {local.port} {_PROFILE} {PCMU}{'' if keys is None else f' {keys}'}",
        f"c=IN {family} {local.host}",
        f"a=rtpmap:{PCMU} PCMU/8000",
        *([] if keys is None else [f"a=rtpmap:{keys} telephone-event/8000", f"a=fmtp:{keys} 0-15"]),
        "a=ptime:20",
        "a=rtcp-mux",
        *([f"a=mid:{offer.mid}"] if offer.mid else []),
        "a=sendrecv",
        f"a=ice-ufrag:{local.ufrag}",
        f"a=ice-pwd:{local.password}",
        f"a=fingerprint:sha-256 {fingerprint}",
        "a=setup:passive",
        f"a=ssrc:{local.ssrc} cname:dialer",
        # The priority of a host's address (RFC 8445 5.1.2.1).
        f"a=candidate:1 1 udp 2130706431 {local.host} {local.port} typ host",
        "a=end-of-candidates",
    ]
