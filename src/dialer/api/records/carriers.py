"""Who places the calls, and under which number: gateways, caller IDs and DIDs."""

import json
from collections.abc import Sequence
from typing import Final

from sqlalchemy import ColumnElement, RowMapping, Table, select, update

from dialer.api.crud.declaration import NAME, OWNER, STAMPS, derived, optional, own, read_only, shapes, writable
from dialer.api.crud.fields import TEXT_MAX, Integer, JsonObject, PhoneNumber, Text, TextChoice
from dialer.api.crud.moments import Timestamp
from dialer.api.crud.records import refuse_while_in
from dialer.api.crud.references import Reference
from dialer.api.crud.resource import Change, Resource, Rule, Unit, Values, table_of
from dialer.api.http.errors import Errors
from dialer.domain.enums import CallRequestStatus
from dialer.domain.numbers.normal_form import digits_of
from dialer.sim.callee_profile import BehaviourError, parse_behaviour
from dialer.store.queries.progress import SMS_LINES_FROM
from dialer.store.tables import CallerId, CallerIdGroup, CallRequest, Did, Gateway, SmsGateway, SmsMessage

PROTOCOLS: Final = ("sim",)
PREFIX_MAX: Final = 60
PARAMETERS_MAX: Final = 1_048_576
"""Characters of a gateway's parameters: a simulated population may be told number by number."""
AREACODE_MAX: Final = 32
CALLERID_MAX: Final = 80

_GATEWAY_BEGIN: Final = {
    "name": NAME,
    "description": writable(Text(TEXT_MAX), default=""),
    "addprefix": writable(Text(PREFIX_MAX), default=""),
    "removeprefix": writable(Text(PREFIX_MAX), default=""),
    "protocol": writable(TextChoice(PROTOCOLS), default="sim"),
}
_GATEWAY_END: Final = {
    "max_cps": writable(Integer(), default=0),
    "parameters": writable(JsonObject(PARAMETERS_MAX), default="{}"),
    "rests_until": derived(Timestamp(), nullable=True),
    **STAMPS,
}
_GATEWAY: Final = shapes(
    "Gateway",
    {**own("gateway"), **_GATEWAY_BEGIN, "max_channels": writable(Integer(), default=0), **_GATEWAY_END},
    write_doc="A carrier's line, and how the simulated callees behind it behave.",
    read_doc="A carrier's line, as it is stored.",
)

_SMS_GATEWAY: Final = shapes(
    "SmsGateway",
    {**own("sms-gateway"), **_GATEWAY_BEGIN, **_GATEWAY_END},
    write_doc="A carrier's line for text messages.",
)

_CALLER_ID_GROUP: Final = shapes(
    "CallerIdGroup",
    {
        **own("callerid-group"),
        "name": NAME,
        "description": writable(Text(TEXT_MAX), default=""),
        **STAMPS,
    },
    write_doc="A named set of caller IDs.",
)

_CALLER_ID: Final = shapes(
    "CallerId",
    {
        **own("callerid"),
        "areacode": writable(Text(AREACODE_MAX), default=""),
        "callerid_num": writable(Text(CALLERID_MAX, min_length=1)),
        "callerid_name": writable(Text(), default=""),
        "created_date": read_only(Timestamp()),
        "callerid_group": writable(Reference("callerid-group")),
        "user": OWNER,
    },
    write_doc="A number to call from, for the callees of one area.",
    read_doc="A number to call from, as it is stored.",
)

_DID: Final = shapes(
    "Did",
    {
        **own("did"),
        "did_number": writable(PhoneNumber()),
        **STAMPS,
        "user": OWNER,
        "campaign": optional(Reference("campaigns")),
    },
    write_doc="A number that others call, and the campaign that answers it.",
    read_doc="A number that others call, as it is stored.",
)


def _one_did_for_a_number(change: Change) -> Errors:
    """A call that comes in can go to one place only, whoever owns the number and however it is spelled."""
    if not change.moves("did_number"):
        return {}
    did = table_of(Did).c
    wanted = digits_of(change.values["did_number"])
    others = change.unit.connection.execute(select(did.did_number).where(did.id != change.record_id)).scalars()
    if any(digits_of(number) == wanted for number in others):
        return {"did_number": ["This number is a DID already."]}
    return {}


def _rests(unit: Unit, rows: Sequence[RowMapping]) -> list[Values]:
    """Until when each gateway rests, of those that do."""
    ends = [row["rests_until_ms"] for row in rows]
    return [{"rests_until": end_ms if end_ms > unit.now_ms else None} for end_ms in ends]


def behaviour_errors(change: Change) -> Errors:
    """What is wrong with a simulated population that the parameters describe."""
    if not change.moves("parameters"):
        return {}
    try:
        parse_behaviour(json.loads(change.values["parameters"]))
    except BehaviourError as error:
        return {"parameters": [str(error)]}
    return {}


def _in_progress(gateway_id: int) -> tuple[Table, ColumnElement[bool]]:
    """The calls that a gateway carries just now."""
    call = table_of(CallRequest)
    return call, (call.c.gateway_id == gateway_id) & (call.c.status == CallRequestStatus.CALLING)


def _on_their_way(gateway_id: int) -> tuple[Table, ColumnElement[bool]]:
    """The messages that a gateway carries just now."""
    message = table_of(SmsMessage)
    return message, (message.c.gateway_id == SMS_LINES_FROM + gateway_id) & message.c.ended_ms.is_(None)


def _keep_for_calls_in_progress(change: Change) -> None:
    _keep(change, *_in_progress(change.record_id))


def _keep_for_messages_on_their_way(change: Change) -> None:
    _keep(change, *_on_their_way(change.record_id))


def _keep(change: Change, attempts: Table, condition: ColumnElement[bool]) -> None:
    """An attempt goes on as it began: its gateway's parameters are kept beside it before the gateway forgets them."""
    if change.is_new or not change.moves("parameters"):
        return
    kept = update(attempts).where(condition, attempts.c.parameters.is_(None))
    change.unit.connection.execute(kept.values(parameters=change.stored["parameters"]))


def _refuse_while_calling(unit: Unit, stored: Values) -> None:
    refuse_while_in(unit, *_in_progress(stored["id"]))


def _refuse_while_sending(unit: Unit, stored: Values) -> None:
    refuse_while_in(unit, *_on_their_way(stored["id"]))


GATEWAYS = Resource(
    path="gateway",
    model=Gateway,
    shapes=_GATEWAY,
    owner=None,
    filters=("name", "protocol"),
    derived=_rests,
    rules=(Rule(("parameters", "protocol"), behaviour_errors),),
    written=_keep_for_calls_in_progress,
    before_delete=_refuse_while_calling,
    moves_dialling=True,
)
SMS_GATEWAYS = Resource(
    path="sms-gateway",
    model=SmsGateway,
    shapes=_SMS_GATEWAY,
    owner=None,
    filters=("name", "protocol"),
    derived=_rests,
    rules=(Rule(("parameters", "protocol"), behaviour_errors),),
    written=_keep_for_messages_on_their_way,
    before_delete=_refuse_while_sending,
    moves_dialling=True,
)
CALLERID_GROUPS = Resource(
    path="callerid-group",
    model=CallerIdGroup,
    shapes=_CALLER_ID_GROUP,
    owner=None,
    filters=("name",),
)
CALLERIDS = Resource(
    path="callerid",
    model=CallerId,
    shapes=_CALLER_ID,
    filters=("areacode", "callerid_num"),
)
DIDS = Resource(
    path="did",
    model=Did,
    shapes=_DID,
    filters=("did_number",),
    rules=(Rule(("did_number",), _one_did_for_a_number),),
)
