"""The sound between a browser and the leg of a call: encrypted on one side, as it is on the other."""

from typing import Final

from msgspec.structs import replace

from dialer.carriers.browser.offers import PCMU
from dialer.carriers.media.bridged_stream import Numbers
from dialer.carriers.media.call_quality import Quality
from dialer.carriers.media.rtcp import REPORT_MS, RtcpError, Sent
from dialer.carriers.media.rtp import RtpError, read_packet, write_packet
from dialer.carriers.media.srtp import Srtp
from dialer.carriers.sip.sdp import KEYS_PAYLOAD
from dialer.carriers.sip.sdp_security import SoundKeys
from dialer.domain.calls.sound_quality import SoundQuality

_REPORTS: Final = range(192, 224)
"""The second bytes of datagrams that are reports (RFC 5761 4)."""
_SHORTEST: Final = 12


class BrowserSound:
    """The sound of one telephone in a browser. Times are milliseconds of a clock that never goes back."""

    def __init__(self, keys: SoundKeys, keys_payload: int | None, ssrc: int, chance: int) -> None:
        """Prepare it. `chance` is a random number, from which the numbers of packets begin."""
        self._keys_payload: Final = keys_payload
        self._ssrc: Final = ssrc
        self._srtp: Final = Srtp(keys)
        self._numbers: Final = Numbers(chance & 0x7FFF, chance >> 15 & 0xFFFFFFFF)
        self._quality: Final = Quality(ssrc, "dialer")
        self._quality.transform = self._srtp
        self._sent = self._octets = 0
        self._report_ms = 0

    def begin(self) -> None:
        """Note that what is said next is of another leg."""
        self._numbers.begin()

    def hear(self, now_ms: int, datagram: bytes) -> bytes:
        """Return the packet for the leg in a datagram of the browser; an empty one if there is none.

        Bytes that are not authentic are dropped and counted.
        """
        if len(datagram) < _SHORTEST:
            return b""
        if datagram[1] in _REPORTS:
            self._take_report(now_ms, datagram)
            return b""
        try:
            packet = self._srtp.read(datagram)
        except RtpError:
            return b""
        is_sound = packet.payload == PCMU
        if not is_sound and packet.payload != self._keys_payload:
            return b""
        self._quality.reception.take(now_ms, packet, is_sound=is_sound)
        # Browsers add extensions of the header, which telephones do not know.
        return write_packet(packet if is_sound else replace(packet, payload=KEYS_PAYLOAD))

    def _take_report(self, now_ms: int, datagram: bytes) -> None:
        try:
            self._quality.take(now_ms, datagram)
        except RtcpError:
            return

    def say(self, data: bytes) -> bytes:
        """Return the datagram for the browser of a packet of the leg; an empty one if it is not passed on."""
        try:
            packet = read_packet(data)
        except RtpError:
            return b""
        payload = PCMU if packet.payload == PCMU else self._keys_payload if packet.payload == KEYS_PAYLOAD else None
        if payload is None:
            return b""
        sequence, timestamp = self._numbers.place(packet)
        passed = replace(packet, payload=payload, sequence=sequence, timestamp=timestamp, ssrc=self._ssrc)
        datagram = self._srtp.write(passed)
        if datagram:
            self._sent += 1
            self._octets += len(packet.data)
        return datagram

    def report(self, now_ms: int) -> bytes:
        """Return our report for the browser, if it is time for one; else nothing."""
        if now_ms < self._report_ms:
            return b""
        self._report_ms = now_ms + REPORT_MS
        sent = Sent(now_ms, self._numbers.timestamp, self._sent, self._octets) if self._sent else None
        return self._quality.report(now_ms, sent)

    def figures(self) -> SoundQuality:
        """Return the loss, the jitter and the round trip so far."""
        return self._quality.figures(self._sent)
