"""The seam between the store and a database: the functions that each backend offers, and the choice of one by a URL.

Each backend is a module. It is imported when a database of its kind is opened, so nobody needs the drivers of others.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from enum import Enum, auto
from functools import lru_cache
from importlib import import_module
from typing import Any, Final, NamedTuple, Protocol

from sqlalchemy import Connection, Delete, Engine, Insert, MetaData, Select, Update
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError

BUSY_TIMEOUT_MS: Final = 5_000
"""Default time that a unit of work waits for another process that holds the database."""
STATEMENT_TIMEOUT_MS: Final = 30_000
"""Default time of the longest statement."""
MIGRATION_WAIT_MS: Final = 60_000
"""Time that a start waits for another process that migrates the same database."""
POOL_TIMEOUT_S: Final = 30
"""Time that a thread waits for a connection of a pool."""
BACKENDS: Final = ("sqlite", "postgresql")
"""Names of the backends. A URL begins with one, and a driver's name may follow it."""


class Lock(Enum):
    """The locks that a writing transaction can begin with."""

    ALL = auto()
    """No other transaction writes meanwhile, unless it takes no lock."""
    SHARED = auto()
    """Steps of several workers run at the same time, because no two of them write the same rows."""
    NONE = auto()
    """The transaction waits for nobody. It consists of one statement that checks its own condition."""


class UnfitDatabaseError(Exception):
    """A database cannot hold the service's data as it is set up; the message is one line that says what to do."""


class TablesInUseError(Exception):
    """Others use a table at this moment, so it cannot be changed without a deadlock."""


class DriverStatement(NamedTuple):
    """A statement compiled for the driver."""

    text: str
    names: tuple[str, ...]
    """Names of the values, in the order of their places in the text."""
    constants: Mapping[str, Any]
    """Values that are part of the statement."""


class InlineReader(Protocol):
    """A connection of the driver that answers small queries at once."""

    def execute(self, text: str, values: Sequence[Any], /) -> Any:  # noqa: ANN401 - the driver's cursor
        """Run a query and return its cursor."""

    def close(self) -> None:
        """Close the reading connection."""


class Presence(Protocol):
    """A sign that this process lives. Others see it until the process ends, or loses its connection."""

    @property
    def mark(self) -> str:
        """Return the text by which `present` finds the sign. No two signs have the same."""

    def is_lost(self) -> bool:
        """Return at once whether the presence lock may be lost, so that other processes no longer see this one."""

    def close(self) -> None:
        """Release the presence lock of this process."""


class ServingPlace(Protocol):
    """The right of a process to serve a database, alone or together with others.

    The connection that writes holds the right. So whoever writes has the right at that moment.
    """

    def take(self, driver: Any) -> None:  # noqa: ANN401 - the driver's connection
        """Take the place for a new connection that writes, whose driver's connection is `driver`.

        Raises:
            ServedError: another process has a place that excludes this one.
            DisplacedError: another process had such a place since this one lost its own.
        """

    def check(self) -> None:
        """Check, at the beginning of each writing transaction, that this process may still serve the database.

        Raises:
            DisplacedError: it is lost.
        """


class Notifier(Protocol):
    """A connection by which processes of a service wake each other. Nothing is wrong if a ring is lost."""

    def ring(self, name: str) -> None:
        """Wake the processes that listen to a name. Never wait."""

    async def heard(self) -> None:
        """Wait for a notification to this process.

        Raises:
            ConnectionError: the connection is lost.
        """

    def close(self) -> None:
        """Close the connection that notifies."""


class ManyRows(Protocol):
    """A statement for many rows at once."""

    text: str
    """The statement, for the driver."""

    def values(self, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
        """Return the values of the statement for rows of values in the order of `names`."""


class Backend(Protocol):
    """One kind of database. All dialects, error codes and counters of drivers are behind it."""

    @property
    def DRIVER_ERROR(self) -> type[Exception]:  # noqa: N802 - a constant of each module
        """Return the base class of the errors that the driver raises where it is used without SQLAlchemy."""

    @property
    def HAS_FILE(self) -> bool:  # noqa: N802 - a constant of each module
        """Return whether the database is a file of this machine."""

    @property
    def UNDOES_FAILED_ROWS(self) -> bool:  # noqa: N802 - a constant of each module
        """Return whether `recoverable` undoes the rows that were written before the error."""

    def compiled(
        self, statement: Delete | Insert | Select[Any] | Update, columns: Sequence[str] | None = None
    ) -> DriverStatement:
        """Return a statement compiled for the driver. An INSERT or UPDATE without values sets `columns`."""

    def synchronous_url(self, url: str | URL) -> URL:
        """Return the URL of the same database for the synchronous driver, which worker threads use."""

    def reading_engine(self, url: URL, *, size: int, synchronous: str, statement_timeout_ms: int) -> Engine:
        """Return an engine with up to `size` connections, each of whose transactions reads one consistent snapshot."""

    def writing_engine(
        self, url: URL, *, synchronous: str, statement_timeout_ms: int, place: ServingPlace | None = None
    ) -> Engine:
        """Return an engine with one connection, whose transactions begin with the lock of all writers.

        The connection holds `place`, if there is one.
        """

    def migrating_engine(self, url: URL) -> Engine:
        """Return an engine whose transactions change tables, and begin with the lock of all writers."""

    def inline_reader(self, url: URL) -> InlineReader | None:
        """Return a connection that never writes and never waits; None if the database cannot answer at once."""

    def forget_pages(self, connection: Connection) -> None:
        """Give back the memory with what a connection has read, if this process has it."""

    def lock_for(self, connection: Connection, lock: Lock) -> None:
        """Set the lock of the next transaction on a writing connection. Call it outside a transaction."""

    def exclude_steps(self, connection: Connection) -> None:
        """Wait for the steps of other workers, and let none begin until the end of this transaction, itself a step."""

    def now_ms(self, connection: Connection) -> int:
        """Return the time of the database's clock, in milliseconds since the epoch."""

    def wait_for_others(self, connection: Connection, patience_ms: int) -> None:
        """Set the time that a connection waits for locks of other processes. Call it outside a transaction."""

    def rows_written(self, connection: Connection) -> int:
        """Return a number that grows when a connection writes rows, including rolled-back changes."""

    def version(self, connection: Connection) -> Hashable:
        """Return a value that changes when another connection, of any process, commits.

        Compare it only with an earlier value of the same connection.
        """

    def count_change(self, connection: Connection) -> None:
        """Add 1 to the count that `changes_of_users` returns, in the transaction of a unit of work."""

    def changes_of_users(self, connection: Connection) -> Hashable:
        """Return the count of changes from outside the dialling worker, as this transaction sees it."""

    def have_others_written(self, connection: Connection) -> bool:
        """Return whether another connection may have committed since the last call for this writing connection."""

    def is_in_transaction(self, connection: Connection) -> bool:
        """Return whether a transaction is open."""

    def copy_rows(
        self, connection: Connection, table: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]]
    ) -> bool:
        """Insert rows faster than by one statement a row. Return False, without inserting, if there is no faster way.

        Generated columns have their default in the database.
        """

    def joining_together(self, connection: Connection, campaign_id: int) -> AbstractContextManager[object]:
        """Return a context in which a campaign gets many new subscribers, whose moves are few rows."""

    def postpone(
        self, connection: Connection, text: str, rows: Sequence[tuple[Any, ...]], check: Callable[[int], object] | None
    ) -> None:
        """Run a compiled statement for each row before anything else happens on a connection, or now.

        `check` gets the number of rows that it has written, and raises an error if they should be others.
        """

    def run_postponed(self, connection: Connection) -> None:
        """Run the statements that were postponed on a connection."""

    def query(self, connection: Connection, text: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Run a compiled query, and return its rows of numbers, texts and Booleans, as the driver has them."""

    def many_rows(self, text: str, names: Sequence[str]) -> ManyRows | None:
        """Return a faster form of a compiled statement for many rows of different keys; None if there is none.

        `names` are those of its parameters, in their order.
        """

    def plan_anew(self, connection: Connection) -> None:
        """Let the rest of a transaction plan each statement for the tables as they are now, which may have grown."""

    def without_limits(self, connection: Connection) -> None:
        """Let the rest of a transaction take any time: its statements, and its pauses between them."""

    def without_triggers(self, connection: Connection) -> AbstractContextManager[object]:
        """Return a context in which the tables of a transaction that writes have no triggers."""

    def analyze(self, connection: Connection) -> None:
        """Let the database learn what its tables hold now, so that it plans its queries for them."""

    def recoverable(self, connection: Connection) -> AbstractContextManager[object]:
        """Return a context after whose IntegrityError the transaction can go on."""

    def undo_to(self, connection: Connection, savepoint: str) -> None:
        """Undo what a transaction has done since a savepoint."""

    def is_storage_error(self, error: BaseException | None) -> bool:
        """Return whether an error concerns the database itself, not the statement."""

    def may_be_committed(self, error: DBAPIError) -> bool:
        """Return whether a COMMIT that failed with this error may still have taken effect."""

    def serving_alone(self, url: URL) -> AbstractContextManager[ServingPlace]:
        """Return a context that lets one process serve a database, with its place for the engine that writes.

        Raises:
            ServedError: another process serves it.
        """

    def serving_together(self, url: URL) -> AbstractContextManager[ServingPlace]:
        """Return a context that lets several processes serve a database, and none alone, with a place for one of them.

        Raises:
            ServedError: a process serves it alone.
        """

    def open_presence(self, url: URL) -> Presence:
        """Take a presence lock, by which other processes see that this process lives."""

    def present(self, connection: Connection, marks: Collection[str]) -> AbstractSet[str]:
        """Return the marks of processes that live, and of those of which the database cannot tell."""

    def open_notifier(self, url: URL, name: str) -> Notifier | None:
        """Return a bell that listens to a name; None if processes cannot wake each other by this database."""

    def has_tables(self, url: URL) -> bool:
        """Return whether the database exists and has tables, without creating it."""

    def compact(self, url: URL) -> None:
        """Remove the remains of deleted rows from the database's files.

        Raises:
            FilesError: it cannot be removed now.
        """

    def last_ids(self, connection: Connection) -> dict[str, int]:
        """Return the highest id that each table ever gave, without tables that gave none."""

    def keep_last_ids(self, connection: Connection, ids: Mapping[str, int]) -> None:
        """Set the highest id that each table ever gave. Tables without one gave none."""

    def columns(self, connection: Connection) -> set[tuple[str, str]]:
        """Return the columns of all tables, each with the name of its table first."""

    def check_fitness(self, connection: Connection) -> None:
        """Check that the database keeps commits, and orders texts as the service expects.

        Raises:
            UnfitDatabaseError: it does not; the message says what to do.
        """

    def create_triggers(self, connection: Connection, table: str) -> None:
        """Create the triggers of a table, and the functions that they call."""

    def renew_triggers(self, connection: Connection) -> None:
        """Replace triggers that another version created, if the service can begin without a migration."""

    def before_upgrade(self, connection: Connection) -> None:
        """Lock all tables against other processes, before migrations and in their transaction.

        Raises:
            TablesInUseError: others use a table at this moment. The transaction has failed.
        """

    def after_upgrade(self, connection: Connection, declared: MetaData) -> None:
        """Create triggers and functions beside the declared tables, and check references, after migrations.

        Raises:
            UnfitDatabaseError: a reference has no target.
        """


def backend_for(url: str | URL) -> Backend:
    """Return the backend of the database at `url`."""
    return _backend(make_url(url).get_backend_name())


def backend_of(connection: Connection) -> Backend:
    """Return the backend of a connection's database."""
    return _backend(connection.dialect.name)


def create_triggers(connection: Connection, table: str) -> None:
    """Create the triggers of a table that has just been created."""
    backend_of(connection).create_triggers(connection, table)


@lru_cache(maxsize=len(BACKENDS))
def _backend(name: str) -> Backend:
    if name not in BACKENDS:
        raise ValueError(f"there is no backend for {name}: use one of {', '.join(BACKENDS)}")
    try:
        module: Any = import_module(f"dialer.store.backends.{name}")
    except ModuleNotFoundError as error:
        raise UnfitDatabaseError(
            f"{error.name} is missing, which {name} needs: install the extra {name} of dialer"
        ) from None
    backend: Backend = module
    return backend
