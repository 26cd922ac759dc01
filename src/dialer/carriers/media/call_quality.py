"""The reports of one leg, and its quality in words."""

from typing import Final

from dialer.carriers.media.loss_and_jitter import Reception
from dialer.carriers.media.rtcp import Block, RtcpReport, Sent, read_reports, short_time, write_report
from dialer.carriers.media.rtp import RATE_HZ
from dialer.carriers.media.transform import Plain, Transform
from dialer.domain.calls.sound_quality import SoundQuality, Stream

_SINCE_MAX: Final = 0xFFFFFFFF
_ROUND_TRIP_MS_MAX: Final = 60_000


class Quality:
    """The quality of one leg's sound: loss and jitter that we measure, and those that the other side reports."""

    def __init__(self, ssrc: int, name: str) -> None:
        self.reception: Final = Reception()
        self.transform: Transform = Plain()
        self._ssrc: Final = ssrc
        self._name: Final = name
        self._far: Block | None = None
        self._round_trip_ms: int | None = None
        self._heard: tuple[int, int] = (0, 0)
        """The time that the other side's last report names, and our time when it came."""

    def report(self, now_ms: int, sent: Sent | None) -> bytes:
        """Return the datagram of the next RTCP report."""
        blocks: tuple[Block, ...] = ()
        heard = self.reception
        if heard.ssrc is not None:
            named, at_ms = self._heard
            since = min(_SINCE_MAX, (now_ms - at_ms) * 65_536 // 1_000) if named else 0
            jitter = int(heard.jitter)
            blocks = (Block(heard.ssrc, heard.lost_since(), heard.lost, heard.highest, jitter, named, since),)
        return self.transform.write_report(write_report(RtcpReport(self._ssrc, sent, blocks), self._name))

    def take(self, now_ms: int, datagram: bytes) -> None:
        """Add the RTCP reports that a datagram of the other side has.

        Raises:
            RtcpError: the bytes are none.
        """
        for report in read_reports(self.transform.read_report(datagram)):
            if report.sent is not None:
                self._heard = (report.time, now_ms)
            for block in report.blocks:
                if block.ssrc == self._ssrc:
                    self._far = block
                    self._measure(now_ms, block)

    def _measure(self, now_ms: int, block: Block) -> None:
        taken = (short_time(now_ms) - block.last_report - block.since_report) & 0xFFFFFFFF
        round_trip_ms = taken * 1_000 // 65_536
        if block.last_report and round_trip_ms <= _ROUND_TRIP_MS_MAX:
            self._round_trip_ms = round_trip_ms

    def figures(self, sent: int) -> SoundQuality:
        """Return the figures of both directions; `sent` is the number of our packets."""
        heard, far = self.reception, self._far
        return SoundQuality(
            Stream(heard.expected, heard.lost, heard.jitter_ms) if heard.expected else None,
            None if far is None else Stream(sent, min(far.lost, sent), far.jitter * 1_000 // RATE_HZ),
            self._round_trip_ms,
        )

    def in_words(self, sent: int) -> str:
        """Return the figures for people."""
        heard = self.reception
        share = 100 * heard.lost / heard.expected if heard.expected else 0.0
        text = f"sound: {sent} packets sent, {heard.received} received, {heard.lost} lost ({share:.1f} %)"
        text += f", jitter {heard.jitter_ms} ms"
        if self._far is not None:
            text += f"; the other side lost {self._far.lost}, jitter {self._far.jitter * 1_000 // RATE_HZ} ms"
        if self._round_trip_ms is not None:
            text += f", round trip {self._round_trip_ms} ms"
        if self.transform.refused:
            text += f"; {self.transform.refused} packets were refused: not encrypted with the agreed key, or repeated"
        return text
