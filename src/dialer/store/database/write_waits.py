"""Waits before units of work that write: for their turn in this process, and for the lock of the writers."""

from typing import Final


class WriteWaits:
    """The number of transactions that write since the start of the process, and the seconds for which they waited.

    Each is counted once, with the wait of its first unit of work.
    """

    def __init__(self) -> None:
        self.count = 0
        self.seconds: Final = {"turn": 0.0, "lock": 0.0}
        """Seconds by what was waited for: a `turn` behind other units of this process, or the `lock` that processes
        share, with the start of the transaction."""

    def add(self, *, turn_s: float, lock_s: float) -> None:
        """Count a transaction."""
        self.count += 1
        self.seconds["turn"] += turn_s
        self.seconds["lock"] += lock_s
