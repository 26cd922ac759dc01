"""The outcome of every line of the phonebook: who was reached, who was not, and who was not dialled and why."""

from collections.abc import Iterator
from typing import Final

import msgspec
from rich.console import Console
from rich.text import Text

from dialer.demo import phonebook
from dialer.demo.checks import Checks
from dialer.demo.display import bar, heading, indented, table
from dialer.demo.evidence import CdrRecord, Evidence, SubscriberRecord, moment
from dialer.demo.places import PLACE_OF_NUMBER, TOLL_FREE
from dialer.domain.numbers.normal_form import normalise
from dialer.domain.words.enums import AmdStatus, Cause, SectionType, SubscriberStatus
from dialer.domain.words.reasons import AFTER_ANSWER, SubscriberReason


class FateLine(msgspec.Struct, frozen=True):
    """An outcome, and the number of lines that had it."""

    name: str
    count: int


class Fates(msgspec.Struct, frozen=True):
    """The outcomes of dialled and of undialled numbers: together, all lines of the file."""

    dialled: tuple[FateLine, ...]
    undialled: tuple[FateLine, ...]
    lines: int
    askers: int
    """Callees who asked during a call not to be called again."""
    calls_after_asking: int


class _End(msgspec.Struct, frozen=True):
    """An outcome of dialled numbers, by the state of the subscriber and the cause of the last call."""

    name: str
    status: SubscriberStatus
    reason: str = ""
    """The reason by which it differs from the other outcome of the status; empty for that one."""


_NAMED: Final = frozenset({str(SubscriberReason.INVALID_NUMBER), str(SubscriberReason.MACHINE)})
_AFTER_ANSWER: Final = AFTER_ANSWER | {SubscriberReason.MACHINE}
_ENDS: Final = (
    _End("completed the survey", SubscriberStatus.COMPLETED),
    _End("answered, but hung up before its end", SubscriberStatus.SENT),
    _End("never reached, in any attempt", SubscriberStatus.FAIL),
    _End("an answering machine at the last call", SubscriberStatus.FAIL, SubscriberReason.MACHINE),
    _End("no such number: not tried again", SubscriberStatus.FAIL, SubscriberReason.INVALID_NUMBER),
    _End("asked not to be called again", SubscriberStatus.NOT_AUTHORIZED),
    _End("due for another attempt when the campaign expired", SubscriberStatus.PENDING),
)


def figures(evidence: Evidence, checks: Checks) -> Fates:
    """Return the outcome of every line of the file."""
    for status, count in evidence.statuses.items():
        name = SubscriberStatus(status).name
        checks.same(
            f"subscribers in {name}", count, sum(subscriber.status == status for subscriber in evidence.subscribers)
        )
    completed = evidence.statuses.get(SubscriberStatus.COMPLETED, 0)
    checks.same("completed by the campaign's own count", evidence.campaign["completed"], completed)
    checks.same("subscribers", evidence.campaign["totalcontact"], len(evidence.subscribers))
    dialled = tuple(_dialled(evidence, checks))
    undialled = tuple(_undialled(evidence, checks))
    fates = sum(fate.count for fate in (*dialled, *undialled))
    return Fates(
        dialled=tuple(fate for fate in dialled if fate.count),
        undialled=tuple(fate for fate in undialled if fate.count),
        lines=checks.same("lines accounted for", fates, phonebook.count_lines(phonebook.PHONEBOOK)),
        askers=checks.same("who asked not to be called again", *_askers(evidence)),
        calls_after_asking=checks.same("calls to them afterwards", 0, _calls_after_asking(evidence)),
    )


def _dialled(evidence: Evidence, checks: Checks) -> Iterator[FateLine]:
    last = {cdr.subscriber_id: cdr for cdr in sorted(evidence.cdrs, key=lambda cdr: moment(cdr.starting_date))}
    for end in _ENDS:
        by_api = sum(_is_at(end, subscriber) for subscriber in evidence.subscribers if subscriber.count_attempt)
        by_records = sum(
            subscriber.status == end.status and _ended_so(end, subscriber, last[subscriber.id])
            for subscriber in evidence.subscribers
            if subscriber.id in last
        )
        yield FateLine(end.name, checks.same(end.name, by_api, by_records))


def _is_at(end: _End, subscriber: SubscriberRecord) -> bool:
    if end.status is not SubscriberStatus.FAIL:
        return subscriber.status == end.status
    reason = subscriber.status_reason if subscriber.status_reason in _NAMED else ""
    return subscriber.status == end.status and reason == end.reason


def _ended_so(end: _End, subscriber: SubscriberRecord, last: CdrRecord) -> bool:
    """Return whether the last call to a subscriber ended as this outcome says."""
    if end.status is SubscriberStatus.PENDING:
        return last.is_answered is (subscriber.status_reason in _AFTER_ANSWER)
    if end.status is SubscriberStatus.FAIL:
        return _reason_by_record(last) == end.reason
    return last.is_answered


def _reason_by_record(last: CdrRecord) -> str:
    if last.is_answered:
        return SubscriberReason.MACHINE if last.amd_status == AmdStatus.MACHINE else "a person answered"
    return SubscriberReason.INVALID_NUMBER if last.hangup_cause_q850 == Cause.UNALLOCATED_NUMBER else ""


def _undialled(evidence: Evidence, checks: Checks) -> Iterator[FateLine]:
    never = [subscriber for subscriber in evidence.subscribers if not subscriber.count_attempt]
    called = {cdr.subscriber_id for cdr in evidence.cdrs}
    uncalled = {
        normalise(subscriber.duplicate_contact, None): subscriber
        for subscriber in evidence.subscribers
        if subscriber.id not in called
    }
    refused = sum(subscriber.status == SubscriberStatus.NOT_AUTHORIZED for subscriber in never)
    toll_free = sum(
        subscriber.status == SubscriberStatus.PENDING and subscriber.additional_vars["city"] == TOLL_FREE
        for subscriber in never
    )
    listed = phonebook.numbers(phonebook.DO_NOT_CALL) & {
        number for number, subscriber in uncalled.items() if subscriber.status != SubscriberStatus.PENDING
    }
    zoneless = sum(not PLACE_OF_NUMBER[number].zone for number in uncalled.keys() - listed)
    report = evidence.prepared.contacts
    yield FateLine("on the do-not-call list", checks.same("refused", refused, len(listed)))
    yield FateLine(
        "toll-free: never a legal hour in all their zones",
        checks.same("toll-free", toll_free, zoneless),
    )
    yield FateLine(
        "their turn had not come when the campaign expired",
        checks.same("never due", len(never) - refused - toll_free, len(uncalled) - len(listed) - zoneless),
    )
    yield FateLine("the number is in the file already", report["duplicates"])
    yield FateLine("the line could not be read", report["rejected"])


def _askers(evidence: Evidence) -> tuple[int, int]:
    """Count them by the API's answers, and by the entries of do-not-call lists that a key is the proof of."""
    askers = evidence.api.count(
        "survey-result", campaign_id=evidence.prepared.campaign_id, section_type=int(SectionType.DNC)
    )
    return askers, len(evidence.called_off)


def _calls_after_asking(evidence: Evidence) -> int:
    asked_at = {
        answer.response.removeprefix("DNC: "): moment(answer.created_date)
        for answer in evidence.answers
        if answer.section_type == SectionType.DNC
    }
    return sum(
        moment(cdr.starting_date) > asked_at[cdr.phone_number] for cdr in evidence.cdrs if cdr.phone_number in asked_at
    )


def show(console: Console, fates: Fates) -> None:
    """Print the outcomes of dialled and of undialled numbers."""
    most = max(fate.count for fate in (*fates.dialled, *fates.undialled))
    heading(console, f"Outcomes of {fates.lines:,} lines", "every line of phonebook.csv, once")
    for title, part, style in (("dialled", fates.dialled, "green"), ("not dialled", fates.undialled, "red")):
        total = sum(fate.count for fate in part)
        indented(console, Text.assemble(title, (f"  {total:,}", "dim")))
        rows = [(f"  {fate.name}", f"{fate.count:,}", bar(fate.count, most, style=style, width=16)) for fate in part]
        indented(console, table(["", "", ""], rows, left=(0, 2)))
    sentence = f"{fates.askers} asked during a call not to be called again"
    indented(console, Text(f"{sentence}; calls to them afterwards: {fates.calls_after_asking}", "dim"))
