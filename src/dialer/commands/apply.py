"""`dialer apply`: the records of files."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import rich_click as click

from dialer.commands.open_service import open_service
from dialer.commands.output import print_json, printable, say
from dialer.commands.wrong_file import WrongFileError
from dialer.files.applying import RecordChange, read_files
from dialer.files.nodes import FileError
from dialer.files.units import OtherChangeError, UnknownAccountError, account_of

_SIGNS: Final = {"new": "+", "changed": "~", "unchanged": "="}


def apply(files: Sequence[Path], *, user: str | None, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Show what files would change, and change it."""
    try:
        wanted = read_files(files)
        with open_service() as service:
            account = account_of(service.settings, service.database, service.now_ms(), user)
            changes = account.plan(wanted)
            if not as_json:
                click.echo("\n".join(map(printable, lines_of(changes))))
            if not dry_run and any(change.action != "unchanged" for change in changes):
                if not yes and not _agrees(account.username):
                    raise click.ClickException("nothing was changed")
                account.apply(wanted, changes)
                say("Done.")
    except FileError as error:
        raise WrongFileError(error) from None
    except UnknownAccountError as error:
        raise click.UsageError(str(error)) from None
    except OtherChangeError as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        print_json({"dry_run": dry_run, "records": changes})


def lines_of(changes: Sequence[RecordChange]) -> Iterator[str]:
    """Yield what changes, as lines."""
    for change in changes:
        yield f"{_SIGNS[change.action]} {change.kind} {change.name}: {change.action}"
        yield from (f"    {line}" for line in change.lines)
    counts = Counter(change.action for change in changes)
    yield ", ".join(f"{counts[action]} {action}" for action in _SIGNS)


def _agrees(username: str) -> bool:
    """Ask on a terminal. Elsewhere somebody must have said yes."""
    if not sys.stdin.isatty():
        raise click.UsageError("nobody can be asked here: give --yes, or --dry-run to see the changes only")
    return click.confirm(f"Change the account {username}?", err=True)
