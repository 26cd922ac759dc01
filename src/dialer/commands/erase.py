"""`dialer erase`: what is known of a person, or of all whose campaigns ended long ago, goes."""

from collections.abc import Iterator
from functools import partial
from typing import Final

import rich_click as click

from dialer.app.erasure.erasure import Erased, erase_ended, erase_number
from dialer.commands.opening import (
    database_path,
    open_database_to_read,
    open_service_clock,
    settings_from_environment,
)
from dialer.commands.output import examples, say
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.logs import mask_number
from dialer.settings import Settings
from dialer.store.database import Database
from dialer.store.database_files import FilesError, compact
from dialer.store.media.recordings import delete_recording

DAY_MS: Final = 86_400_000
DAYS_MAX: Final = 36_500


@click.command()
@click.argument("number", metavar="[NUMBER]", required=False)
@click.option(
    "--older-than",
    "days",
    metavar="DAYS",
    type=click.IntRange(1, DAYS_MAX),
    help="Erase the subscribers of campaigns that ended, or were changed last, so many days ago.",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@examples(
    "dialer erase +12025550100",
    'dialer erase "+1 (202) 555-0100" --yes',
    "dialer erase --older-than 90 --yes",
)
def erase(number: str | None, days: int | None, *, yes: bool) -> None:
    """Erase all that is known of NUMBER, in any spelling; or of those whose campaigns ended long ago.

    Contacts, names, variables, answers in the callees' own words, recordings, texts, and the numbers in call detail
    records. What was billed stays, and so do the counts of answers that were chosen. On do-not-call lists a hash takes
    the place of the number: it is still never called. Contacts and lists outlive their campaigns: --older-than leaves
    them alone.

    The database is then written anew, so that its files hold nothing of it. Backups that were made before do: erase
    again after restoring one. May run beside a server, which waits meanwhile.
    """
    settings = settings_from_environment()
    if (number is None) is (days is None):
        raise click.UsageError("Give a NUMBER or --older-than DAYS.")
    whom = _number(number, settings) if number is not None else None
    subject = mask_number(whom) if whom is not None else f"those whose campaigns ended more than {days} days ago"
    if not yes:
        click.confirm(f"Erase what is known of {subject}? It cannot be undone.", abort=True, err=True)
    with open_database_to_read(settings) as database:
        done = _erase(settings, database, whom, days or 0)
    _compact(settings)
    say(f"Erased {subject}: {', '.join(_counts(done)) or 'nothing was known'}.")


def _number(number: str, settings: Settings) -> str:
    try:
        return normalise(number, settings.default_region)
    except NumberError as error:
        raise click.UsageError(str(error)) from None


def _erase(settings: Settings, database: Database, number: str | None, days: int) -> Erased:
    delete_file = partial(delete_recording, settings.media_dir)
    now_ms = open_service_clock(settings, database).now_ms()
    if number is None:
        return erase_ended(database, now_ms - days * DAY_MS, delete_file, now_ms)
    return erase_number(database, number, delete_file, now_ms)


def _compact(settings: Settings) -> None:
    try:
        compact(database_path(settings))
    except FilesError as error:
        raise click.ClickException(
            f"it is erased, but the files still hold what was there: {error}; try again"
        ) from None


def _counts(done: Erased) -> Iterator[str]:
    named = {
        "contacts": done.contacts,
        "subscribers": done.subscribers,
        "recordings": done.recordings,
        "do-not-call entries kept as hashes": done.dnc_contacts,
        "other records": done.others,
    }
    return (f"{name} {count:,}" for name, count in named.items() if count)
