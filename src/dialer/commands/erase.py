"""`dialer erase`: removal of all data about one person, or about the subscribers of old campaigns."""

from collections.abc import Iterator
from functools import partial
from typing import Final

import rich_click as click

from dialer.app.erasure.erasure import Erased, erase_ended, erase_number
from dialer.commands.open_service import (
    check_media_dir,
    open_existing_database,
    open_service_clock,
    service_settings,
    settings_from_environment,
)
from dialer.commands.output import print_json, say
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.logs import mask_number
from dialer.settings import Settings
from dialer.store.backends.backend import backend_for
from dialer.store.backends.database_files import FilesError
from dialer.store.database.database import Database
from dialer.store.media.folder import FolderMedia
from dialer.store.media.recordings import delete_recording, delete_speech

DAY_MS: Final = 86_400_000


def erase(number: str | None, days: int | None, *, yes: bool, as_json: bool) -> None:
    """Erase all data about NUMBER, in any spelling, or about the subscribers of old campaigns."""
    if (number is None) is (days is None):
        raise click.UsageError("Give either a NUMBER or --older-than DAYS.")
    environment = settings_from_environment()
    with open_existing_database(environment) as database:
        settings = service_settings(environment, database)
        check_media_dir(environment, settings)
        whom = _number(number, settings) if number is not None else None
        subject = (
            mask_number(whom)
            if whom is not None
            else f"the subscribers of campaigns that ended more than {days} days ago"
        )
        if not yes:
            click.confirm(f"Erase all data about {subject}? This cannot be undone.", abort=True, err=True)
        done = _erase(settings, database, whom, days or 0)
    _compact(settings)
    say(f"Erased {subject}: {', '.join(_counts(done)) or 'no data found'}.")
    if as_json:
        print_json(done)


def _number(number: str, settings: Settings) -> str:
    try:
        return normalise(number, settings.default_region)
    except NumberError as error:
        raise click.UsageError(str(error)) from None


def _erase(settings: Settings, database: Database, number: str | None, days: int) -> Erased:
    media = FolderMedia(settings.media_dir)
    delete_file = partial(delete_recording, media)
    now_ms = open_service_clock(settings, database).now_ms()
    delete_speech(media)
    if number is None:
        return erase_ended(database, now_ms - days * DAY_MS, delete_file, now_ms)
    return erase_number(database, number, delete_file, now_ms)


def _compact(settings: Settings) -> None:
    try:
        backend = backend_for(settings.database_url)
        backend.compact(backend.synchronous_url(settings.database_url))
    except FilesError as error:
        raise click.ClickException(
            f"the data is erased, but the database files still hold traces of it: {error}. Run the command again"
        ) from None


def _counts(done: Erased) -> Iterator[str]:
    named = {
        "contacts": done.contacts,
        "subscribers": done.subscribers,
        "recordings": done.recordings,
        "do-not-call entries kept as hashes": done.dnc_contacts,
        "other records": done.others,
        "recordings left under a legal hold": done.held,
    }
    return (f"{name} {count:,}" for name, count in named.items() if count)
