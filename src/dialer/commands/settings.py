"""`dialer settings`: every setting, its value, and where the value comes from."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console
from rich.table import Table

from dialer.commands.open_service import (
    given_in,
    is_there,
    open_existing_database,
    place_of_database,
    service_settings,
    settings_file,
    settings_from_environment,
)
from dialer.commands.output import print_json, say
from dialer.settings import SETTINGS, Setting, Settings
from dialer.settings_values import HIDDEN, without_password
from dialer.store.database.database import StorageUnavailableError
from dialer.store.database.migrate import MigrationError
from dialer.store.database.service_state import ServiceSettings, read_settings

_SECOND_MS: Final = 1_000


class SettingShown(msgspec.Struct, rename={"source": "from"}):
    """A setting, its value as JSON (null if it is unset), and the place that gives it."""

    name: str
    variable: str
    value: str | int | float | bool | None
    source: str


class SettingsShown(msgspec.Struct):
    """All settings, with the files that give some of them."""

    file: str | None
    database: str
    settings: list[SettingShown]


def settings(*, as_json: bool) -> None:
    """Show every setting, its value, and where the value comes from."""
    environment_settings = settings_from_environment()
    held, kept = _with_database(environment_settings)
    file = settings_file()
    shown = SettingsShown(
        None if file is None else str(file.path.absolute()),
        place_of_database(environment_settings),
        [
            SettingShown(
                setting.key,
                setting.variable,
                _value(setting, getattr(held, setting.field)),
                "database" if setting.field in kept else given_in(setting),
            )
            for setting in SETTINGS
        ],
    )
    if as_json:
        print_json(shown)
    else:
        _print(shown)


def _with_database(environment_settings: Settings) -> tuple[Settings, tuple[str, ...]]:
    """Return the settings that commands use, and the names of those that the database keeps."""
    if not is_there(environment_settings):
        return environment_settings, ()
    try:
        with open_existing_database(environment_settings) as database:
            is_kept = database.read_now(read_settings) is not None
            return service_settings(environment_settings, database), ServiceSettings._fields if is_kept else ()
    except (MigrationError, StorageUnavailableError) as error:
        say(f"Settings of the database are left out: {error}")
        return environment_settings, ()


def _value(setting: Setting, value: object) -> str | int | float | bool | None:
    """Return a value of a setting as it may be shown."""
    if value is None:
        return None
    if setting.is_secret:
        return HIDDEN
    if setting.field == "clock_start" and isinstance(value, int):
        return datetime.fromtimestamp(value / _SECOND_MS, UTC).isoformat().replace("+00:00", "Z")
    if setting.field == "database_url":
        return without_password(str(value))
    return value if isinstance(value, int | float) else str(value)


def _print(shown: SettingsShown) -> None:
    table = Table(box=None)
    for title in ("setting", "value", "from"):
        table.add_column(title, overflow="fold")
    places = {"file": _shortened(shown.file), "database": _shortened(shown.database)}
    for setting, row in zip(SETTINGS, shown.settings, strict=True):
        value = setting.default if row.value is None or row.source == "default" else str(row.value)
        place = places.get(row.source, "")
        table.add_row(row.variable, value, f"{row.source} {place}".strip())
    Console(soft_wrap=True).print(table, markup=False)


def _shortened(path: str | None) -> str:
    """Return a path relative to the working directory if it lies there."""
    if path is None:
        return ""
    here = Path.cwd()
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) else path
