"""The presence of agents at their desks: an agent who leaves an open desk takes no more calls.

An open desk is noted again and again, by whichever process serves it, and each process watches the notes of all.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

DESK_CLOSED_MS: Final = 30_000
"""The time for which a desk may be closed, as while its page is loaded anew or the network changes."""
DOUBTFUL_MS: Final = DESK_CLOSED_MS // 2
"""The time after which a process makes sure that notes can be written at all."""
LOOK_GAP_MS: Final = 10_000
"""The time between two looks after which a process has missed too much to judge, and watches anew."""
NOT_WATCHED: Final = 0
"""The note of agents who have not opened a desk since they came on duty: they work with the telephone or the API."""


class Sight(NamedTuple):
    """A note, and since when a process has seen it unchanged, by the clock of that process."""

    note_ms: int
    since_ms: int


class DeskWatch(NamedTuple):
    """The notes that a process has seen in looks without a gap.

    A note is never compared with a clock, only with itself. So clocks of machines may differ. After an outage of the
    database, or of the process, all desks have the whole time again.
    """

    looked_ms: int = NOT_WATCHED
    sights: Mapping[int, Sight] = {}
    """The sights by the ids of agents."""

    def after(self, notes: Mapping[int, int], now_ms: int) -> "DeskWatch":
        """Return the watch after a look at the notes of agents."""
        is_steady = 0 <= now_ms - self.looked_ms <= LOOK_GAP_MS
        before = self.sights if is_steady else {}
        new = {agent_id: Sight(note_ms, now_ms) for agent_id, note_ms in notes.items()}
        same = {agent_id: sight for agent_id, sight in before.items() if notes.get(agent_id) == sight.note_ms}
        return DeskWatch(now_ms, {**new, **same})

    def silent_for(self, span_ms: int) -> dict[int, int]:
        """Return the notes that have stayed the same for a time, by the ids of their agents."""
        return {
            agent_id: sight.note_ms
            for agent_id, sight in self.sights.items()
            if self.looked_ms - sight.since_ms >= span_ms
        }
