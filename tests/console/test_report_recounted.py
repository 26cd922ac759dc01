"""Property test: the answers in words, their tables by a column, and the sheet of people, counted by a model.

The made-up campaigns have machines, repeats, people of two lists who call back, answers that were corrected in a later
call, strangers who call in, and people who were erased.
"""

import csv
import io
import json
from itertools import count
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dialer.app.erasure.erasure import erase_number
from dialer.domain.words.enums import CampaignStatus
from dialer.store.database.database import Database
from dialer.store.tables import CallDisposition, CallRequest, Cdr, Did, Gateway, Subscriber, SurveyResult
from tests import loops
from tests.api.harness import Caller
from tests.console.building import HOSTILE
from tests.console.report_model import (
    ROUNDED,
    Counted,
    Person,
    has_answered,
    has_left,
    is_silent,
    people_of,
    sentence,
    silence,
    told,
)
from tests.console.simulated_day import AccountHouse
from tests.console.test_shared_reports import shared
from tests.console.visitor import Visitor
from tests.sizes import examples

PREFIXES: Final = count(700)
SHOWN: Final = "+33199{:06d}"
SURVEY: Final = (
    {"type": 2, "script": "press one or two", "key_1": "yes", "key_2": HOSTILE, "timeout": 3},
    {"type": 3, "script": "how many stars", "rating_laps": 5},
    {"type": 4, "script": "your customer number", "number_digits": 2},
    {"type": 5, "script": "tell us why"},
    {"type": 1, "script": "thank you", "completed": True},
)
CITIES: Final = ("Ulm", " Ulm ", HOSTILE, "", None, 7, True, "Köln")
LIST_COLUMNS: Final = ("City", "Plan", "Age")


class Poll(NamedTuple):
    """A campaign, and what happens to its people afterwards."""

    chances: dict[str, Any]
    campaign: dict[str, Any]
    columns: list[dict[str, Any]]
    """The columns of the list of each person. A person with a column `Age` is of a second list."""
    corrected: int
    """One of so many answers is corrected by a later call of the person."""
    strangers: int
    erased: int


def _columns() -> st.SearchStrategy[dict[str, Any]]:
    city = st.one_of(st.sampled_from(CITIES), st.integers(0, 60).map(lambda place: f"Town {place}"))
    first = st.fixed_dictionaries({"City": city}, optional={"Plan": st.sampled_from(["gold", "none"])})
    second = st.fixed_dictionaries({"Age": st.integers(18, 99)}, optional={"City": city})
    return st.one_of(first, first, second)


polls = st.builds(
    Poll,
    st.builds(
        lambda answer, machine, call_back: {
            "answer": answer,
            "machine": machine,
            "call_back": call_back,
            "call_back_after": [20, 90],
            "busy": 0.05,
            "ring": [2, 30],
            "listen": 0.9,
            "amd_error": 0.2,
            "keys": {"1": 0.3, "2": 0.2, "4": 0.1, "42": 0.1, "37": 0.05, "": 0.25},
        },
        st.sampled_from([0.3, 0.7]),
        st.sampled_from([0, 0.3]),
        st.sampled_from([0, 1]),
    ),
    st.fixed_dictionaries(
        {
            "voicemail": st.booleans(),
            "amd_behavior": st.sampled_from([1, 2, 3]),
            "maxretry": st.integers(0, 2),
            "intervalretry": st.just(60),
            "completion_maxretry": st.integers(0, 1),
            "completion_intervalretry": st.just(60),
        }
    ),
    st.lists(_columns(), min_size=1, max_size=40),
    st.integers(1, 4),
    st.integers(0, 2),
    st.integers(0, 3),
)


async def held(house: AccountHouse, poll: Poll, prefix: int) -> int:
    """Hold a poll, and return the id of its campaign."""
    gateway = house.add(Gateway, name=f"poll {prefix}", protocol="sim", parameters=json.dumps(poll.chances))
    books = house.phonebook(), house.phonebook()
    for place, columns in enumerate(poll.columns):
        listed = {"full_name": f"Person {place}", "additional_vars": json.dumps(columns)}
        house.contact(books["Age" in columns], f"+1202{prefix:03d}{place:04d}", **listed)
    survey = house.survey(*SURVEY, branches={place: {"any": place + 1, "timeout": place + 1} for place in range(4)})
    shown = SHOWN.format(prefix)
    campaign = house.campaign(survey, *books, aleg_gateway_id=gateway, callerid=shown, frequency=120, **poll.campaign)
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number=shown, campaign_id=campaign)
    await house.move(campaign, CampaignStatus.START)
    await house.advance(1_200)
    return campaign


def call_again(house: AccountHouse, answer: Any, subscriber_id: int | None, response: str) -> None:  # noqa: ANN401 - a row
    """Let a person call in after all other calls, and answer the section of an answer."""
    calls = {row["id"]: row for row in house.rows(CallRequest)}
    call = calls[answer["callrequest_id"]]
    attempt = min([row["attempt"] for row in calls.values() if row["subscriber_id"] == subscriber_id] + [0]) - 1
    copied = {**call, "id": None, "callid": f"in-{len(calls)}", "attempt": attempt, "subscriber_id": subscriber_id}
    identity = house.add(CallRequest, **copied)
    cdr = next(row for row in house.rows(Cdr) if row["callrequest_id"] == call["id"])
    house.add(Cdr, **{**cdr, "id": None, "callid": copied["callid"], "attempt": attempt, "callrequest_id": identity})
    house.add(SurveyResult, **{**answer, "id": None, "callrequest_id": identity, "response": response})


def trouble(house: AccountHouse, poll: Poll, campaign: int) -> set[int]:
    """Correct answers, let strangers call, promise call-backs, and erase people; return the ids of the erased."""
    owners = {row["id"]: row["subscriber_id"] for row in house.rows(CallRequest)}
    answers = [row for row in house.rows(SurveyResult) if row["campaign_id"] == campaign]
    for place, row in enumerate(answers[:: poll.corrected]):
        call_again(house, row, owners[row["callrequest_id"]], f"{place % 11}")
    for row in answers[: poll.strangers]:
        call_again(house, row, None, "stranger")
    for row in {row["callrequest_id"]: row for row in answers[:3]}.values():
        said = {"disposition": "call_back", "note": "later", "call_back_ms": house.now_ms()}
        house.add(CallDisposition, callrequest_id=row["callrequest_id"], user_id=house.user_id, **said)
    erased = [row for row in house.rows(Subscriber) if row["campaign_id"] == campaign][: poll.erased]
    for row in erased:
        erase_number(house.database, row["number"], lambda _: None, house.now_ms())
    return {row["id"] for row in erased}


def check_words(alice: Visitor, api: Caller, campaign: int, people: list[Person]) -> None:
    """Compare the page in words, and its file, with the model."""
    sections = api.get(f"surveyaggregate/{campaign}/")["sections"]
    questions = {one["section_id"]: one["question"] for one in sections}
    for by in ("", "City"):
        page = alice.text(f"campaigns/{campaign}/summary/?by={by}")
        answered = sum(any(has_answered(person, one) for one in questions) for person in people)
        assert f"{answered} of {len(people)} " in page
        said_silent = silence(people)
        assert said_silent in page if said_silent else "without an answer" not in page
        assert [said for one in questions if (said := " ".join(sentence(people, one).split())) not in page] == []
        path = shared(api, campaign, list_column=by)
        file = alice.request("GET", f"{path}file/?format=csv").content.decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(file)))[1:]
        found = [
            Counted(
                *(question, group, answer, int(people), float(share or 0), float(margin or 0)),
                float(mean) if mean else None,
                int(float(marks)) if marks else None,
            )
            for question, group, answer, people, share, margin, mean, marks in rows
        ]
        expected = told(people, questions, by, {one["section_id"]: 5 for one in sections if one["type"] == 3})
        assert [one[:4] for one in found] == [one[:4] for one in expected]
        for one, right in zip(found, expected, strict=True):
            assert abs(one.share - right.share) < ROUNDED
            assert abs(one.margin - right.margin) < ROUNDED
            assert (one.mean, one.marks) == (None if right.mean is None else round(right.mean, 2), right.marks)


def check_sheet(alice: Visitor, api: Caller, campaign: int, people: list[Person]) -> None:
    """Compare the sheet of people with the model."""
    sections = api.get(f"surveyaggregate/{campaign}/")["sections"]
    file = alice.request("GET", f"campaigns/{campaign}/results/export/?format=csv").content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(file)))
    for row, person in zip(rows, people, strict=True):
        expected = {"Number": person.row["number"], "Attempts": str(person.attempts)}
        expected |= {"Name": person.row["full_name"], "Cost": f"{person.cost / 100_000:.5f}"}
        expected |= {"Note": person.note, "Outcome": person.outcome}
        assert (row["State"] == "Completed, without an answer") is is_silent(person)
        assert (row["State"] == "Took the call, gave no answer") is has_left(person)
        for one in sections:
            if one["type"] != 5:
                expected[one["question"]] = person.answers.get(one["section_id"], "")
        for name in LIST_COLUMNS:
            if name in row:
                value = person.listed.get(name)
                expected[name] = "" if value is None else value if isinstance(value, str) else json.dumps(value)
        assert {name: row[name] for name in expected} == expected
    totals = sum(person.cost for person in people)
    assert round(sum(float(row["Cost"]) for row in rows) * 100_000) == totals


@pytest.mark.usefixtures("client")
@settings(
    max_examples=examples(4),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(poll=polls)
def test_each_figure_of_the_report_is_that_of_the_model(
    alice: Visitor, api: Caller, database: Database, poll: Poll
) -> None:
    async def run() -> tuple[AccountHouse, int]:
        house = AccountHouse(database)
        return house, await held(house, poll, next(PREFIXES))

    house, campaign = loops.run(database, run)
    people = people_of(house, campaign, trouble(house, poll, campaign))
    check_words(alice, api, campaign, people)
    check_sheet(alice, api, campaign, people)
