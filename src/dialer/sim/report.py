"""Report of a simulation, as figures and as text."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Annotated, Final

import msgspec

from dialer.domain.billing.money import format_money
from dialer.domain.engine.call_results import result_of
from dialer.domain.figures.digest import cdr_digest
from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.domain.survey.survey import Survey
from dialer.domain.words.described import described
from dialer.domain.words.enums import AmdStatus, Cause, LegType
from dialer.sim.call_centre import CallCentre, call_centre_of, render_call_centre
from dialer.sim.simulation import CAMPAIGN_ID, USER_ID, Simulation
from dialer.sim.simulation_store import SimulatedCdr, SimulationStore

ANSWERS_SHOWN_MAX: Final = 12
"""Limit of different answers to one section that the text lists. The remaining answers are summed up."""
BAR_WIDTH: Final = 30
SECONDS_KEPT: Final = 128
"""Number of seconds whose text is kept."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class ReportRow(msgspec.Struct, frozen=True):
    """Name and the number of times it occurred."""

    name: Annotated[str, described("The reason or the answer that is counted.", "completed")]
    count: Annotated[int, described("The number of times it occurred.", 18)]


class SectionAnswers(msgspec.Struct, frozen=True):
    """Answers to one section, most frequent first."""

    section_id: int
    question: str
    answers: tuple[ReportRow, ...]


class Report(msgspec.Struct, frozen=True):
    """Figures of a simulation, with dates as the API writes them and money as decimal text."""

    seed: int
    start_date: str
    stop_date: str
    stop_reason: str
    """`completed`, `expired` or `no_credit`."""
    subscribers: int
    calls: int
    repeated_calls: int
    """Calls after the first to a subscriber."""
    calls_in_progress_peak: int
    outcomes: tuple[ReportRow, ...]
    """Calls by Q.850 cause."""
    results: tuple[ReportRow, ...]
    """Calls by who answered: a person, an answering machine, or nobody and why."""
    amd: tuple[ReportRow, ...]
    """Answered calls by result of answering-machine detection."""
    states: tuple[ReportRow, ...]
    """Subscribers by status and reason."""
    attempts: tuple[ReportRow, ...]
    """Subscribers by number of calls to them."""
    not_dialled: tuple[ReportRow, ...]
    """Subscribers never called, by reason."""
    sections: tuple[SectionAnswers, ...]
    transfers: tuple[ReportRow, ...]
    """Transfers: `connected`, or the reason why not."""
    call_centre: CallCentre | None
    """Figures of agents and queues; None if the scenario has none."""
    billed_duration: int
    call_rate: str
    cost: str
    balance_before: str
    balance_after: str
    digest: str
    rate_card: int = 0
    """Number of prefixes with rates of their own, which replace `call_rate`."""


def report_of(simulation: Simulation) -> Report:
    """Return the report of a finished simulation."""
    store = simulation.store
    closing = store.closings[CAMPAIGN_ID]
    called = sum(1 for subscriber in simulation.subscribers if subscriber.attempts)
    cost = store.spent[USER_ID]
    calls = [cdr for cdr in store.cdrs if cdr.leg_type == LegType.A_LEG]
    return Report(
        seed=simulation.scenario.seed,
        start_date=show_date(simulation.start_ms),
        stop_date=show_date(closing.at_ms),
        stop_reason=closing.reason,
        subscribers=len(simulation.subscribers),
        calls=len(calls),
        repeated_calls=sum(subscriber.attempts for subscriber in simulation.subscribers) - called,
        calls_in_progress_peak=store.calls_in_progress_peak,
        outcomes=_tallies(_cause_name(cdr.hangup_cause_q850) for cdr in calls),
        results=_tallies(map(_result_name, calls)),
        amd=_tallies(_amd_names(simulation)),
        states=_tallies(_state_names(simulation)),
        attempts=_attempts(simulation),
        not_dialled=_tallies(_not_dialled(simulation, closing.reason)),
        sections=tuple(_answers(simulation.plan.flow.survey, store)),
        transfers=_tallies(transfer.reason or "connected" for _, transfer in store.transfers.values()),
        call_centre=call_centre_of(simulation),
        billed_duration=sum(cdr.billed_duration for cdr in store.cdrs),
        call_rate=format_money(simulation.call_rate),
        cost=format_money(cost),
        balance_before=format_money(simulation.balance),
        balance_after=format_money(simulation.balance - cost),
        digest=cdr_digest(map(cdr_record, store.cdrs)),
        rate_card=len(simulation.scenario.account.rate_card),
    )


def show_date(at_ms: int) -> str:
    """Return a moment as the API writes it: `2026-11-20T08:00:00Z`, with microseconds when not zero."""
    second, ms = divmod(at_ms, 1_000)
    return f"{_show_second(second)}.{ms:03d}000Z" if ms else f"{_show_second(second)}Z"


@lru_cache(maxsize=SECONDS_KEPT)
def _show_second(second: int) -> str:
    """Return a second without its zone. The calls of a run begin close to each other, so most are known."""
    return (_EPOCH + timedelta(seconds=second)).isoformat().removesuffix("+00:00")


def cdr_record(row: SimulatedCdr) -> Mapping[str, object]:
    """Return a call detail record with the values that the API gives. References are ids."""
    return {
        "callid": row.callid,
        "callerid": row.callerid,
        "phone_number": row.phone_number,
        "starting_date": show_date(row.starting_ms),
        "duration": row.duration,
        "billsec": row.billsec,
        "call_cost": format_money(row.call_cost),
        "billed_duration": row.billed_duration,
        "hangup_cause_q850": int(row.hangup_cause_q850),
        "leg_type": int(row.leg_type),
        "amd_status": int(row.amd_status),
        "callrequest_id": row.callrequest_id,
        "campaign_id": row.campaign_id,
        "subscriber_id": row.subscriber_id,
        "contact_id": row.contact_id,
    }


def render(report: Report) -> str:
    """Return the report as plain text."""
    lines = [
        f"From {report.start_date} to {report.stop_date}: {report.stop_reason}",
        f"{report.subscribers} subscribers, {report.calls} calls, {report.repeated_calls} of them repeated",
        f"At most {report.calls_in_progress_peak} calls at once; seed {report.seed}",
        *_table("Calls by hangup cause (Q.850)", report.outcomes),
        *_table("Calls by who answered", report.results),
        *_table("Answered calls by answering-machine detection", report.amd),
        *_table("Subscribers by number of calls", report.attempts),
        *_table("Subscribers by status", report.states),
        *_table("Subscribers not dialled, by reason", report.not_dialled),
    ]
    for section in report.sections:
        lines += _table(f"Answers to section {section.section_id}: {section.question}", section.answers)
    lines += _table("Transfers", report.transfers)
    if report.call_centre is not None:
        lines += render_call_centre(report.call_centre)
    card = f", or by a rate card of {report.rate_card} prefixes" if report.rate_card else ""
    lines += [
        "",
        f"{report.billed_duration} s billed at {report.call_rate} a minute{card}: {report.cost}",
        f"Balance {report.balance_before} before, {report.balance_after} after",
        f"Digest {report.digest}",
    ]
    return "\n".join(lines)


def _tallies(names: Iterable[str]) -> tuple[ReportRow, ...]:
    """Return tallies, most frequent first, then by name. A `Counter` keeps its counts."""
    counted = names if isinstance(names, Counter) else Counter(names)
    return tuple(
        ReportRow(name, count) for name, count in sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    )


def _cause_name(cause: int) -> str:
    return f"{cause} {Cause(cause).name}"


def _result_name(cdr: SimulatedCdr) -> str:
    is_machine = cdr.amd_status is AmdStatus.MACHINE
    return result_of(cdr.hangup_cause_q850, is_answered=cdr.billsec > 0, is_machine=is_machine)


def _amd_names(simulation: Simulation) -> Iterator[str]:
    if simulation.plan.amd:
        for cdr in simulation.store.cdrs:
            if cdr.hangup_cause_q850 == Cause.NORMAL_CLEARING and cdr.leg_type == LegType.A_LEG:
                yield cdr.amd_status.name


def _state_names(simulation: Simulation) -> Iterator[str]:
    for subscriber in simulation.subscribers:
        standing = simulation.store.standing(subscriber.id)
        yield f"{standing.status.name} {standing.reason}".rstrip()


def _attempts(simulation: Simulation) -> tuple[ReportRow, ...]:
    counted = Counter(subscriber.attempts for subscriber in simulation.subscribers)
    return tuple(ReportRow(str(attempts), counted[attempts]) for attempts in sorted(counted))


def _not_dialled(simulation: Simulation, stop_reason: str) -> Iterator[str]:
    """Yield the reason for each subscriber never called: their own refusal, else the reason of the campaign's stop."""
    for subscriber in simulation.subscribers:
        if subscriber.attempts == 0:
            yield simulation.store.standing(subscriber.id).reason or stop_reason


def _answers(survey: Survey, store: SimulationStore) -> Iterator[SectionAnswers]:
    by_section: dict[int, Counter[str]] = {section.id: Counter() for section in survey.sections}
    for _, result in store.results:
        answer = SECTION_TYPES[result.section_type].reported_as or result.response
        by_section[result.section_id][answer] += 1
    for section in survey.sections:
        if by_section[section.id]:
            yield SectionAnswers(section.id, section.question, _tallies(by_section[section.id]))


def _table(title: str, tallies: tuple[ReportRow, ...]) -> list[str]:
    """Return a title and a row with a bar for each tally, or no lines without tallies."""
    if not tallies:
        return []
    total = sum(tally.count for tally in tallies)
    shown = list(tallies[:ANSWERS_SHOWN_MAX])
    if len(tallies) > ANSWERS_SHOWN_MAX:
        rest = tallies[ANSWERS_SHOWN_MAX:]
        shown.append(ReportRow(f"({len(rest)} others)", sum(tally.count for tally in rest)))
    width = max(len(tally.name) for tally in shown)
    return ["", title, *(_row(tally, total, width) for tally in shown)]


def _row(tally: ReportRow, total: int, width: int) -> str:
    bar = "█" * round(tally.count * BAR_WIDTH / total)
    return f"  {tally.name:<{width}}  {tally.count:>8}  {tally.count * 100 / total:5.1f} %  {bar}".rstrip()
