"""Limits of recordings of whole calls, as `docs/reference/limits.md` must have them."""

from typing import Final

from dialer.carriers.voice import ears
from dialer.console.parts import call_player
from dialer.runtime.steps import transcripts

LIMITS_OF_RECORDINGS: Final = {
    "Parts of the waveform of a recorded call; moments beside it": (
        f"{call_player.PARTS_MAX}; {call_player.MOMENTS_MAX}"
    ),
    "Recordings that one process has written down at once; of one account in turn": (
        f"{transcripts.AT_ONCE}; {transcripts.SHARE}"
    ),
    "Sound of a recorded call that is written down; its text": (
        f"{transcripts.PIECES_MAX * transcripts.PIECE_S // 60} minutes; {ears.TEXT_MAX:,} characters"
    ),
}
