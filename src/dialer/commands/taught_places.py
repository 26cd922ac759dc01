"""The places that the file of DIALER_PLACES_FILE teaches to a process, and to what is stored."""

from pathlib import Path
from typing import Final

from dialer.commands.output import say
from dialer.domain.calling_times.taught_places import TaughtPlacesError, read_taught_places
from dialer.domain.calling_times.zones import NUMBER_ZONES
from dialer.domain.places.places import NumberPlace
from dialer.settings import Settings, SettingsError
from dialer.store.database.database import Database
from dialer.store.moving.zones_read_again import read_zones_again

BYTES_MAX: Final = 1_000_000


def learn_places(settings: Settings) -> None:
    """Teach this process the area codes of the places file, if the settings name one.

    Raises:
        SettingsError: the file cannot be read, or a line of it is wrong.
    """
    NUMBER_ZONES.learn({} if settings.places_file is None else _read(settings.places_file))


def let_stored_numbers_follow(database: Database) -> None:
    """Set the time zones of stored numbers again, if they were set by other rules than those of this process."""
    changed = read_zones_again(database)
    if changed:
        say(f"The zones of {changed} stored numbers changed with the table of places")


def _read(path: Path) -> dict[str, NumberPlace]:
    try:
        with path.open("rb") as file:
            content = file.read(BYTES_MAX + 1)
        if len(content) > BYTES_MAX:
            raise TaughtPlacesError(f"it has more than {BYTES_MAX} bytes")  # noqa: TRY301
        return read_taught_places(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        problem = "it is no text in UTF-8"
    except OSError as error:
        problem = f"it cannot be read: {error.strerror}"
    except TaughtPlacesError as error:
        problem = str(error)
    raise SettingsError(f"DIALER_PLACES_FILE is {str(path)!r}: {problem}")
