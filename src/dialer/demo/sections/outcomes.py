"""The outcomes of the calls: a row for each."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

import msgspec
from rich.console import Console

from dialer.demo.checks import Checks
from dialer.demo.display import bar, heading, indented, share, table
from dialer.demo.evidence import Evidence
from dialer.domain.words.enums import AmdStatus, Cause

_ENDINGS: Final[Mapping[Cause, str]] = {
    Cause.NO_ANSWER: "nobody answered",
    Cause.USER_BUSY: "busy",
    Cause.CALL_REJECTED: "rejected",
    Cause.UNALLOCATED_NUMBER: "no such number",
    Cause.NO_CIRCUIT: "no free circuit",
}
_ANSWERERS: Final[Mapping[AmdStatus, str]] = {
    AmdStatus.PERSON: "a person answered",
    AmdStatus.MACHINE: "an answering machine",
}


class OutcomeRow(msgspec.Struct, frozen=True):
    """An outcome, and the number of calls that had it."""

    name: str
    cause: Cause
    calls: int


def figures(evidence: Evidence, checks: Checks) -> list[OutcomeRow]:
    """Return the outcomes that occurred: every Q.850 cause, with answered calls split by person and machine."""
    checks.same("calls", evidence.campaign["calls"], len(evidence.cdrs))
    checks.same("answered", evidence.campaign["answered"], sum(cdr.is_answered for cdr in evidence.cdrs))
    outcomes = [*_answered(evidence, checks), *_unanswered(evidence, checks)]
    return [outcome for outcome in outcomes if outcome.calls]


def _answered(evidence: Evidence, checks: Checks) -> list[OutcomeRow]:
    counts = Counter(cdr.amd_status for cdr in evidence.cdrs if cdr.is_answered)
    cause = Cause.NORMAL_CLEARING
    campaign_id = evidence.prepared.campaign_id
    return [
        OutcomeRow(
            name,
            cause,
            checks.same(
                name,
                evidence.api.count(
                    "cdr", campaign_id=campaign_id, hangup_cause_q850=int(cause), amd_status=int(status)
                ),
                counts[status],
            ),
        )
        for status, name in _ANSWERERS.items()
    ]


def _unanswered(evidence: Evidence, checks: Checks) -> list[OutcomeRow]:
    counts = Counter(cdr.hangup_cause_q850 for cdr in evidence.cdrs)
    campaign_id = evidence.prepared.campaign_id
    others = {cause: cause.name.lower().replace("_", " ") for cause in Cause}
    names = {**_ENDINGS, **{cause: name for cause, name in others.items() if cause not in _ENDINGS}}
    del names[Cause.NORMAL_CLEARING]
    return [
        OutcomeRow(
            name,
            cause,
            checks.same(
                name,
                evidence.api.count("cdr", campaign_id=campaign_id, hangup_cause_q850=int(cause)),
                counts[cause],
            ),
        )
        for cause, name in names.items()
    ]


def show(console: Console, outcomes: list[OutcomeRow]) -> None:
    """Print a row with a bar for each outcome."""
    calls = sum(outcome.calls for outcome in outcomes)
    most = max(outcome.calls for outcome in outcomes)
    heading(console, f"Outcomes of {calls:,} calls", "by Q.850 cause, and by answering-machine detection")
    rows = [
        (
            outcome.name,
            str(int(outcome.cause)),
            f"{outcome.calls:,}",
            share(outcome.calls, calls),
            bar(outcome.calls, most, style="green" if outcome.cause is Cause.NORMAL_CLEARING else "yellow"),
        )
        for outcome in outcomes
    ]
    indented(console, table(["", "Q.850", "calls", "", ""], rows, left=(0, 4)))
