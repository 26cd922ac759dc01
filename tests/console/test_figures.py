"""Tests of the pages of figures and of their files: whole values, recounted from the CDRs."""

import csv
import html
import io
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest
from openpyxl import load_workbook
from sqlalchemy import insert, select, update

from dialer.api.answers.spreadsheets import XLSX
from dialer.app.campaigns import figures
from dialer.app.campaigns.figures import CROSSED, By, zone_of_callee
from dialer.app.campaigns.readiness import survey_of
from dialer.domain.figures.statistics import Grouping
from dialer.domain.words.enums import SectionType
from dialer.store.database.database import Database
from dialer.store.journal.call_counters import CallCounts
from dialer.store.journal.rows import CdrRow
from dialer.store.queries.statistics import COUNTERS
from dialer.store.tables import Agent, AgentHour, Campaign, Cdr, Phonebook, SurveyResult, User, UserHour
from tests.api.harness import NOW_MS, Caller
from tests.console.building import HOSTILE, campaign, store
from tests.console.test_calls import cdr
from tests.console.visitor import Visitor

HOUR_MS: Final = 3_600_000
FORMULA: Final = '=cmd|" /C calc"!A0'
RTL: Final = "\u202eabc\u202c"


def count(database: Database) -> None:
    """Count all CDRs, as the worker does when calls end."""

    def write(connection: Any) -> None:  # noqa: ANN401 - a connection
        counts = CallCounts()
        for row in connection.execute(select(Cdr.__table__).order_by(Cdr.id)).all():
            counts.cdr(CdrRow(*row))
        counts.write(connection)

    database.write_now(write)


@pytest.fixture
def called(database: Database) -> Database:
    """Store calls of Alice and of Bob over three days, to two agents, from two lists, with three dispositions."""
    now: dict[str, Any] = {"created_date": NOW_MS, "updated_date": NOW_MS}
    agents = [
        insert(Agent).values(id=number, user_id=2, name=name, parameters="{}", status=2, counted_ms=NOW_MS, **now)
        for number, name in ((1, FORMULA), (2, HOSTILE))
    ]
    books = [insert(Phonebook).values(id=1, user_id=2, name=RTL, **now)]
    calls = []
    for number in range(24):
        at_ms = NOW_MS - number * 3 * HOUR_MS
        shared: dict[str, Any] = {
            "starting_date": at_ms,
            "phonebook_id": number % 2,
            "attempt": 1 + number % 3,
            "gateway_id": 1,
        }
        shared |= {"zone": ("Europe/Berlin", "")[number % 2], "hangup_cause_q850": (16, 17, 16, 19)[number % 4]}
        shared |= {"billsec": 60 if number % 4 in {0, 2} else 0, "call_cost": number * 1_000, "user_id": 2}
        shared |= {"is_for_agents": number % 4 == 0, "is_abandoned": number % 8 == 0, "is_completed": number % 4 == 2}
        calls.append(cdr(number, callrequest_id=None, **shared))
        if number % 4 == 0:
            leg = {**shared, "leg_type": 2, "agent_id": 1 + number % 8 // 4, "billsec": 30, "gateway_id": 0}
            calls.append(cdr(100 + number, **{**leg, "is_for_agents": False, "is_abandoned": False, "is_completed": 0}))
    calls.append(cdr(200, user_id=3, starting_date=NOW_MS, attempt=1, agent_id=0))
    store(database, *agents, *books, *calls)
    count(database)
    return database


def sheet_in(content: bytes) -> Any:  # noqa: ANN401 - a sheet, whose cells are of any type
    """Return the sheet of a spreadsheet."""
    return load_workbook(io.BytesIO(content)).active


def legs(database: Database, user_id: int = 2) -> list[dict[str, Any]]:
    rows = database.read_now(lambda c: c.execute(select(Cdr.__table__).where(Cdr.user_id == user_id)).mappings().all())
    return [dict(row) for row in rows]


def table(visitor: Visitor, **asked: str) -> list[dict[str, str]]:
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    answer = visitor.request("GET", f"figures/export/?{query}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    return list(csv.DictReader(io.StringIO(answer.text, newline="")))


NOT_RECOUNTED: Final = {By.AGENT, By.BREAK, By.DISPOSITION, By.DISPOSITION_WORD, *CROSSED}


@pytest.mark.parametrize("by", [by.value for by in By if by not in NOT_RECOUNTED])
def test_every_group_equals_a_recount_of_the_calls(alice: Visitor, called: Database, by: str) -> None:
    keys: dict[str, Callable[[dict[str, Any]], object]] = {
        "day": lambda row: datetime.fromtimestamp(row["starting_date"] / 1_000, UTC).date().isoformat(),
        "hour": lambda row: row["starting_date"] // HOUR_MS,
        "hour_of_day": lambda row: (
            datetime.fromtimestamp(row["starting_date"] / 1_000, zone_of_callee(row["zone"]) or UTC).hour
        ),
        "outcome": lambda row: row["hangup_cause_q850"],
        "phonebook": lambda row: row["phonebook_id"],
        "attempt": lambda row: row["attempt"],
        "gateway": lambda row: row["gateway_id"],
        "zone": lambda row: row["zone"],
    }
    found: defaultdict[object, list[dict[str, Any]]] = defaultdict(list)
    for row in legs(called):
        found[keys[by](row)].append(row)
    expected = []
    for rows in found.values():
        calls = [row for row in rows if row["leg_type"] == 1]
        answered = [row for row in calls if row["billsec"]]
        cost = sum(row["call_cost"] for row in rows if row["billsec"])
        expected.append((len(calls), len(answered), sum(row["billsec"] for row in answered), f"{cost / 100_000:.5f}"))
    rows = table(alice, by=by, period="all")
    shown = [(int(row["Calls"]), int(row["Answered"]), int(row["Talked (seconds)"]), row["Cost"]) for row in rows]
    assert sorted(shown) == sorted(expected)
    alice.get(f"figures/?by={by}&period=all")
    assert f"selected>{alice.page.partition(' selected>')[2].partition('<')[0]}" in alice.page


def test_years_of_hours_are_added_up_by_the_clock_of_the_callee(
    alice: Visitor, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each day has the same hours in UTC, before, at and after each change of the clocks of either zone."""
    zones, first = ("America/New_York", "Europe/Berlin", "Asia/Kolkata"), NOW_MS // HOUR_MS // 24 * 24 - 4_000 * 24
    hours = [first + day * 24 + hour for day in range(0, 4_000, 40) for hour in (0, 1, 6, 7)]
    changed = datetime(2025, 3, 9, tzinfo=UTC), datetime(2025, 3, 30, tzinfo=UTC)
    hours += [int(day.timestamp()) // 3_600 + hour for day in changed for hour in range(24)]
    row: dict[str, Any] = dict.fromkeys(COUNTERS, 0) | {"user_id": 2, "grouping": int(Grouping.ZONE), "calls": 1}
    rows = [{**row, "hour": hour, "member": zone} for zone in zones for hour in sorted(set(hours))]
    store(database, insert(UserHour).values(rows))
    monkeypatch.setattr(figures, "HOURS_READ_MAX", len(rows) - 1)
    local = [datetime.fromtimestamp(one["hour"] * 3_600, ZoneInfo(one["member"])).hour for one in rows]
    shown = {int(one[next(iter(one))][:2]): int(one["Calls"]) for one in table(alice, by="hour_of_day", period="all")}
    assert shown == Counter(local)


def test_agents_have_their_calls_and_their_time(alice: Visitor, called: Database) -> None:
    hour = {"agent_id": 1, "hour": NOW_MS // HOUR_MS, "begun": 2, "missed": 1, "spent_ms": 60_000}
    store(called, insert(AgentHour).values(**hour, activity=5, reason="lunch"))
    rows = table(alice, by="agent", period="all")
    taken = [row for row in legs(called) if row["leg_type"] == 2]
    expected = [sum(row["agent_id"] == agent for row in taken) for agent in (1, 2)]
    assert [int(row["Calls taken"]) for row in rows] == expected
    assert [row["Agent"] for row in rows] == [f"'{FORMULA}", HOSTILE]
    assert [(row["On a break (seconds)"], row["Calls missed"]) for row in rows] == [("60", "1"), ("0", "0")]
    assert table(alice, by="break", period="all") == [
        {"Reason of a break": "lunch", "Breaks": "2", "Time (seconds)": "60", "Time on average (seconds)": "30.0"}
    ]


def test_agents_are_shown_by_the_outcomes_and_hours_of_their_calls(
    alice: Visitor, bob: Visitor, called: Database
) -> None:
    hour = NOW_MS // HOUR_MS
    words = {f"1 {FORMULA} = success": 1, "1 Sold = success": 2, "2 Sold = success": 1, "2 other": 1}
    store(
        called,
        *(
            insert(UserHour).values(user_id=2, grouping=9, hour=hour, member=member, legs=legs, legs_answered=legs)
            for member, legs in words.items()
        ),
        insert(UserHour).values(user_id=2, grouping=8, hour=hour, member="Sold = success", calls=5),
    )
    taken = [row for row in legs(called) if row["leg_type"] == 2]
    rows = table(alice, by="agent_disposition", period="all")
    assert [row["Agent"] for row in rows] == [HOSTILE, f"'{FORMULA}"]
    columns = ("Calls taken", "Sold (Success)", "Something else", "None given", f"'{FORMULA} (Success)")
    assert [tuple(row[name] for name in columns) for row in rows] == [
        ("3", "1", "1", "1", "0"),
        ("3", "2", "0", "0", "1"),
    ]
    by_hour = table(alice, by="agent_hour", period="all")
    hours = [Counter(row["starting_date"] // HOUR_MS % 24 for row in taken if row["agent_id"] == one) for one in (2, 1)]
    assert [{name: int(row[name]) for name in row if name.endswith(":00")} for row in by_hour] == [
        {f"{hour:02}:00": found[hour] for hour in sorted(sum(hours, Counter()))} for found in hours
    ]
    assert table(alice, by="disposition_word", period="all")[0]["Outcome in the campaign's words"] == "None given"
    page = alice.get("figures/?by=agent_disposition&period=7")
    assert "<script>alert" not in page
    links = re.findall(r'<th scope="row"><a href="/console/(calls/[^"]*)"', page)
    text = alice.text(html.unescape(links[0]))
    assert ("Only those of" in text, "3 in all" in text, "from=2026-11-12" in links[0]) == (True, True, True)
    assert bob.request("GET", html.unescape(links[0])).status_code == 404
    (send,) = re.findall(r'href="/console/(records/report-schedule/new/[^"]*)"', page)
    form = alice.get(html.unescape(send))
    assert [f'<option value="{one}" selected>' in form for one in ("agent_outcomes", "daily")] == [True, True]


@pytest.mark.usefixtures("called")
def test_a_spreadsheet_has_numbers_dates_and_no_formulas(alice: Visitor) -> None:
    answer = alice.request("GET", "figures/export/?by=agent&period=all&format=xlsx")
    assert answer.headers["content-disposition"] == 'attachment; filename="figures-by-agent.xlsx"'
    rows = list(sheet_in(answer.content).iter_rows())
    assert [cell.data_type for cell in rows[1]][:2] == ["s", "n"]
    assert rows[1][0].value == f"'{FORMULA}"
    assert "<script>" in rows[2][0].value
    answer = alice.request("GET", "figures/export/?by=day&period=all&format=xlsx")
    sheet = sheet_in(answer.content)
    assert [cell.value for cell in sheet[1]][:2] == ["Day", "Calls"]
    days = [row[0] for row in sheet.iter_rows(min_row=2, values_only=True)]
    assert [day.date() for day in days] == [
        date(2026, 11, 15),
        date(2026, 11, 16),
        date(2026, 11, 17),
        date(2026, 11, 18),
    ]
    of_csv = table(alice, by="day", period="all")
    assert [row[1] for row in sheet.iter_rows(min_row=2, values_only=True)] == [int(row["Calls"]) for row in of_csv]


def test_a_period_counts_the_days_that_it_names(alice: Visitor, called: Database) -> None:
    calls = [row for row in legs(called) if row["leg_type"] == 1]

    def between(first: str, last: str) -> int:
        return sum(
            first <= datetime.fromtimestamp(row["starting_date"] / 1_000, UTC).date().isoformat() <= last
            for row in calls
        )

    def shown(**asked: str) -> int:
        return sum(int(row["Calls"]) for row in table(alice, by="attempt", **asked))

    assert shown(period="today") == between("2026-11-18", "2026-11-18")
    assert shown(period="yesterday") == between("2026-11-17", "2026-11-17")
    assert shown(period="7") == shown(period="all") == len(calls)
    assert shown(**{"from": "2026-11-16", "until": "2026-11-17"}) == between("2026-11-16", "2026-11-17")


@pytest.mark.parametrize(
    "query",
    ["by=moon", "period=x", "from=soon", "from=0001-01-01", "from=2026-11-18&until=2026-11-17", "format=pdf&by=day"],
)
def test_wrong_questions_are_refused(alice: Visitor, query: str) -> None:
    assert alice.request("GET", f"figures/export/?{query}").status_code == 400
    if "format" not in query:
        assert 'role="alert"' in alice.request("GET", f"figures/?{query}").text


def test_another_account_sees_nothing(bob: Visitor, admin: Visitor, called: Database) -> None:
    assert [row["Calls"] for row in table(bob, by="attempt", period="all")] == ["1"]
    assert (
        sum(int(row["Calls"]) for row in table(admin, by="attempt", period="all"))
        == len([row for row in legs(called) if row["leg_type"] == 1]) + 1
    )
    assert bob.request("GET", "campaigns/1/figures/").status_code == 404
    assert bob.request("GET", "campaigns/1/figures/export/").status_code == 404
    assert FORMULA not in bob.get("figures/?by=agent&period=all")


@pytest.mark.usefixtures("called")
def test_a_hostile_name_is_text(alice: Visitor) -> None:
    page = alice.get("figures/?by=agent&period=all")
    assert ("<script>alert" in page, "&lt;script&gt;alert" in page) == (False, True)


def test_answers_are_exported_a_row_a_call_and_a_column_a_question(
    alice: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    identity = with_question(api, "Hello")
    people = 2_100  # More than a chunk has room for.
    results, calls = [], []
    sections = sections_of(database, identity)
    for number in range(people):
        shared: dict[str, Any] = {
            "campaign_id": identity,
            "user_id": 2,
            "callid": str(number),
            "created_date": NOW_MS + number,
        }
        shared |= {"section_id": sections[-1], "section_type": 2, "question": "Hello"}
        results.append({**shared, "response": FORMULA if number == 7 else str(number)})
        if number % 2 == 0:
            results.append({**shared, "section_id": 99, "section_type": 2, "response": "of no section"})
        calls.append(cdr(number, campaign_id=identity, attempt=1))
    store(database, insert(SurveyResult).values(results), *calls)
    answer = alice.request("GET", f"campaigns/{identity}/answers/export/")
    rows = list(csv.reader(io.StringIO(answer.text, newline="")))
    assert rows[0] == ["Dialled (UTC)", "Number", "Name", "Attempt", "Talked (seconds)", "Hello"]
    expected = [f"'{FORMULA}" if number == 7 else str(number) for number in range(people)]
    assert [row[5] for row in rows[1:]] == expected
    assert rows[1][:5] == ["2026-11-18 11:06:40", "+12025550000", "", "1", "65"]
    answer = alice.request("GET", f"campaigns/{identity}/answers/export/?format=xlsx")
    assert answer.headers["content-type"] == XLSX
    sheet = sheet_in(answer.content)
    assert [row[5] for row in sheet.iter_rows(min_row=2, values_only=True)] == expected
    assert sheet["A2"].value == datetime(2026, 11, 18, 11, 6, 40)  # noqa: DTZ001 - a cell has no zone
    assert bob.request("GET", f"campaigns/{identity}/answers/export/").status_code == 404
    assert alice.request("GET", f"campaigns/{identity}/answers/export/?format=pdf").status_code == 400


def with_question(api: Caller, question: str, **fields: str) -> int:
    """Create a campaign whose survey asks a question after its message, and return its id."""
    identity = campaign(api, started="no", **fields)
    survey = api.get("survey-template/")["results"][0]["url"]
    api.create("section-template", survey=survey, type=2, question=question, script=question, key_1="yes")
    return identity


def sections_of(database: Database, identity: int) -> list[int]:
    """Return the ids of the sections of a campaign's survey."""

    def read(connection: Any) -> list[int]:  # noqa: ANN401 - a connection
        row = connection.execute(select(Campaign.__table__).where(Campaign.id == identity)).mappings().one()
        return [section.id for section in survey_of(connection, row)[0].sections]

    return database.read_now(read)


def test_people_and_calls_of_a_campaign_are_exported(
    alice: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    identity = campaign(api)
    store(database, cdr(1, campaign_id=identity, attempt=1, callerid=FORMULA), cdr(2))
    csv_rows = list(
        csv.DictReader(io.StringIO(alice.request("GET", f"campaigns/{identity}/people/export/?format=csv").text))
    )
    assert len(csv_rows) == 4
    assert {row["campaign"].rpartition("/campaigns/")[2] for row in csv_rows} == {f"{identity}/"}
    answer = alice.request("GET", f"campaigns/{identity}/people/export/?format=xlsx")
    rows = list(sheet_in(answer.content).iter_rows(values_only=True))
    assert (len(rows), rows[0][0], rows[1][0]) == (5, "id", int(csv_rows[0]["id"]))
    answer = alice.request("GET", f"calls/export/?campaign={identity}&format=xlsx")
    assert answer.headers["content-type"] == XLSX
    head, row = list(sheet_in(answer.content).iter_rows(values_only=True))
    call = dict(zip(head, row, strict=True))
    assert (call["callerid"], call["call_cost"], call["billsec"]) == (f"'{FORMULA}", 12.34, 65)
    assert call["starting_date"] == datetime(2026, 11, 18, 11, 6, 41)  # noqa: DTZ001 - a cell has no zone
    for path in (f"campaigns/{identity}/people/export/", f"campaigns/{identity}/report/"):
        assert bob.request("GET", path).status_code == 404


def test_the_report_says_what_it_was_and_what_came_of_it(alice: Visitor, api: Caller, database: Database) -> None:
    identity = with_question(api, "Hello", name=HOSTILE, maxretry="2", completion_maxretry="1")
    sections = sections_of(database, identity)
    result: dict[str, Any] = {
        "campaign_id": identity,
        "user_id": 2,
        "callid": "1",
        "created_date": NOW_MS,
        "section_id": sections[-1],
    }
    shared: dict[str, Any] = {"campaign_id": identity, "attempt": 1, "is_for_agents": True, "starting_date": NOW_MS}
    store(
        database,
        insert(SurveyResult).values(**result, section_type=2, question="Hello", response=RTL),
        cdr(1, **shared, is_abandoned=True),
        cdr(2, **shared),
        cdr(3, campaign_id=identity, attempt=2, starting_date=NOW_MS, billsec=0, hangup_cause_q850=17),
    )
    count(database)
    dnc = api.create("dnc-list", name="No")
    api.create("dnc-contact", dnc=dnc["url"], phone_number="1001")
    api.change(f"campaigns/{identity}/", dnc=dnc["url"])
    text = alice.text(f"campaigns/{identity}/report/")
    assert "A number on a do-not-call list protects nobody: it is too short, or nobody can have it." in text
    assert "Account alice Survey Survey List Book Carrier Carrier" in text
    assert "Further calls if not reached 2 Further calls until completed 1" in text
    abandoned = "Abandoned 50.0 % 1 of 2 calls that people answered waited over 2 s"
    assert f"Calls 3 2:10 min talked Answered 66.7 % 2 calls {abandoned}" in text
    assert "no agent took it within two seconds of joining a queue" in text
    assert "People 0 0.0 % Tried 0 0.0 %" in text
    assert "A person answered 2 66.7 % Busy 1 33.3 %" in text
    assert "All 3 2 66.7 %" in text
    assert "<script>alert" not in alice.page


def test_a_report_says_that_a_table_would_be_too_long(
    alice: Visitor, api: Caller, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity = campaign(api)
    for number in range(3):  # Each is in another hour of the day.
        calls = {"campaign_id": identity, "attempt": 1, "starting_date": NOW_MS - number * HOUR_MS}
        store(database, cdr(number, **calls))
    count(database)
    title, said = "Hour of the day at the callee", "There are too many rows. Ask for fewer days"
    text = alice.text(f"campaigns/{identity}/report/")
    assert (title in text, said in text) == (True, False)
    monkeypatch.setattr(figures, "HOURS_READ_MAX", 2)
    text = alice.text(f"campaigns/{identity}/report/")
    assert f"{title} {said}" in text
    assert f'href="/console/campaigns/{identity}/figures/?by=hour_of_day"' in alice.page


def test_answers_and_branches_move_live(alice: Visitor, api: Caller, database: Database) -> None:
    identity = with_question(api, "Will you come?")
    sections = sections_of(database, identity)
    api.change(f"section-template/{sections[-1]}/", key_1="yes")
    alice.get(f"campaigns/{identity}/")
    result: dict[str, Any] = {"campaign_id": identity, "user_id": 2, "created_date": NOW_MS, "section_id": sections[-1]}
    result |= {"section_type": 2, "question": "Will you come?"}
    for number in (1, 2):
        store(database, insert(SurveyResult).values(**result, callid=str(number), response="yes"))
        live = alice.text(f"campaigns/{identity}/live/")
        assert f"Will you come? {number} answer{'s' if number > 1 else ''}" in live
        assert f"yes {number} 100.0 %" in live


def test_a_queue_has_its_name_in_answers(alice: Visitor, api: Caller, database: Database) -> None:
    queue = api.create("queue", name="Sales")
    identity = campaign(api, started="no")
    survey = api.get("survey-template/")["results"][0]["url"]
    section = api.create(
        "section-template", survey=survey, type=SectionType.CALL_TRANSFER, question="To us", queue=queue["url"]
    )
    result: dict[str, Any] = {
        "campaign_id": identity,
        "user_id": 2,
        "created_date": NOW_MS,
        "section_id": section["id"],
        "callid": "1",
    }
    result |= {"section_type": section["type"], "question": "To us", "response": f"queue: {queue['id']}"}
    store(database, insert(SurveyResult).values(**result), cdr(1, campaign_id=identity, attempt=1, callid="1"))
    assert "To us 1 answer Answer Share Calls To the queue Sales 1" in alice.text(f"campaigns/{identity}/")
    answer = alice.request("GET", f"campaigns/{identity}/answers/export/")
    assert next(csv.DictReader(io.StringIO(answer.text)))["To us"] == "To the queue Sales"


def test_an_account_without_a_rate_is_told_so(alice: Visitor, api: Caller, database: Database) -> None:
    identity = campaign(api)
    hint = "No rate is set for this account, so calls cost nothing."
    assert hint in alice.text(f"campaigns/{identity}/")
    assert "No rate is set, so calls and messages cost nothing." in alice.text("money/")
    store(database, update(User).where(User.id == 2).values(call_rate=1))
    assert [hint in alice.text(path) for path in (f"campaigns/{identity}/", f"campaigns/{identity}/report/")] == [
        False
    ] * 2
    assert "No rate is set" not in alice.text("money/")
