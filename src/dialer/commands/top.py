"""`dialer top`: the situation of a running service, again and again."""

import contextlib
import itertools
import sys
from collections.abc import Callable, Iterator
from time import sleep
from typing import Final

import rich_click as click
from rich.live import Live

from dialer.app.live_overview import read_live_overview
from dialer.commands.open_service import open_service
from dialer.commands.output import examples, json_option, print_json
from dialer.commands.tables import plain, terminal
from dialer.commands.top_document import Top, top_document
from dialer.commands.top_tables import top_tables

INTERVAL_S: Final = 2.0
INTERVAL_MIN_S: Final = 0.5
INTERVAL_MAX_S: Final = 3_600.0


@click.command()
@click.option(
    "--interval",
    "interval_s",
    metavar="SECONDS",
    type=click.FloatRange(INTERVAL_MIN_S, INTERVAL_MAX_S),
    default=INTERVAL_S,
    show_default=True,
    help="Seconds between two readings.",
)
@click.option("--once", is_flag=True, help="Print the situation once, and end.")
@json_option("the situation once")
@examples("dialer top", "dialer top --interval 10", "dialer top --once --json")
def top(interval_s: float, *, once: bool, as_json: bool) -> None:
    """Show the situation of a running service until Ctrl+C.

    It has the campaigns in progress, the agents, the gateways, and the balances that run low. Without a terminal, it
    prints plain text. The command reads the database of the service and changes nothing.
    """
    with open_service() as service:

        def read() -> Top:
            now_ms = service.now_ms()
            overview = service.database.read_now(lambda connection: read_live_overview(connection, now_ms))
            return top_document(overview, now_ms)

        if as_json:
            print_json(read())
        elif once:
            click.echo(plain(top_tables(read())))
        else:
            # The user's Ctrl+C is the regular end.
            with contextlib.suppress(KeyboardInterrupt):
                _repeat(read, interval_s)


def _repeat(read: Callable[[], Top], interval_s: float) -> None:
    if not sys.stdout.isatty():
        for place, document in enumerate(_every(read, interval_s)):
            click.echo(("\n" if place else "") + plain(top_tables(document)))
        return
    with Live(console=terminal(), screen=True, auto_refresh=False) as live:
        for document in _every(read, interval_s):
            live.update(top_tables(document), refresh=True)


def _every(read: Callable[[], Top], interval_s: float) -> Iterator[Top]:
    """Yield the situation at once, and then after every interval."""
    for turn in itertools.count():
        if turn:
            sleep(interval_s)
        yield read()
