"""A use case as tests see it: what it returned, what it touched, and what happened."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from sqlalchemy import event

from dialer.app.work.events import AppEvent
from dialer.app.work.unit import UnitOfWork
from dialer.store.database.touched import NOTHING, Touched
from tests.runtime.house import House


class Used(NamedTuple):
    """The outcome of a use case."""

    touched: Touched
    happened: list[AppEvent]


def use(house: House, work: Callable[[UnitOfWork], object]) -> Used:
    """Run a use case; it notes what it touches."""

    def run(unit: UnitOfWork) -> Used:
        work(unit)
        assert unit.noted
        assert unit.concerns_engine == (reduce(or_, unit.noted) != NOTHING)
        return Used(reduce(or_, unit.noted), unit.happened)

    return house.perform(run)


@contextmanager
def written(house: House) -> Iterator[list[str]]:
    """Every statement that writes meanwhile: its verb and its table."""
    found: list[str] = []

    def hear(_connection: object, _cursor: object, text: str, *_: Any) -> None:  # noqa: ANN401 - SQLAlchemy's event
        words = text.replace('"', "").split()
        if words[0] in {"INSERT", "UPDATE", "DELETE"}:
            found.append(" ".join(word for word in words[:3] if word not in {"INTO", "FROM", "SET"}))

    engine: Any = getattr(house.database, "_writer")  # noqa: B009 - only a test looks at it
    event.listen(engine, "before_cursor_execute", hear)
    try:
        yield found
    finally:
        event.remove(engine, "before_cursor_execute", hear)
