"""`dialer export`: records as documents."""

from typing import Any

import rich_click as click
from sqlalchemy import Connection, select

from dialer.commands.open_service import open_service
from dialer.commands.output import print_json
from dialer.files.exporting import Exporter, TooManyPeopleError
from dialer.files.kinds import KINDS, RecordKind
from dialer.files.units import account_of_id
from dialer.files.yaml_text import write_yaml
from dialer.store.queries.campaigns import ID_MAX


def survey(record_id: int, *, as_json: bool) -> None:
    """Print a survey with its queues."""
    _print("surveys", record_id, as_json=as_json)


def campaign(record_id: int, *, as_json: bool) -> None:
    """Print a campaign with all that it needs."""
    _print("campaigns", record_id, as_json=as_json)


def sms_campaign(record_id: int, *, as_json: bool) -> None:
    """Print a campaign of text messages with its lists."""
    _print("sms_campaigns", record_id, as_json=as_json)


def phonebook(record_id: int, *, as_json: bool) -> None:
    """Print a phonebook with its contacts."""
    _print("phonebooks", record_id, as_json=as_json)


def dnc(record_id: int, *, as_json: bool) -> None:
    """Print a do-not-call list with its numbers."""
    _print("dnc_lists", record_id, as_json=as_json)


def queue(record_id: int, *, as_json: bool) -> None:
    """Print a queue with its agents."""
    _print("queues", record_id, as_json=as_json)


def _print(key: str, record_id: int, *, as_json: bool) -> None:
    (kind,) = (kind for kind in KINDS if kind.key == key)
    with open_service() as service:
        owner = service.database.read_now(lambda connection: _owner(connection, kind, record_id))
        if owner is None:
            raise click.ClickException(f"there is no {kind.one} {record_id}")
        account = account_of_id(service.settings, service.database, service.now_ms(), owner)
        try:
            document: Any = account.read(lambda unit: Exporter(unit, owner).with_its_parts(key, record_id))
        except TooManyPeopleError as error:
            raise click.ClickException(str(error)) from None
    if as_json:
        print_json(document)
    else:
        click.echo(write_yaml(document), nl=False)


def _owner(connection: Connection, kind: RecordKind, record_id: int) -> int | None:
    """Return the user who owns a record; None if there is no such record."""
    table = kind.resource.table
    is_it = [
        table.c["id"] == min(record_id, ID_MAX),
        *(table.c[name] == value for name, value in kind.resource.constants),
    ]
    found = connection.scalar(select(table.c["user_id"]).where(*is_it))
    return None if found is None else int(found)
