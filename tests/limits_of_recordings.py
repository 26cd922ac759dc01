"""Limits of recordings of whole calls, as `docs/reference/limits.md` must have them."""

from typing import Final

from dialer.api import service
from dialer.app.campaigns import proof
from dialer.carriers.voice import ears
from dialer.console.parts import call_player
from dialer.runtime.steps import transcripts

LIMITS_OF_RECORDINGS: Final = {
    "Archives that prove campaigns, made at a time; of one account": f"{service.PROOFS_AT_ONCE}; 1",
    "Calls or texts of a campaign whose archive is made": f"{proof.ATTEMPTS_MAX:,}",
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
