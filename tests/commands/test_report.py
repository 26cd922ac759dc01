"""Tests of `dialer report`, as text, as JSON and as CSV."""

import csv
import io
from base64 import b64encode
from typing import Final

import pytest
from litestar.testing import TestClient

from dialer.api.app import create_app
from dialer.app.call_centre.dispositions import Disposed, dispose_of_call
from dialer.domain.numbers.entries import EntryDoubt
from dialer.domain.rules.doubtful_entries import DoubtfulEntries, in_words
from dialer.domain.words.enums import AgentDisposition
from dialer.passwords import hash_password
from dialer.settings import Settings
from dialer.store.tables import SMS, Campaign, DncContact, DncList, Gateway, User
from tests.commands.conftest import PASSWORD, Outcome, Run
from tests.runtime.house import ALL_ANSWER, CENTS, House

ANSWERS, BUSY, NO_SUCH = "+12025550103", "+12025550111", "+12025550114"
SERVICE: Final = {"DIALER_CLOCK": "virtual", "DIALER_BASE_URL": "http://dialer.example"}
SURVEY: Final = {"type": 1, "script": "word " * 25, "completed": True}
SMS_SURVEY: Final = {"medium": SMS, "aleg_gateway_id": None, "text_message": "Come!"}


def told(run: Run, *arguments: str) -> Outcome:
    return run("report", *arguments, **SERVICE)


async def over(house: House, **settings: object) -> int:
    """Run a campaign of three numbers to its end; a day later two of them are tried again."""
    values = {"maxretry": 1, "intervalretry": 86_400, "campaign_code": "KQWZD", **settings}
    campaign_id = await house.started(house.survey(SURVEY), house.phonebook(ANSWERS, BUSY, NO_SUCH), **values)
    await house.advance(2 * 86_400)
    return campaign_id


async def test_the_whole_report(run: Run, house: House) -> None:
    await over(house)
    shown = told(run, "KQWZD", "--interval", "day", "--group-by", "gateway")
    assert (shown.code, shown.err) == (0, "")
    assert (
        shown.out
        == """\
Campaign 1 (KQWZD), campaign
END: nobody is left to call or to text
At 2026-03-04 12:00:00 UTC: 0 calls in progress, 0 waiting, 0 with an agent, 0 dialled in the last minute

Totals
                        count       %
calls                       4
answered (ASR)              1   25.00  ACD 10.00 s
answered by a person        1   25.00
completed                   1  100.00  of those that a person answered
post-dial delay        1.00 s
delay of the answer    5.00 s
cost                  0.02000          0.02000 a completed call

Subscribers: 3, 3 attempted (100.00 %)
status     reason                                                      subscribers
FAIL       the line was busy                                                     1
FAIL       the number does not exist, or is impossible in its country            1
COMPLETED                                                                        1

What came of the calls
result                                                                      calls      %
busy            the line was busy                                               2  50.00
invalid_number  the number does not exist, or is impossible in its country      1  25.00
person          a person answered, as far as detection can tell                 1  25.00

Outcomes
cause                      calls      %
1      unallocated number      1  25.00
16     normal clearing         1  25.00
17     user busy               2  50.00

By day and gateway, UTC
day         gateway  calls  answered  ASR %  ACD s  completed  abandoned %     cost
2026-03-02  sim          3         1  33.33  10.00          1            -  0.02000
2026-03-03  sim          1         0   0.00      -          0            -  0.00000
"""
    )


def from_the_api(house: House, path: str) -> object:
    """Return the document with which the API answers the owner."""
    house.change(User, house.user_id, password_hash=hash_password(PASSWORD))
    app = create_app(Settings(base_url=SERVICE["DIALER_BASE_URL"]), database=house.database, worker=house.worker)
    credentials = b64encode(f"ann:{PASSWORD}".encode()).decode()
    with TestClient(app, base_url=SERVICE["DIALER_BASE_URL"]) as client:
        answer = client.get(f"/rest-api/{path}", headers={"Authorization": f"Basic {credentials}"})
    assert answer.status_code == 200
    return answer.json()


async def test_a_program_gets_the_document_of_the_api(run: Run, house: House) -> None:
    await over(house)
    asked = "interval=day&group_by=attempt&timezone=Asia/Tokyo&starting_date_before=2026-03-04T12:00:00Z"
    options = ["--interval", "day", "--group-by", "attempt", "--timezone", "Asia/Tokyo", "--to", "2026-03-04T12:00:00Z"]
    printed = told(run, "1", *options, "--json")
    assert printed.data == from_the_api(house, f"campaigns/1/statistics/?{asked}")
    assert [(row["starting_date"], row["group"], row["figures"]["calls"]) for row in printed.data["rows"]] == [
        ("2026-03-01T15:00:00Z", "1", 3),
        ("2026-03-02T15:00:00Z", "2", 1),
    ]


async def test_a_range_counts_only_its_calls(run: Run, house: House) -> None:
    await over(house)
    first = told(run, "1", "--to", "2026-03-02T12:30", "--json").data
    second = told(run, "1", "--from", "2026-03-02T13:00:00Z", "--json").data
    assert (first["totals"]["calls"], second["totals"]["calls"]) == (3, 1)


async def test_rows_as_csv_are_those_of_the_document(run: Run, house: House) -> None:
    await over(house)
    rows = told(run, "1", "--json", "--interval", "day").data["rows"]
    printed = list(csv.DictReader(io.StringIO(told(run, "1", "--csv").out)))
    flat = [{"starting_date": row["starting_date"], "group": row["group"], **row["figures"]} for row in rows]
    assert printed == [{name: "" if value is None else str(value) for name, value in row.items()} for row in flat]
    by_gateway = told(run, "1", "--csv", "--group-by", "gateway").out.splitlines()[1]
    assert by_gateway.startswith(",http://dialer.example/rest-api/gateway/1/,4,1,1,1,25.0,")


async def test_a_campaign_of_messages_has_figures_of_messages(run: Run, house: House) -> None:
    house.change(User, house.user_id, sms_rate=5 * CENTS)
    gateway_id = house.add(Gateway, medium=SMS, name="texts\x1b[2J", parameters='{"sms_delivered": 1}')
    await house.started(0, house.phonebook(ANSWERS), sms_gateway_id=gateway_id, **SMS_SURVEY)
    await house.advance(60)
    _, _, shown = told(run, "1", "--group-by", "gateway").out.partition("\n\n")
    assert (
        shown
        == """\
Totals
                      count       %
messages delivered        1  100.00  of 1
cost                0.05000

Subscribers: 1, 1 attempted (100.00 %)
status  reason  subscribers
SENT                      1

Outcomes
cause        calls  %  messages
Delivered        0  -         1

By gateway
gateway    messages  delivered  delivered %  parts     cost
texts?[2J         1          1       100.00      1  0.05000
"""
    )
    assert told(run, "1", "--json").data["campaign"] == "http://dialer.example/rest-api/sms-campaigns/1/"


async def test_the_rows_of_agents_name_them(run: Run, house: House) -> None:
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    queue_id = house.queue(house.agent(name="[b]Bea[/b]", parameters='{"talk": 30, "answer": 1}'))
    await house.started(house.survey({"type": 6, "queue_id": queue_id}), house.phonebook(ANSWERS))
    await house.advance(120)
    assert told(run, "1", "--group-by", "agent").out.splitlines()[-3:] == [
        "By agent",
        "agent       transfers  answered  talk s     cost",
        "[b]Bea[/b]          1         1      30  0.02000",
    ]
    by_outcome = ("1", "--group-by", "agent_disposition_word")
    assert told(run, *by_outcome).out.splitlines()[-1].split() == ["[b]Bea[/b]:", "none", "1", "1", "30", "0.02000"]
    house.change(Campaign, 1, dispositions="Sold = success")
    house.perform(lambda unit: dispose_of_call(unit, 1, Disposed(AgentDisposition.SUCCESS, word="Sold")))
    assert told(run, *by_outcome).out.splitlines()[-3:] == [
        "By agent_disposition_word",
        "agent_disposition_word      transfers  answered  talk s     cost",
        "[b]Bea[/b]: Sold = success          1         1      30  0.02000",
    ]
    (row,) = told(run, *by_outcome, "--json").data["rows"]
    assert (row["group"], row["disposition_word"]) == ("http://dialer.example/rest-api/agent/1/", "Sold = success")
    (line,) = csv.DictReader(io.StringIO(told(run, *by_outcome, "--csv").out))
    assert (line["group"], line["disposition_word"]) == (row["group"], "Sold = success")
    (row,) = told(run, "1", "--group-by", "disposition_word", "--json").data["rows"]
    assert (row["group"], row["disposition_word"], row["figures"]["calls"]) == ("Sold = success", None, 1)


async def test_a_campaign_without_calls(run: Run, house: House) -> None:
    house.campaign(house.survey(SURVEY))
    lines = told(run, "1", "--interval", "hour").out.splitlines()
    assert lines[:2] == ["Campaign 1 (code0), campaign", "NEW"]
    assert lines[-2:] == ["By hour, UTC", "hour  calls  answered  ASR %  ACD s  completed  abandoned %  cost"]


async def test_numbers_that_protect_nobody_are_a_warning(run: Run, house: House) -> None:
    dnc_id = house.add(DncList, user_id=house.user_id, name="no")
    for number, doubt in (("1001", EntryDoubt.SHORT), ("030 2300074", EntryDoubt.NO_COUNTRY)):
        house.add(DncContact, user_id=house.user_id, dnc_id=dnc_id, phone_number=number, number=number, doubt=doubt)
    house.campaign(house.survey(SURVEY), dnc_id=dnc_id)
    lines = told(run, "1").out.splitlines()
    warnings = [line for line in lines if line.startswith("Warning: ")]
    assert warnings == [f"Warning: {one}" for one in in_words(DoubtfulEntries(1, 1, 10_000))]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["2"], 1, "there is no campaign 2: give its id or its code"),
        (["1", "--interval", "week"], 2, "'week' is not one of 'hour', 'day'"),
        (["1", "--csv", "--json"], 2, "--csv and --json exclude each other: give one of them"),
        (["1", "--from", "yesterday"], 2, "--from: Datetime has wrong format"),
        (["1", "--timezone", "Mars"], 2, "--timezone: 'Mars' is not a time zone"),
    ],
)
def test_wrong_arguments_are_named(run: Run, house: House, arguments: list[str], code: int, message: str) -> None:
    house.campaign(house.survey(SURVEY))
    outcome = told(run, *arguments)
    assert outcome.code == code
    assert message in outcome.err
