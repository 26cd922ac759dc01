"""Benchmark of the statistics of a campaign over HTTP: `python -m benchmarks.counting [--quick] [CDRS ...]`.

It measures the time of an answer for a campaign with many CDRs, and compares it with one of a thousandth of them. The
calls of both spread over the same hours, zones, gateways, agents and causes, because the cost depends on these.
"""

import http.client
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.advance import START_MS
from benchmarks.campaigning import ready
from benchmarks.fixture_database import AUTHORIZATION, PORTION, create_database
from benchmarks.measure import Figure, print_row, runs_of, sizes_of
from benchmarks.servers import DIALER, running
from dialer.domain.words.enums import AmdStatus, Cause, LegType
from dialer.store.database.database import Database
from dialer.store.journal.call_counters import CallCounts
from dialer.store.journal.rows import CdrRow
from dialer.store.journal.statements import INSERT_CDRS

CDRS: Final = 1_000_000
QUICK: Final = 50_000
SMALLER: Final = 1_000
"""Ratio of the CDRs of the large campaign to those of the small one."""
SMALL_MIN: Final = 100
"""CDRs of the small campaign at least, so that there are some in each of its hours."""
HOURS: Final = 72
REPEATS: Final = 51
WANTED_AT: Final = "200,000"
LIMIT_MS: Final = 5
QUESTIONS: Final = (
    "",
    "?interval=day",
    "?interval=hour",
    "?group_by=agent",
    "?group_by=zone&interval=day",
    "?group_by=attempt&interval=hour",
    "?starting_date_after=2026-03-03T00:00:00Z",
)
ZONES: Final = tuple(
    f"America/{city}"
    for city in ("New_York", "Chicago", "Denver", "Los_Angeles", "Phoenix", "Anchorage", "Halifax", "Toronto")
)
CAUSES: Final = (Cause.NORMAL_CLEARING, Cause.NO_ANSWER, Cause.USER_BUSY, Cause.CALL_REJECTED)
AGENTS: Final = 20


class Timing(NamedTuple):
    """The median times of one question for both campaigns, in milliseconds over HTTP."""

    question: str
    small_ms: float
    large_ms: float
    slowest_ms: float
    """Slowest answer for the large campaign."""


def small_of(cdrs: int) -> int:
    """Return the CDRs of the small campaign beside a large one."""
    return max(SMALL_MIN, cdrs // SMALLER)


def _cdr(number: int, campaign_id: int, place: int, of: int) -> CdrRow:
    """Return a CDR of a campaign with `of` of them, spread evenly over the hours."""
    cause = CAUSES[place % len(CAUSES)]
    billsec = 20 + place % 90 if cause is Cause.NORMAL_CLEARING else 0
    return CdrRow(
        id=number,
        user_id=1,
        callid=f"00000000-0000-4000-8000-{number:012d}",
        callerid="+12025550199",
        phone_number=f"+1202{place % 10_000_000:07d}",
        starting_date=START_MS + place * HOURS * 3_600_000 // of,
        duration=billsec + 9,
        billsec=billsec,
        call_cost=billsec and 2_000,
        billed_duration=billsec,
        call_rate=2_000,
        connection_fee=0,
        first_increment=60,
        next_increment=60,
        hangup_cause_q850=cause,
        leg_type=LegType.A_LEG,
        amd_status=AmdStatus.PERSON,
        callrequest_id=None,
        campaign_id=campaign_id,
        subscriber_id=place + 1,
        contact_id=None,
        gateway_id=1 + place % 3,
        attempt=1 + place % 3,
        zone=ZONES[place % len(ZONES)],
        is_test=0,
        consent_id=None,
        phonebook_id=1 + place % 5,
        agent_id=place % AGENTS + 1 if billsec else 0,
        post_dial_ms=900 + place % 500,
        is_for_agents=1,
        is_abandoned=0,
        is_completed=billsec > 60,  # noqa: PLR2004 - long calls
        sound=None,
    )


def _fill(path: Path, first_number: int, campaign_id: int, cdrs: int) -> None:
    """Add CDRs to a campaign, and count them as the journal does."""
    database = Database(f"sqlite+aiosqlite:///{path}")
    for first in range(0, cdrs, PORTION):
        counts, rows = CallCounts(), []
        for place in range(first, min(cdrs, first + PORTION)):
            row = _cdr(first_number + place, campaign_id, place, cdrs)
            counts.cdr(row)
            rows.append(row)
        database.write_now(lambda connection, rows=rows: INSERT_CDRS.run(connection, rows))  # type: ignore[misc]
        database.write_now(counts.write)
    database.close()


def timings(cdrs: int) -> Iterator[Timing]:
    """Yield the times of each question."""
    end = datetime.fromtimestamp(START_MS / 1_000 + HOURS * 3_600, UTC).isoformat()
    with tempfile.TemporaryDirectory() as folder:
        path = create_database(Path(folder))
        small, large = ready(path, START_MS), ready(path, START_MS, campaign_code="large", name="large")
        _fill(path, 1, small, small_of(cdrs))
        _fill(path, cdrs, large, cdrs)
        with (
            running(DIALER, path, clock="virtual", clock_start=end) as server,
            closing(http.client.HTTPConnection(*server.address)) as connection,
        ):
            _answer(connection, small, "")  # The password is verified, and the connection is open.
            for question in QUESTIONS:
                pairs = [
                    (_answer(connection, small, question), _answer(connection, large, question))
                    for _ in range(runs_of(REPEATS))
                ]
                of_small, of_large = zip(*pairs, strict=True)
                yield Timing(question, statistics.median(of_small), statistics.median(of_large), max(of_large))


def _answer(connection: http.client.HTTPConnection, campaign_id: int, question: str) -> float:
    """Return the milliseconds of an answer."""
    target = f"/rest-api/campaigns/{campaign_id}/statistics/{question}"
    began_s = time.perf_counter()
    connection.request("GET", target, headers={"Authorization": AUTHORIZATION})
    response = connection.getresponse()
    text = response.read()
    seconds = time.perf_counter() - began_s
    if response.status != http.HTTPStatus.OK or not json.loads(text)["totals"]["calls"]:
        raise RuntimeError(f"GET {target} was answered {response.status}: {text.decode()[:1_000]}")
    return seconds * 1_000


def main() -> None:
    """Measure and print the results: a table on standard error, JSON on standard output."""
    for cdrs in sizes_of((QUICK if "--quick" in sys.argv else CDRS,)):
        measure(cdrs)


def measure(cdrs: int) -> None:
    """Measure a campaign with this many CDRs beside a small one."""
    found = []
    title = f"Statistics of a campaign with {small_of(cdrs):,} and with {cdrs:,} CDRs, milliseconds over HTTP"
    print(f"\n{title} (median, slowest)", file=sys.stderr)
    for timing in timings(cdrs):
        verdict = "" if timing.large_ms <= LIMIT_MS else f"  over {LIMIT_MS} ms"
        line = f"  {timing.small_ms:7.1f} {timing.large_ms:7.1f} {timing.slowest_ms:7.1f}  {timing.question}{verdict}"
        print(line, file=sys.stderr)
        found.append(timing._asdict())
        if not timing.question:
            row = Figure("Statistics of a campaign over HTTP", f"{cdrs:,}", "", timing.large_ms, LIMIT_MS, "ms")
            print_row(row._replace(at_most=True, wanted_at=WANTED_AT))
    print(json.dumps({"cdrs": cdrs, "statistics": found}))


if __name__ == "__main__":
    main()
