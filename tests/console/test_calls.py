"""Tests of the list of calls: its order, its pages, and the rights of viewers."""

import csv
import io
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select

from dialer.console.pages.calls import CALLS_A_PAGE
from dialer.console.parts.rendering import UNKNOWN
from dialer.store.database.database import Database
from dialer.store.tables import (
    AuditLog,
    CallDisposition,
    CallRequest,
    Campaign,
    Cdr,
    Subscriber,
    SurveyResult,
    Transfer,
)
from tests.api.harness import NOW_MS, Caller
from tests.console.building import HOSTILE, campaign, store
from tests.console.visitor import Visitor


def cdr(number: int, **fields: Any) -> Any:  # noqa: ANN401 - columns, and a statement
    """Return the insertion of a call of Alice."""
    values = {"callid": str(number), "phone_number": f"+1202555{number:04}", "starting_date": NOW_MS + number * 1_000}
    values |= {"user_id": 2, "campaign_id": None, "callerid": "", "duration": 70, "billsec": 65, "call_cost": 1_234_000}
    values |= {"billed_duration": 120, "leg_type": 1, "amd_status": 1, "subscriber_id": 1, "hangup_cause_q850": 16}
    return insert(Cdr).values({**values, **fields})


def test_calls_are_listed_the_newest_first(alice: Visitor, api: Caller, database: Database) -> None:
    assert "No call is over yet. A call appears here when it ends." in alice.text("calls/")
    identity = campaign(api, name="Departures", started="no")
    store(database, cdr(1), cdr(2, campaign_id=identity, hangup_cause_q850=17, billsec=0, call_cost=0, leg_type=2))
    text = alice.text("calls/")
    newest = "18 Nov 2026, 11:06:42 +12025550002 transfer Departures Busy"
    assert f"{newest} 18 Nov 2026, 11:06:41 +12025550001 deleted Answered 1:05 min 12.34" in text
    of_one = alice.text(f"calls/?campaign={identity}")
    assert ("Only those of Departures" in of_one, newest in of_one, "+12025550001" in of_one) == (True, True, False)


def test_the_leg_to_an_agent_says_who_took_whom(alice: Visitor, api: Caller, database: Database) -> None:
    agent = api.create("agent", name=HOSTILE)
    leg = {"leg_type": 2, "phone_number": "102", "callerid": "+12025550001", "agent_id": agent["id"]}
    store(database, cdr(1), cdr(2, **leg))
    shown = " ".join(HOSTILE.split())
    for path in ("calls/", "calls/2/", "calls/?leg=2"):
        assert f"transfer to {shown}, with +12025550001" in alice.text(path)
    assert ["1 in all" in alice.text(f"calls/?leg={leg}") for leg in (1, 2)] == [True, True]


def test_all_calls_of_an_agent_are_listed(alice: Visitor, bob: Visitor, api: Caller, database: Database) -> None:
    ann, ben = (api.create("agent", name=name)["id"] for name in ("Ann", "Ben"))
    legs = {"leg_type": 2, "phone_number": "102"}
    people = {2: ann, 3: ben, 4: ann}
    store(
        database,
        cdr(1),
        *(cdr(number, callerid=f"+1202555000{number}", agent_id=of, **legs) for number, of in people.items()),
    )
    text = alice.text(f"calls/?agent={ann}")
    assert ("Only those of Ann" in text, "2 in all" in text) == (True, True)
    assert re.findall(r"with \+1202555000(\d)", text) == ["4", "2"]
    exported = alice.request("GET", f"calls/export/?agent={ann}&format=csv")
    assert [row["agent_id"] for row in csv.DictReader(io.StringIO(exported.text))] == [str(ann)] * 2
    assert [row["id"] for row in api.get("cdr/", agent_id=ben)["results"]] == [3]
    assert f'href="/console/calls/?agent={ann}"' in alice.get(f"agents/{ann}/")
    for path in (f"calls/?agent={ann}", f"calls/export/?agent={ann}"):
        assert bob.request("GET", path).status_code == 404
    assert [alice.request("GET", f"calls/?agent={wrong}").status_code for wrong in (99, "x")] == [404, 400]


def test_a_call_that_came_in_shows_its_caller(alice: Visitor, database: Database) -> None:
    ours = {"phone_number": "+12025550199", "attempt": -1, "subscriber_id": 0}
    store(database, cdr(1, callerid="+12025550777", **ours), cdr(2, callerid="", **ours), cdr(3, **ours, leg_type=2))
    text = alice.text("calls/")
    assert ("+12025550777 called in" in text, "withheld called in" in text) == (True, True)
    assert "+12025550199 transfer" in text
    assert [alice.text(f"calls/{identity}/").count("called in") for identity in (1, 2, 3)] == [1, 1, 0]


def test_a_long_list_has_pages(alice: Visitor, database: Database) -> None:
    store(database, *(cdr(number) for number in range(CALLS_A_PAGE + 2)))
    first = alice.get("calls/?outcome=16")
    assert first.count("12.34") == CALLS_A_PAGE
    path = unescape(first.partition('rel="next" href="/console/')[2].partition('"')[0])
    assert alice.get(path).count("12.34") == 2
    assert ("Newer" in alice.page, "Older" in alice.page, "52 in all" in alice.page) == (True, False, True)
    assert "No call fits." in alice.get("calls/?outcome=17")


@pytest.mark.parametrize("query", ["page=0", "page=x", "page=9", "cursor=x", "campaign=9"])
@pytest.mark.parametrize("path", ["calls/", "calls/export/"])
def test_wrong_addresses_are_not_found(alice: Visitor, path: str, query: str) -> None:
    if not (path.endswith("export/") and query == "page=9"):  # An export has no pages.
        assert alice.request("GET", f"{path}?{query}").status_code == 404


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("number=%2B1 (202) 555-0002", [2]),
        ("outcome=17", [3]),
        ("from=2026-11-18T11:06:42", [3, 2]),
        ("until=2026-11-18T11:06:42", [2, 1]),
        ("from=2026-11-18T12:06:42%2B01:00&until=2026-11-18T11:06:42Z", [2]),
        ("outcome=16&number=1-202-555-0001", [1]),
    ],
)
def test_filters_select_what_is_listed_and_exported(
    alice: Visitor, database: Database, query: str, numbers: list[int]
) -> None:
    store(database, cdr(1), cdr(2), cdr(3, hangup_cause_q850=17))
    found = re.findall(r"\+1202555000(\d)", alice.text(f"calls/?{query}"))
    assert list(map(int, found)) == numbers
    link = unescape(alice.page.partition('href="/console/calls/export/')[2].partition('"')[0])
    exported = alice.request("GET", f"calls/export/{link}")
    assert exported.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(exported.text)))
    assert [int(row["phone_number"][-1]) for row in rows] == numbers


@pytest.mark.parametrize(
    "query",
    ["outcome=x", "campaign=-1", f"campaign={2**63}", "from=soon", "from=2026-11-19T00:00&until=2026-11-18T00:00"],
)
def test_a_wrong_filter_says_so_beside_the_form(alice: Visitor, query: str) -> None:
    answer = alice.request("GET", f"calls/?{query}")
    assert (answer.status_code, 'role="alert"' in answer.text, 'name="outcome"' in answer.text) == (400, True, True)
    assert alice.request("GET", f"calls/export/?{query}").status_code == 400


@pytest.fixture
def answered(api: Caller, database: Database) -> int:
    """Store a call of Alice with a recorded answer and a transfer, and return its id."""
    identity = campaign(api, name="Departures")
    subscriber = {"campaign_id": identity, "number": "+12025550001", "duplicate_contact": "+12025550001"}
    subscriber |= {"zone": "", "gmt_offset": "", "tz_code": "", "additional_vars": "{}", "full_name": "", "status": 5}
    dates = {"created_date": NOW_MS, "updated_date": NOW_MS}
    call = {"id": 7, "callid": "7", "campaign_id": identity, "subscriber_id": 900, "user_id": 2, "gateway_id": 1}
    call |= {"attempt": 1, "phone_number": "+12025550001", "dialled_number": "+12025550001", "callerid": "+1"}
    call |= {"status": 4, "status_reason": "", "started_ms": NOW_MS, "ended_ms": NOW_MS + 70_000, "hold": 0}
    call |= {"hangup_cause_q850": 16, "ring_limit_ms": 1, "talk_limit_ms": 1, "call_rate": 0}
    result = {"campaign_id": identity, "callrequest_id": 7, "user_id": 2, "callid": "7", "section_id": 1}
    result |= {"section_type": 5, "question": HOSTILE, "response": "7-1.wav", "record_file": "7-1.wav"}
    store(
        database,
        insert(Subscriber).values(id=900, **subscriber, **dates),
        insert(CallRequest).values(call),
        insert(SurveyResult).values(**result, recording_duration=3, created_date=NOW_MS + 9_000),
        cdr(1, callrequest_id=7, campaign_id=identity, subscriber_id=900, callid="7"),
    )
    return 1


def test_a_call_is_told_moment_by_moment(
    alice: Visitor,
    bob: Visitor,
    visitor: Visitor,
    answered: int,
    media: Path,
) -> None:
    text = alice.text(f"calls/{answered}/")
    parts = ("Answered", "Q.850 cause 16", "1:05 min", "Departures", "Attempt 1 over Carrier", "7-1.wav", "Over, ")
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "<script>alert" not in alice.page
    source = re.findall(r'<audio[^>]* src="/console/([^"]*)"', alice.page)
    assert source == ["answers/1/recording/"]
    assert alice.request("GET", source[0]).status_code == 404  # The file is not there.
    (media / "7-1.wav").write_bytes(b"RIFF")
    whole, part = (alice.request("GET", source[0], headers=asked) for asked in ({}, {"Range": "bytes=1-2"}))
    assert (whole.content, whole.headers["content-type"], part.status_code, part.content) == (
        b"RIFF",
        "audio/wav",
        206,
        b"IF",
    )
    visitor.sign_in("gus")
    assert [
        one.request("GET", path).status_code for path in (f"calls/{answered}/", source[0]) for one in (bob, visitor)
    ] == [
        404,
        404,
        404,
        403,
    ]
    assert [alice.request("GET", f"calls/{strange}/").status_code for strange in ("0", "x", "2")] == [404] * 3


def queued(identity: int, **transfer: Any) -> list[Any]:  # noqa: ANN401 - columns, and statements
    """Return the insertions of a call that came to queue 1 five seconds after its beginning, and of its CDR."""
    call: dict[str, Any] = {"id": identity, "callid": str(identity), "campaign_id": 1, "user_id": 2, "gateway_id": 1}
    call |= {"attempt": 1, "phone_number": f"+1202555{identity:04}", "callerid": "", "status": 4, "call_rate": 0}
    call |= {"started_ms": NOW_MS, "ended_ms": NOW_MS + 70_000, "hold": 0, "hangup_cause_q850": 16}
    joined: dict[str, Any] = {"callrequest_id": identity, "place": 1, "section_id": 1, "queue_id": 1, "status": 3}
    joined |= {"joined_ms": NOW_MS + 5_000, "score_from_ms": NOW_MS}
    return [
        insert(CallRequest).values({**call, "ring_limit_ms": 1, "talk_limit_ms": 1}),
        insert(Transfer).values({**joined, **transfer}),
        cdr(identity, callrequest_id=identity, campaign_id=1, is_abandoned=transfer.get("is_abandoned", False)),
    ]


@pytest.fixture
def waits(api: Caller, database: Database) -> None:
    """Store calls 1 to 5: taken at once, taken late, never taken, left at once, and not let into the queue."""
    campaign(api, name="Departures")
    api.create("queue", name="Sales")
    api.create("agent", name="Ann")
    at = NOW_MS + 5_000
    store(
        database,
        *queued(1, agent_id=1, answered_ms=at + 1_200, ended_ms=at + 60_000),
        *queued(2, agent_id=1, answered_ms=at + 4_000, ended_ms=at + 60_000, is_abandoned=True),
        *queued(3, reason="max_wait", ended_ms=at + 65_000, is_abandoned=True),
        *queued(4, reason="hung_up", ended_ms=at + 900),
        *queued(5, reason="max_xfer", ended_ms=at, score_from_ms=0),
    )


@pytest.mark.usefixtures("waits")
def test_a_call_tells_how_long_it_waited_for_an_agent_and_what_came_of_it(alice: Visitor) -> None:
    joined = "11:06:45 Joined the queue Sales"
    too_late = "11:06:47 abandoned No agent took the call within 2 seconds."
    told = {
        1: ("1.2 s taken by Ann", f"{joined} 18 Nov 2026, 11:06:46 Taken by Ann after 1.2 s"),
        2: (
            "4.0 s abandoned · taken by Ann",
            f"{joined} 18 Nov 2026, {too_late} 18 Nov 2026, 11:06:49 Taken by Ann after 4.0 s",
        ),
        3: (
            "1:05 min abandoned · the longest wait that the queue allows was over",
            f"{joined} 18 Nov 2026, {too_late} 18 Nov 2026, 11:07:50 Left the queue after 1:05 min: the longest wait",
        ),
        4: (
            "0.9 s the callee hung up while waiting",
            f"{joined} 18 Nov 2026, 11:06:45 Left the queue after 0.9 s: the callee hung up while waiting",
        ),
        5: (
            f"{UNKNOWN} the campaign had reached its limit of transfers in progress",
            "11:06:45 To Sales: the campaign had reached its limit of transfers in progress",
        ),
    }
    for identity, (tile, moments) in told.items():
        text = alice.text(f"calls/{identity}/")
        assert (f"Waited for an agent {tile}" in text, moments in text) == (True, True), text


@pytest.mark.usefixtures("waits")
def test_a_call_tells_of_its_holds_its_listeners_and_its_outcome(alice: Visitor, database: Database) -> None:
    actions = ((10, "call_held"), (12, "call_listened"), (20, "call_resumed"), (25, "call_joined"), (40, "call_left"))
    log = [
        insert(AuditLog).values(
            created_date=NOW_MS + seconds * 1_000,
            actor=HOSTILE,
            via="console",
            action=action,
            resource="agent",
            record_id=1,
            user_id=2,
            before="{}",
            after=f'{{"agent_id":1,"callrequest_id":{call_id}}}',
        )
        for seconds, action in (*actions, (45, "call_held"))
        for call_id in (1, 2)
        if (seconds, call_id) != (45, 1)
    ]
    said = {"callrequest_id": 1, "user_id": 2, "disposition": "success", "word": "Sold", "note": "<b>Blue</b>"}
    store(
        database,
        *log,
        insert(CallDisposition).values(**said, created_date=NOW_MS + 72_000, updated_date=NOW_MS + 75_000),
    )
    text, name = alice.text("calls/1/"), " ".join(HOSTILE.split())
    day = "18 Nov 2026, "
    for moment in (
        f"{day}11:06:50 On hold, for 10 s",
        f"{day}11:06:52 {name} listened in, for 13 s",
        f"{day}11:07:05 {name} joined the call, for 15 s",
    ):
        assert moment in text
    assert text.index("Over") < text.index(f"{day}11:07:55 Outcome: Sold <b>Blue</b>")
    assert f"{day}11:07:25 On hold, for 25 s" in alice.text("calls/2/")
    assert text.count("On hold") == 1
    assert "On hold" not in alice.text("calls/3/")
    alice.get("calls/1/")
    assert ("<script>alert" in alice.page, "<b>Blue" in alice.page) == (False, False)


@pytest.mark.usefixtures("waits")
def test_abandoned_calls_are_marked_and_found(alice: Visitor) -> None:
    text = alice.text("calls/")
    assert "Answered abandoned Taken after 4.0 s" in text
    assert "Answered abandoned The longest wait that the queue allows was over, after 1:05 min" in text
    assert "Answered The callee hung up while waiting, after 0.9 s" in text
    assert text.count("Answered abandoned ") == 2
    for query, numbers in (("abandoned=true", [3, 2]), ("abandoned=false", [5, 4, 1])):
        found = re.findall(r"\+1202555000(\d)", alice.text(f"calls/?{query}"))
        assert list(map(int, found)) == numbers
        exported = alice.request("GET", f"calls/export/?{query}&format=csv")
        rows = list(csv.DictReader(io.StringIO(exported.text)))
        assert [(int(row["phone_number"][-1]), row["is_abandoned"]) for row in rows] == [
            (number, query.partition("=")[2]) for number in numbers
        ]
    assert alice.request("GET", "calls/?abandoned=maybe").status_code == 400
    assert "abandoned The longest wait that the queue allows was over, after 1:05 min" in alice.text("campaigns/1/")


def test_a_customer_sees_no_call_of_another(
    alice: Visitor, bob: Visitor, admin: Visitor, visitor: Visitor, api: Caller, database: Database
) -> None:
    identity = campaign(api, started="no")
    store(database, cdr(1, campaign_id=identity))
    seen = {one: "+12025550001" in one.get("calls/") for one in (alice, bob, admin)}
    assert list(seen.values()) == [True, False, True]
    assert bob.request("GET", f"calls/?campaign={identity}").status_code == 404
    visitor.sign_in("gus")
    assert "+12025550001" not in visitor.get("calls/")
    assert 'href="/console/campaigns/' not in visitor.page
    assert visitor.request("GET", "").headers["location"] == "/console/desk/"


def test_the_call_of_a_test_names_the_campaign_that_was_tried(alice: Visitor, api: Caller, database: Database) -> None:
    identity = campaign(api, name="Departures", started="no")
    copied = select(*(column for column in Campaign.__table__.c if column.name != "id"))
    row = database.read_now(lambda connection: connection.execute(copied).mappings().one())
    hidden = {**row, "campaign_code": "TRIAL", "name": "of a trial", "trial_of_id": identity}
    store(database, insert(Campaign).values(id=identity + 1, **hidden), cdr(1, campaign_id=identity + 1))
    for path in ("calls/", "calls/1/"):
        page = alice.get(path)
        assert f'<a class="cut" href="/console/campaigns/{identity}/">Departures (test)</a>' in page
        assert "of a trial" not in page
