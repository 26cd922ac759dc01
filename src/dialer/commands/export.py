"""`dialer export`: records as documents."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import rich_click as click
from sqlalchemy import Connection, select

from dialer.commands.open_service import OpenService, open_service
from dialer.commands.output import say
from dialer.commands.remote_export import RemoteExport
from dialer.commands.wrong_file import WrongFileError
from dialer.files.exported_files import ExportedFiles
from dialer.files.exporting import Document, Exporter, ExportError
from dialer.files.kinds import KINDS, RecordKind
from dialer.files.nodes import FileError
from dialer.files.units import OpenAccount, UnknownAccountError, account_of, account_of_id
from dialer.files.yaml_text import read_yaml, write_yaml
from dialer.store.media.folder import FolderMedia
from dialer.store.queries.campaigns import ID_MAX


def survey(record_id: int, *, output: Path | None, as_json: bool) -> None:
    """Print a survey with its queues."""
    _print("surveys", record_id, output=output, as_json=as_json)


def campaign(record_id: int, *, output: Path | None, as_json: bool) -> None:
    """Print a campaign with the records that it needs."""
    _print("campaigns", record_id, output=output, as_json=as_json)


def sms_campaign(record_id: int, *, output: Path | None, as_json: bool) -> None:
    """Print a campaign of text messages with its lists."""
    _print("sms_campaigns", record_id, output=output, as_json=as_json)


def phonebook(record_id: int, *, output: Path | None, as_json: bool) -> None:
    """Print a phonebook with its contacts."""
    _print("phonebooks", record_id, output=output, as_json=as_json)


def dnc(record_id: int, *, output: Path | None, as_json: bool) -> None:
    """Print a do-not-call list with its numbers."""
    _print("dnc_lists", record_id, output=output, as_json=as_json)


def queue(record_id: int, *, output: Path | None, as_json: bool) -> None:
    """Print a queue with its agents."""
    _print("queues", record_id, output=output, as_json=as_json)


def account(
    username: str | None, *, url: str | None, key_file: Path | None, output: Path | None, as_json: bool
) -> None:
    """Print all records of an account, of this machine's database or over the API of a service."""
    if url is not None:
        _write_remote(url, key_file, username, output, as_json=as_json)
        return
    if username is None:
        raise click.UsageError("give the USERNAME whose records are exported, or --url for those of an API key")
    if key_file is not None:
        raise click.UsageError("--key-file needs --url: the service to which the key belongs")
    try:
        with open_service() as service:
            of_account = account_of(service.settings, service.database, service.now_ms(), username)
            _write(service, of_account, lambda exporter: exporter.account(), output, as_json=as_json)
    except UnknownAccountError as error:
        raise click.UsageError(str(error)) from None


def _print(key: str, record_id: int, *, output: Path | None, as_json: bool) -> None:
    (kind,) = (kind for kind in KINDS if kind.key == key)
    with open_service() as service:
        owner = service.database.read_now(lambda connection: _owner(connection, kind, record_id))
        if owner is None:
            raise click.ClickException(f"there is no {kind.one} {record_id}")
        of_account = account_of_id(service.settings, service.database, service.now_ms(), owner)
        _write(service, of_account, lambda exporter: exporter.with_its_parts(key, record_id), output, as_json=as_json)


def _write(
    service: OpenService,
    of_account: OpenAccount,
    work: Callable[[Exporter], Document],
    output: Path | None,
    *,
    as_json: bool,
) -> None:
    """Print a document, or write it into a file, with the files beside it."""
    _refuse_toml(output)
    beside = None if output is None else ExportedFiles(f"{output.stem}-files")
    try:
        document: Any = of_account.read(lambda unit: work(Exporter(unit, of_account.user_id, beside)))
    except ExportError as error:
        raise click.ClickException(str(error)) from None
    text = _json_of(document) if _is_json(output, as_json=as_json) else write_yaml(document)
    if output is None or beside is None:
        click.echo(text, nl=False)
        return
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        missing = beside.write(output.parent, FolderMedia(service.settings.media_dir))
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{error.filename or output} cannot be written: {error.strerror}") from None
    say(f"{output} is written, with {len(beside.found)} files beside it.")
    if missing:
        raise click.ClickException(f"the media folder has no sound for {', '.join(missing)}")


def _write_remote(url: str, key_file: Path | None, username: str | None, output: Path | None, *, as_json: bool) -> None:
    """Print the document that a service answers, or write it into a file, with the files beside it."""
    _refuse_toml(output)
    count = 0
    try:
        with RemoteExport.open(url, key_file, username) as service:
            if output is None:
                text = service.text()
            else:
                text, count = service.write_beside(output)
        if _is_json(output, as_json=as_json):
            text = _json_of(read_yaml(text, url).plain())
        if output is None:
            click.echo(text, nl=False)
            return
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{error.filename or output} cannot be written: {error.strerror}") from None
    except FileError as error:
        raise WrongFileError(error) from None
    say(f"{output} is written, with {count} files beside it.")


def _refuse_toml(output: Path | None) -> None:
    if output is not None and output.suffix.lower() == ".toml":
        raise click.UsageError("--output: TOML is read only. Give a name that ends in .yaml or .json")


def _is_json(output: Path | None, *, as_json: bool) -> bool:
    return as_json or (output is not None and output.suffix.lower() == ".json")


def _json_of(document: Any) -> str:  # noqa: ANN401 - JSON
    return f"{msgspec.json.format(msgspec.json.encode(document), indent=2).decode()}\n"


def _owner(connection: Connection, kind: RecordKind, record_id: int) -> int | None:
    """Return the user who owns a record; None if there is no such record."""
    table = kind.resource.table
    is_it = [
        table.c["id"] == min(record_id, ID_MAX),
        *(table.c[name] == value for name, value in kind.resource.constants),
    ]
    found = connection.scalar(select(table.c["user_id"]).where(*is_it))
    return None if found is None else int(found)
