"""Observers of a journal: they are told what it is told, and may object before it is written."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from sqlalchemy import Connection

from dialer.domain.board import Board
from dialer.domain.plans import Call
from dialer.store.journal.rows import CdrRow


class JournalObserver(Protocol):
    """Something that follows a journal through its steps.

    Any of these may raise `BrokenInvariantError`; then the step is thrown away, and the journal with its observers.
    """

    @property
    def handlers(self) -> Mapping[type, Callable[[Any, int], None]]:
        """Functions by the kind of an effect: called with the effect and the time, before the journal records it."""

    def restored(self, call: Call) -> None:
        """Take up an attempt that was in progress before the journal was opened."""

    def step_begun(self, connection: Connection) -> None:
        """Expect effects that are written through this connection."""

    def cdrs_written(self, cdrs: Sequence[CdrRow]) -> None:
        """Look at the CDRs that are about to be written, some of a step's at a time."""

    def step_closed(self, connection: Connection, board: Board) -> None:
        """Compare the rows with the engine's board: all effects of the step are written, and not committed."""
