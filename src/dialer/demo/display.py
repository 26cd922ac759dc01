"""Layout of the report: coloured on a terminal, plain text of a fixed width anywhere else."""

import io
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Final

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

WIDTH: Final = 80
"""Columns; every terminal has as many."""
BAR_WIDTH: Final = 32
INDENT: Final = 2
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"
_LEVELS: Final = "▁▂▃▄▅▆▇█"
_QUIET: Final = "·"
_BLANKS_AT_THE_END: Final = re.compile(r" +$", re.MULTILINE)


def open_console() -> Console:
    """Return the console of standard output."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # An encoding without bars and accents prints question marks.
        sys.stdout.reconfigure(errors="replace")
    console = Console(file=sys.stdout, highlight=False)
    console.width = min(WIDTH, console.width) if console.is_terminal else WIDTH
    return console


def heading(console: Console, title: str, remark: str = "") -> None:
    """Print the title of a section, with a remark after it."""
    console.print()
    console.print(Text.assemble((title, "bold cyan"), ("  " if remark else ""), (remark, "dim")))


def indented(console: Console, block: Table | Text) -> None:
    """Print a block of a section, without the blanks at the ends of its lines."""
    with console.capture() as capture:
        console.print(Padding(block, (0, 0, 0, INDENT)))
    console.file.write(_BLANKS_AT_THE_END.sub("", capture.get()))


def table(
    headers: Sequence[str], rows: Iterable[Sequence[str | Text]], *, left: Sequence[int] = (0,), gap: int = 2
) -> Table:
    """Return a table without lines. Columns align right, except those in `left`. Empty headers are left out."""
    grid = Table(box=None, padding=(0, gap, 0, 0), show_header=any(headers), header_style="dim", pad_edge=False)
    for place, header in enumerate(headers):
        grid.add_column(header, justify="left" if place in left else "right", no_wrap=True)
    for row in rows:
        grid.add_row(*row)
    return grid


def bar(part: int, whole: int, *, style: str = "cyan", width: int = BAR_WIDTH) -> Text:
    """Return a bar whose full width stands for `whole`."""
    eighths = round(part * width * 8 / whole) if whole else 0
    full, rest = divmod(max(eighths, 1 if part else 0), 8)
    return Text("█" * full + (_EIGHTHS[rest] if rest else ""), style)


def strip(counts: Sequence[int], most: int) -> Text:
    """Return a row of columns, one for each count, whose full height stands for `most`."""
    return Text("".join(_LEVELS[count * (len(_LEVELS) - 1) // most] if count else _QUIET for count in counts), "cyan")


def share(part: int, whole: int) -> str:
    """Return a part as a percentage of the whole; an empty text if the whole is 0."""
    return f"{part / whole:.1%}" if whole else ""
