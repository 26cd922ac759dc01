"""`dialer consent`: consents in files."""

import csv
from collections.abc import Iterator, Sequence
from functools import partial
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import Final

import rich_click as click
from sqlalchemy import select

from dialer.api.answers.csv_lines import write_csv
from dialer.commands.open_service import OpenService, open_service
from dialer.commands.output import printable, say
from dialer.domain.formats.formula_guard import unguard
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.words.consent_words import ConsentWay
from dialer.domain.words.roles import Permission
from dialer.files.units import OpenAccount, UnknownAccountError, account_of
from dialer.resources.crud.fields import Json
from dialer.resources.crud.records import shown_columns
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given, fields_of, parse_given
from dialer.resources.records.bulk import BulkResult
from dialer.resources.records.bulk_consents import create_consents
from dialer.resources.records.consents import CONSENTS
from dialer.store.tables import Consent

LINES_AT_ONCE: Final = 1_000
"""Consents that one transaction reads or writes."""
WRONG_SHOWN_MAX: Final = 100
PURPOSES: Final = "purposes"
_NOT_READ: Final = frozenset(
    {"id", "url", "user", "audio_file", "callrequest", "last_used_date", "created_date", "updated_date"}
)
"""The fields that an import leaves to the service. Links lead to records of the service that wrote the file."""


def export_consents(username: str) -> None:
    """Print all consents of an account as CSV."""
    names = [field.name for field in fields_of(CONSENTS.read)]
    with open_service() as service:
        account = _account(service, username)
        click.echo(write_csv([[name] for name in names]), nl=False)
        for columns in _pages(account):
            cells = [_cells(name, values) for name, values in zip(names, columns, strict=True)]
            click.echo(write_csv(cells), nl=False)


def import_consents(file: Path, username: str) -> None:
    """Add the consents of a CSV file to an account; exit with 1 if a line is wrong."""
    added, known, wrong = 0, 0, 0
    with open_service() as service, file.open(encoding="utf-8-sig", newline="") as lines:
        account = _account(service, username)
        if not account.read(lambda unit: unit.actor.may(Permission.CAMPAIGNS)):
            raise click.UsageError(f"{username} may not write consents.")
        try:
            for numbers, given in _chunks(lines, str(file)):
                results = account.write(partial(_store, rows=given))
                for line, result in zip(numbers, results, strict=True):
                    added += result.status == HTTPStatus.CREATED
                    known += result.status == HTTPStatus.OK
                    wrong += result.id is None
                    if result.id is None and wrong <= WRONG_SHOWN_MAX:
                        say(printable(f"line {line}: {_in_words(result)}"))
        except (csv.Error, UnicodeDecodeError) as error:
            raise click.ClickException(f"{file}: {error}. {added} consents were added.") from None
    already = f", {known} were there already" if known else ""
    say(f"{added} consents were added{already}, and {wrong} lines were wrong.")
    if wrong:
        raise SystemExit(1)


def _account(service: OpenService, username: str) -> OpenAccount:
    try:
        return account_of(service.settings, service.database, service.now_ms(), username)
    except UnknownAccountError as error:
        raise click.UsageError(str(error)) from None


def _pages(account: OpenAccount) -> Iterator[Sequence[Sequence[Json]]]:
    """Yield the values of all consents of an account, field by field, some in a transaction."""
    after: int | None = 0
    while after is not None:
        columns, after = account.read(partial(_page, after=after))
        if columns:
            yield columns


def _page(unit: Unit, after: int) -> tuple[Sequence[Sequence[Json]], int | None]:
    is_theirs = (Consent.user_id == unit.actor.sees_as) & (Consent.phone_number != ERASED)
    theirs = select(Consent.__table__).where(is_theirs, Consent.id > after)
    rows = unit.connection.execute(theirs.order_by(Consent.id).limit(LINES_AT_ONCE)).all()
    columns = shown_columns(unit, CONSENTS, rows) if rows else ()
    return columns, rows[-1].id if len(rows) == LINES_AT_ONCE else None


def _cells(name: str, values: Sequence[Json]) -> Sequence[Json]:
    """Return the values of a field as cells."""
    return [" ".join(value) for value in values] if name == PURPOSES else values


def _chunks(lines: Iterator[str], name: str) -> Iterator[tuple[list[int], list[dict[str, str]]]]:
    """Yield the records of a file with their lines, some at a time."""
    reader = csv.DictReader(lines)
    missing = {"phone_number", "kind", "given_date"} - set(reader.fieldnames or ())
    if missing:
        raise click.UsageError(f"{name}: the first line does not name {', '.join(sorted(missing))}")
    while rows := [(reader.line_num, row) for row in islice(reader, LINES_AT_ONCE)]:
        yield [line for line, _ in rows], [_record(row) for _, row in rows]


def _record(row: dict[str, str | None]) -> dict[str, str]:
    """Return the cells of a line that say something, by the names of fields."""
    given = {key: unguard(cell) for key, cell in row.items() if key and cell and key not in _NOT_READ}
    return {"how": ConsentWay.IMPORT.value, **given}


def _store(unit: Unit, rows: Sequence[dict[str, str]]) -> list[BulkResult]:
    shape = CONSENTS.write
    if shape is None:
        raise TypeError("consents are only read")
    parsed = [parse_given(shape, Given(dict(row)), unit.conventions) for row in rows]
    for one in parsed:
        if "given_date" not in one.values:
            one.errors.setdefault("given_date", ["This field is required."])
    return create_consents(unit, parsed)


def _in_words(result: BulkResult) -> str:
    return "; ".join(f"{name}: {' '.join(map(str, said))}" for name, said in (result.errors or {}).items())
