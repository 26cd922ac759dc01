"""Benchmark of CDR exports as CSV and NDJSON over HTTP: `python -m benchmarks.exporting [--quick] [ROWS ...]`.

The reference is a bare loop over the rows of the same file, which formats equal lines and sends them nowhere. A hash
checks that the lines are equal.
"""

import csv
import hashlib
import http.client
import io
import json
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from benchmarks.fixture_database import AUTHORIZATION, create_database
from benchmarks.measure import MICROSECONDS, Figure, print_row, runs_of, sizes_of
from benchmarks.servers import DIALER, Server, running

SIZES: Final = {10_000: 5, 100_000: 5, 1_000_000: 1}
"""Rows of the table, and the number of exports."""
QUICK: Final = {1_000: 1}
RUNS: Final = 3
"""Number of exports of another number of rows."""
READ_BYTES: Final = 1_048_576
LINES_AT_ONCE: Final = 1_000
WANTED: Final = {"csv": 60_000, "ndjson": 120_000}
WANTED_AT: Final = "200,000"
FLAGS: Final = {"csv": ("false", "true"), "ndjson": (False, True)}
MEGABYTE: Final = 1_000_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_OF_OTHERS: Final = (
    "campaign_name",
    "contact_number",
    "contact_name",
    "disposition",
    "disposition_note",
    "disposition_word",
)
"""Fields that the server looks up elsewhere, and that are empty here."""
_NAMES: Final = (
    "id",
    "url",
    "callid",
    "callerid",
    "phone_number",
    "starting_date",
    "duration",
    "billsec",
    "call_cost",
    "billed_duration",
    "hangup_cause_q850",
    "leg_type",
    "amd_status",
    "callrequest",
    "campaign",
    "subscriber_id",
    "contact_id",
    "agent_id",
    "is_abandoned",
    "sound",
    "currency",
    "is_test",
    "tested_campaign_id",
    *_OF_OTHERS,
)
_QUERY: Final = """
SELECT id, callid, callerid, phone_number, starting_date, duration, billsec, call_cost, billed_duration,
    hangup_cause_q850, leg_type, amd_status, subscriber_id, contact_id, agent_id, is_abandoned
FROM cdr ORDER BY id
"""


class Export(NamedTuple):
    """Result and cost of one export."""

    sha256: str
    rows: int
    seconds: float
    cpu_s: float
    growth_bytes: int = 0

    @property
    def rate(self) -> float:
        """Rows a second."""
        return self.rows / self.seconds


def exported(server: Server, media: str) -> Export:
    """Export all records over HTTP, and record how much the server's memory grows."""
    digest, lines = hashlib.sha256(), 0
    before_bytes = most_bytes = server.memory_bytes()
    before_s, started_s = server.cpu_s(), time.perf_counter()
    with closing(http.client.HTTPConnection(*server.address)) as connection:
        connection.request("GET", f"/rest-api/cdr/?format={media}", headers={"Authorization": AUTHORIZATION})
        answer = connection.getresponse()
        while piece := answer.read(READ_BYTES):
            digest.update(piece)
            lines += piece.count(b"\n")
            most_bytes = max(most_bytes, server.memory_bytes())
    seconds = time.perf_counter() - started_s
    rows = lines - (media == "csv")
    return Export(digest.hexdigest(), rows, seconds, server.cpu_s() - before_s, most_bytes - before_bytes)


def bare(database: Path, media: str, base: str) -> Export:
    """Format equal lines in a bare loop over the rows."""
    digest, rows = hashlib.sha256(), 0
    before_s, started_s = time.process_time(), time.perf_counter()
    with closing(sqlite3.connect(database)) as connection:
        formatted = FORMATS[media]
        if media == "csv":
            digest.update(_csv([_NAMES]))
        cursor = connection.execute(_QUERY)
        while portion := cursor.fetchmany(LINES_AT_ONCE):
            digest.update(formatted(_cells(row, base, media) for row in portion))
            rows += len(portion)
    seconds = time.perf_counter() - started_s
    return Export(digest.hexdigest(), rows, seconds, time.process_time() - before_s)


def _cells(row: tuple[Any, ...], base: str, media: str) -> tuple[Any, ...]:
    (
        identity,
        callid,
        callerid,
        number,
        started_ms,
        duration,
        billsec,
        cost,
        billed,
        cause,
        leg,
        amd,
        subscriber,
        contact,
        agent,
        is_abandoned,
    ) = row
    started = (_EPOCH + timedelta(milliseconds=started_ms)).isoformat().removesuffix("+00:00") + "Z"
    money = f"{cost // 100_000}.{cost % 100_000:05d}"
    url = f"{base}/rest-api/cdr/{identity}/"
    head = (identity, url, callid, callerid, number, started, duration, billsec, money, billed, cause, leg, amd)
    tail = (None, None, subscriber, contact, agent, FLAGS[media][is_abandoned], None, "", FLAGS[media][False], None)
    return (*head, *tail, *[""] * len(_OF_OTHERS))


def _csv(rows: Any) -> bytes:  # noqa: ANN401 - any rows that the csv module accepts
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue().encode()


def _ndjson(rows: Iterator[tuple[Any, ...]]) -> bytes:
    return msgspec.json.Encoder().encode_lines([dict(zip(_NAMES, row, strict=True)) for row in rows])


FORMATS: Final[dict[str, Callable[[Iterator[tuple[Any, ...]]], bytes]]] = {"csv": _csv, "ndjson": _ndjson}


def measured(server: Server, media: str, rows: int, runs: int) -> tuple[list[Export], list[Export]]:
    """Return the exports of the server and of the bare loop, measured in turns."""
    base = "http://{}:{}".format(*server.address)
    _warm_up(server)
    ours, bares = [], []
    for _ in range(runs):
        ours.append(exported(server, media))
        bares.append(bare(server.database, media, base))
    if {(one.sha256, one.rows) for one in ours + bares} != {(ours[0].sha256, rows)}:
        raise RuntimeError(f"the {media} export of {rows} rows differs from the rows")
    return ours, bares


def _warm_up(server: Server) -> None:
    """Warm up the server: it verifies the password and reads some rows."""
    with closing(http.client.HTTPConnection(*server.address)) as connection:
        connection.request("GET", "/rest-api/cdr/?page_size=1000", headers={"Authorization": AUTHORIZATION})
        connection.getresponse().read()


def report(media: str, rows: int, ours: list[Export], bares: list[Export]) -> None:
    """Print one table row on standard error, and its figures as JSON on standard output."""
    rates, bare_rates = [one.rate for one in ours], [one.rate for one in bares]
    ratios = [one.rate / reference.rate for one, reference in zip(ours, bares, strict=True)]
    document = {
        "title": f"Export of {rows:,} call detail records as {media}",
        "rows_per_second": {"median": statistics.median(rates), "least": min(rates), "most": max(rates)},
        "wanted_rows_per_second": WANTED[media],
        "bare_loop_rows_per_second": statistics.median(bare_rates),
        "ratio": {"median": statistics.median(ratios), "least": min(ratios), "most": max(ratios)},
        "cpu_us_per_row": statistics.median(one.cpu_s / one.rows * MICROSECONDS for one in ours),
        "growth_megabytes": max(one.growth_bytes for one in ours) / MEGABYTE,
    }
    sys.stdout.write(json.dumps(document) + "\n")
    title, size = f"CDRs as {media.upper()} over HTTP", f"{rows:,}"
    cpu_ratio = statistics.median(bare.cpu_s / one.cpu_s for one, bare in zip(ours, bares, strict=True))
    print_row(Figure(title, size, "a bare loop that formats equal lines", cpu_ratio))
    print_row(Figure(title, size, "", statistics.median(rates), WANTED[media], "rows/s", wanted_at=WANTED_AT))
    sys.stderr.write(
        f"{document['title']}: {statistics.median(rates):,.0f} rows a second ({min(rates):,.0f} to {max(rates):,.0f});"
        f" {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) of a bare loop's"
        f" {statistics.median(bare_rates):,.0f}; {document['cpu_us_per_row']:.1f} µs of processor time a row;"
        f" memory grew by {document['growth_megabytes']:.0f} MB; goal {WANTED[media]:,}\n"
    )


def main() -> None:
    """Measure and print the results."""
    usual = QUICK if "--quick" in sys.argv else SIZES
    for rows in sizes_of(tuple(usual)):
        runs = runs_of(usual.get(rows, RUNS))
        with tempfile.TemporaryDirectory() as name:
            database = create_database(Path(name), cdrs=rows)
            with running(DIALER, database) as server:
                for media in FORMATS:
                    report(media, rows, *measured(server, media, rows, runs))


if __name__ == "__main__":
    main()
