"""One report on its way: read, written as a mail in the language of its account, and given to the mail server."""

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import structlog
from sqlalchemy import Connection, select

from dialer.app.campaigns.report_links import LINK_MS, send_report_link
from dialer.app.campaigns.report_schedules import DeliveryOutcome, TakenDelivery, zone_of_schedule
from dialer.app.work.unit import UnitOfWork
from dialer.console.parts.told_answers import ToldAnswers
from dialer.console.reports.files import FileTooLargeError, write_file
from dialer.console.reports.kinds import KINDS, NO_ADDRESS, AskedReport
from dialer.console.reports.letters import ReportBody, ReportHead, shown_table, write_letter
from dialer.console.reports.paper import NOT_DRAWN, PDF, Imprint, NotDrawnError, draw_answers
from dialer.console.reports.sender import Shared
from dialer.console.words.language import gettext_noop, read_language, speak
from dialer.domain.calling_times.report_times import day_before
from dialer.domain.words.languages import ENGLISH, LANGUAGES
from dialer.domain.words.reports import SentAs, SharedReport
from dialer.mail.letter import Letter, MailFile, write_message
from dialer.mail.server import SendMail
from dialer.resources.records.report_links import SHARED
from dialer.resources.words.errors import InvalidError
from dialer.store.database.database import Database
from dialer.store.tables import Campaign

TOO_LARGE: Final = gettext_noop("The report is too large for a mail.")
_log = structlog.get_logger(__name__)
_LINKED: Final = frozenset(SharedReport)


class NoAddressError(Exception):
    """Raised for a link if no admin has set the address of the service. That of a request may be anybody's."""


class ReportMaker(NamedTuple):
    """Makes reports, and gives them to a mail server."""

    database: Database
    send: SendMail
    sender: str
    """The address of the sender."""
    zone: ZoneInfo
    """The zone of the service."""
    base: str
    """The address of the service, with which links begin; empty if no admin has set it."""
    clock_ms: Callable[[], int]
    machine_ms: Callable[[], int]

    async def deliver(self, taken: TakenDelivery, shared: Shared) -> DeliveryOutcome:
        """Send a report to its recipient, and return what came of it. It is made for the first one of its moment."""
        # The task has a context of its own, so nobody else's texts change.
        speak(read_language(taken.language if taken.language in LANGUAGES else ENGLISH))
        if not shared:
            shared.append(await self._made(taken))
        (letter,) = shared
        if isinstance(letter, DeliveryOutcome):
            return letter
        identity = f"report-{taken.id}-{taken.due_ms}"
        message = write_message(letter, self.sender, taken.recipient, identity, self.machine_ms())
        outcome = await self.send(message)
        if outcome.cause:
            _log.warning("mail_not_sent", reason=outcome.cause)
        return DeliveryOutcome(str(outcome.problem), outcome.is_final)

    async def _made(self, taken: TakenDelivery) -> Letter | DeliveryOutcome:
        try:
            return await self._letter(taken)
        except (FileTooLargeError, InvalidError):
            return DeliveryOutcome(TOO_LARGE, is_final=True)
        except NotDrawnError:
            return DeliveryOutcome(NOT_DRAWN)
        except NoAddressError:
            return DeliveryOutcome(NO_ADDRESS)

    async def _letter(self, taken: TakenDelivery) -> Letter:
        schedule = taken.schedule
        zone = zone_of_schedule(schedule, self.zone)
        campaign = await self.database.read(partial(_name_of, campaign_id=schedule["campaign_id"]))
        first_ms, _ = day_before(taken.due_ms, zone)
        names, kind = (schedule["name"], taken.account, campaign), KINDS[schedule["report"]]
        head = ReportHead(*names, kind, taken.due_ms, self.clock_ms(), first_ms, zone, self.base)
        return write_letter(head, await self._body(taken, zone))

    async def _body(self, taken: TakenDelivery, zone: ZoneInfo) -> ReportBody:
        schedule = taken.schedule
        if schedule["sent_as"] == SentAs.LINK:
            return await self._link(taken)
        whose, now_ms = (schedule["campaign_id"], schedule["user_id"]), self.clock_ms()
        asked = AskedReport(*whose, taken.due_ms, now_ms, zone, self.base)
        report = await KINDS[schedule["report"]].read(self.database, asked)
        if schedule["sent_as"] == SentAs.WORDS:
            return await shown_table(report.sheet) if report.told is None else ReportBody(told=report.told)
        if report.told is not None and schedule["sent_as"] == SentAs.PDF:
            return ReportBody(file=await self._paper(taken, report.told, zone))
        name = f"{schedule['report']}-{schedule['campaign_id'] or taken.account}"
        try:
            return ReportBody(file=await write_file(report.sheet, schedule["sent_as"], name, zone))
        except (FileTooLargeError, InvalidError):
            if schedule["report"] not in _LINKED:
                raise
            return await self._link(taken)

    async def _paper(self, taken: TakenDelivery, told: ToldAnswers, zone: ZoneInfo) -> MailFile:
        campaign_id = int(taken.schedule["campaign_id"])
        imprint = Imprint(campaign_id, taken.account, self.clock_ms(), zone)
        content = await draw_answers(self.database, told, imprint)
        return MailFile(f"{taken.schedule['report']}-{campaign_id}.pdf", PDF, content)

    async def _link(self, taken: TakenDelivery) -> ReportBody:
        if not self.base:
            raise NoAddressError
        now_ms = self.clock_ms()

        def make(connection: Connection) -> str:
            return send_report_link(UnitOfWork(connection=connection, now_ms=now_ms), taken.schedule)

        address = f"{self.base}{SHARED}{await self.database.write(make)}/"
        return ReportBody(link=address, link_until_ms=now_ms + LINK_MS)


def _name_of(connection: Connection, campaign_id: int | None) -> str:
    if campaign_id is None:
        return ""
    return str(connection.scalar(select(Campaign.name).where(Campaign.id == campaign_id)) or "")
