"""Property test: the sheet of a campaign's people says what its calls, answers and messages say, counted one by one."""

import csv
import io
from decimal import Decimal
from itertools import count
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from dialer.app.erasure.erasure import erase_number
from dialer.domain.words.enums import SubscriberStatus
from dialer.store.database.database import Database
from dialer.store.tables import CallRequest, Cdr, SmsMessage, Subscriber, SurveyResult
from tests import loops
from tests.api.harness import Caller
from tests.console.simulated_day import AccountHouse, Day, Lived, days, live
from tests.console.visitor import Visitor
from tests.sizes import examples

PREFIXES: Final = count(500)
CENTS_OF: Final = 100_000
CORRECTED: Final = "9"
CORRECTED_EVERY: Final = 3
ERASED_AT_MOST: Final = 3
FIXED_COLUMNS: Final = 14
"""The columns of each sheet, before those of questions. The made-up lists have none of their own."""
CALLS_COLUMNS: Final = ("subscriber", "phone_number", "status", "attempts", "cost")


def sheet_of(content: bytes, kind: str) -> list[dict[str, Any]]:
    """Return the rows of a sheet, by their heads; numbers of spreadsheets as CSV has them."""
    if kind == "csv":
        return list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))
    sheet: Any = load_workbook(io.BytesIO(content), read_only=True).active
    head, *rows = sheet.iter_rows(values_only=True)
    return [{name: "" if value is None else value for name, value in zip(head, row, strict=True)} for row in rows]


def recounted(house: AccountHouse, campaign_id: int) -> list[dict[str, str]]:
    """Return the rows of a sheet, counted from the rows of calls, answers and messages one by one."""
    people = {row["id"]: row for row in house.rows(Subscriber) if row["campaign_id"] == campaign_id}
    calls = {row["id"]: row["subscriber_id"] for row in house.rows(CallRequest) if row["subscriber_id"] in people}
    cost, attempts = dict.fromkeys(people, 0), dict.fromkeys(people, 0)
    answers: dict[int, dict[int, str]] = {key: {} for key in people}
    for call in house.rows(CallRequest):
        if call["id"] in calls:
            attempts[calls[call["id"]]] += 1
    for cdr in house.rows(Cdr):
        if cdr["callrequest_id"] in calls:
            cost[calls[cdr["callrequest_id"]]] += cdr["call_cost"]
    for text in house.rows(SmsMessage):
        if text["subscriber_id"] in people:
            cost[text["subscriber_id"]] += text["cost"]
            attempts[text["subscriber_id"]] += 1
    for result in sorted(house.rows(SurveyResult), key=lambda row: row["id"]):
        if result["callrequest_id"] in calls:
            answers[calls[result["callrequest_id"]]][result["section_id"]] = result["response"]
    return [
        {
            "subscriber": str(key),
            "phone_number": row["number"],
            "status": SubscriberStatus(row["status"]).name.lower(),
            "attempts": str(attempts[key]),
            "cost": str((Decimal(cost[key]) / CENTS_OF).quantize(Decimal("0.00001"))),
            **{f"answer {section}": words for section, words in answers[key].items()},
        }
        for key, row in sorted(people.items())
    ]


def correct_and_erase(house: AccountHouse, lived: Lived, erased: int) -> None:
    """Give some people a second answer in their last call, and erase some."""
    people = [row for row in house.rows(Subscriber) if row["campaign_id"] == lived.campaign]
    results = [row for row in house.rows(SurveyResult) if row["campaign_id"] == lived.campaign]
    for row in results[::CORRECTED_EVERY]:
        house.add(SurveyResult, **{**row, "id": None, "response": CORRECTED})
    for row in people[:erased]:
        erase_number(house.database, row["number"], lambda _: None, house.now_ms())


def check_sheet(api: Caller, visitor: Visitor, house: AccountHouse, path: str, campaign_id: int) -> None:
    expected = recounted(house, campaign_id)
    survey = api.get(f"surveyaggregate/{campaign_id}/")["sections"] if path == "campaigns" else []
    answer = api.request("GET", f"{path}/{campaign_id}/results/")
    assert answer.status_code == 200, answer.text
    found = sheet_of(answer.content, "csv")
    questions = list(found[0])[FIXED_COLUMNS:]
    heads = {f"answer {one['section_id']}": head for one, head in zip(survey, questions, strict=True)}
    names = [*CALLS_COLUMNS, *heads.values()]
    assert [{name: row[name] for name in names} for row in found] == [
        {
            **{name: row[name] for name in CALLS_COLUMNS},
            **{head: row.get(key, "") for key, head in heads.items()},
        }
        for row in expected
    ]
    total = api.get(f"{path}/{campaign_id}/statistics/")["totals"]["cost"]
    assert sum(Decimal(row["cost"]) for row in found) == Decimal(total)
    workbook = sheet_of(api.request("GET", f"{path}/{campaign_id}/results/?format=xlsx").content, "xlsx")
    assert [(row["subscriber"], Decimal(str(row["cost"])), row["attempts"]) for row in workbook] == [
        (int(row["subscriber"]), Decimal(row["cost"]).normalize() + 0, int(row["attempts"])) for row in expected
    ]
    page = visitor.request("GET", f"campaigns/{campaign_id}/results/export/?format=csv")
    shown = sheet_of(page.content, "csv")
    assert [(row["Number"], row["Attempts"], row["Cost"]) for row in shown] == [
        (row["phone_number"], row["attempts"], row["cost"]) for row in expected
    ]


@pytest.mark.usefixtures("client")
@settings(
    max_examples=examples(4),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(day=days, erased=st.integers(0, ERASED_AT_MOST))
def test_each_figure_of_the_sheet_is_that_of_calls_answers_and_messages(
    alice: Visitor, api: Caller, database: Database, day: Day, erased: int
) -> None:
    async def run() -> tuple[AccountHouse, Lived]:
        house = AccountHouse(database)
        return house, await live(house, day, next(PREFIXES))

    house, lived = loops.run(database, run)
    correct_and_erase(house, lived, erased)
    check_sheet(api, alice, house, "campaigns", lived.campaign)
    check_sheet(api, alice, house, "sms-campaigns", lived.texts)
