"""Quarantine of calls, or of all calls of a user, that no step can handle without breaking a rule."""

from collections import Counter
from typing import Final

from dialer.domain.calls.plans import Call
from dialer.domain.rules.invariants import BrokenInvariantError

CALLS_MAX: Final = 8
"""Limit of single calls of a user in quarantine. The next one puts the whole user in quarantine."""


class Quarantine:
    """Calls and users that steps leave alone, because they made a step fail.

    The quarantine is kept in memory. A restart of the service, or a start of one of the user's campaigns, ends it.
    """

    def __init__(self) -> None:
        self.users: Final[set[int]] = set()
        """Users whose calls and campaigns are all in quarantine."""
        self._calls: Final[dict[int, int]] = {}
        """Single calls in quarantine, each with its user."""

    def put(self, broken: BrokenInvariantError) -> None:
        """Add the call that broke a rule, or all calls of its user.

        The whole user is added if the call is unknown, is in quarantine already, or exceeds `CALLS_MAX`. Use this
        method when none of the user's campaigns is running.

        Raises:
            BrokenInvariantError: the user is in quarantine already.
        """
        user_id, call_id = broken.user_id, broken.call_id
        if user_id in self.users:
            raise broken
        is_full = Counter(self._calls.values())[user_id] >= CALLS_MAX
        if call_id is None or call_id in self._calls or is_full:
            self.users.add(user_id)
        else:
            self._calls[call_id] = user_id

    def owners(self) -> set[int]:
        """Return the users with calls in quarantine."""
        return self.users | set(self._calls.values())

    def has(self, call: Call) -> bool:
        """Return whether a call is in quarantine."""
        return call.id in self._calls or call.plan.user_id in self.users

    def take_back(self, user_ids: set[int]) -> None:
        """Release the calls of some users."""
        self.users.difference_update(user_ids)
        for call_id in [call_id for call_id, user_id in self._calls.items() if user_id in user_ids]:
            del self._calls[call_id]
