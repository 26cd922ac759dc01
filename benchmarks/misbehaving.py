"""Benchmark of receivers that misbehave: `python -m benchmarks.misbehaving [--quick] [EVENTS A SECOND]`.

Two accounts have ten webhooks each, and nineteen of their programs misbehave: they never answer, fail, answer slowly,
redirect, or refuse connections. The lag of the good one is the time from the write of an event to its arrival.
"""

import json
import multiprocessing
import statistics
import sys
import tempfile
import time
from functools import partial
from multiprocessing.connection import Connection as Pipe
from typing import Final

import anyio
from anyio.abc import SocketAttribute, SocketStream
from sqlalchemy import Connection

from benchmarks.advance import add, new_database
from benchmarks.delivering import ANSWER, KEY, LAG_WANTED_MS, now_ms, receive
from benchmarks.measure import Figure, print_row, sizes_of
from dialer.api.actions.webhook_sender import encoded_event
from dialer.store.database.database import Database
from dialer.store.rows.account_events import event_row, write_events
from dialer.store.tables import User, Webhook
from dialer.store.tables.key_ring import RING, GivenKeys
from dialer.webhooks.addresses import AddressGuard
from dialer.webhooks.deliverer import Deliverer
from dialer.webhooks.posting import Poster
from dialer.webhooks.signing import new_secret

RATE: Final = 20
"""Events a second of each account."""
SECONDS: Final = 20
QUICK_S: Final = 2
ACCOUNTS: Final = 2
WEBHOOKS: Final = 10
REST_S: Final = 3
SLOW_S: Final = 8.0
FAILS: Final = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"
REDIRECTS: Final = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
NONSENSE: Final = b"220 mail.example ESMTP\r\n"
WAYS: Final = ("silent", "slow", "fails", "redirects", "nonsense", "closed")
"""The ways in which programs misbehave. Nobody listens at the port of those that are closed."""


def misbehave(pipe: Pipe) -> None:
    """Misbehave in each way on a port of its own, until told to end."""
    anyio.run(_misbehave, pipe)


async def _misbehave(pipe: Pipe) -> None:
    async def serve(way: str, stream: SocketStream) -> None:
        async with stream:
            while True:
                try:
                    await stream.receive()
                    if way in {"silent", "slow"}:
                        await anyio.sleep(SLOW_S if way == "slow" else float("inf"))
                    await stream.send({"fails": FAILS, "redirects": REDIRECTS, "nonsense": NONSENSE}.get(way, ANSWER))
                except (anyio.EndOfStream, anyio.BrokenResourceError):
                    return

    ports: dict[str, int] = {"closed": 1}
    async with anyio.create_task_group() as tasks:
        for way in WAYS[:-1]:
            listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
            ports[way] = listener.extra(SocketAttribute.local_port)  # noqa: S610 - not that of Django
            tasks.start_soon(listener.serve, partial(serve, way))
        pipe.send(ports)
        await anyio.to_thread.run_sync(pipe.recv)
        tasks.cancel_scope.cancel()


def main() -> None:
    """Measure and print the results."""
    (rate,) = sizes_of((RATE,))
    lags_ms = anyio.run(measure, rate)
    p99 = statistics.quantiles(lags_ms, n=100)[98]
    sys.stderr.write(
        f"{rate} events a second for each account, {ACCOUNTS * WEBHOOKS - 1} of whose programs misbehave: the lag of"
        f" the good one is {statistics.median(lags_ms):.0f} ms (p99 {p99:.0f} ms)\n"
    )
    print(json.dumps({"title": "misbehaving", "rate": rate, "p99_ms": p99}))
    size = f"{ACCOUNTS * WEBHOOKS - 1} of {ACCOUNTS * WEBHOOKS}"
    print_row(Figure("an event beside receivers that misbehave, p99", size, "", p99, LAG_WANTED_MS, "ms", at_most=True))


async def measure(rate: int) -> list[float]:
    """Return the lags of the events of the good receiver."""
    spawn = multiprocessing.get_context("spawn")
    (good, theirs), (bad, also_theirs) = multiprocessing.Pipe(), multiprocessing.Pipe()
    for work, pipe in ((receive, theirs), (misbehave, also_theirs)):
        spawn.Process(target=work, args=(pipe,), daemon=True).start()
    url = f"http://127.0.0.1:{await anyio.to_thread.run_sync(good.recv)}/events"
    ports = await anyio.to_thread.run_sync(bad.recv)
    with tempfile.TemporaryDirectory() as folder:
        RING.hold(GivenKeys(KEY))
        database = new_database(folder)
        users = database.write_now(partial(_furnish, url=url, ports=ports))
        written = await _deliver(database, users, rate)
        good.send("arrivals")
        arrivals = await anyio.to_thread.run_sync(good.recv)
        bad.send("end")
        database.close()
    return [(arrivals[event_id] - at_s) * 1_000 for event_id, at_s in written.items()]


def _furnish(connection: Connection, url: str, ports: dict[str, int]) -> list[int]:
    stamp = {"created_date": 0, "updated_date": 0}
    users = []
    for account in range(ACCOUNTS):
        user_id = add(connection, User, username=f"user{account}", password_hash="-", keeps_events=True)  # noqa: S106 - no password
        users.append(user_id)
        for place in range(WEBHOOKS):
            bad_url = f"http://127.0.0.1:{ports[WAYS[place % len(WAYS)]]}/events"
            is_good = (account, place) == (0, WEBHOOKS // 2)
            target = {"name": "CRM", "target_url": url if is_good else bad_url, "secret": new_secret()}
            add(connection, Webhook, user_id=user_id, base="http://x", **target, **stamp)
    return users


async def _deliver(database: Database, users: list[int], rate: int) -> dict[str, float]:
    """Write events for all accounts at a rate while they are delivered. Return the times of those of the first one."""
    poster = Poster(AddressGuard(("127.0.0.0/8",)), now_ms)
    deliverer = Deliverer(database, poster, encoded_event, now_ms=now_ms, event_ms=now_ms, chance=lambda: 1.0)
    written: dict[str, float] = {}
    began_s = time.time()
    async with deliverer.delivering():
        for place in range(rate * (QUICK_S if "--quick" in sys.argv else SECONDS)):
            await anyio.sleep(max(0.0, began_s + place / rate - time.time()))
            rows = [event_row(user_id, "call.ended", now_ms(), f"callrequest/{place}", 1) for user_id in users]
            at_s = time.time()
            await database.write(partial(write_events, rows=rows))
            written[f"evt_{place * len(users) + 1}"] = at_s
        await anyio.sleep(REST_S)
    return written


if __name__ == "__main__":
    main()
