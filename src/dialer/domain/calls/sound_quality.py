"""The quality of a leg's sound: what was lost and how unevenly it came, in both directions, and a mark for it.

The mark is the mean opinion score of the E-model, by the short form of ITU-T G.107 for a connection without echo.
"""

from typing import Final

import msgspec

_BEST: Final = 93.2
"""The rating of G.711 without loss or delay: the default of G.107."""
_ROBUSTNESS: Final = 25.1
"""The share of single lost packets, in percent, that costs half of all at a telephone which conceals them (ITU-T G.113,
appendix I)."""
_JITTER_BUFFERS: Final = 2
"""A listener waits for late packets, for about twice their jitter."""
_PACKET_MS: Final = 20
_EASY_MS: Final = 177.3
"""The one-way delay from which on people notice that they talk at the same time."""
_RATING_MAX: Final = 100


class Stream(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One direction of the sound, as its receiver saw it."""

    packets: int
    """Packets that were sent."""
    lost: int
    jitter_ms: int

    @property
    def loss_percent(self) -> float:
        """The share of packets that did not come, in percent."""
        return min(100.0, 100 * self.lost / self.packets) if self.packets else 0.0


class SoundQuality(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The quality of one leg from its first packet to its end."""

    heard: Stream | None
    """The sound of the other side, which we measured; None without any."""
    said: Stream | None
    """Our sound, as the other side's last report has it; None without a report."""
    round_trip_ms: int | None

    @property
    def text(self) -> str:
        """The text that `read_quality` reads."""
        return msgspec.json.encode(self).decode()

    def mark(self, stream: Stream) -> float:
        """Return the mean opinion score of one direction, from 1 (bad) to 4.41 (the best of a telephone)."""
        delay_ms = (self.round_trip_ms or 0) / 2 + _PACKET_MS + _JITTER_BUFFERS * stream.jitter_ms
        return score(rating(stream.loss_percent, delay_ms))


def rating(loss_percent: float, delay_ms: float) -> float:
    """Return the rating R of the E-model from the share of lost packets and the delay in one direction."""
    by_loss = 95 * loss_percent / (loss_percent + _ROBUSTNESS) if loss_percent else 0.0
    by_delay = 0.024 * delay_ms + 0.11 * max(0.0, delay_ms - _EASY_MS)
    return _BEST - by_loss - by_delay


def score(rated: float) -> float:
    """Return the mean opinion score of a rating (ITU-T G.107, annex B)."""
    if rated <= 0:
        return 1.0
    rated = min(rated, _RATING_MAX)
    return max(1.0, 1 + 0.035 * rated + rated * (rated - 60) * (_RATING_MAX - rated) * 7e-6)


def read_quality(text: str) -> SoundQuality:
    """Return the quality in its `text`.

    Raises:
        ValueError: it is none.
    """
    return msgspec.json.decode(text, type=SoundQuality)
