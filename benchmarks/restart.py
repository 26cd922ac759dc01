"""Benchmark of a restart over a large database: `python -m benchmarks.restart [SUBSCRIBERS ...] [--once]`.

It measures real time from the start of the process to its first dial. The server before was killed with calls in
progress. Both servers run sixty times as fast as real time.
"""

import json
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, insert

from benchmarks.advance import DAY_MS, START_MS, add, new_database, survey
from benchmarks.measure import Figure, print_row, runs_of, sizes_of
from benchmarks.servers import cpu_s_of
from dialer.app.accounts.payments import record_payment
from dialer.app.campaigns.change import start_campaign
from dialer.app.work.unit import UnitOfWork
from dialer.store.rows.joining.contact_collection import collect_campaign
from dialer.store.tables import Campaign, CampaignPhonebook, Contact, Gateway, Phonebook, User

SIZES = (10_000, 100_000, 1_000_000)
CAMPAIGNS = 10
RUNS = 3
WANTED_S = 3
WANTED_AT = "200,000"
DIALS_BEFORE_KILL = 500
SHARE_UNTIL_KILL = 10
"""In a small database, no more than this part of its subscribers is dialled before the server is killed."""
POLLS_MAX = 30_000
POLL_S = 0.01
_COPIED = ("contact", "number", "zone", "full_name", "additional_vars", "created_date", "updated_date")


def add_started_campaigns(connection: Connection, subscribers: int) -> None:
    """Add started campaigns that share the subscribers."""
    user_id = add(connection, User, username="ann", password_hash="-", call_rate=2_000)  # noqa: S106 - nobody logs in
    unit = UnitOfWork(connection=connection, now_ms=START_MS)
    record_payment(unit, user_id, 10**12)
    survey_id, gateway_id = survey(connection, user_id), add(connection, Gateway, name="sim")
    for place in range(CAMPAIGNS):
        book_id = add(connection, Phonebook, user_id=user_id, name=f"phonebook {place}")
        _fill(connection, user_id, book_id, place, subscribers // CAMPAIGNS)
        campaign_id = add(
            connection,
            Campaign,
            user_id=user_id,
            campaign_code=f"bench{place}",
            name="bench",
            startingdate=START_MS,
            expirationdate=START_MS + DAY_MS,
            frequency=60,
            maxretry=2,
            intervalretry=600,
            aleg_gateway_id=gateway_id,
            object_id=survey_id,
        )
        add(connection, CampaignPhonebook, campaign_id=campaign_id, phonebook_id=book_id)
        start_campaign(unit, campaign_id)
        while not collect_campaign(connection, campaign_id, START_MS):
            pass


def _fill(connection: Connection, user_id: int, book_id: int, place: int, people: int) -> None:
    rows = [
        (f"+1202{place}{one:06d}", f"+1202{place}{one:06d}", "America/New_York", "Ann Other", "{}", START_MS, START_MS)
        for one in range(people)
    ]
    values = [{"phonebook_id": book_id, "user_id": user_id, **dict(zip(_COPIED, row, strict=True))} for row in rows]
    connection.execute(insert(Contact), values)


def age(path: Path) -> None:
    """Complete half of the subscribers, and give a tenth of them a retry."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE subscriber SET status = 5 WHERE id % 2 = 0")
        connection.execute("UPDATE subscriber SET due_ms = ? WHERE id % 10 = 1", (START_MS + 60_000,))
        connection.commit()


def dials(path: Path) -> int:
    """Return the number of committed dials."""
    with closing(sqlite3.connect(path, timeout=60)) as connection:
        return int(connection.execute("SELECT coalesce(max(id), 0) FROM callrequest").fetchone()[0])


def first_dial(folder: Path, dials_until_kill: int) -> dict[str, float]:
    """Start the server, wait for its first dial and for more, and kill it. Return the seconds that each took."""
    path = folder / "dialer.db"
    before = dials(path)
    environ = {**os.environ, "DIALER_CLOCK": "x60", "DIALER_CLOCK_START": "2026-03-02T09:00:00Z"}
    command = [str(Path(sys.executable).with_name("dialer")), "serve", "--port", "0"]
    began_s = time.perf_counter()
    with subprocess.Popen(  # noqa: S603 - our own program
        command, cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            dialled_s = _wait_for(path, before + 1) - began_s
            cpu_s = cpu_s_of(process.pid)
            _wait_for(path, before + dials_until_kill)
        finally:
            process.send_signal(signal.SIGKILL)
        lines = (process.stderr or sys.stdin).read().splitlines()
    start = next(json.loads(line) for line in lines if "dialling_taken_up" in line)
    return {
        "first_dial_s": round(dialled_s, 2),
        "of_it_cpu_s": cpu_s,
        "taking_up_s": start["took_ms"] / 1_000,
        "calls_taken_up": start["calls"],
    }


def _wait_for(path: Path, wanted: int) -> float:
    for _ in range(POLLS_MAX):
        if dials(path) >= wanted:
            return time.perf_counter()
        time.sleep(POLL_S)
    raise TimeoutError


def main() -> None:
    """Measure and print the results."""
    for subscribers in sizes_of(SIZES):
        measure(subscribers)


def measure(subscribers: int) -> None:
    """Measure several starts of the server over this many subscribers."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        database = new_database(name)
        database.write_now(lambda connection: add_started_campaigns(connection, subscribers))
        database.close()
        age(folder / "dialer.db")
        dials_until_kill = min(DIALS_BEFORE_KILL, subscribers // SHARE_UNTIL_KILL)
        runs = [first_dial(folder, dials_until_kill) for _ in range(1 + runs_of(RUNS))][1:]
        for run in runs:
            print(json.dumps({"subscribers": subscribers, **run}))
        seconds = statistics.median(run["first_dial_s"] for run in runs)
        title, size = "First dial after a server was killed", f"{subscribers:,}"
        print_row(Figure(title, size, "", seconds, WANTED_S, "s", at_most=True, wanted_at=WANTED_AT))


if __name__ == "__main__":
    main()
