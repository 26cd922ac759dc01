"""The observer: looks at the rows between units of work, and says what broke a rule in between."""

from collections.abc import Iterator

from sqlalchemy import Connection

from tests.vopr import rules_dials, rules_moves, rules_rows
from tests.vopr.memory import Memory
from tests.vopr.snapshot import Look, Since, look

FINAL_ROWS_EVERY = 6
"""Looks between two readings of all that must never change."""


class Observer:
    """Watches one run. `before` is to be called when others have written, `after` when the worker has."""

    def __init__(self, service_zone: str) -> None:
        self.memory = Memory()
        self._service_zone = service_zone
        self._last: Look | None = None
        self._looks = 0

    @property
    def calls(self) -> int:
        """How many attempts there have been, messages and calls that came in included."""
        return len(self.memory.calls) + len(self.memory.texts)

    def before(self, connection: Connection, now_ms: int) -> None:
        """Somebody may have changed something: take it as it is."""
        seen = self._look(connection)
        self.memory.learn_attempts(seen)
        self.memory.learn_limits(seen, now_ms)

    def after(self, connection: Connection, now_ms: int, *, has_worked: bool) -> list[str]:
        """The worker has done something, or was kept from it: what of it breaks a rule."""
        last = self._last
        seen = self._look(connection)
        broken = [] if last is None else list(self._broken(connection, last, seen))
        if has_worked:
            broken += [*rules_rows.not_aborted(connection), *rules_rows.silent(connection, now_ms)]
        return broken

    def _look(self, connection: Connection) -> Look:
        seen = look(connection, Since() if self._last is None else self._last.since)
        self._last = seen
        return seen

    def _broken(self, connection: Connection, last: Look, seen: Look) -> Iterator[str]:
        memory = self.memory
        new = rules_dials.fresh(seen, memory)
        yield from rules_dials.dials(last, seen, new, self._service_zone)
        yield from rules_dials.texts(last, seen, memory)
        yield from rules_moves.moves(last, seen)
        yield from rules_moves.ends(seen, memory)
        yield from rules_moves.entries(seen, memory)
        memory.learn_attempts(seen)
        yield from rules_dials.limits(last, seen, new, memory)
        yield from rules_moves.attempts(seen, memory)
        yield from rules_rows.rows(connection)
        yield from rules_rows.acknowledged(connection, memory)
        self._looks += 1
        if self._looks % FINAL_ROWS_EVERY == 0:
            yield from rules_rows.final_rows(connection, memory)
