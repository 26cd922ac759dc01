"""A report on its way to a real mail server."""

from zoneinfo import ZoneInfo

from dialer.console.reports.making import ReportMaker
from dialer.console.reports.sender import ReportSender
from dialer.mail.server import MailServer
from dialer.store.database.database import Database
from tests import loops
from tests.api.harness import NOW_MS, Caller
from tests.console.reports.test_sender import ADA, Post, scheduled
from tests.mail.postbox import Postbox, serving


def test_a_report_reaches_a_real_server(api: Caller, database: Database) -> None:
    scheduled(api, database, sent_as="xlsx")
    box, post = Postbox(), Post(database)
    post.now_ms = post.machine_ms = NOW_MS + 71_600_000

    async def send() -> None:
        async with serving(box) as address:
            server = MailServer(f"smtp://{address}")
            maker = ReportMaker(database, server, "dialer@example.com", ZoneInfo("UTC"), "", post.clock, post.machine)
            zone = ZoneInfo("UTC")
            await ReportSender(
                database, maker.deliver, zone=zone, clock_ms=post.clock, machine_ms=post.machine
            ).send_due()

    loops.run(database, send)
    [mail] = box.mails
    assert box.envelopes == [("dialer@example.com", [ADA])]
    [file] = mail.iter_attachments()
    assert (file.get_filename(), file.get_content()[:2]) == ("answers-1.xlsx", b"PK")
