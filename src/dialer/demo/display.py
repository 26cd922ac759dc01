"""How the demonstration looks: on a terminal with colours, anywhere else as plain text of a fixed width."""

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
"""What every terminal has."""
BAR_WIDTH: Final = 32
INDENT: Final = 2
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"
_LEVELS: Final = "▁▂▃▄▅▆▇█"
_QUIET: Final = "·"
_BLANKS_AT_THE_END: Final = re.compile(r" +$", re.MULTILINE)


def open_console() -> Console:
    """The console of standard output."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Where output has no bars and no accents, question marks must do.
        sys.stdout.reconfigure(errors="replace")
    console = Console(file=sys.stdout, highlight=False)
    console.width = min(WIDTH, console.width) if console.is_terminal else WIDTH
    return console


def heading(console: Console, title: str, remark: str = "") -> None:
    """The title of a part, with a remark after it."""
    console.print()
    console.print(Text.assemble((title, "bold cyan"), ("  " if remark else ""), (remark, "dim")))


def indented(console: Console, block: Table | Text) -> None:
    """A block of a part, without the blanks that a table ends its lines with."""
    with console.capture() as capture:
        console.print(Padding(block, (0, 0, 0, INDENT)))
    console.file.write(_BLANKS_AT_THE_END.sub("", capture.get()))


def table(
    headers: Sequence[str], rows: Iterable[Sequence[str | Text]], *, left: Sequence[int] = (0,), gap: int = 2
) -> Table:
    """Columns without lines between them, to the right but for those in `left`; without headers if all are empty."""
    grid = Table(box=None, padding=(0, gap, 0, 0), show_header=any(headers), header_style="dim", pad_edge=False)
    for place, header in enumerate(headers):
        grid.add_column(header, justify="left" if place in left else "right", no_wrap=True)
    for row in rows:
        grid.add_row(*row)
    return grid


def bar(part: int, whole: int, *, style: str = "cyan", width: int = BAR_WIDTH) -> Text:
    """A bar whose full width stands for `whole`."""
    eighths = round(part * width * 8 / whole) if whole else 0
    full, rest = divmod(max(eighths, 1 if part else 0), 8)
    return Text("█" * full + (_EIGHTHS[rest] if rest else ""), style)


def strip(counts: Sequence[int], most: int) -> Text:
    """A row of columns, one for each count, whose full height stands for `most`."""
    return Text("".join(_LEVELS[count * (len(_LEVELS) - 1) // most] if count else _QUIET for count in counts), "cyan")


def share(part: int, whole: int) -> str:
    """A part in per cent of the whole; empty for a part of nothing."""
    return f"{part / whole:.1%}" if whole else ""
