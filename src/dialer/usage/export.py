"""`dialer export`: records as documents."""

from collections.abc import Callable
from typing import TypeVar

import rich_click as click

from dialer.commands.output import examples
from dialer.usage.running import runs

_Function = TypeVar("_Function", bound=Callable[..., None])
_PLACE = "dialer.commands.export"


@click.group()
@examples("dialer export survey 3 > survey.yaml")
def export() -> None:
    """Print records as files that `dialer apply` reads."""


def _record(function: _Function) -> _Function:
    """Add what all exports take."""
    as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of YAML.")
    return as_json(click.argument("record_id", metavar="ID", type=click.IntRange(1))(function))


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
    """Print a phonebook with its contacts, 2,000 at most."""


@export.command()
@_record
@examples("dialer export dnc 1 > never.yaml")
@runs(_PLACE)
def dnc() -> None:
    """Print a do-not-call list with its numbers, 2,000 at most. Erased numbers are left out."""


@export.command()
@_record
@examples("dialer export queue 4 > queue.yaml")
@runs(_PLACE)
def queue() -> None:
    """Print a queue with its agents."""
