"""What is set aside: calls, or all calls of a user, that no step can take in without breaking a rule."""

from collections import Counter
from typing import Final

from dialer.domain.invariants import BrokenInvariantError
from dialer.domain.plans import Call

CALLS_MAX: Final = 8
"""Calls of a user that are set aside one by one; at the next one it is all of them."""


class Aside:
    """Kept in memory: whoever starts anew, the service or one of the user's campaigns, takes it all up again."""

    def __init__(self) -> None:
        self.users: Final[set[int]] = set()
        """Users none of whose calls and campaigns are touched."""
        self._calls: Final[dict[int, int]] = {}
        """Calls that are not touched, and whose they are."""

    def put(self, broken: BrokenInvariantError) -> None:
        """Set aside what broke a rule although none of its user's campaigns was started: the call, if it is known.

        Raises:
            BrokenInvariantError: all that there is of this user has been set aside already.
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
        """Whose calls are set aside."""
        return self.users | set(self._calls.values())

    def has(self, call: Call) -> bool:
        """Whether a call is set aside."""
        return call.id in self._calls or call.plan.user_id in self.users

    def take_back(self, user_ids: set[int]) -> None:
        """Take up what was set aside of some users."""
        self.users.difference_update(user_ids)
        for call_id in [call_id for call_id, user_id in self._calls.items() if user_id in user_ids]:
            del self._calls[call_id]
