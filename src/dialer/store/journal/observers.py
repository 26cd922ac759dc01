"""Observers of a journal: they see every effect that it records, and may object before it is committed."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from sqlalchemy import Connection

from dialer.domain.calls.plans import Call
from dialer.domain.engine.state import EngineState
from dialer.store.journal.rows import CdrRow


class JournalObserver(Protocol):
    """An observer that follows a journal through its steps.

    Each method may raise `BrokenInvariantError`. The step, the journal and its observers are then discarded.
    """

    @property
    def handlers(self) -> Mapping[type, Callable[[Any, int], None] | None]:
        """Return functions by the type of each effect that is recorded; None for one that the observer ignores.

        Each takes the effect and the time before the journal does.
        """

    def restored(self, call: Call) -> None:
        """Note an attempt that was in progress before the journal was opened."""

    def step_begun(self, connection: Connection) -> None:
        """Expect the effects of a step that the journal writes through this connection."""

    def cdrs_written(self, cdrs: Sequence[CdrRow]) -> None:
        """Check CDRs that are about to be written. A step may write its CDRs in several parts."""

    def step_closed(self, connection: Connection, engine_state: EngineState) -> None:
        """Compare the rows with the engine's state after all effects of the step are written, before the commit."""
