"""The page of one record: its form, the fields nobody writes, and links to what belongs to it."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from litestar import Response

from dialer.api.service import ApiRequest
from dialer.console.parts.audit_filters import changes_url
from dialer.console.parts.audit_words import AUDIT_LOG
from dialer.console.parts.carrier_inputs import carrier_inputs
from dialer.console.parts.cells import Cell
from dialer.console.parts.form_for_agents import for_agents
from dialer.console.parts.inputs import Input, InputGroup, grouped, refilled
from dialer.console.parts.line_states import GatewayLine
from dialer.console.parts.queue_ticks import TickedAgent
from dialer.console.parts.record_addresses import record_url
from dialer.console.parts.record_fields import USERS
from dialer.console.parts.record_rights import may, may_read, shown_page
from dialer.console.parts.sentences import joined_words
from dialer.console.parts.text_phonebooks import ticked_phonebooks
from dialer.console.reports.sender import NO_SERVER
from dialer.console.serving.services import REAL, page
from dialer.console.words.carrier_kinds import CARRIERS, kind_title
from dialer.console.words.catalogue import PAGES, RecordPage
from dialer.console.words.language import gettext
from dialer.domain.calls.plans import SIMULATED
from dialer.resources.crud.resource import Resource
from dialer.resources.crud.urls import parse_id
from dialer.resources.records.carriers import PARAMETER_FIELDS
from dialer.resources.records.queues import QUEUES
from dialer.resources.words.errors import Errors
from dialer.store.media.kept_lists import is_token

CAMPAIGNS: Final = "campaigns"
GATEWAY_FIELDS: Final = {CAMPAIGNS: "aleg_gateway", "sms-campaigns": "sms_gateway"}
"""The fields of new campaigns with their carriers, without which they cannot be made."""
IMPORTED: Final = ("imported", "rejected", "list")
"""The fields with the result of the import before a new campaign."""
REPORT_SCHEDULES: Final = "report-schedule"
CONFIRMED: Final = frozenset({"api-key"})
"""Records that are created only with the password of the session's user."""


class Shown(NamedTuple):
    """A record with the texts and links of its page."""

    name: str
    inputs: list[Input]
    facts: list[tuple[str, Cell]]
    """The fields that nobody writes, with their titles."""
    version: str
    waits_for: str = ""
    """The account to which an admin has yet to assign a number for calls in; empty if nothing waits."""
    protocol: str = ""
    """The protocol of a gateway."""
    parameters: str = "{}"
    """The parameters of a gateway, with its secrets, which no page shows."""
    line: GatewayLine | None = None
    """The state of a gateway's line."""
    ticked_agents: tuple[TickedAgent, ...] | None = ()
    """The agents among whom those of a queue are ticked; None if they are too many."""
    is_for_agents: bool = False
    """True for a campaign whose survey leads to a queue."""
    is_law: bool = False
    """True for a row of law, which admins switch, and nobody deletes."""
    alarms: tuple[str, ...] = ()
    """Loud warnings about the numbers on a do-not-call list."""


class Wrong(NamedTuple):
    """A form that was refused: what was filled in, the errors by field, and messages about the whole."""

    filled: Mapping[str, str]
    errors: Errors
    messages: list[str]
    status: HTTPStatus


def record_page(
    request: ApiRequest,
    found: RecordPage,
    shown: Shown,
    wrong: Wrong | None,
    *,
    identity: int | None,
    is_editable: bool,
) -> Response[Any]:
    """Return the page of a record, or of a new one without `identity`; `wrong` is the form that was refused."""
    resource = request.service.resources[found.path]
    is_editable = is_editable and not (shown.is_law and not shown.inputs)
    form = for_agents(resource.shapes.form) if shown.is_for_agents else resource.shapes.form
    groups, more = grouped(form, shown.inputs)
    if is_editable and shown.protocol in PARAMETER_FIELDS:
        main, others = carrier_inputs(shown.protocol, shown.parameters)
        is_simulated = shown.protocol == SIMULATED
        title = gettext("Simulated people") if is_simulated else gettext("The carrier")
        further = gettext("More about their behaviour") if is_simulated else gettext("More about the carrier")
        groups.insert(1, InputGroup(title, tuple(main)))
        more.insert(0, InputGroup(further, tuple(others)))
    chosen = request.query_params if wrong is None else wrong.filled
    if wrong is not None:
        groups, more = ([_refilled(group, wrong) for group in several] for several in (groups, more))
    return page(
        request,
        "record.html",
        found.place,
        HTTPStatus.OK if wrong is None else wrong.status,
        shown=found,
        record=shown,
        identity=identity,
        url=f"/console/records/{found.path}/" if identity is None else record_url(found, identity, is_form=True),
        top=groups,
        more=more,
        kind=kind_title(found.path, shown.protocol) if found.path in CARRIERS else "",
        medium=CARRIERS.get(found.path, ""),
        is_simulated=shown.protocol == SIMULATED,
        has_real_clock=request.service.worker.clock.mode == REAL,
        filled={},
        errors={},
        is_focused=False,
        needs_gateway=identity is None and _has_no_gateway(groups, GATEWAY_FIELDS.get(found.path)),
        imported=_imported(chosen),
        imported_fields=IMPORTED,
        phonebooks=ticked_phonebooks(chosen),
        has_errors=bool(wrong is not None and wrong.errors),
        is_open=any(one.error for group in more for one in group.inputs),
        focused=next((one.name for group in groups for one in group.inputs if identity is None and wrong is None), ""),
        messages=[*_lacking(request, found), *(() if wrong is None else wrong.messages)],
        is_editable=is_editable,
        chosen=chosen,
        is_saved="saved" in request.query_params and wrong is None,
        is_confirmed=identity is None and found.path in CONFIRMED,
        may_reset=found.path == USERS and identity not in {None, request.user.id} and request.user.is_admin,
        may_delete=identity is not None and not shown.is_law and may(request, resource, "DELETE"),
        within=[] if identity is None else _within(request, found, identity),
    )


def _lacking(request: ApiRequest, found: RecordPage) -> list[str]:
    """Return what the service lacks, so that the records of a page do nothing."""
    sends_mail = found.path != REPORT_SCHEDULES or request.service.settings.mail_url is not None
    return [] if sends_mail else [gettext(NO_SERVER)]


def _refilled(group: InputGroup, wrong: Wrong) -> InputGroup:
    inputs = [
        refilled(one, wrong.filled, joined_words(wrong.errors.get(one.name, ()))) if one.name in wrong.filled else one
        for one in group.inputs
    ]
    return InputGroup(group.title, tuple(inputs))


def _has_no_gateway(groups: list[InputGroup], field: str | None) -> bool:
    inputs = (one for group in groups for one in group.inputs)
    return any(one.name == field and one.control == "select" and not one.options for one in inputs)


def _imported(asked: Mapping[str, str]) -> tuple[int | None, int | None, str]:
    """Return what the import before a new campaign of texts has stored and refused, and the list with the refused."""
    token = asked.get("list", "")
    return parse_id(asked.get("imported", "")), parse_id(asked.get("rejected", "")), token if is_token(token) else ""


def _within(request: ApiRequest, found: RecordPage, identity: int) -> list[tuple[str, str]]:
    """Return the titles and addresses of the lists of what belongs to a record."""
    lists = [
        (gettext(one.title), f"/console/records/{one.path}/?{urlencode({one.field: identity})}")
        for one in found.within
        if may_read(request, shown_page(request, one.path))
    ]
    if found.path == QUEUES.path:
        lists.append((gettext("Staffing plan"), f"/console/queues/{identity}/staffing/"))
    resource: Resource = request.service.resources[found.path]
    is_logged = resource.write is not None and not resource.is_personal and may_read(request, PAGES[AUDIT_LOG])
    return [*lists, (gettext("Changes"), changes_url(found.path, identity))] if is_logged else lists
