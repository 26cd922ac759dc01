"""The journal of the live engine: guarded, and counted."""

from sqlalchemy import Connection

from dialer.domain import effects
from dialer.domain.board import Board
from dialer.domain.plans import Call
from dialer.runtime.guard import Guard
from dialer.runtime.tally import TallyingJournal
from dialer.store.journal.journal import Recordings


class GuardedJournal(TallyingJournal):
    """A journal that records and writes nothing that would break a rule: it raises `BrokenInvariantError` instead."""

    def __init__(self, *, next_cdr_id: int, recordings: Recordings | None = None) -> None:
        super().__init__(next_cdr_id=next_cdr_id, recordings=recordings)
        self.guard = Guard()
        self._sees = self.guard.sees

    def restored(self, call: Call) -> None:
        """An attempt was in progress before this journal was opened."""
        self.guard.restored(call)
        super().restored(call)

    def record(self, effect: effects.Effect, now_ms: int) -> None:
        """Keep what an effect says, if it may be."""
        look = self._sees.get(type(effect))
        if look is not None:
            look(effect, now_ms)
        elif type(effect) is effects.MoveCampaign:
            self.guard.check_move(self._at_work(), effect)
        super().record(effect, now_ms)

    def flush(self) -> None:
        """Write all that was recorded since the last time."""
        self.guard.check_cdrs(self._cdrs)
        super().flush()

    def close_step(self, connection: Connection, board: Board) -> None:
        """Write the rest of a step, and look at all of it."""
        self.flush()
        self.guard.check(connection, board)
