"""Tables that are shown on a page, and exported as they are shown: as CSV, or as a spreadsheet."""

from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import UTC, date, datetime
from enum import Enum, auto
from typing import Any, Final, NamedTuple, TypeAlias
from zoneinfo import ZoneInfo

from litestar import Response

from dialer.api.answers.csv_lines import write_csv
from dialer.api.answers.downloads import content_disposition
from dialer.api.answers.long_tables import CSV, answer_csv, answer_xlsx, format_of
from dialer.api.answers.spreadsheets import CellValue, Spreadsheet, answer_spreadsheet, in_zone
from dialer.api.service import ApiRequest
from dialer.console.words.currency import code_for
from dialer.console.words.language import gettext
from dialer.domain.billing.money import MONEY_SCALE, format_money

SHARE_PLACES: Final = 2
"""Decimals of a share or a mean in a file. Pages show fewer, and round the quotient itself."""
Value: TypeAlias = str | int | float | date | None


class ValueKind(Enum):
    """The kinds of values in a column."""

    TEXT = auto()
    NUMBER = auto()
    SHARE = auto()
    """In per cent."""
    SECONDS = auto()
    MONEY = auto()
    """In integers of 1e-5."""
    MOMENT = auto()
    """In milliseconds, as `DAY`."""
    DAY = auto()


_ROUNDED: Final = frozenset({ValueKind.SHARE, ValueKind.SECONDS})
"""Kinds whose values may be quotients."""


_AS_THEY_ARE: Final = frozenset({ValueKind.TEXT, ValueKind.NUMBER})
"""Kinds whose values CSV writes as they are."""


class SheetColumn(NamedTuple):
    """A column: its head, and the kind of its values."""

    title: str
    kind: ValueKind = ValueKind.NUMBER
    hint: str = ""
    """The meaning of the head, if it is not plain."""


class Sheet(NamedTuple):
    """A table with rows of values, one for each column."""

    columns: list[SheetColumn]
    rows: list[tuple[Value, ...]]


def heads_of(columns: Sequence[SheetColumn], zone: ZoneInfo) -> list[str]:
    """Return the heads of exported columns, which name the unit of their values, and the zone of their times."""
    units = {ValueKind.SECONDS: gettext("%(title)s (seconds)"), ValueKind.SHARE: gettext("%(title)s (%%)")}
    units[ValueKind.MOMENT] = f"%(title)s ({zone.key})"
    if currency := code_for():
        units[ValueKind.MONEY] = f"%(title)s ({currency})"
    return [
        (units[column.kind] % {"title": column.title}) if column.kind in units else column.title for column in columns
    ]


async def answer_chunks(
    request: ApiRequest, columns: Sequence[SheetColumn], chunks: AsyncIterator[Sheet], name: str, zone: ZoneInfo
) -> Response[Any]:
    """Answer with a long table that is read a chunk at a time: CSV as it is read, a spreadsheet when it is complete."""
    if format_of(request) == CSV:
        lines = (csv_lines(chunk, zone) async for chunk in chunks)
        return await answer_csv(request, name, csv_head(columns, zone), lines)
    rows = (spreadsheet_rows(one, zone) async for one in chunks)
    return await answer_xlsx(request, name, heads_of(columns, zone), rows)


async def answer_sheet(request: ApiRequest, sheet: Sheet, name: str, zone: ZoneInfo) -> Response[Any]:
    """Answer with a table as a file, in the format that the request wants."""
    if format_of(request) == CSV:
        headers = {"Content-Disposition": content_disposition(f"{name}.csv"), "Cache-Control": "no-store"}
        return Response(csv_of(sheet, zone), media_type="text/csv", headers=headers)
    spreadsheet = Spreadsheet(name, heads_of(sheet.columns, zone))
    spreadsheet.add(spreadsheet_rows(sheet, zone))
    return await answer_spreadsheet(request, spreadsheet, name)


def csv_of(sheet: Sheet, zone: ZoneInfo) -> bytes:
    """Return a table as CSV."""
    return csv_head(sheet.columns, zone) + csv_lines(sheet, zone)


def csv_head(columns: Sequence[SheetColumn], zone: ZoneInfo) -> bytes:
    """Return the first line of CSV."""
    return write_csv([[title] for title in heads_of(columns, zone)])


def csv_lines(sheet: Sheet, zone: ZoneInfo) -> bytes:
    """Return the rows of a table as lines of CSV."""
    columns = list(zip(*sheet.rows, strict=True))
    shown = [
        values if column.kind in _AS_THEY_ARE else [_in_csv(value, column.kind, zone) for value in values]
        for values, column in zip(columns, sheet.columns, strict=False)
    ]
    return write_csv(shown) if shown else b""


def _in_csv(value: Value, kind: ValueKind, zone: ZoneInfo) -> Value:
    if isinstance(value, date):
        return value.isoformat()
    if value is None or isinstance(value, str):
        return value
    if kind is ValueKind.MONEY:
        return format_money(int(value))
    if kind in _ROUNDED:
        return round(value, SHARE_PLACES)
    if kind in {ValueKind.MOMENT, ValueKind.DAY}:
        local = datetime.fromtimestamp(value / 1_000, UTC).astimezone(zone)
        return local.strftime("%Y-%m-%d" if kind is ValueKind.DAY else "%Y-%m-%d %H:%M:%S")
    return value


def spreadsheet_rows(sheet: Sheet, zone: ZoneInfo) -> Iterator[list[CellValue]]:
    """Yield the rows of a table as cells of a spreadsheet: dates are dates, and amounts are numbers."""
    for row in sheet.rows:
        yield [_in_spreadsheet(value, column.kind, zone) for value, column in zip(row, sheet.columns, strict=True)]


def _in_spreadsheet(value: Value, kind: ValueKind, zone: ZoneInfo) -> CellValue:
    if value is None or isinstance(value, str | date):
        return value
    if kind is ValueKind.MONEY:
        return value / MONEY_SCALE
    if kind in _ROUNDED:
        return round(value, SHARE_PLACES)
    if kind is ValueKind.MOMENT:
        return in_zone(int(value), zone)
    return in_zone(int(value), zone).date() if kind is ValueKind.DAY else value
