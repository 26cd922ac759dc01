"""`dialer apply`: the records of files."""

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import rich_click as click

from dialer.commands.open_service import open_service
from dialer.commands.output import print_json, printable, say
from dialer.commands.remote_account import RemoteAccount
from dialer.commands.wrong_file import WrongFileError
from dialer.files.applying import RecordChange, read_files
from dialer.files.kinds import Wanted
from dialer.files.nodes import FileError
from dialer.files.people_files import PeopleFile, PeopleReport, people_files
from dialer.files.plan_lines import has_changes, lines_of
from dialer.files.units import OtherChangeError, UnknownAccountError, account_of
from dialer.store.database.database import StorageUnavailableError


class ChangedAccount(Protocol):
    """The account that files change: in the database of this machine, or behind the API of a service."""

    @property
    def username(self) -> str:
        """Return the name of its user."""

    def plan(self, wanted: Sequence[Wanted]) -> list[RecordChange]:
        """Return the changes that `apply` would make; raises FileError if the files are wrong."""

    def apply(self, wanted: Sequence[Wanted], shown: Sequence[RecordChange] | None = None) -> list[RecordChange]:
        """Write the records, all or none."""

    def try_people(self, one: PeopleFile) -> PeopleReport:
        """Return the report that an import of a list would give, and import nothing."""

    def import_people(self, one: PeopleFile) -> PeopleReport:
        """Import a list, and return the report."""


class NotDoneError(click.ClickException):
    """Raised when some changes were made and others could not be made."""


def apply(
    files: Sequence[Path],
    *,
    user: str | None,
    url: str | None,
    key_file: Path | None,
    yes: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Show the changes that files describe, and make these changes."""
    try:
        wanted = read_files(files)
        people = people_files(wanted)
        with _account(user, url, key_file, files) as account:
            changes = account.plan(wanted)
            reports = [account.try_people(file) for file in people]
            if not as_json:
                click.echo("\n".join(map(printable, lines_of(changes, reports))))
            if not dry_run and has_changes(changes, reports):
                if not yes and not _agrees(account.username):
                    raise click.ClickException("nothing was changed")
                account.apply(wanted, changes)
                reports = _import_all(account, people)
                say("Done.")
    except FileError as error:
        raise WrongFileError(error) from None
    except UnknownAccountError as error:
        raise click.UsageError(str(error)) from None
    except OtherChangeError as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        print_json({"dry_run": dry_run, "records": changes, "people": reports})


@contextlib.contextmanager
def _account(
    user: str | None, url: str | None, key_file: Path | None, files: Sequence[Path]
) -> Iterator[ChangedAccount]:
    """Open the account behind an API, or that of a user of the database of this machine."""
    if url is not None:
        if user is not None:
            raise click.UsageError(
                "--user is for the database of this machine. Over --url, the key says whose they are"
            )
        with RemoteAccount.open(url, key_file, files) as account:
            yield account
        return
    if key_file is not None:
        raise click.UsageError("--key-file needs --url: the service to which the key belongs")
    with open_service() as service:
        yield account_of(service.settings, service.database, service.now_ms(), user)


def _import_all(account: ChangedAccount, people: Sequence[PeopleFile]) -> list[PeopleReport]:
    """Import the lists one after the other. The records are changed already."""
    done: list[PeopleReport] = []
    for one in people:
        try:
            report = account.import_people(one)
        except (FileError, StorageUnavailableError, click.ClickException) as error:
            why = error.format_message() if isinstance(error, click.ClickException) else str(error)
            imported = [f"{before.file}: {before.result.imported} imported" for before in done]
            raise NotDoneError(
                f"{'; '.join(['The records are changed', *imported])}; {one.path} is not imported, or in part: {why}\n"
                "Run the command again: what is done is not done twice."
            ) from None
        done.append(report)
    return done


def _agrees(username: str) -> bool:
    """Ask on a terminal. Elsewhere somebody must have said yes."""
    if not sys.stdin.isatty():
        raise click.UsageError("nobody can be asked here: give --yes, or --dry-run to see the changes only")
    return click.confirm(f"Change the account {username}?", err=True)
