"""Observers of a journal: they follow its steps, and may object before a step is committed."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from sqlalchemy import Connection

from dialer.domain.board import Board
from dialer.domain.plans import Call
from dialer.store.journal.rows import CdrRow


class JournalObserver(Protocol):
    """An observer that follows a journal through its steps.

    Each method may raise `BrokenInvariantError`. Then the step is rolled back, and the journal and its observers are
    discarded.
    """

    @property
    def handlers(self) -> Mapping[type, Callable[[Any, int], None]]:
        """Return functions by the type of effect, called with effect and time before the journal records the effect."""

    def restored(self, call: Call) -> None:
        """Take up an attempt that was in progress before the journal was opened."""

    def step_begun(self, connection: Connection) -> None:
        """Expect effects that are written through this connection."""

    def cdrs_written(self, cdrs: Sequence[CdrRow]) -> None:
        """Check CDRs of the step before they are written; a step may write its CDRs in several parts."""

    def step_closed(self, connection: Connection, board: Board) -> None:
        """Compare the rows with the engine's board, when all effects of the step are written and not committed."""
