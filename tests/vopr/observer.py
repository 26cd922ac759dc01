"""The observer: it reads the rows between units of work, and reports broken rules."""

from collections.abc import Iterator

from sqlalchemy import Connection

from tests.vopr import (
    consents,
    contact_rules,
    rules_again,
    rules_desks,
    rules_dials,
    rules_hours,
    rules_manual,
    rules_moves,
    rules_previews,
    rules_rows,
    skills,
)
from tests.vopr.memory import Memory
from tests.vopr.rules_events import EventRules
from tests.vopr.rules_proofs import ProofRules
from tests.vopr.snapshot import Since, Snapshot, take_snapshot

FINAL_ROWS_EVERY = 6
"""The number of snapshots between two checks of the rows that must never change."""


class Observer:
    """An observer of one run. Call `before` after a user's write, and `after` after the worker's."""

    def __init__(
        self, service_zone: str, calling_hours: str | None, *, has_events: bool = False, has_fleet: bool = False
    ) -> None:
        self.memory = Memory()
        # Each worker of a fleet has ids of its own, so a new row may have a lower id than those that are known.
        self._reads_all = has_fleet
        self._events = EventRules() if has_events else None
        self._proofs = ProofRules()
        self._service_zone = service_zone
        self._calling_hours = calling_hours
        self._last: Snapshot | None = None
        self._snapshots = 0

    @property
    def calls(self) -> int:
        """Return the number of calls and messages so far, inbound calls included."""
        return len(self.memory.calls) + len(self.memory.texts)

    def before(self, connection: Connection, now_ms: int) -> list[str]:
        """Record the rows after a user may have changed them. Return the rules that this has broken."""
        last = self._last
        seen = self._take_snapshot(connection)
        self.memory.learn_attempts(seen)
        self.memory.learn_limits(seen, now_ms)
        self.memory.learn_promises(last, seen)
        broken = [] if last is None else list(rules_again.newcomers(connection, last, seen))
        broken += rules_manual.orders(connection, last, seen, now_ms, self._service_zone, self._calling_hours)
        return broken + self._check_events(connection, last, seen, by_user=True)

    def after(self, connection: Connection, now_ms: int, *, has_worked: bool) -> list[str]:
        """Return the rules that were broken since the last snapshot, while only the worker wrote."""
        last = self._last
        seen = self._take_snapshot(connection)
        broken = [] if last is None else list(self._broken(connection, last, seen, has_worked=has_worked))
        if has_worked:
            broken += [*rules_rows.not_aborted(connection), *rules_rows.silent(connection, now_ms)]
            broken += [*rules_previews.passed_over(connection), *skills.unskilled(connection)]
        return broken + self._check_events(connection, last, seen, by_user=False)

    def _check_events(
        self, connection: Connection, last: Snapshot | None, seen: Snapshot, *, by_user: bool
    ) -> list[str]:
        return [] if self._events is None else self._events.check(connection, last, seen, by_user=by_user)

    def _take_snapshot(self, connection: Connection) -> Snapshot:
        seen = take_snapshot(connection, Since() if self._reads_all or self._last is None else self._last.since)
        self._last = seen
        return seen

    def _broken(self, connection: Connection, last: Snapshot, seen: Snapshot, *, has_worked: bool) -> Iterator[str]:
        memory = self.memory
        new = rules_dials.fresh(seen, memory)
        yield from rules_dials.dials(last, seen, new, self._service_zone)
        yield from rules_previews.previews(last, seen, new)
        yield from rules_previews.kept(last, seen, new)
        yield from rules_hours.dials(last, new, self._service_zone, self._calling_hours)
        yield from rules_manual.destinations(last, new)
        yield from contact_rules.too_often(connection, new)
        yield from consents.without_consent(connection, new)
        yield from rules_dials.texts(last, seen, memory)
        yield from rules_moves.moves(last, seen)
        yield from rules_again.newcomers(connection, last, seen)
        yield from rules_moves.ends(seen, memory)
        yield from rules_moves.entries(seen, memory)
        memory.learn_attempts(seen)
        yield from rules_dials.limits(last, seen, new, memory)
        yield from rules_moves.attempts(seen, memory)
        yield from rules_moves.used_up(last, seen, memory)
        yield from rules_desks.desks(last, seen, memory, has_worked=has_worked)
        yield from rules_desks.inbound(seen, memory)
        yield from self._proofs.check(connection)
        yield from rules_rows.rows(connection)
        yield from rules_rows.acknowledged(connection, memory)
        self._snapshots += 1
        if self._snapshots % FINAL_ROWS_EVERY == 0:
            yield from rules_rows.final_rows(connection, memory)
            yield from rules_rows.statistics(connection)
