"""Numbers that were put on do-not-call lists during calls, after campaigns had claimed their subscribers."""

from collections.abc import Iterable
from typing import Final


class CalledOff:
    """The order in which numbers were added, so that each campaign can check those since it was last opened."""

    def __init__(self) -> None:
        self._numbers: Final[dict[int, dict[str, int]]] = {}
        """The place of each number in the order, by do-not-call list."""
        self._last = 0

    @property
    def last(self) -> int:
        """The place of the number that was added last."""
        return self._last

    def add(self, dnc_id: int, number: str) -> None:
        """Add a number that was put on a list."""
        self._last += 1
        self._numbers.setdefault(dnc_id, {})[number] = self._last

    def has(self, dnc_ids: Iterable[int], number: str, since: int) -> bool:
        """Return whether a number was put on one of the lists after the place `since`."""
        if not self._numbers:
            return False
        return any(self._numbers[one].get(number, 0) > since for one in dnc_ids if one in self._numbers)

    def forget(self, until: int) -> None:
        """Forget all numbers up to the place `until`."""
        for dnc_id, numbers in list(self._numbers.items()):
            kept = {number: place for number, place in numbers.items() if place > until}
            if kept:
                self._numbers[dnc_id] = kept
            else:
                del self._numbers[dnc_id]
