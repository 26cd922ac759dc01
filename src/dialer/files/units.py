"""Units of work of an account outside of a request: what files need."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, select

from dialer.api.crud.fields import Conventions
from dialer.api.crud.resource import Actor, Unit
from dialer.api.crud.urls import Links
from dialer.app.audit_log import COMMAND_LINE
from dialer.app.listeners import tell_listeners
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.roles import Permission, Role
from dialer.domain.usernames import username_key
from dialer.files.applying import RecordChange, apply
from dialer.files.kinds import BY_PATH, NAMES_SHOWN_MAX, Wanted
from dialer.files.nodes import FileError
from dialer.settings import Settings
from dialer.store.database import Database
from dialer.store.tables import User

_Result = TypeVar("_Result")
_LINKS: Final = Links(base="", hosts=frozenset())


class UnknownAccountError(Exception):
    """It is not known for whom a command works; the message says which accounts there are."""


class OtherChangeError(Exception):
    """Somebody has changed the records since they were shown."""


class _RolledBack(Exception):  # noqa: N818 - it is no error
    """Ends a transaction whose changes are only shown."""


class OpenAccount:
    """An account of a service, at one moment."""

    def __init__(self, settings: Settings, database: Database, actor: Actor, now_ms: int) -> None:
        self._settings: Final = settings
        self._database: Final = database
        self._actor: Final = actor
        self._now_ms: Final = now_ms

    @property
    def username(self) -> str:
        """Return the name of the user."""
        return self._actor.username

    def read(self, work: Callable[[Unit], _Result]) -> _Result:
        """Run `work` on a consistent snapshot, and return its result."""
        return self._database.read_now(lambda connection: work(self._unit(connection)))

    def plan(self, wanted: Sequence[Wanted]) -> list[RecordChange]:
        """Return what `apply` would change, and change nothing.

        Raises:
            FileError: a record cannot be written.
        """
        found: list[RecordChange] = []

        def rehearse(connection: Connection) -> None:
            found.extend(apply(self._unit(connection), wanted))
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
            changes = apply(unit, wanted)
            if shown is not None and changes != list(shown):
                raise OtherChangeError("somebody has changed the records meanwhile: run the command again")
            tell_listeners(unit, COMMAND_LINE)
            return changes

        return self._database.write_now(work)

    def _unit(self, connection: Connection) -> Unit:
        settings = self._settings
        conventions = Conventions(
            ZoneInfo(settings.timezone),
            self._actor.default_region or settings.default_region,
            _LINKS,
            read_calling_hours(settings.calling_hours),
            settings.webhook_networks,
            is_strict=True,
        )
        return Unit(
            connection=connection, now_ms=self._now_ms, actor=self._actor, conventions=conventions, resources=BY_PATH
        )


def account_of(settings: Settings, database: Database, now_ms: int, username: str | None) -> OpenAccount:
    """Return the account of a user; without a name, of the only one who may change campaigns.

    Raises:
        UnknownAccountError: there is no such user, or there are several.
        FileError: the user may not change campaigns.
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
    if not found[0].may(Permission.CAMPAIGNS):
        raise FileError([f"the user {found[0].username} is {found[0].role}, and may not change campaigns"])
    return OpenAccount(settings, database, found[0], now_ms)


def account_of_id(settings: Settings, database: Database, now_ms: int, user_id: int) -> OpenAccount:
    """Return the account of a user by its id, of whatever role: for reading."""
    (actor,) = (actor for actor in database.read_now(_actors) if actor.id == user_id)
    return OpenAccount(settings, database, actor, now_ms)


def _actors(connection: Connection) -> list[Actor]:
    query = select(User.id, User.username, User.role, User.manager_id).where(User.enabled).order_by(User.id)
    return [Actor(row.id, row.username, Role(row.role), row.manager_id) for row in connection.execute(query)]
