"""Units of work of an account outside of a request: what files need."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, select

from dialer.app.imports.number_rows import StoredRows
from dialer.app.telling.audit_log import COMMAND_LINE
from dialer.app.telling.listeners import tell_listeners
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.credentials.usernames import username_key
from dialer.domain.words.roles import Permission, Role
from dialer.files.agent_addresses import check_addresses, new_addresses
from dialer.files.applying import RecordChange, apply, check_actor
from dialer.files.kinds import BY_PATH, NAMES_SHOWN_MAX, RECORDINGS, Wanted
from dialer.files.people_files import (
    PeopleFile,
    PeopleReport,
    import_people,
    refuse_new_people,
    target_of,
    tell_import,
)
from dialer.files.sounds import LocalSounds
from dialer.resources.crud.fields import Conventions
from dialer.resources.crud.resource import Actor, Unit
from dialer.resources.crud.urls import Links
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.media.folder import FolderMedia
from dialer.store.tables import User

_Result = TypeVar("_Result")
_LINKS: Final = Links(base="", hosts=frozenset())


class UnknownAccountError(Exception):
    """Raised when a command cannot tell its account; the message lists the accounts."""


class OtherChangeError(Exception):
    """Somebody has changed the records since they were shown."""


class _RolledBack(Exception):  # noqa: N818 - it is no error
    """Ends a transaction whose changes are only shown."""


class OpenAccount:
    """An account of a service in which files are applied, at one moment."""

    def __init__(self, settings: Settings, database: Database, actor: Actor, now_ms: int) -> None:
        self._settings: Final = settings
        self._database: Final = database
        self._actor: Final = actor
        self._now_ms: Final = now_ms
        self._sounds: Final = LocalSounds(FolderMedia(settings.media_dir))

    @property
    def user_id(self) -> int:
        """Return the id of the user."""
        return self._actor.id

    @property
    def username(self) -> str:
        """Return the name of the user."""
        return self._actor.username

    def read(self, work: Callable[[Unit], _Result]) -> _Result:
        """Run `work` on a consistent snapshot, and return its result."""
        return self._database.read_now(lambda connection: work(self._unit(connection)))

    def plan(self, wanted: Sequence[Wanted]) -> list[RecordChange]:
        """Return the changes that `apply` would make, without making them.

        Raises:
            FileError: a record cannot be written.
        """
        check_actor(self._actor, wanted)
        self._check_addresses(wanted)
        found: list[RecordChange] = []

        def rehearse(connection: Connection) -> None:
            found.extend(apply(self._unit(connection), wanted, self._sounds))
            raise _RolledBack

        try:
            self._database.write_now(rehearse)
        except _RolledBack:
            return found
        raise AssertionError("the transaction was not rolled back")

    def apply(self, wanted: Sequence[Wanted], shown: Sequence[RecordChange] | None = None) -> list[RecordChange]:
        """Write the records of files in one transaction, and return what changed.

        Raises:
            FileError: a record cannot be written; nothing was.
            OtherChangeError: the changes would be other ones than `shown`; nothing was written.
        """

        def work(connection: Connection) -> list[RecordChange]:
            unit = self._unit(connection)
            changes = apply(unit, wanted, self._sounds)
            if shown is not None and changes != list(shown):
                raise OtherChangeError("somebody has changed the records meanwhile: run the command again")
            tell_listeners(unit, COMMAND_LINE)
            return changes

        check_actor(self._actor, wanted)
        self._check_addresses(wanted)
        if any(one.kind.key == RECORDINGS for one in wanted):
            self.plan(wanted)  # It knows then which sounds the account does not have.
        with self._sounds.saved():
            return self._database.write_now(work)

    def _check_addresses(self, wanted: Sequence[Wanted]) -> None:
        unit, nodes = self.read(lambda unit: (unit, new_addresses(unit, wanted)))
        check_addresses(nodes, unit.conventions, self._actor)

    def try_people(self, one: PeopleFile) -> PeopleReport:
        """Return the report that an import of a file of people would give. Its list need not exist yet.

        Raises:
            FileError: the file is wrong, or has new people for a running campaign.
        """
        unit, target = self.read(lambda unit: (unit, target_of(unit, self._actor.id, one)))

        def count(work: Callable[[UnitOfWork], StoredRows]) -> StoredRows:
            return self.read(work)

        report = import_people(one, target, unit, count, is_dry=True)
        refuse_new_people(one, target, report)
        return report

    def import_people(self, one: PeopleFile) -> PeopleReport:
        """Import a file of people into its list, some thousand in a transaction.

        Raises:
            FileError: the file is wrong.
        """
        unit, target = self.read(lambda unit: (unit, target_of(unit, self._actor.id, one)))
        report = import_people(one, target, unit, self.write, is_dry=False)
        self.write(lambda unit: tell_import(unit, one, target, report))
        return report

    def write(self, work: Callable[[Unit], _Result]) -> _Result:
        """Run `work` in a transaction, tell the listeners of its events, and return its result."""

        def run(connection: Connection) -> _Result:
            unit = self._unit(connection)
            done = work(unit)
            tell_listeners(unit, COMMAND_LINE)
            return done

        return self._database.write_now(run)

    def _unit(self, connection: Connection) -> Unit:
        settings = self._settings
        conventions = Conventions(
            ZoneInfo(settings.timezone),
            self._actor.default_region or settings.default_region,
            _LINKS,
            read_calling_hours(settings.calling_hours),
            settings.webhook_networks,
            settings.currency,
            settings.abandon_hours,
            is_strict=True,
        )
        return Unit(
            connection=connection, now_ms=self._now_ms, actor=self._actor, conventions=conventions, resources=BY_PATH
        )


def account_of(settings: Settings, database: Database, now_ms: int, username: str | None) -> OpenAccount:
    """Return the account of a user; without a name, of the only one who may change campaigns.

    Raises:
        UnknownAccountError: there is no such user, or there are several.
    """
    actors = database.read_now(_actors)
    if username is not None:
        found = [actor for actor in actors if username_key(actor.username) == username_key(username)]
    else:
        found = [actor for actor in actors if actor.may(Permission.CAMPAIGNS)]
    if len(found) != 1:
        names = ", ".join(actor.username for actor in actors[:NAMES_SHOWN_MAX]) or "none"
        missing = "for whom?" if username is None else f"there is no user {username[:NAMES_SHOWN_MAX]}."
        raise UnknownAccountError(f"{missing} Name one by --user. There are: {names}")
    return OpenAccount(settings, database, found[0], now_ms)


def account_of_id(settings: Settings, database: Database, now_ms: int, user_id: int) -> OpenAccount:
    """Return the account of a user by id, for reading, whatever the user's role."""
    (actor,) = (actor for actor in database.read_now(_actors) if actor.id == user_id)
    return OpenAccount(settings, database, actor, now_ms)


def _actors(connection: Connection) -> list[Actor]:
    columns = (User.id, User.username, User.role, User.manager_id, User.default_region)
    query = select(*columns).where(User.enabled).order_by(User.id)
    return [
        Actor(row.id, row.username, Role(row.role), row.manager_id, default_region=row.default_region)
        for row in connection.execute(query)
    ]
