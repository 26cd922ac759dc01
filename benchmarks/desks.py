"""Benchmark of desks and boards of call centres: `python -m benchmarks.desks [AGENTS] [--quick]`.

All agents have their desks open, and there is a board for every ten of them. Simulated callees are called, and the
agents hold, resume and hang up calls, type and save outcomes, one order every five seconds each. The benchmark measures
the server's processor time for a second of a desk, and the time until an order is answered. A second part counts the
statements and the calls of Python functions of a desk that is drawn anew, in this process.
"""

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import anyio
from litestar import Litestar

from benchmarks.campaigning import start
from benchmarks.counted_functions import counted_functions
from benchmarks.counted_statements import counted_statements
from benchmarks.desk_centre import ACCOUNTS, Centre, Seat, furnish
from benchmarks.desk_clients import Agents, Streams
from benchmarks.live import p99
from benchmarks.measure import Figure, print_row, sizes_of
from benchmarks.servers import DIALER, Server, running
from dialer.api.app import create_app
from dialer.console.app import Console
from dialer.runtime.steps.clock import RealClock
from dialer.runtime.steps.worker import Worker
from dialer.settings import Settings
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import Database

AGENTS: Final = 100
AGENTS_OF_A_BOARD: Final = 10
HISTORY: Final = 200
"""Earlier calls of each agent."""
WARM_UP_S: Final = 15.0
MEASURE_S: Final = 30.0
QUICK_S: Final = 4.0
WANTED_MS: Final = 150.0
COUNTED: Final = 10
"""Desks that are drawn to count the work for one."""
DESK: Final = "desk/live/"
BOARD: Final = "board/live/"


def measured(server: Server, centre: Centre, warm_up_s: float, measure_s: float) -> dict[str, float]:
    """Measure the server while all desks and boards are open and the agents work."""
    boards = max(ACCOUNTS, len(centre.agents) // AGENTS_OF_A_BOARD)
    viewers = [centre.supervisors[place % ACCOUNTS] for place in range(boards)]
    pages = [(DESK, seat) for seat in centre.agents] + [(BOARD, seat) for seat in viewers]
    streams = Streams()
    agents = Agents(server.address, centre.agents, streams)
    with streams.opened(server.address, pages), agents.working():
        time.sleep(warm_up_s)
        agents.orders_s.clear()
        agents.desks_s.clear()
        began_s, used_s, events, received = time.perf_counter(), server.cpu_s(), streams.events, streams.received
        time.sleep(measure_s)
        used_s, took_s = server.cpu_s() - used_s, time.perf_counter() - began_s
        events, received, orders_s = streams.events - events, streams.received - received, list(agents.orders_s)
        desks_s = list(agents.desks_s)
    if not desks_s:
        sys.exit("no agent gave an order")
    if agents.refused:
        sys.stderr.write(f"  refused orders: {agents.refused[:10]}\n")
    return {
        "share of a processor": used_s / took_s,
        "processor ms a desk and second": used_s / took_s / len(centre.agents) * 1_000,
        "events a second": events / took_s,
        "bytes a desk and second": received / took_s / len(pages),
        "orders a second": len(orders_s) / took_s,
        "order, median ms": statistics.median(orders_s) * 1_000,
        "order, p99 ms": p99(orders_s) * 1_000,
        "order, most ms": max(orders_s) * 1_000,
        "order and desk, p99 ms": p99(desks_s) * 1_000,
    }


def counted(centre: Centre) -> dict[str, float]:
    """Return the statements and the calls of Python functions of a desk that is drawn anew, in this process."""
    with closing(Database(f"sqlite+aiosqlite:///{centre.database}")) as database:
        worker = Worker(database, RealClock(), seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
        app = create_app(Settings(), database=database, worker=worker, console=Console(database))
        desks = {"desk": centre.agents[-COUNTED:], "board": centre.supervisors}
        return {name: value for page, seats in desks.items() for name, value in _counted(app, page, seats).items()}


def _counted(app: Litestar, page: str, seats: Sequence[Seat]) -> dict[str, float]:
    anyio.run(drawn, app, page, seats[:1])  # Patterns and templates are compiled at their first use.
    rounds = [_round(app, page, seats) for _ in range(2)]
    # Once in a while a session says that it is in use, which is no cost of the page.
    return min(rounds, key=lambda cost: tuple(cost.values()))


def _round(app: Litestar, page: str, seats: Sequence[Seat]) -> dict[str, float]:
    time.sleep(1.0)  # A part that was just made is not made anew.
    with counted_statements() as statements, counted_functions() as functions:
        anyio.run(drawn, app, page, seats)
    return {
        f"statements of a {page}": len(statements) / len(seats),
        f"Python calls of a {page}": functions["call"] / len(seats),
    }


async def drawn(app: Litestar, page: str, seats: Sequence[Seat]) -> None:
    """Ask the application for the live part of each of some users, as a server does."""
    for seat in seats:
        answers: list[Any] = []

        async def receive() -> Any:  # noqa: ANN401 - a message of the protocol
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any, to: list[Any] = answers) -> None:  # noqa: ANN401 - a message of the protocol
            to.append(message)

        await app(_scope(f"/console/{page}/live/", seat), receive, send)
        if answers[0]["status"] != 200:  # noqa: PLR2004 - HTTP
            raise RuntimeError(f"{page} answered {answers[0]['status']}")


def _scope(path: str, seat: Seat) -> Any:  # noqa: ANN401 - the ASGI scope of a request
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "server": ("127.0.0.1", 8000),
        "client": ("127.0.0.1", 50000),
        "scheme": "http",
        "method": "GET",
        "root_path": "",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1:8000"), (b"cookie", seat.cookie.encode())],
        "state": {},
    }


def main() -> None:
    """Measure and print the results."""
    is_quick = "--quick" in sys.argv
    for agents in sizes_of((AGENTS,)):
        with tempfile.TemporaryDirectory() as folder:
            centre = furnish(Path(folder), agents, HISTORY)
            with running(DIALER, centre.database) as server:
                for campaign_id in centre.campaigns:
                    start(server, campaign_id)
                found = measured(server, centre, *((2 * QUICK_S, QUICK_S) if is_quick else (WARM_UP_S, MEASURE_S)))
            found |= counted(centre)
        report(f"{agents:,} desks", found)


def report(size: str, found: dict[str, float]) -> None:
    """Print the figures on standard error, and as JSON and rows on standard output."""
    sys.stderr.write(f"{size}\n" + "".join(f"  {name:<32} {value:>10,.2f}\n" for name, value in found.items()))
    print(json.dumps({"title": "desks", "size": size, **found}))
    share, order = found["share of a processor"], found["order, p99 ms"]
    print_row(Figure("Desks and boards: processor", size, "", share, at_most=True))
    print_row(Figure("A second of a desk: processor", size, "", found["processor ms a desk and second"], unit="ms"))
    wanted = Figure("An order at a desk: p99", size, "", order, WANTED_MS, "ms", at_most=True)
    print_row(wanted._replace(wanted_at=f"{AGENTS:,} desks"))
    for name in ("statements of a desk", "Python calls of a desk", "statements of a board", "Python calls of a board"):
        unit, _, part = name.partition(" of ")
        print_row(Figure(f"The live part of {part}", size, "", found[name], unit=unit))


if __name__ == "__main__":
    main()
