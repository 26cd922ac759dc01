"""`dialer top`: the situation of a running service, again and again."""

import contextlib
import itertools
import sys
from collections.abc import Callable, Iterator
from time import sleep

import rich_click as click
from rich.live import Live

from dialer.app.overview.live_overview import read_live_overview
from dialer.commands.open_service import open_service
from dialer.commands.output import print_json
from dialer.commands.tables import plain, terminal
from dialer.commands.top_document import Top, top_document
from dialer.commands.top_tables import top_tables


def top(interval_s: float, *, once: bool, as_json: bool) -> None:
    """Show the situation of a running service until Ctrl+C."""
    with open_service() as service:

        def read() -> Top:
            now_ms = service.now_ms()
            overview = service.database.read_now(lambda connection: read_live_overview(connection, now_ms))
            return top_document(overview, now_ms, service.settings.currency)

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
