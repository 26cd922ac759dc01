"""The presence of agents at their desks: an agent who leaves an open desk takes no more calls."""

from typing import Final

DESK_CLOSED_MS: Final = 30_000
"""The time for which a desk may be closed, as while its page is loaded anew or the network changes."""
NOT_WATCHED: Final = 0
"""The moment of agents who have not opened a desk since they came on duty: they work with the telephone or the API."""


def has_left(seen_ms: int, now_ms: int) -> bool:
    """Return whether an agent has left the desk that was last seen open at `seen_ms`."""
    return seen_ms != NOT_WATCHED and now_ms - seen_ms >= DESK_CLOSED_MS
