"""`dialer export`: records as documents."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import rich_click as click

from dialer.commands.output import examples
from dialer.usage.running import runs
from dialer.usage.service_options import key_file_option

_Function = TypeVar("_Function", bound=Callable[..., None])
_PLACE = "dialer.commands.export"


@click.group()
@examples("dialer export survey 3 > survey.yaml", "dialer export campaign 5 -o spring.yaml")
def export() -> None:
    """Print records as files that `dialer apply` reads.

    With --output, recordings are written into a folder beside the file, and so are lists of more than 2,000 people.
    """


def _record(function: _Function) -> _Function:
    """Add what all exports of a record take."""
    return _output(click.argument("record_id", metavar="ID", type=click.IntRange(1))(function))


def _output(function: _Function) -> _Function:
    """Add where and how all exports are written."""
    as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of YAML.")
    output = click.option(
        "--output",
        "-o",
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write FILE, and recordings and long lists into a folder beside it.",
    )
    return output(as_json(function))


@export.command()
@_record
@examples("dialer export survey 3 > survey.yaml")
@runs(_PLACE)
def survey() -> None:
    """Print a survey, with the queues to which it transfers calls.

    `dialer replay --survey` reads such a file, too. Of a recording the document has the name and the length.
    """


@export.command()
@_record
@examples("dialer export campaign 5 > campaign.yaml")
@runs(_PLACE)
def campaign() -> None:
    """Print a campaign of calls, with its survey and its queues, and with its lists without their people."""


@export.command("sms-campaign")
@_record
@examples("dialer export sms-campaign 6 > texts.yaml")
@runs(_PLACE)
def sms_campaign() -> None:
    """Print a campaign of text messages, with its lists without their people."""


@export.command()
@_record
@examples("dialer export phonebook 2 > people.yaml")
@runs(_PLACE)
def phonebook() -> None:
    """Print a phonebook with its contacts, more than 2,000 only with --output."""


@export.command()
@_record
@examples("dialer export dnc 1 > never.yaml")
@runs(_PLACE)
def dnc() -> None:
    """Print a do-not-call list with its numbers, more than 2,000 only with --output. Erased numbers are left out."""


@export.command()
@_record
@examples("dialer export queue 4 > queue.yaml")
@runs(_PLACE)
def queue() -> None:
    """Print a queue with its agents."""


@export.command()
@_output
@click.argument("username", metavar="[USERNAME]", required=False)
@click.option(
    "--url",
    metavar="URL",
    help="A service whose API is used; the database of this machine, unless given.",
)
@key_file_option
@examples(
    "dialer export account anna -o anna.yaml",
    "dialer export account -o anna.yaml --url https://dialer.example --key-file ~/dialer.key",
)
@runs(_PLACE)
def account() -> None:
    """Print all records of an account, with the people of its lists.

    With --url, the account is that of the user of the API key; the key of an admin may export others.

    The list that the service keeps of wishes not to be called is left out: `dialer export dnc` prints it.
    """
