"""Limits of recordings of whole calls, as `docs/reference/limits.md` must have them."""

from typing import Final

from dialer.console.parts import call_player

LIMITS_OF_RECORDINGS: Final = {
    "Parts of the waveform of a recorded call; moments beside it": (
        f"{call_player.PARTS_MAX}; {call_player.MOMENTS_MAX}"
    ),
}
