"""Links to reports, which people open without an account."""

from typing import Any, Final

import msgspec
from sqlalchemy import Row

from dialer.app.campaigns.report_links import create_report_link
from dialer.app.campaigns.results import begin_sheet
from dialer.domain.words.reports import SharedReport
from dialer.domain.words.sentences import Listed, Moment, Sentence
from dialer.resources.crud.declaration import NAME, STAMPS, derived, own, read_only, shapes, writable, write_once
from dialer.resources.crud.fields import Integer, Text, TextChoice
from dialer.resources.crud.forms import form
from dialer.resources.crud.moments import Timestamp, show_timestamp
from dialer.resources.crud.references import Reference
from dialer.resources.crud.resource import Change, FieldRule, Resource, Unit, Values, touches_nothing
from dialer.resources.words.errors import Errors
from dialer.store.tables import ReportLink

DAYS_MAX: Final = 90
DAYS_USUAL: Final = 14
SHARED: Final = "/console/shared/"
"""The start of the addresses of shared reports, after that of the service."""
_DAY_MS: Final = 86_400_000
_ADDRESS_MAX: Final = 500
_COLUMNS_NAMED_MAX: Final = 20
"""Columns that an error names."""

_REPORT_LINK: Final = shapes(
    "ReportLink",
    ReportLink,
    {
        **own("report-link"),
        "campaign": write_once(Reference("campaigns"), "The campaign that the report is about.", hint=""),
        "name": msgspec.structs.replace(
            NAME,
            description="Your name for the link, such as whom it is for.",
            example="The board",
            hint="Whom it is for, so that you know it again.",
        ),
        "report": write_once(
            TextChoice(tuple(SharedReport), title="SharedReport"),
            "The report that the link opens.",
            example=SharedReport.ANSWERS.value,
            hint="Whoever has the link sees it. People, a row each, have names, numbers and answers.",
        ),
        "list_column": write_once(
            Text(255),
            "The column of the list by which answers are told, such as a city. Empty: all people together.",
            example="city",
            title="By a column of the list",
            hint="For answers in words. Choose none that names people. Empty: all people together.",
        ),
        "expirationdate": writable(
            Timestamp(),
            f"The moment from which the link opens nothing: at most {DAYS_MAX} days ahead. Default: in {DAYS_USUAL}"
            " days.",
            default=None,
            example="2026-12-02T09:00:00Z",
            title="Ends",
            hint="In your time zone, at most 90 days ahead. Empty: in 14 days.",
        ),
        "opened": read_only(Integer(), "The times that the report or a file of it was opened.", example=3),
        "last_opened_date": read_only(
            Timestamp(), "The last opening. Null before the first.", nullable=True, title="Last opened"
        ),
        "link": derived(
            Text(_ADDRESS_MAX),
            "The address to hand on. It opens the report without a sign-in. Only the first answer to the creation has"
            " it; elsewhere it is null.",
            nullable=True,
            example="https://dialer.example/…/q8Yb3R2nWmJ4uE7x/",
        ),
        **STAMPS,
    },
    form=form(("", "name campaign report list_column expirationdate")),
    write_doc="A link to one report of one campaign, opened without an account. Delete it to revoke it.",
    read_doc="A link to a report, as it is stored.",
)


def _defaults(unit: Unit, given: Values) -> Values:
    return {"expirationdate": given.get("expirationdate") or unit.now_ms + DAYS_USUAL * _DAY_MS}


def _ends_in_time(change: Change) -> Errors:
    """Return an error if a link is over already, or would hold for too long."""
    expires_ms, now_ms = change.values["expirationdate"], change.unit.now_ms
    if expires_ms is None:
        return {"expirationdate": [Sentence("A link needs a day on which it ends.")]}
    if not change.moves("expirationdate") or now_ms < expires_ms <= now_ms + DAYS_MAX * _DAY_MS:
        return {}
    message = Sentence(
        "%(expires)s is not in the next %(most)s days. A link holds for %(most)s days at most.",
        expires=Moment(show_timestamp(expires_ms)),
        most=DAYS_MAX,
    )
    return {"expirationdate": [message]}


def _column_of_lists(change: Change) -> Errors:
    """Return an error if the people of the campaign have other columns, so that a slip is not found by its readers."""
    column = change.values["list_column"]
    if not (column and change.is_new):
        return {}
    known = begin_sheet(change.unit.connection, change.values["campaign"]).list_columns
    if not known or column in known:
        return {}
    message = Sentence(
        "The people of the campaign have no column %(column)s. They have: %(columns)s.",
        column=column,
        columns=Listed(known[:_COLUMNS_NAMED_MAX]),
    )
    return {"list_column": [message]}


def _insert(change: Change, columns: Values) -> Row[Any]:
    created = create_report_link(change.unit, change.unit.actor.id, columns)
    change.revealed["link"] = f"{change.unit.conventions.links.base}{SHARED}{created.token}/"
    return created.row


REPORT_LINKS = Resource(
    path="report-link",
    shapes=_REPORT_LINK,
    owner="campaign",
    filters=("name", "report"),
    orderings=("name", "expirationdate", "created_date"),
    always_logged=frozenset({"report", "expirationdate"}),
    derived=lambda _, rows: [{"link": None} for _row in rows],
    defaults=_defaults,
    rules=(FieldRule(("expirationdate",), _ends_in_time), FieldRule(("campaign", "list_column"), _column_of_lists)),
    insert=_insert,
    touches=touches_nothing,
)
