"""The attempts: how many calls each took, and how many of them were answered."""

from collections import defaultdict

import msgspec
from rich.console import Console

from dialer.demo.checks import Checks
from dialer.demo.display import bar, heading, indented, share, table
from dialer.demo.evidence import CdrRecord, Evidence, moment
from dialer.domain.words.enums import CallRequestStatus


class Round(msgspec.Struct, frozen=True):
    """All calls that were the same attempt, such as the second, to their callees."""

    attempt: int
    calls: int
    answered: int


def figures(evidence: Evidence, checks: Checks) -> list[Round]:
    """Return the rounds of calls. The records number the calls to each subscriber by their time."""
    rounds = _rounds(evidence)
    campaign_id = evidence.prepared.campaign_id
    attempted = sum(subscriber.count_attempt for subscriber in evidence.subscribers)
    checks.same("attempts of all subscribers", attempted, len(evidence.cdrs))
    return [
        Round(
            attempt,
            checks.same(
                f"calls of attempt {attempt}",
                evidence.api.count("callrequest", campaign_id=campaign_id, attempt=attempt),
                len(cdrs),
            ),
            checks.same(
                f"answered at attempt {attempt}",
                evidence.api.count(
                    "callrequest",
                    campaign_id=campaign_id,
                    attempt=attempt,
                    status=int(CallRequestStatus.SUCCESS),
                ),
                sum(cdr.is_answered for cdr in cdrs),
            ),
        )
        for attempt, cdrs in enumerate(rounds, 1)
    ]


def _rounds(evidence: Evidence) -> list[list[CdrRecord]]:
    by_subscriber: defaultdict[int, list[CdrRecord]] = defaultdict(list)
    for cdr in sorted(evidence.cdrs, key=lambda cdr: moment(cdr.starting_date)):
        by_subscriber[cdr.subscriber_id].append(cdr)
    most = max(map(len, by_subscriber.values()), default=0)
    return [[cdrs[place] for cdrs in by_subscriber.values() if len(cdrs) > place] for place in range(most)]


def show(console: Console, rounds: list[Round]) -> None:
    """Print a row for each attempt, with a bar for its calls."""
    heading(console, "Attempts", "retries when nobody answered, and when the survey was not completed")
    most = max(round_.calls for round_ in rounds)
    rows = [
        (
            str(round_.attempt),
            f"{round_.calls:,}",
            f"{round_.answered:,}",
            share(round_.answered, round_.calls),
            bar(round_.calls, most),
        )
        for round_ in rounds
    ]
    indented(console, table(["attempt", "calls", "answered", "", ""], rows, left=(4,)))
