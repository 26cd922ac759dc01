"""The quality of sound in words: of one call, and of the last calls over a gateway."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from dialer.console.parts.rendering import decimal, percentage
from dialer.console.words.language import gettext
from dialer.domain.calls.sound_quality import SoundQuality, Stream


class SoundOfCalls(NamedTuple):
    """The sound of some calls over a gateway."""

    calls: int
    heard: str
    """The mean of the marks of what we heard, with the share that was lost; empty without any."""
    said: str
    """As `heard`, of our sound, as the other sides reported it."""


def stream_in_words(stream: dict[str, Any] | None) -> str:
    """Return one direction of a call as a record shows it, in words; empty without any."""
    if stream is None:
        return ""
    return gettext("%(mark)s of 5, %(share)s lost, jitter %(jitter)s ms") % {
        "mark": decimal(stream["mos"]),
        "share": percentage(stream["loss_percent"]),
        "jitter": stream["jitter_ms"],
    }


def sound_of_calls(qualities: Sequence[SoundQuality]) -> SoundOfCalls | None:
    """Return the means over some calls; None without any."""
    if not qualities:
        return None
    heard = [(one.mark(one.heard), one.heard) for one in qualities if one.heard is not None]
    said = [(one.mark(one.said), one.said) for one in qualities if one.said is not None]
    return SoundOfCalls(len(qualities), _mean_in_words(heard), _mean_in_words(said))


def _mean_in_words(marked: Sequence[tuple[float, Stream]]) -> str:
    """Return the mean of marks, and the share of all packets that were lost."""
    if not marked:
        return ""
    packets, lost = sum(one.packets for _, one in marked), sum(one.lost for _, one in marked)
    mean = sum(mark for mark, _ in marked) / len(marked)
    share = min(100.0, 100 * lost / packets) if packets else 0.0
    return gettext("%(mark)s of 5, %(share)s lost") % {"mark": decimal(mean), "share": percentage(share)}
