"""Encrypted sound: SRTP and SRTCP (RFC 3711, RFC 7714), by libsrtp."""

import contextlib
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from dialer.carriers.media.rtcp import RtcpError
from dialer.carriers.media.rtp import SEQUENCES, RtpError, RtpPacket, read_packet, write_packet
from dialer.carriers.sip.sdp_security import SoundKeys, Suite

if TYPE_CHECKING:
    from pylibsrtp import Session

ROLLOVERS_MAX: Final = 8
"""Rollover counters of the other side that are tried, from 0 on. Each is 22 minutes of packets of 20 ms."""
SEARCHES: Final = 32
"""Packets that cannot be read and are tried with each rollover counter. Of further ones, one in so many is."""
SOURCES_MAX: Final = 16
"""SSRCs of the other side with one key that are followed. Each keeps some memory, so the one heard longest ago goes."""
FLOORS_MAX: Final = 1_024
"""Sources that are not followed any more, and whose old packets are known. Each is a number or two."""
PACKET_BYTES_MAX: Final = 1_352
"""Bytes of one packet that are encrypted: libsrtp's buffer has 1,500, of which it wants 144 for itself."""
LATE_PACKETS_MAX: Final = 50
"""Packets that are heard with the other side's key before, after it has changed it."""
_STEP: Final = 30_000
"""Distance between packets with which a receiver follows a rollover counter: less than half of the numbers."""
_HALF: Final = SEQUENCES // 2
_HEADER: Final = struct.Struct("!BBHII")
_WORD: Final = struct.Struct("!I")
_NO_REPORT: Final = bytes([0x80, 201, 0, 1])
_INDEX_BITS: Final = 0x7FFFFFFF
_CAME_BEFORE: Final = "replay check failed (bad index)"
"""The words of libsrtp for a packet that came twice. One that is "too old" may be of a later rollover."""
_OF_LIBSRTP: Final = frozenset({"_error", "_in", "_out", "_before", "_protect", "_unprotect"})
_TAG_BYTES: Final = {Suite.AES_CM: 10, Suite.AES_GCM: 0}
"""Bytes of a report after its index."""


class Srtp:
    """Datagrams of SRTP, with a key for each direction.

    Packets that are not authentic, and those that came before, are refused and counted. When it moves to another
    process with its leg, both directions go on: the counters of what was sent and heard go along.
    """

    def __init__(self, keys: SoundKeys) -> None:
        """Begin to encrypt and to decrypt."""
        self.keys = keys
        self.refused = 0
        self._ssrc: int | None = None
        self._sent = self._sent_elsewhere = -1
        """The highest index that was sent, and that of another process."""
        self._reports_sent = 0
        self._begin_hearing()
        self._open()

    def _begin_hearing(self) -> None:
        """Hear a key with which nothing came yet."""
        self._heard: dict[int, int] = {}
        """The highest index that came from each source."""
        self._reports_heard: dict[int, int] = {}
        self._sources: dict[int, None] = {}
        """The sources that are followed, the one heard last at the end."""
        self._latest = -1
        """The source heard last."""
        self._floors: tuple[dict[int, int], dict[int, int]] = ({}, {})
        """The highest indices of packets and of reports that came in another process, or of sources that had to go."""
        self._unread = 0
        """Packets that were not authentic."""

    def _open(self) -> None:
        """Make the sessions of libsrtp."""
        import pylibsrtp  # noqa: PLC0415 - most services have no encrypted sound

        self._error = pylibsrtp.Error
        self._in, self._out = _receiver(self.keys), _sender(self.keys, self.keys.ours)
        self._protect, self._unprotect = self._out.protect, self._in.unprotect
        self._before: tuple[Session, int] | None = None
        """The session of the other side's key before, and how many packets of it are still heard."""

    def __getstate__(self) -> dict[str, Any]:
        """Return all but what is libsrtp's."""
        return {name: value for name, value in vars(self).items() if name not in _OF_LIBSRTP}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Go on in another process after the packets that were sent and heard."""
        vars(self).update(state)
        self._open()
        if self._ssrc is not None:
            for packet in _packets_before(self._ssrc, self._sent + 1):
                self._protect(packet)
            for _ in range(self._reports_sent):
                self._out.protect_rtcp(_NO_REPORT + _WORD.pack(self._ssrc))
        for ssrc, index in self._heard.items():
            _follow(self._in, self.keys, ssrc, index)
        self._sent_elsewhere = self._sent
        self._floors = (self._floors[0] | self._heard, self._floors[1] | self._reports_heard)

    def agreed(self, keys: SoundKeys) -> None:
        """Take the keys of a later description. The other side may have changed its own."""
        if keys.theirs != self.keys.theirs:
            self._before = (self._in, LATE_PACKETS_MAX)
            self._begin_hearing()
            self._in = _receiver(keys)
            self._unprotect = self._in.unprotect
        self.keys = keys

    def write(self, packet: RtpPacket, /) -> bytes:
        """Return the datagram of a packet; an empty one if its number was used already (RFC 3711 9.1)."""
        if self._sent < 0:
            self._ssrc, self._sent = packet.ssrc, packet.sequence - 1
        ahead = (packet.sequence - self._sent + _HALF) % SEQUENCES - _HALF
        if self._sent + ahead <= self._sent_elsewhere:
            return b""
        try:
            protected = self._protect(write_packet(packet)[:PACKET_BYTES_MAX])
        except self._error:
            return b""
        if ahead > 0:
            self._sent += ahead
        return protected

    def read(self, datagram: bytes, /) -> RtpPacket:
        """Return the packet in a datagram.

        Raises:
            RtpError: it is not authentic, or came before.
        """
        try:
            plain = self._unprotect(datagram)
        except (self._error, ValueError) as error:
            late = self._late(datagram)
            if late is not None:
                # Its number is of the other side's key before: counters of the new key must not follow it.
                return late
            plain = self._otherwise(datagram, str(error))
        packet = read_packet(plain)
        ssrc = packet.ssrc
        heard = self._heard.get(ssrc)
        if heard is None:
            heard = packet.sequence
        ahead = (packet.sequence - heard) % SEQUENCES
        if 0 < ahead < _HALF:
            heard += ahead
        elif heard - (-ahead % SEQUENCES) <= self._floors[0].get(ssrc, -1):
            self._drop_unfollowed(ssrc)
            raise self._refusal("The packet came before.")
        if ssrc != self._latest:
            self._admit(ssrc)
        self._heard[ssrc] = heard
        return packet

    def _refusal(self, why: str) -> RtpError:
        self.refused += 1
        return RtpError(why)

    def _admit(self, ssrc: int) -> None:
        """Note the source that is heard now. One too many takes the place of the one heard longest ago.

        Exchanges take another one with each hold, music and bridge, so a call may have many.
        """
        self._latest = ssrc
        self._sources.pop(ssrc, None)
        self._sources[ssrc] = None
        if len(self._sources) > SOURCES_MAX:
            self._forget(next(iter(self._sources)))

    def _forget(self, ssrc: int) -> None:
        """Follow a source no more. Its packets until now are not heard again."""
        del self._sources[ssrc]
        for highest, floors in zip((self._heard, self._reports_heard), self._floors, strict=True):
            if ssrc in highest:
                floors.pop(ssrc, None)
                floors[ssrc] = highest.pop(ssrc)
            if len(floors) > FLOORS_MAX:
                del floors[next(iter(floors))]
        self._drop_unfollowed(ssrc)

    def _drop_unfollowed(self, ssrc: int) -> None:
        """Let libsrtp forget a source that is not followed. It keeps one for each that it has read."""
        if ssrc not in self._sources:
            self._heard.pop(ssrc, None)
            with contextlib.suppress(self._error):
                self._in.remove_stream(ssrc)

    def _late(self, datagram: bytes) -> RtpPacket | None:
        """Return the packet in a datagram of the other side's key before, if it is one."""
        if self._before is None:
            return None
        session, left = self._before
        with contextlib.suppress(self._error, ValueError):
            plain = session.unprotect(datagram)
            self._before = (session, left - 1) if left > 1 else None
            return read_packet(plain)
        return None

    def _otherwise(self, datagram: bytes, why: str) -> bytes:
        """Return the packet of a datagram that is not read at once: of a later rollover.

        Raises:
            RtpError: it is none.
        """
        if why != _CAME_BEFORE and len(datagram) >= _HEADER.size:
            self._unread += 1
            if self._unread <= SEARCHES or self._unread % SEARCHES == 0:
                found = self._with_rollover(datagram)
                if found is not None:
                    return found
        raise self._refusal(why)

    def _with_rollover(self, datagram: bytes) -> bytes | None:
        """Return the packet of a datagram, if a later rollover counter decrypts it. The session goes on from there.

        A process that takes a call up does not know how often the other side's numbers have begun again.
        """
        _, _, sequence, _, ssrc = _HEADER.unpack_from(datagram)
        first = self._heard.get(ssrc, 0) // SEQUENCES + 1
        for rollovers in range(first, ROLLOVERS_MAX):
            index = rollovers * SEQUENCES + sequence
            trial = _receiver(self.keys)
            _follow(trial, self.keys, ssrc, index)
            with contextlib.suppress(self._error, ValueError):
                trial.unprotect(datagram)
                return self._go_on_from(datagram, ssrc, index)
        return None

    def _go_on_from(self, datagram: bytes, ssrc: int, index: int) -> bytes:
        with contextlib.suppress(self._error):
            self._in.remove_stream(ssrc)
        _follow(self._in, self.keys, ssrc, index)
        self._heard[ssrc] = index
        return self._unprotect(datagram)

    def write_report(self, report: bytes, /) -> bytes:
        """Return the datagram of an RTCP report; an empty one if it cannot be sent."""
        try:
            protected = self._out.protect_rtcp(report)
        except self._error:
            return b""
        self._reports_sent += 1
        if self._ssrc is None:
            (self._ssrc,) = _WORD.unpack_from(report, 4)
        return protected

    def read_report(self, datagram: bytes, /) -> bytes:
        """Return the RTCP report in a datagram.

        Raises:
            RtcpError: it is not authentic, or came before.
        """
        try:
            report = self._in.unprotect_rtcp(datagram)
            ssrc = int(_WORD.unpack_from(report, 4)[0])
            end = len(datagram) - _TAG_BYTES[self.keys.suite]
            index = int(_WORD.unpack_from(datagram, end - _WORD.size)[0]) & _INDEX_BITS
        except (self._error, ValueError, struct.error) as error:
            raise RtcpError(str(error)) from None
        if index <= self._floors[1].get(ssrc, -1):
            self._drop_unfollowed(ssrc)
            raise RtcpError("The report came before.")
        if ssrc != self._latest:
            self._admit(ssrc)
        self._reports_heard[ssrc] = max(index, self._reports_heard.get(ssrc, -1))
        return report


def load() -> None:
    """Load libsrtp, so that no call waits for that at its answer."""
    import pylibsrtp  # noqa: F401, PLC0415 - as in `Srtp`


def _session(keys: SoundKeys, key: bytes, *, is_sent: bool) -> "Session":
    """Return a session of libsrtp that encrypts or decrypts with a key."""
    from pylibsrtp import Policy, Session  # noqa: PLC0415 - as in `Srtp`

    profiles = {
        Suite.AES_CM: Policy.SRTP_PROFILE_AES128_CM_SHA1_80,
        Suite.AES_GCM: Policy.SRTP_PROFILE_AEAD_AES_128_GCM,
    }
    kind = Policy.SSRC_ANY_OUTBOUND if is_sent else Policy.SSRC_ANY_INBOUND
    return Session(Policy(key=key, ssrc_type=kind, srtp_profile=profiles[keys.suite]))


def _sender(keys: SoundKeys, key: bytes) -> "Session":
    return _session(keys, key, is_sent=True)


def _receiver(keys: SoundKeys) -> "Session":
    return _session(keys, keys.theirs, is_sent=False)


def _follow(session: "Session", keys: SoundKeys, ssrc: int, index: int) -> None:
    """Let a session hear packets of the other side's key up to before an index."""
    sender = _sender(keys, keys.theirs)
    for packet in _packets_before(ssrc, index):
        session.unprotect(sender.protect(packet))


def _packets_before(ssrc: int, index: int) -> Iterator[bytes]:
    """Yield packets without sound with which a session of libsrtp follows the numbers of a source up to an index."""
    for passed in range(0, index, _STEP):
        yield _HEADER.pack(0x80, 0, passed % SEQUENCES, 0, ssrc)
