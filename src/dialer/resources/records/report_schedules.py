"""Scheduled reports: which report is sent, when, to whom and in which form."""

from collections.abc import Sequence
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIType
from sqlalchemy import Row, RowMapping

from dialer.app.campaigns.report_schedules import DAYS, change_report_schedule, create_report_schedule
from dialer.domain.calling_times.zones import is_zone
from dialer.domain.words.reports import ScheduledReport, SentAs, SentWhen
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.declaration import NAME, OWNER, STAMPS, derived, optional, own, read_only, shapes, writable
from dialer.resources.crud.fields import Boolean, Conventions, FieldError, Json, Kind, Stored, Text, TextChoice, echo
from dialer.resources.crud.forms import form
from dialer.resources.crud.moments import TimeOfDay, Timestamp
from dialer.resources.crud.references import Reference
from dialer.resources.crud.resource import Change, FieldRule, Resource, Unit, Values, touches_nothing
from dialer.resources.crud.urls import Links
from dialer.resources.words.errors import Errors
from dialer.settings_values import MAIL_ADDRESS_MAX, MAIL_ADDRESS_PATTERN, is_mail_address
from dialer.store.tables import ReportSchedule

RECIPIENTS_MAX: Final = 10
OF_CAMPAIGNS: Final = frozenset({ScheduledReport.ANSWERS.value, ScheduledReport.PEOPLE.value})
"""The reports that need a campaign, and that a link can open."""
WAITS: Final = "waits"
SENDS: Final = "sends"
FAILING: Final = "not_sent"
OFF: Final = "off"
_STATES: Final = {
    WAITS: "It waits for the end of its campaign, or that has been reported.",
    SENDS: "It is sent at its next moment.",
    FAILING: "The last report was not sent.",
    OFF: "It is switched off.",
}


class MailAddresses(Kind, frozen=True):
    """Addresses of mail, given as a list or as a text with commas or blanks; stored with blanks between them."""

    def parse(self, value: Json, conventions: Conventions) -> str:  # noqa: ARG002 - an address is one anywhere
        """Return the addresses, each once."""
        items = value if isinstance(value, list) else str(value).replace(",", " ").replace(";", " ").split()
        for item in items:
            if not isinstance(item, str) or not is_mail_address(item):
                raise FieldError(
                    Sentence('"%(address)s" is not an address of mail, such as ada@example.com.', address=echo(item))
                )
        found = list(dict.fromkeys(items))
        if len(found) > RECIPIENTS_MAX:
            raise FieldError(Sentence("At most %(most)s addresses. Use a mailing list.", most=RECIPIENTS_MAX))
        return " ".join(found)

    def show(self, value: Stored, links: Links) -> Json:  # noqa: ARG002 - has no URL
        """Return the addresses as a list."""
        return value.split()

    def schema(self) -> Schema:
        """Return the schema of a list of addresses."""
        address = Schema(type=OpenAPIType.STRING, pattern=MAIL_ADDRESS_PATTERN, max_length=MAIL_ADDRESS_MAX)
        return Schema(type=OpenAPIType.ARRAY, items=address, max_items=RECIPIENTS_MAX)


_DAY_WORDS: Final = "True if it is sent on {}s."

_REPORT_SCHEDULE: Final = shapes(
    "ReportSchedule",
    ReportSchedule,
    {
        **own("report-schedule"),
        "name": msgspec.structs.replace(
            NAME, description="Your name for it.", example="Sales, each morning", hint="So that you know it again."
        ),
        "report": writable(
            TextChoice(tuple(ScheduledReport), title="ScheduledReport"),
            "The report that is sent.",
            example=ScheduledReport.AGENT_OUTCOMES.value,
            hint="Reports about agents are about the day before.",
        ),
        "campaign": optional(
            Reference("campaigns"),
            "The campaign of the report. Null: the whole account, for reports about agents.",
            hint="None: the whole account, for reports about agents.",
        ),
        "sent_when": writable(
            TextChoice(tuple(SentWhen), title="SentWhen"),
            "The moment at which it is sent.",
            example=SentWhen.DAILY.value,
            title="When",
            hint="At the end: once, when the campaign has ended and its last call is over.",
        ),
        "send_time": writable(
            TimeOfDay(),
            "The local time at which it is sent.",
            example="08:00:00",
            title="Time",
            hint="In its time zone.",
        ),
        **{day: writable(Boolean(), _DAY_WORDS.format(day.capitalize()), example=True, hint="") for day in DAYS},
        "time_zone": writable(
            Text(64),
            "The IANA time zone of the time, the days and the report. Empty: that of the service.",
            example="Europe/Madrid",
            hint="Such as Europe/Madrid. Empty: that of the service.",
        ),
        "recipients": writable(
            MailAddresses(),
            f"The addresses of mail to which it is sent, at most {RECIPIENTS_MAX}. Each gets a mail of its own.",
            example=["ada@example.com"],
            title="To",
            hint="Addresses of mail with blanks between them, at most 10. Each gets a mail of its own.",
        ),
        "tells_webhooks": writable(
            Boolean(),
            "True if the webhooks of the account get the event `report.ready`, with a link to reports that links open.",
            example=False,
            title="Tell webhooks",
            hint="Your programs get an event. A link in it opens answers and people for 14 days, without an account.",
        ),
        "sent_as": writable(
            TextChoice(tuple(SentAs), title="SentAs"),
            "The form in which it is sent. A file of more than 5 MB is sent as a link.",
            example=SentAs.WORDS.value,
            title="As",
            hint="A link holds for 14 days. A file of more than 5 MB is sent as a link.",
        ),
        "enabled": writable(
            Boolean(), "False: nothing is sent.", example=True, title="Reports are sent", hint="Off: nothing is sent."
        ),
        "state": derived(
            TextChoice((WAITS, SENDS, FAILING, OFF), _STATES, "ReportScheduleState"), "The state.", example=SENDS
        ),
        "next_due": read_only(
            Timestamp(column="next_due_ms"),
            "The next moment at which it is sent. Null: it waits for the end of its campaign, or nothing is due.",
            nullable=True,
            title="Next",
        ),
        "last_sent_date": read_only(
            Timestamp(), "The last report that was sent. Null: none.", nullable=True, title="Last sent"
        ),
        "failing_since": read_only(
            Timestamp(column="failing_since_ms"),
            "The first failure since the last report that was sent. Null: none.",
            nullable=True,
            example=None,
            title="Not sent since",
        ),
        "problem": read_only(
            Text(), "Why the last report was not sent; empty if it was.", example="450 Busy", title="Because"
        ),
        **STAMPS,
        "user": OWNER,
    },
    form=form(
        ("", "name report campaign sent_when send_time"),
        ("Days", " ".join(DAYS)),
        ("", "recipients sent_as tells_webhooks time_zone"),
        more=[("", "enabled user")],
    ),
    write_doc="A scheduled report: mailed or told to webhooks, at a time of the day or when its campaign has ended.",
)


def _derived(_unit: Unit, rows: Sequence[RowMapping]) -> list[Values]:
    return [{"state": state_of(row)} for row in rows]


def state_of(row: RowMapping) -> str:
    """Return the state of a schedule's row."""
    if not row["enabled"]:
        return OFF
    if row["failing_since_ms"] is not None:
        return FAILING
    return WAITS if row["next_due_ms"] is None else SENDS


def _is_of_account(change: Change) -> Errors:
    """Refuse a campaign for the days of agents: they work for several, and a day belongs to none of them."""
    values = change.values
    if values["report"] != ScheduledReport.AGENT_DAYS:
        return {}
    if values["sent_when"] == SentWhen.END:
        return {"sent_when": [Sentence("Days of agents are sent on days of the week.")]}
    if values["campaign"] is not None:
        return {"campaign": [Sentence("Days of agents are about the whole account. Choose no campaign.")]}
    return {}


def _has_receiver(change: Change) -> Errors:
    if change.values["recipients"] or change.values["tells_webhooks"]:
        return {}
    return {"recipients": [Sentence("Give at least one address of mail, or tell webhooks.")]}


def _has_campaign(change: Change) -> Errors:
    values = change.values
    is_at_end = values["sent_when"] == SentWhen.END and values["report"] != ScheduledReport.AGENT_DAYS
    is_needed = values["report"] in OF_CAMPAIGNS or is_at_end
    if values["campaign"] is not None or not is_needed:
        return {}
    return {"campaign": [Sentence("Choose a campaign: this report is about one, or is sent at its end.")]}


def _fits_its_form(change: Change) -> Errors:
    report, form_of_it = change.values["report"], change.values["sent_as"]
    if not change.values["recipients"]:
        return {}
    if report == ScheduledReport.PEOPLE and form_of_it == SentAs.WORDS:
        return {"sent_as": [Sentence("Rows of people do not stand in mails. Send a file or a link.")]}
    if report != ScheduledReport.ANSWERS and form_of_it == SentAs.PDF:
        return {"sent_as": [Sentence("Only answers in words are a PDF. Send a CSV or Excel file.")]}
    if report not in OF_CAMPAIGNS and form_of_it == SentAs.LINK:
        return {"sent_as": [Sentence("A link cannot open this report. Send it in the mail, or as a file.")]}
    return {}


def _has_days(change: Change) -> Errors:
    if change.values["sent_when"] == SentWhen.END or any(change.values[day] for day in DAYS):
        return {}
    return {DAYS[0]: [Sentence("Choose at least one day of the week.")]}


def _known_zone(change: Change) -> Errors:
    zone = change.values["time_zone"]
    if not zone or is_zone(zone):
        return {}
    message = Sentence("%(tz_code)r is not a time zone. Use an IANA name, such as Europe/Madrid.", tz_code=zone)
    return {"time_zone": [message]}


def _insert(change: Change, columns: Values) -> Row[Any]:
    return create_report_schedule(change.unit, columns, _zone(change))


def _update(change: Change, columns: Values) -> None:
    change_report_schedule(change.unit, change.record_id, columns, _zone(change))


def _zone(change: Change) -> ZoneInfo:
    return ZoneInfo(str(change.unit.conventions.zone))


REPORT_SCHEDULES = Resource(
    path="report-schedule",
    shapes=_REPORT_SCHEDULE,
    filters=("name", "report", "enabled"),
    orderings=("name", "created_date"),
    derived=_derived,
    rules=(
        FieldRule(("report", "campaign", "sent_when"), _has_campaign),
        FieldRule(("report", "campaign", "sent_when"), _is_of_account),
        FieldRule(("recipients", "tells_webhooks"), _has_receiver),
        FieldRule(("report", "sent_as", "recipients"), _fits_its_form),
        FieldRule(("sent_when", *DAYS), _has_days),
        FieldRule(("time_zone",), _known_zone),
    ),
    insert=_insert,
    update=_update,
    touches=touches_nothing,
)
