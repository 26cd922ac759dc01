"""A model of a campaign's reports that shares no code with them: people, answers and shares, counted from rows."""

import json
from collections import Counter
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final, NamedTuple

from dialer.domain.words.enums import SubscriberStatus
from dialer.store.tables import CallDisposition, CallRequest, Cdr, SmsMessage, Subscriber, SurveyResult, Transfer
from tests.console.simulated_day import AccountHouse

ROUNDED: Final = 0.0501
"""The most by which a figure with one decimal is off."""
GONE: Final = "erased"
"""An answer that was erased with its person."""
_RECORDS: Final = 5
_TEXTS: Final = 10
"""The type of sections that send text messages."""
_CHOSEN: Final = (2, 3)
"""Types of sections whose answers stay when their person is erased: choices and ratings."""
_Z2: Final = 1.959964**2


class Counted(NamedTuple):
    """A row of the answers in words."""

    question: str
    group: str
    answer: str
    people: int
    share: float = 0.0
    """Like the margin 0 for recordings, which have none: in their tables everybody left one."""
    margin: float = 0.0
    mean: float | None = None
    """The mean of a scale."""
    marks: int | None = None


class Person(NamedTuple):
    """A person of a campaign, as the model knows them."""

    row: Mapping[Any, Any]
    listed: dict[str, Any]
    answers: dict[int, str]
    attempts: int
    cost: int
    outcome: str
    """That of the last call of which an agent said one. It stays when the person is erased, and the note goes."""
    note: str
    calls: int
    """The calls that are there, with those that came in."""
    results: int
    """The results of these calls, without text messages."""
    has_talked: bool
    """True if an agent has taken one of these calls."""


def people_of(house: AccountHouse, campaign_id: int, erased: set[int]) -> list[Person]:
    """Return the people of a campaign, in the order of the sheet, with the last answer to each section."""
    calls, people = house.rows(CallRequest), []
    results, cdrs = house.rows(SurveyResult), house.rows(Cdr)
    texts, said, legs = house.rows(SmsMessage), house.rows(CallDisposition), house.rows(Transfer)
    for row in map(dict, house.rows(Subscriber)):
        if row["campaign_id"] != campaign_id:
            continue
        own = [call["id"] for call in calls if call["subscriber_id"] == row["id"]]
        answers: dict[int, str] = {}
        kept = sum(one["callrequest_id"] in own and one["section_type"] != _TEXTS for one in results)
        for one in sorted(map(dict, results), key=lambda result: int(result["id"])):
            if one["callrequest_id"] in own:
                answers[one["section_id"]] = _said(one, is_erased=row["id"] in erased)
        cost = sum(one["call_cost"] for one in cdrs if one["callrequest_id"] in own)
        cost += sum(one["cost"] for one in texts if one["subscriber_id"] == row["id"])
        attempts = sum(call["id"] in own and call["attempt"] > 0 for call in calls)
        listed = {} if row["id"] in erased else json.loads(row["additional_vars"] or "{}")
        notes = [one["note"] for one in said if one["callrequest_id"] in own]
        last = "" if row["id"] in erased or not notes else notes[-1]
        taken = any(one["callrequest_id"] in own and one["answered_ms"] and one["agent_id"] for one in legs)
        counts = (len(own), kept, taken)
        people.append(Person(row, listed, answers, attempts, cost, "Call back" if notes else "", last, *counts))
    return people


def _said(result: Mapping[Any, Any], *, is_erased: bool) -> str:
    """Return an answer in words."""
    if is_erased and result["section_type"] not in _CHOSEN:
        return GONE
    if result["section_type"] == _RECORDS:
        return "a recording" if result["record_file"] else GONE
    return str(result["response"])


def told(people: list[Person], questions: Mapping[int, str], by: str, scales: Mapping[int, int]) -> list[Counted]:
    """Return the rows of the answers in words, by the questions of a survey in their order.

    `scales` have marks from 1 to a highest one, and a row for each.
    """
    rows: list[Counted] = []
    by = by if any(by in person.listed for person in people) else ""
    for section, question in questions.items():
        given = [(_group(person, by), person.answers[section]) for person in people if has_answered(person, section)]
        tables = [([("All", answer) for _, answer in given], 1), (given, 12)]
        for answers, groups_most in tables[: 2 if by else 1]:
            rows += _table(question, answers, groups_most, highest=scales.get(section, 0))
    return rows


def _group(person: Person, by: str) -> str:
    value = person.listed.get(by)
    text = "" if value is None else value if isinstance(value, str) else json.dumps(value)
    return text.strip() or "no value"


def _table(question: str, given: list[tuple[str, str]], groups_most: int, *, highest: int) -> list[Counted]:
    largest = _most(Counter(group for group, _ in given), groups_most)
    frequent = _most(Counter(answer for _, answer in given), 8)
    if highest and given:
        frequent = sorted({*map(str, range(1, highest + 1)), *(answer for _, answer in given)}, key=int)
    cells = Counter(
        (group if group in largest else "others", answer if answer in frequent else "others") for group, answer in given
    )
    groups = largest + ["others"] * any(group not in largest for group, _ in given)
    answers = frequent + ["others"] * any(answer not in frequent for _, answer in given)
    rows = []
    for group in groups:
        whole = sum(cells[group, answer] for answer in answers)
        own = [answer for place, answer in given if (place if place in largest else "others") == group]
        marks = [int(answer) for answer in own] if highest else []
        mean = (sum(marks) / len(marks), len(marks)) if marks else ()
        if all(answer == "a recording" for answer in own):
            rows.append(Counted(question, group, "a recording", whole))
            continue
        for answer in answers:
            count = cells[group, answer]
            rows.append(Counted(question, group, answer, count, 100 * count / whole, _margin(count, whole), *mean))
    return rows


def _most(counts: Counter[str], most: int) -> list[str]:
    return [name for _, name in sorted((-count, name) for name, count in counts.items())][:most]


def _margin(count: int, whole: int) -> float:
    """Return half the distance of the two true shares that would make the share the end of their interval.

    They solve `(share - true)² = z² true (1 - true) / whole`.
    """
    share = count / whole
    square, linear, constant = 1 + _Z2 / whole, 2 * share + _Z2 / whole, share * share
    return 100 * float((linear * linear - 4 * square * constant) ** 0.5) / (2 * square)


def has_answered(person: Person, section: int) -> bool:
    """Return whether a person has given an answer to a section that is still known."""
    return person.answers.get(section, GONE) != GONE


def sentence(people: list[Person], section: int) -> str:
    """Return the sentence about the most frequent answer to a section; empty without answers."""
    counts = Counter(person.answers[section] for person in people if has_answered(person, section))
    if not counts:
        return ""
    (answer,), whole = _most(counts, 1), counts.total()
    tenths = int((Decimal(10 * counts[answer]) / whole).quantize(Decimal(1), ROUND_HALF_UP))
    if answer == "a recording":
        return f"{whole} {'person' if whole == 1 else 'people'} left a recording."
    if counts[answer] == whole:
        return f"All answered: {answer}."
    if tenths == 10:
        return f"Nearly all answered: {answer}."
    if tenths == 0:
        return f"The most frequent answer, of fewer than 1 of 20: {answer}."
    share = f"{tenths} of 10" if whole >= 10 else f"{counts[answer]} of {whole}"
    return f"{share} answered: {answer}."


def is_silent(person: Person) -> bool:
    """Return whether a person came to the end of a survey that asks in calls that are there, of which nothing came."""
    return person.row["status"] == SubscriberStatus.COMPLETED and person.calls > 0 and not person.results


def has_left(person: Person) -> bool:
    """Return whether a person took such a call, and left it before the first answer; no agent talked with them."""
    is_left = person.row["status"] == SubscriberStatus.SENT and not person.row["status_reason"]
    return is_left and person.calls > 0 and not person.results and not person.has_talked


def silence(people: list[Person]) -> str:
    """Return the sentences about people who took a call and gave no answer; empty without any."""
    said = [
        (sum(map(is_silent, people)), "came to the end of the survey without an answer."),
        (sum(map(has_left, people)), "took the call and gave no answer."),
    ]
    return " ".join(f"{count} {'person' if count == 1 else 'people'} {words}" for count, words in said if count)
