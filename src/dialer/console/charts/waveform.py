"""The waveform of a recorded call: the callee above a line, our side below it."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from dialer.store.media.call_recordings import LOUDEST

HEIGHT: Final = 64
STEP: Final = 3
"""The width of a part."""
_BAR: Final = 2
_QUIETEST: Final = 0.5


class Waveform(NamedTuple):
    """A drawing of a recording: a path for each side."""

    width: int
    callee: str
    ours: str


def draw_waveform(parts: Sequence[tuple[int, int]]) -> Waveform:
    """Return the drawing of the loudness of both sides, part by part, from 0 to `LOUDEST`."""
    callee = "".join(_bar(place, -loud) for place, (loud, _) in enumerate(parts))
    return Waveform(len(parts) * STEP, callee, "".join(_bar(place, loud) for place, (_, loud) in enumerate(parts)))


def _bar(place: int, loud: int) -> str:
    """Return a bar from the line in the middle, downwards if it is positive."""
    size = max(_QUIETEST, round(abs(loud) * (HEIGHT // 2 - 1) / LOUDEST, 1))
    return f"M{place * STEP} {HEIGHT // 2}h{_BAR}v{size if loud > 0 else -size:g}h-{_BAR}z"
