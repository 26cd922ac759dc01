"""Benchmark of webhooks: `python -m benchmarks.delivering [--quick] [EVENTS A SECOND ...]`.

One account has one receiver, which is a process of its own. Events are written at a rate for some seconds, as a
dialling worker does, 50 in a commit. The lag of an event is the time from the write to the arrival. The reference of
the processor time is a bare loop that signs equal bodies and posts them over as many connections.
"""

import json
import multiprocessing
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime
from functools import partial
from multiprocessing.connection import Connection as Pipe
from typing import Final

import anyio
from aiohttp import ClientSession, DummyCookieJar, TCPConnector
from anyio.abc import SocketAttribute, SocketStream
from sqlalchemy import Connection, select

from benchmarks.advance import add, new_database
from benchmarks.measure import Figure, print_row, sizes_of
from dialer.api.actions.webhook_sender import encoded_event
from dialer.store.database.database import Database
from dialer.store.rows.account_events import CURRENCY_OF_EVENT, event_row, write_events
from dialer.store.tables import AccountEvent, User, Webhook
from dialer.store.tables.key_ring import RING, GivenKeys
from dialer.webhooks.addresses import AddressGuard
from dialer.webhooks.deliverer import AT_ONCE_QUICK, Deliverer
from dialer.webhooks.posting import Poster
from dialer.webhooks.signing import new_secret, signed_headers

RATES: Final = (100, 1_000)
SECONDS: Final = 10
QUICK_S: Final = 1
TOGETHER: Final = 50
LAG_WANTED_MS: Final = 1_000
ANSWER: Final = b"HTTP/1.1 204 No Content\r\n\r\n"
KEY: Final = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="


def receive(pipe: Pipe) -> None:
    """Answer every event, and send the arrivals by event when asked."""
    anyio.run(_receive, pipe)


async def _receive(pipe: Pipe) -> None:
    arrivals: dict[str, float] = {}

    async def serve(stream: SocketStream) -> None:
        buffer = b""
        async with stream:
            while True:
                head, found, rest = buffer.partition(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0) if found else 0
                if not found or len(rest) < length:
                    try:
                        buffer += await stream.receive()
                    except (anyio.EndOfStream, anyio.BrokenResourceError):
                        return
                    continue
                arrivals[head.partition(b"webhook-id: ")[2].partition(b"\r\n")[0].decode()] = time.time()
                buffer = rest[length:]
                await stream.send(ANSWER)

    server = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with server, anyio.create_task_group() as tasks:
        pipe.send(server.extra(SocketAttribute.local_port))  # noqa: S610 - not that of Django
        tasks.start_soon(server.serve, serve)
        await anyio.to_thread.run_sync(pipe.recv)
        pipe.send(arrivals)
        tasks.cancel_scope.cancel()


def main() -> None:
    """Measure each rate, and print a table."""
    for rate in sizes_of(RATES):
        lags_ms, cost_us, bare_us = anyio.run(measure, rate)
        p99 = statistics.quantiles(lags_ms, n=100)[98]
        sys.stderr.write(
            f"  {rate:>6} events a second: lag {statistics.median(lags_ms):.0f} ms (p99 {p99:.0f} ms), {cost_us:.0f} µs"
            f" of processor time an event; the bare loop {bare_us:.0f} µs\n"
        )
        size = f"{rate}/s"
        print_row(Figure("an event to a webhook, p99 of its lag", size, "", p99, LAG_WANTED_MS, "ms", at_most=True))
        reference = "a bare loop that posts"
        print_row(Figure("an event to a webhook, processor time", size, reference, cost_us / bare_us))
        sys.stdout.write(json.dumps({"rate": rate, "p99_ms": p99, "cost_us": cost_us, "bare_us": bare_us}) + "\n")


async def measure(rate: int) -> tuple[list[float], float, float]:
    """Return the lags, and the processor time of an event: delivered, and posted by a bare loop."""
    own, theirs = multiprocessing.Pipe()
    receiver = multiprocessing.get_context("spawn").Process(target=receive, args=(theirs,), daemon=True)
    receiver.start()
    url = f"http://127.0.0.1:{await anyio.to_thread.run_sync(own.recv)}/events"
    with tempfile.TemporaryDirectory() as folder:
        RING.hold(GivenKeys(KEY))
        database = new_database(folder)
        user_id = database.write_now(partial(_furnish, url=url))
        written, cost_us = await _deliver(database, user_id, rate)
        own.send("arrivals")
        arrivals = await anyio.to_thread.run_sync(own.recv)
        bare_us = await _bare(database, user_id, rate)
        database.close()
    receiver.join()
    return [(arrivals[event_id] - at_s) * 1_000 for event_id, at_s in written.items()], cost_us, bare_us


def _furnish(connection: Connection, url: str) -> int:
    user_id = add(connection, User, username="ann", password_hash="-", keeps_events=True)  # noqa: S106 - no password
    stamp = {"created_date": 0, "updated_date": 0}
    add(connection, Webhook, user_id=user_id, name="CRM", target_url=url, secret=new_secret(), base="http://x", **stamp)
    return user_id


def now_ms() -> int:
    """Return the time of the machine's clock."""
    return time.time_ns() // 1_000_000


async def _deliver(database: Database, user_id: int, rate: int) -> tuple[dict[str, float], float]:
    guard = AddressGuard(("127.0.0.0/8",))
    deliverer = Deliverer(
        database,
        Poster(guard, now_ms),
        encoded_event,
        now_ms=now_ms,
        event_ms=now_ms,
        chance=lambda: 1.0,
    )
    written: dict[str, float] = {}
    seconds = QUICK_S if "--quick" in sys.argv else SECONDS
    began_s, cpu_s = time.time(), time.process_time()
    async with deliverer.delivering():
        for place in range(max(1, rate * seconds // TOGETHER)):
            await anyio.sleep(max(0.0, began_s + place * TOGETHER / rate - time.time()))
            rows = [
                event_row(user_id, "call.ended", now_ms(), f"callrequest/{place * TOGETHER + one}", 1, call=one, cost=7)
                for one in range(TOGETHER)
            ]
            at_s = time.time()
            await database.write(partial(write_events, rows=rows))
            written |= {f"evt_{place * TOGETHER + one + 1}": at_s for one in range(TOGETHER)}
        while not await database.read(_is_done):  # noqa: ASYNC110 - another task delivers
            await anyio.sleep(0.05)
        cost_s = time.process_time() - cpu_s
    return written, 1_000_000 * cost_s / len(written)


def _is_done(connection: Connection) -> bool:
    done, last = connection.exec_driver_sql(
        "SELECT (SELECT min(after_event_id) FROM webhook), (SELECT max(id) FROM account_event)"
    ).one()
    return bool(done == last)


async def _bare(database: Database, user_id: int, rate: int) -> float:
    """Return the processor time of an equal event that is signed and posted, and nothing else, in microseconds."""
    events = select(AccountEvent.__table__, CURRENCY_OF_EVENT).where(AccountEvent.user_id == user_id)
    rows = database.read_now(lambda connection: connection.execute(events.limit(min(rate, 1_000))).all())
    own, theirs = multiprocessing.Pipe()
    receiver = multiprocessing.get_context("spawn").Process(target=receive, args=(theirs,), daemon=True)
    receiver.start()
    url = f"http://127.0.0.1:{await anyio.to_thread.run_sync(own.recv)}/events"
    secret, limiter = new_secret(), anyio.CapacityLimiter(AT_ONCE_QUICK)
    async with ClientSession(connector=TCPConnector(limit=AT_ONCE_QUICK), cookie_jar=DummyCookieJar()) as session:

        async def post(row: object) -> None:
            async with limiter:
                body = encoded_event(row, "http://x")
                headers = signed_headers([secret], "evt_1", body, datetime.now(UTC))
                async with session.post(url, headers=headers, data=body.encode()) as answer:
                    await answer.read()

        cpu_s = time.process_time()
        async with anyio.create_task_group() as tasks:
            for row in rows:
                tasks.start_soon(post, row)
        cost_s = time.process_time() - cpu_s
    own.send("arrivals")
    await anyio.to_thread.run_sync(own.recv)
    receiver.join()
    return 1_000_000 * cost_s / len(rows)


if __name__ == "__main__":
    main()
