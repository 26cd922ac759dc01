"""Who places the calls, and under which number: gateways, caller IDs and DIDs."""

import json
from collections.abc import Sequence
from typing import Annotated, Final

from sqlalchemy import RowMapping, select

from dialer.api.crud.fields import (
    TEXT_MAX,
    Identity,
    Integer,
    JsonObject,
    OwnUrl,
    PhoneNumber,
    Reference,
    Text,
    TextChoice,
    Timestamp,
)
from dialer.api.crud.records import refuse_while_in
from dialer.api.crud.resource import Change, Derived, Resource, Rule, Unit, Values, table_of, touches_nothing
from dialer.api.crud.shapes import Shape
from dialer.api.http.errors import Errors
from dialer.app.gateways import calls_over, change_gateway, change_sms_gateway, messages_over
from dialer.app.touching import touched_did, touched_gateway, touched_sms_gateway, users_of_callerid_group
from dialer.domain.numbers.normal_form import digits_of
from dialer.sim.callee_profile import BehaviourError, parse_behaviour
from dialer.store.tables import CallerId, CallerIdGroup, CallRequest, Did, Gateway, SmsGateway, SmsMessage

PROTOCOLS: Final = ("sim",)
PREFIX_MAX: Final = 60
PARAMETERS_MAX: Final = 1_048_576
"""Characters of a gateway's parameters: a simulated population may be told number by number."""
AREACODE_MAX: Final = 32
CALLERID_MAX: Final = 80


class GatewayWrite(Shape):
    """A carrier's line, and how the simulated callees behind it behave."""

    name: Annotated[str, Text(255, min_length=1)]
    description: Annotated[str, Text(TEXT_MAX)] = ""
    addprefix: Annotated[str, Text(PREFIX_MAX)] = ""
    removeprefix: Annotated[str, Text(PREFIX_MAX)] = ""
    protocol: Annotated[str, TextChoice(PROTOCOLS)] = "sim"
    max_channels: Annotated[int, Integer()] = 0
    max_cps: Annotated[int, Integer()] = 0
    parameters: Annotated[str, JsonObject(PARAMETERS_MAX)] = "{}"


class GatewayRead(Shape):
    """A carrier's line, as it is stored."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("gateway")]
    name: Annotated[str, Text()]
    description: Annotated[str, Text(TEXT_MAX)]
    addprefix: Annotated[str, Text(PREFIX_MAX)]
    removeprefix: Annotated[str, Text(PREFIX_MAX)]
    protocol: Annotated[str, TextChoice(PROTOCOLS)]
    max_channels: Annotated[int, Integer()]
    max_cps: Annotated[int, Integer()]
    parameters: Annotated[object, JsonObject(PARAMETERS_MAX)]
    rests_until: Annotated[str, Timestamp()] | None
    created_date: Annotated[str, Timestamp()]
    updated_date: Annotated[str, Timestamp()]


class SmsGatewayWrite(Shape):
    """A carrier's line for text messages."""

    name: Annotated[str, Text(255, min_length=1)]
    description: Annotated[str, Text(TEXT_MAX)] = ""
    addprefix: Annotated[str, Text(PREFIX_MAX)] = ""
    removeprefix: Annotated[str, Text(PREFIX_MAX)] = ""
    protocol: Annotated[str, TextChoice(PROTOCOLS)] = "sim"
    max_cps: Annotated[int, Integer()] = 0
    parameters: Annotated[str, JsonObject(PARAMETERS_MAX)] = "{}"


class SmsGatewayRead(Shape):
    """A carrier's line for text messages, as it is stored."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("sms-gateway")]
    name: Annotated[str, Text()]
    description: Annotated[str, Text(TEXT_MAX)]
    addprefix: Annotated[str, Text(PREFIX_MAX)]
    removeprefix: Annotated[str, Text(PREFIX_MAX)]
    protocol: Annotated[str, TextChoice(PROTOCOLS)]
    max_cps: Annotated[int, Integer()]
    parameters: Annotated[object, JsonObject(PARAMETERS_MAX)]
    rests_until: Annotated[str, Timestamp()] | None
    created_date: Annotated[str, Timestamp()]
    updated_date: Annotated[str, Timestamp()]


class CallerIdGroupWrite(Shape):
    """A named set of caller IDs."""

    name: Annotated[str, Text(255, min_length=1)]
    description: Annotated[str, Text(TEXT_MAX)] = ""


class CallerIdGroupRead(Shape):
    """A named set of caller IDs, as it is stored."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("callerid-group")]
    name: Annotated[str, Text()]
    description: Annotated[str, Text(TEXT_MAX)]
    created_date: Annotated[str, Timestamp()]
    updated_date: Annotated[str, Timestamp()]


class CallerIdWrite(Shape):
    """A number to call from, for the callees of one area."""

    callerid_num: Annotated[str, Text(CALLERID_MAX, min_length=1)]
    callerid_group: Annotated[int, Reference("callerid-group")]
    areacode: Annotated[str, Text(AREACODE_MAX)] = ""
    callerid_name: Annotated[str, Text()] = ""
    user: Annotated[int, Reference("users")] = 0


class CallerIdRead(Shape):
    """A number to call from, as it is stored."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("callerid")]
    areacode: Annotated[str, Text(AREACODE_MAX)]
    callerid_num: Annotated[str, Text(CALLERID_MAX)]
    callerid_name: Annotated[str, Text()]
    created_date: Annotated[str, Timestamp()]
    callerid_group: Annotated[str, Reference("callerid-group")]
    user: Annotated[str, Reference("users")]


class DidWrite(Shape):
    """A number that others call, and the campaign that answers it."""

    did_number: Annotated[str, PhoneNumber()]
    user: Annotated[int, Reference("users")] = 0
    campaign: Annotated[int, Reference("campaigns")] | None = None


class DidRead(Shape):
    """A number that others call, as it is stored."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("did")]
    did_number: Annotated[str, PhoneNumber()]
    created_date: Annotated[str, Timestamp()]
    updated_date: Annotated[str, Timestamp()]
    user: Annotated[str, Reference("users")]
    campaign: Annotated[str, Reference("campaigns")] | None


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


def _refuse_while_calling(unit: Unit, stored: Values) -> None:
    refuse_while_in(unit, table_of(CallRequest), calls_over(stored["id"]))


def _refuse_while_sending(unit: Unit, stored: Values) -> None:
    refuse_while_in(unit, table_of(SmsMessage), messages_over(stored["id"]))


GATEWAYS = Resource(
    path="gateway",
    model=Gateway,
    read=GatewayRead,
    write=GatewayWrite,
    owner=None,
    filters=("name", "protocol"),
    derived=Derived(("rests_until",), _rests),
    rules=(Rule(("parameters", "protocol"), behaviour_errors),),
    update=lambda change, columns: change_gateway(change.unit, change.record_id, columns),
    touches=lambda _, row: touched_gateway(row["id"]),
    before_delete=_refuse_while_calling,
)
SMS_GATEWAYS = Resource(
    path="sms-gateway",
    model=SmsGateway,
    read=SmsGatewayRead,
    write=SmsGatewayWrite,
    owner=None,
    filters=("name", "protocol"),
    derived=Derived(("rests_until",), _rests),
    rules=(Rule(("parameters", "protocol"), behaviour_errors),),
    update=lambda change, columns: change_sms_gateway(change.unit, change.record_id, columns),
    touches=lambda _, row: touched_sms_gateway(row["id"]),
    before_delete=_refuse_while_sending,
)
CALLERID_GROUPS = Resource(
    path="callerid-group",
    model=CallerIdGroup,
    read=CallerIdGroupRead,
    write=CallerIdGroupWrite,
    owner=None,
    filters=("name",),
    touches=touches_nothing,
)
CALLERIDS = Resource(
    path="callerid",
    model=CallerId,
    read=CallerIdRead,
    write=CallerIdWrite,
    filters=("areacode", "callerid_num"),
    touches=lambda connection, row: users_of_callerid_group(connection, row["callerid_group_id"]),
)
DIDS = Resource(
    path="did",
    model=Did,
    read=DidRead,
    write=DidWrite,
    filters=("did_number",),
    rules=(Rule(("did_number",), _one_did_for_a_number),),
    touches=lambda _, row: touched_did(row["id"]),
)
