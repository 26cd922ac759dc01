"""Tables of commands: coloured on a terminal, and plain text anywhere else."""

import io
import sys
from collections.abc import Iterable
from typing import Final

import rich_click as click
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from dialer.commands.output import printable

PLAIN_WIDTH: Final = 200
"""Characters of a line where there is no terminal."""


def table(title: str, *columns: str, texts: int = 1) -> Table:
    """Return an empty table. The first `texts` columns are aligned as texts, and the other columns as figures."""
    made = Table(title=title, box=None, pad_edge=False, header_style="dim")
    for place, column in enumerate(columns):
        made.add_column(column, justify="left" if place < texts else "right", no_wrap=place >= texts)
    return made


def stacked(head: str, tables: Iterable[Table]) -> Group:
    """Return a head and tables below each other. A title may be longer than the lines of its table."""
    parts: list[RenderableType] = [Text(head)]
    for shown_table in tables:
        parts += [Text(), Text(str(shown_table.title), style="bold"), shown_table]
        shown_table.title = None
    return Group(*parts)


def add_row(to: Table, *values: object) -> None:
    """Add a row. None is shown as a dash, and a percentage or a mean with two decimals."""
    to.add_row(*map(cell, values))


def with_unit(title: str, unit: str | None) -> str:
    """Return the title of figures with their unit, if they have one."""
    return f"{title} ({unit})" if unit else title


def cell(value: object) -> Text:
    """Return a value as a cell, without markup and control characters."""
    if value is None:
        return Text("-")
    if isinstance(value, float):
        return Text(f"{value:.2f}")
    return Text(f"{value:,}" if isinstance(value, int) else printable(str(value)))


def draw(whole: Group) -> None:
    """Print tables on standard output."""
    if sys.stdout.isatty():
        terminal().print(whole)
    else:
        click.echo(plain(whole))


def terminal() -> Console:
    """Return the console of a terminal. Characters that its encoding lacks are shown as question marks."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return Console(highlight=False)


def plain(whole: RenderableType) -> str:
    """Return tables as text without colours."""
    file = io.StringIO()
    Console(file=file, width=PLAIN_WIDTH, highlight=False, color_system=None, force_terminal=False).print(whole)
    return "\n".join(line.rstrip() for line in file.getvalue().rstrip().splitlines())
