"""Tests of reports that are sent: each due moment once to each recipient, in spite of failures and lost processes."""

from collections.abc import Callable
from email.message import EmailMessage
from typing import Any, Final
from zoneinfo import ZoneInfo

import anyio
import pytest
from sqlalchemy import select, update

from dialer.app.campaigns.report_schedules import DAYS, LEASE_MS, WAITS_MS, DeliveryOutcome, TakenDelivery
from dialer.commands.serve_requests import sending_reports
from dialer.console.reports import files
from dialer.console.reports.making import ReportMaker
from dialer.console.reports.sender import FAILED, NO_SERVER, OTHER_CLOCK, ReportSender, Shared
from dialer.domain.words.enums import CampaignStatus
from dialer.mail.server import MailOutcome
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.tables import CallInProgress, Campaign, ReportDelivery, ReportLink, User
from tests import loops
from tests.api.harness import NOW_MS, Caller
from tests.console.building import store
from tests.console.test_summary import polled
from tests.console.visitor import Visitor, words
from tests.loops import ProcessEnd

ADA: Final = "ada@example.com"
EVE: Final = "eve@example.com"
DAY_MS: Final = 86_400_000
EIGHT_MS: Final = NOW_MS - 4_000_000 + 20 * 3_600_000
"""08:00 in Berlin on the next morning."""


class Post:
    """A mail server that is told what to answer, and two clocks that are moved by hand."""

    def __init__(self, database: Database, base: str = "https://dialer.example.com") -> None:
        self.database = database
        self.mails: list[EmailMessage] = []
        self.answers: dict[str, MailOutcome] = {}
        self.now_ms = self.machine_ms = NOW_MS
        self.base = base
        maker = ReportMaker(database, self.take, "dialer@example.com", ZoneInfo("UTC"), base, self.clock, self.machine)
        self.deliver: Callable[[TakenDelivery, Shared], Any] = maker.deliver

    def clock(self) -> int:
        """Return the time of the service."""
        return self.now_ms

    def machine(self) -> int:
        """Return the time of the machine."""
        return self.machine_ms

    async def take(self, message: EmailMessage) -> MailOutcome:
        """Keep a mail, or refuse it."""
        answer = self.answers.get(str(message["To"]), MailOutcome())
        if not answer.problem:
            self.mails.append(message)
        return answer

    def look(self, later_ms: int = 0) -> list[EmailMessage]:
        """Send what is due after some time, and return the mails that came of it."""
        self.now_ms, self.machine_ms, self.mails = self.now_ms + later_ms, self.machine_ms + later_ms, []
        zone = ZoneInfo("UTC")
        sender = ReportSender(
            self.database, self.deliver, zone=zone, clock_ms=self.clock, machine_ms=self.machine, base=self.base
        )
        loops.run(self.database, sender.send_due)
        return self.mails

    def deliveries(self) -> list[tuple[str, str, int, str]]:
        """Return the recipient, the status, the attempts and the problem of each delivery."""
        columns = ReportDelivery.recipient, ReportDelivery.status, ReportDelivery.attempts, ReportDelivery.problem
        query = select(*columns).order_by(ReportDelivery.id)
        found = self.database.read_now(lambda connection: connection.execute(query).all())
        return [(row.recipient, row.status, row.attempts, row.problem) for row in found]


@pytest.fixture
def post(database: Database) -> Post:
    return Post(database)


def scheduled(api: Caller, database: Database, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - of the API
    """Make a schedule for a campaign whose people have answered, each morning at eight in Berlin."""
    campaign = f"/rest-api/campaigns/{polled(api, database)}/"
    usual = {
        "name": "Board",
        "report": "answers",
        "campaign": campaign,
        "recipients": [ADA],
        "time_zone": "Europe/Berlin",
    }
    return dict(api.create("report-schedule", **{**usual, **fields}))


def parts_of(mail: EmailMessage) -> dict[str, Any]:
    """Return the contents of a mail by their types."""
    return {part.get_content_type(): part.get_content() for part in mail.walk() if not part.is_multipart()}


def test_answers_are_sent_in_the_morning_in_words(api: Caller, database: Database, post: Post) -> None:
    made = scheduled(api, database, recipients=f"{ADA}, {EVE}")
    assert (made["next_due"], made["state"], made["recipients"]) == ("2026-11-19T07:00:00Z", "sends", [ADA, EVE])
    assert post.look() == []
    ms = 71_600_000  # To 07:00 UTC.
    first, second = post.look(ms)
    assert {str(first["To"]), str(second["To"])} == {ADA, EVE}
    assert first["Message-ID"] != second["Message-ID"]
    assert first["Subject"] == "Campaign: Answers in words, 19 Nov 2026"
    parts = parts_of(first)
    text, page = parts["text/plain"], words(parts["text/html"])
    for told in (text, page):
        for sentence in (
            "Account: alice",
            "Campaign: Campaign",
            "As of 19 Nov 2026, 08:00.",
            "Times are in Europe/Berlin.",
        ):
            assert sentence in told
        assert "2 of 3 answered: no." in told
    assert "<script>alert" not in parts["text/html"]
    assert "+1202555" not in text + page
    assert post.look(1_000) == []
    assert [row[:3] for row in post.deliveries()] == [(ADA, "sent", 1), (EVE, "sent", 1)]
    store(database, update(User).where(User.username == "alice").values(language="de"))
    german = post.look(3 * DAY_MS)
    assert len(german) == 2  # Of three mornings that were missed, the last one.
    assert german[0]["Subject"] == "Campaign: Antworten in Worten, 22. Nov. 2026"
    assert "2 von 3 haben geantwortet: no." in parts_of(german[0])["text/plain"]
    shown = api.get("report-schedule/1/")
    assert (shown["next_due"], shown["problem"]) == ("2026-11-23T07:00:00Z", "")
    assert shown["last_sent_date"] == "2026-11-22T07:00:01Z"


def test_people_are_sent_as_a_file_or_a_link_and_never_in_the_mail(
    api: Caller, database: Database, post: Post, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = scheduled(api, database, report="people", sent_as="csv")
    refused = api.refused("PATCH", made["url"], sent_as="words")
    assert refused[1] == {"sent_as": ["Rows of people do not stand in mails. Send a file or a link."]}
    [mail] = post.look(71_600_000)
    parts = parts_of(mail)
    assert "+12025550100" in parts.pop("text/csv")
    assert "+12025550100" not in "".join(parts.values())
    api.change(made["url"], sent_as="xlsx")
    [mail] = post.look(DAY_MS)
    assert [part.get_filename() for part in mail.iter_attachments()] == ["people-1.xlsx"]
    monkeypatch.setattr(files, "FILE_BYTES_MAX", 100)
    [mail] = post.look(DAY_MS)
    assert list(mail.iter_attachments()) == []
    link = next(line for line in parts_of(mail)["text/plain"].splitlines() if "/console/shared/" in line)
    path = link.partition("/console/")[2]
    assert "A row for each person of the campaign" in visitor.text(path)
    held = database.read_now(lambda connection: connection.execute(select(ReportLink.__table__)).one())
    assert held.expirationdate == post.now_ms + 14 * DAY_MS


def test_a_failure_is_told_tried_again_and_stops_no_other(
    api: Caller, database: Database, post: Post, alice: Visitor
) -> None:
    scheduled(api, database, recipients=[ADA, EVE])
    post.answers = {ADA: MailOutcome("450 Busy"), EVE: MailOutcome("550 No such user", is_final=True)}
    assert post.look(71_600_000) == []
    assert post.deliveries() == [(ADA, "waiting", 1, "450 Busy"), (EVE, "failed", 1, "550 No such user")]
    page = alice.text("records/report-schedule/1/")
    assert "Not sent since 19 Nov 2026" in page
    assert api.get("report-schedule/1/")["state"] == "not_sent"
    assert post.look(WAITS_MS[0] - 1) == []
    assert post.deliveries()[0][2] == 1
    post.answers = {}
    [mail] = post.look(1)
    assert mail["To"] == ADA
    told = api.get("report-schedule/1/")
    since = "2026-11-19T07:00:00Z"
    assert (told["state"], told["problem"], told["failing_since"]) == ("not_sent", "550 No such user", since)
    assert len(post.look(DAY_MS)) == 2
    told = api.get("report-schedule/1/")
    assert (told["state"], told["problem"], told["failing_since"]) == ("sends", "", None)


def test_a_report_is_given_up_after_the_last_wait(api: Caller, database: Database, post: Post) -> None:
    scheduled(api, database)
    post.answers = {ADA: MailOutcome("no route")}
    post.look(71_600_000)
    for wait_ms in WAITS_MS:
        post.look(wait_ms)
    assert post.deliveries() == [(ADA, "failed", len(WAITS_MS) + 1, "no route")]


def test_a_process_that_is_lost_leaves_its_reports_to_the_next_one(api: Caller, database: Database, post: Post) -> None:
    scheduled(api, database)
    deliver = post.deliver

    async def be_killed(_: TakenDelivery, __: Shared) -> DeliveryOutcome:
        raise ProcessEnd

    post.deliver = be_killed
    with pytest.raises(BaseExceptionGroup):
        post.look(71_600_000)
    post.deliver = deliver
    assert post.look(1_000) == []
    [mail] = post.look(LEASE_MS)
    assert mail["To"] == ADA
    assert post.look(LEASE_MS) == []
    assert post.deliveries() == [(ADA, "sent", 2, "")]


def test_a_report_that_cannot_be_made_stops_no_other(api: Caller, database: Database, post: Post) -> None:
    first, second = scheduled(api, database), api.create("report-schedule", **agents())
    deliver = post.deliver

    async def fail_first(taken: TakenDelivery, shared: Shared) -> Any:  # noqa: ANN401 - as of the maker
        if taken.schedule["id"] == first["id"]:
            raise ZeroDivisionError
        return await deliver(taken, shared)

    post.deliver = fail_first
    [mail] = post.look(71_600_000 + 3_600_000)
    assert mail["Subject"] == "alice: Agent and outcome, 18 Nov 2026"
    assert "Calls of 18 Nov 2026." in parts_of(mail)["text/plain"]
    assert second["campaign"] is None
    assert post.deliveries() == [(ADA, "waiting", 1, FAILED), (ADA, "sent", 1, "")]


def agents() -> dict[str, Any]:
    """Return the fields of a report about agents, at eight by the clock of the service."""
    return {"name": "Agents", "report": "agent_outcomes", "recipients": ADA, "time_zone": "UTC"}


def test_the_end_of_a_campaign_is_reported_once_when_its_last_call_is_over(
    api: Caller, database: Database, post: Post
) -> None:
    made = scheduled(api, database, sent_when="end")
    assert (made["state"], made["next_due"]) == ("waits", None)
    assert post.look(DAY_MS) == []
    store(database, update(Campaign).values(status=CampaignStatus.END))
    assert post.look(1_000) == []
    store(database, CallInProgress.__table__.delete())
    assert len(post.look(1_000)) == 1
    assert post.look(DAY_MS) == []
    assert [row[:3] for row in post.deliveries()] == [(ADA, "sent", 1)]


def test_a_schedule_that_is_off_or_deleted_sends_nothing(api: Caller, database: Database, post: Post) -> None:
    made = scheduled(api, database)
    post.answers = {ADA: MailOutcome("450 Busy")}
    post.look(71_600_000)
    api.change(made["url"], enabled=False)
    post.answers = {}
    assert post.look(5 * DAY_MS) == []
    assert api.get(made["url"])["state"] == "off"
    api.change(made["url"], enabled=True)
    assert api.get(made["url"])["next_due"] is not None
    assert api.request("DELETE", made["url"]).status_code == 204
    assert post.look(5 * DAY_MS) == []
    assert post.deliveries() == []


def test_without_a_mail_server_or_by_another_clock_the_schedule_says_so(api: Caller, database: Database) -> None:
    scheduled(api, database)
    fast = Settings(clock="x60", mail_url="smtp://127.0.0.1:9", mail_from="dialer@example.com")
    for settings, problem in ((Settings(), NO_SERVER), (fast, OTHER_CLOCK)):

        async def run(settings: Settings = settings) -> None:
            running = sending_reports(settings, database)(lambda: NOW_MS + 71_600_000)
            async with running:
                with anyio.fail_after(20):
                    while not _is_tried(database):
                        await anyio.lowlevel.checkpoint()

        loops.run(database, run)
        assert api.get("report-schedule/1/")["problem"] == problem
        store(database, ReportDelivery.__table__.delete())
        api.change("report-schedule/1/", name="again")


def _is_tried(database: Database) -> bool:
    query = select(ReportDelivery.id).where(ReportDelivery.attempts > 0)
    return database.read_now(lambda connection: connection.execute(query).first() is not None)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"recipients": "ada@example.com\r\nBcc: eve"}, "recipients"),
        ({"recipients": []}, "recipients"),
        ({"recipients": [f"a{place}@b.c" for place in range(11)]}, "recipients"),
        ({"recipients": ADA, "campaign": None}, "campaign"),
        ({"recipients": ADA, "report": "agent_hours", "campaign": None, "sent_as": "link"}, "sent_as"),
        ({"recipients": ADA, "time_zone": "Mars/Olympus"}, "time_zone"),
        ({"recipients": ADA, **dict.fromkeys(DAYS, False)}, "monday"),
        ({"recipients": ADA, "send_time": "25:00"}, "send_time"),
    ],
)
def test_wrong_schedules_are_refused(api: Caller, database: Database, fields: dict[str, Any], error: str) -> None:
    campaign = f"/rest-api/campaigns/{polled(api, database)}/"
    status, body = api.refused(
        "POST", "report-schedule/", **{"name": "x", "report": "answers", "campaign": campaign, **fields}
    )
    assert (status, list(body)) == (400, [error])
