"""The unit of work of an action in a made-up service."""

from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Table, insert, select, update

from dialer.app.call_centre.chosen_people import Rules
from dialer.app.work.errors import RefusedError
from dialer.app.work.unit import UnitOfWork
from dialer.store.tables import Row
from tests.vopr.dice import Dice


class ActionUnit(NamedTuple):
    """A unit of work in which an action is performed."""

    unit: UnitOfWork
    which: int
    dice: Dice
    rules: Rules
    """The settings by which the numbers are judged that agents dial."""

    @property
    def connection(self) -> Connection:
        """Return the transaction."""
        return self.unit.connection

    @property
    def now_ms(self) -> int:
        """Return the service's time."""
        return self.unit.now_ms

    def one_of(self, model: type[Row], *conditions: ColumnElement[bool]) -> Any:  # noqa: ANN401 - a row's values
        """Return the row that the action concerns, of the existing ones.

        Raises:
            RefusedError: there is none.
        """
        table = model.__table__
        ids = self.connection.scalars(select(table.c.id).where(*conditions).order_by(table.c.id)).all()
        if not ids:
            raise RefusedError("there is none")
        row_id = ids[self.which % len(ids)]
        return self.connection.execute(select(table).where(table.c.id == row_id, *conditions)).mappings().one()

    def change(self, model: type[Row], row_id: int, **values: object) -> None:
        """Change a row."""
        table = model.__table__
        self.connection.execute(update(table).where(table.c.id == row_id).values(**values, updated_date=self.now_ms))

    @property
    def moments(self) -> dict[str, int]:
        """Return the moments of a new row."""
        return {"created_date": self.now_ms, "updated_date": self.now_ms}

    def add(self, model: type[Row], **values: object) -> None:
        """Insert a row and return its id."""
        self.connection.execute(insert(model.__table__).values(**self.moments, **values))

    def has(self, table: Table, *conditions: ColumnElement[bool]) -> bool:
        """Return whether such a row exists."""
        return self.connection.execute(select(table.c.id).where(*conditions).limit(1)).first() is not None
