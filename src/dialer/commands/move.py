"""`dialer move`: the whole service, from its database to an empty one of either kind."""

from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

from msgspec.structs import replace
from sqlalchemy import Connection

from dialer.commands.key_file import KeyFile
from dialer.commands.open_service import (
    check_there_is_one,
    is_there,
    move_media_dir,
    place_of_database,
    serving_alone,
    settings_from_environment,
)
from dialer.commands.output import print_json, say
from dialer.settings import SETTINGS, Settings
from dialer.store.backends.backend import ServingPlace
from dialer.store.database import migrate
from dialer.store.database.database import Database
from dialer.store.database.migrate import MigrationError
from dialer.store.moving.move import Moved, MoveError
from dialer.store.moving.move import move as move_rows

_SHOWN_EACH: Final = 100_000
"""Rows between two lines about the same table."""


def move(target: str, *, as_json: bool) -> None:
    """Copy the service into the empty database at URL, which is created or migrated if it has no tables."""
    settings = settings_from_environment()
    (setting,) = (setting for setting in SETTINGS if setting.field == "database_url")
    new_settings = replace(settings, database_url=str(setting.value(target, "URL")))
    source, destination = place_of_database(settings), place_of_database(new_settings)
    if source == destination:
        raise MoveError(f"{source} is the database itself")
    check_there_is_one(settings)
    with serving_alone(settings) as old_place, serving_alone(new_settings) as new_place:
        _check(settings)
        if not is_there(new_settings):
            migrate.upgrade(new_settings.database_url)
        _check(new_settings)
        _take_key(settings, new_settings)
        moved, media_dir = _moved(settings, new_settings, (old_place, new_place))
    _report(moved, (source, destination), media_dir)
    if as_json:
        report = {"from": source, "to": destination, "media_dir": media_dir, "tables": moved.tables}
        print_json({**report, "audit": moved.audit})


def _check(settings: Settings) -> None:
    """Raise MigrationError, which names the database, if it is not at this version's revision."""
    try:
        migrate.check(settings.database_url)
    except MigrationError as error:
        raise MigrationError(f"{place_of_database(settings)}: {error}") from error


def _take_key(settings: Settings, new_settings: Settings) -> None:
    """Let the moved service find the key of its secrets, which are copied as they are.

    Raises:
        MoveError: the key file of the new database holds another key.
        SecretsKeyError: a key file cannot be read, or written.
    """
    old, new = KeyFile(settings), KeyFile(new_settings)
    keys = old.read()
    if old.path == new.path or settings.secrets_key is not None or keys is None:
        return
    if new.read() not in {None, keys}:
        raise MoveError(f"{new.path} holds the key of other secrets: set DIALER_SECRETS_KEY_FILE to {old.path}")
    new.replace(keys)
    say(f"Copied the key of stored secrets from {old.path} to {new.path}.")


def _moved(
    settings: Settings, new_settings: Settings, places: tuple[ServingPlace, ServingPlace]
) -> tuple[Moved, str | None]:
    """Return the finished move, and the service's media folder if it ever ran."""

    def move_all(source: Connection, target: Connection) -> tuple[Moved, Path | None]:
        moved = move_rows(source, target, _tell)
        return moved, move_media_dir(settings, source, new_settings, target)

    with ExitStack() as until_done:
        old, new = (
            until_done.enter_context(closing(Database(side.database_url, place=place)))
            for side, place in zip((settings, new_settings), places, strict=True)
        )
        moved, media_dir = old.write_now(lambda source: new.write_now(lambda target: move_all(source, target)))
    return moved, None if media_dir is None else str(media_dir)


def _tell(done: str, table: str, rows: int) -> None:
    if rows % _SHOWN_EACH == 0:
        say(f"{table}: {rows:,} rows {done}")


def _report(moved: Moved, places: tuple[str, str], media_dir: str | None) -> None:
    (source, destination), full = places, [table for table in moved.tables if table.rows]
    for table in full:
        say(f"{table.name}: {table.rows:,} rows, equal in both")
    differing = moved.audit.differing
    say(
        f"Moved {sum(table.rows for table in full):,} rows of {len(full)} tables from {source} to {destination}. Both"
        f" audits: {f'{differing:,} differ, as before' if differing else 'nothing differs'}."
    )
    if media_dir is not None:
        say(f"The files are in {media_dir}, which has not been copied.")
