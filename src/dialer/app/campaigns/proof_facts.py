"""The reads from which an archive that proves a campaign is made: short ones, up to the rows of its beginning."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Protocol, TypeVar

import msgspec
from sqlalchemy import Connection, RowMapping, select

from dialer.domain.formats.proof_archive import Record
from dialer.store.timeline.parts import moment_or_none

ROWS_AT_ONCE: Final = 1_000
"""Rows of one read."""
IDS_AT_ONCE: Final = 5_000
"""Ids among which one read looks for rows."""
Result = TypeVar("Result")
Batches = Iterator[Sequence[Record]]


class Read(Protocol):
    """Runs a function on a connection, in a read of its own."""

    def __call__(self, work: Callable[[Connection], Result]) -> Result:
        """Return what `work` returns."""


class ProvedCampaign(msgspec.Struct, frozen=True):
    """The campaign whose archive is made, at the moment at which it is begun, and how far its tables are read."""

    row: RowMapping
    made_ms: int
    service_zone: str
    first_call_ms: int
    """The moment of its first call or text; that at which the archive is begun if there is none."""
    last_ids: dict[str, int]
    """The last row of each table that is read, by the name of the table."""
    in_progress: tuple[RowMapping, ...] = ()
    """Its calls that were in progress, of which no CDR was there yet."""
    with_recordings: bool = True
    """True if the archive tells which calls were recorded."""

    @property
    def id(self) -> int:
        """Return the id of the campaign."""
        return int(self.row["id"])

    @property
    def user_id(self) -> int:
        """Return the account of the campaign."""
        return int(self.row["user_id"])


def pages(
    read: Read,
    rows: Callable[[Connection, Any], Sequence[RowMapping]],
    key: str,
    after: Any = 0,  # noqa: ANN401 - a key
) -> Iterator[Sequence[RowMapping]]:
    """Yield rows, each batch in a read of its own. `rows` returns those behind a key, at most `ROWS_AT_ONCE`."""
    while found := read(lambda connection, since=after: rows(connection, since)):  # type: ignore[misc]
        yield found
        if len(found) < ROWS_AT_ONCE:
            return
        after = found[-1][key]


def windows(
    read: Read, rows: Callable[[Connection, int, int], Sequence[RowMapping]], first: int, last: int
) -> Iterator[Sequence[RowMapping]]:
    """Yield rows, each batch in a read of its own. `rows` returns those from an id on and before another."""
    for start in range(first, last + 1, IDS_AT_ONCE):
        end = min(start + IDS_AT_ONCE, last + 1)
        found = read(lambda connection, start=start, end=end: rows(connection, start, end))  # type: ignore[misc]
        if found:
            yield found


def all_of(connection: Connection, query: Any) -> Sequence[RowMapping]:  # noqa: ANN401 - a query
    """Return all rows of a query."""
    return connection.execute(query).mappings().all()


def last_id(connection: Connection, column: Any) -> int:  # noqa: ANN401 - a column
    """Return the highest id of a table; 0 if it has no row."""
    return int(connection.scalar(select(column).order_by(column.desc()).limit(1)) or 0)


def moments(row: Mapping[Any, Any], **names: str) -> dict[str, datetime | None]:
    """Return times of a row, by the names that they have in the archive."""
    return {shown: moment_or_none(row[name]) for shown, name in names.items()}
