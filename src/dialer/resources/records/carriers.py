"""The means of placing calls: gateways and caller IDs."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from msgspec.structs import replace
from sqlalchemy import RowMapping

from dialer.app.campaigns.callerid_check import WRONG_NAMED_MAX
from dialer.app.carriers.gateways import attempts_over, change_gateway, texts_waiting_for
from dialer.app.work.touched_records import touched_gateway, users_of_callerid_group
from dialer.carriers.freeswitch.parameters import FreeSwitchParameters, read_freeswitch_parameters
from dialer.carriers.parameters import ParameterField, ParametersError, parameter_fields
from dialer.carriers.sip.parameters import SipParameters, read_sip_parameters
from dialer.carriers.texts.parameters import HttpParameters, KannelParameters, read_http_parameters
from dialer.carriers.texts.smpp_parameters import SmppParameters, read_smpp_parameters
from dialer.domain.calls.plans import FREESWITCH, HTTP, KANNEL, SIMULATED, SIP, SMPP, SMS, VOICE, GatewayKey
from dialer.domain.credentials.gateway_secrets import fields_for_users, with_kept_secrets
from dialer.domain.numbers.shown import SHOWN_NUMBERS_MAX, shown_number, split_shown
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.declaration import NAME, OWNER, STAMPS, derived, own, read_only, shapes, writable
from dialer.resources.crud.fields import TEXT_MAX, CarrierParameters, Integer, Text, TextChoice
from dialer.resources.crud.forms import FormLayout, form
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.records import refuse_while_in
from dialer.resources.crud.references import Reference
from dialer.resources.crud.resource import Change, FieldRule, Resource, Unit, Values, touches_nothing
from dialer.resources.crud.shapes import Shapes
from dialer.resources.words.errors import Errors
from dialer.sim.callee_parameters import CalleeParameters
from dialer.sim.callee_profile import parse_behaviour
from dialer.sim.spans import BehaviourError
from dialer.store.tables import CallerId, CallerIdGroup, CallRequest, Gateway

PROTOCOLS: Final = {
    SIMULATED: "The built-in simulator: it calls made-up callees, and costs nothing but simulated money.",
    SIP: "A carrier that takes calls over SIP.",
    FREESWITCH: "A FreeSWITCH, which is controlled over its event socket.",
}
SMS_PROTOCOLS: Final = {
    SIMULATED: "The built-in simulator: its callees are made up.",
    HTTP: "A carrier that takes text messages over HTTP; the parameters say in which words.",
    KANNEL: "A Kannel gateway.",
    SMPP: "A carrier that takes text messages over SMPP 3.4.",
}
PREFIX_MAX: Final = 60
PARAMETERS_MAX: Final = 1_048_576
"""The most characters of a gateway's parameters: a simulated population may list its numbers one by one."""
AREACODE_MAX: Final = 32
CALLERID_MAX: Final = 80
ALLOWED_MAX: Final = 65_536
"""The most characters of a gateway's list of allowed caller IDs."""
ENTRY_SHOWN_MAX: Final = 64
"""Characters of a wrong entry that an error repeats."""

_NAMED: Final = {
    "name": NAME,
    "description": writable(
        Text(TEXT_MAX), description="A note for people. Default: empty.", example="Calls to North America", hint=""
    ),
    "addprefix": writable(
        Text(PREFIX_MAX),
        description="Digits that are put before each number when it is dialled. Default: none.",
        example="9",
        title="Prefix to add",
        hint="Digits that are put before each number when it is dialled, such as 9 for an outside line.",
    ),
    "removeprefix": writable(
        Text(PREFIX_MAX),
        description=(
            "The beginning that is removed from each number when it is dialled, if the number has it. Default: none."
        ),
        example="+",
        title="Prefix to remove",
        hint="The beginning that is taken off each number before it is dialled, if it is there. Some carriers"
        " want numbers without +.",
    ),
}
_GATEWAY_END: Final = {
    "max_cps": writable(
        Integer(),
        description="The most new calls or messages a second, shared by all campaigns of the gateway. 0: no limit.",
        example=5,
        title="Most new calls a second",
        hint="What your contract allows, all campaigns together. 0: no limit.",
    ),
    "parameters": writable(
        CarrierParameters(PARAMETERS_MAX),
        description=(
            "Settings of the carrier as a JSON object: for `sim`, the behaviour of the simulated callees; for other "
            "protocols, the way to the carrier, such as `server` or `url`, `username` and `password`. Only admins see "
            "that. Answers omit `password` and `secret`. Parameters without them keep the stored ones, unless the "
            "carrier's address, the user name, `tls`, or a field of the request changes. Default: {}."
        ),
        example={"answer": 0.6, "busy": 0.1},
    ),
    "allowed_callerids": writable(
        Text(ALLOWED_MAX),
        description=(
            "The caller IDs that the carrier accepts, separated by commas. A campaign that shows another one does not "
            "start, unless the gateway is simulated. Default: empty, for all."
        ),
        example="+12025550150, +12025550151",
        title="Allowed caller IDs",
        hint="The numbers that your contract lets you show, separated by commas. Empty: any. A campaign that shows"
        " another one does not start.",
    ),
    "rests_until": derived(
        Timestamp(),
        nullable=True,
        description=(
            "The end of the gateway's rest, in UTC; null if it does not rest. It rests if its carrier failed several "
            "times in a row, or wants no calls for a while."
        ),
    ),
    "line_down": derived(
        Text(TEXT_MAX),
        description=(
            "The reason why the connection to the carrier does not work. Empty if it works, or is not in use."
        ),
        example="the carrier does not answer OPTIONS",
        title="Line",
    ),
    **STAMPS,
}
_SMS_GATEWAY_END: Final = {
    **_GATEWAY_END,
    "max_cps": replace(_GATEWAY_END["max_cps"], title="Most messages a second"),
    "allowed_callerids": replace(
        _GATEWAY_END["allowed_callerids"],
        title="Allowed senders",
        hint="The numbers and names that your contract lets you show, separated by commas. Empty: any. A campaign that"
        " shows another one does not start.",
    ),
}
_CHANNELS: Final = writable(
    Integer(),
    description="The most calls in progress at the same time, shared by all campaigns of the gateway. 0: no limit.",
    example=30,
    title="Most calls at once",
    hint="What your contract allows, all campaigns together. 0: no limit.",
)
_CALLER_ID_GROUP: Final = shapes(
    "CallerIdGroup",
    CallerIdGroup,
    {
        **own("callerid-group"),
        "name": NAME,
        "description": writable(
            Text(TEXT_MAX),
            description="A note for people. Default: empty.",
            example="Numbers of the Boston office",
            hint="",
        ),
        **STAMPS,
    },
    form=form(("", "name description")),
    write_doc="A named set of caller IDs.",
)

_CALLER_ID: Final = shapes(
    "CallerId",
    CallerId,
    {
        **own("callerid"),
        "areacode": writable(
            Text(AREACODE_MAX),
            description=(
                "The beginning of the numbers to whose callees this caller ID is shown, with or without the "
                "country code. `*`: all numbers. Default: empty, for none."
            ),
            example="202",
            title="Numbers that begin with",
            hint="The caller ID is shown to people whose numbers begin so. * fits all numbers. Empty: none.",
        ),
        "callerid_num": writable(
            Text(CALLERID_MAX, min_length=1),
            description="The number that callees see.",
            example="+12025550199",
            title="Number that is shown",
            hint="With the country code, as in +12025550199.",
        ),
        "callerid_name": writable(
            Text(),
            description="The name that callees see, where the carrier supports it. Default: empty.",
            example="Dr. Lee",
            title="Name that is shown",
            hint="Some carriers show it beside the number.",
        ),
        "created_date": read_only(
            Timestamp(), description="The moment at which the record was created, in UTC.", title="Created"
        ),
        "callerid_group": writable(
            Reference("callerid-group"),
            description="The group to which the caller ID belongs.",
            title="Group of caller IDs",
            hint="A set of numbers, of which callees see the one that fits their area.",
        ),
        "user": OWNER,
    },
    form=form(("", "callerid_group callerid_num areacode callerid_name")),
    write_doc="A caller ID: the number that callees of one area see.",
    read_doc="A caller ID, as it is stored.",
)


def _allowed_callerids(*, allows_names: bool) -> FieldRule:
    """Return the rule that the allowed caller IDs of a gateway are possible numbers, or names if these are allowed."""

    def errors(change: Change) -> Errors:
        if not change.moves("allowed_callerids"):
            return {}
        entries, region = split_shown(change.values["allowed_callerids"]), change.unit.conventions.region
        if len(entries) > SHOWN_NUMBERS_MAX:
            return {
                "allowed_callerids": [
                    Sentence(
                        "There are %(count)s caller IDs. Use at most %(most)s.",
                        count=len(entries),
                        most=SHOWN_NUMBERS_MAX,
                    )
                ]
            }
        wrong = [one for one in entries if shown_number(one, region, allows_names=allows_names) is None]
        messages: list[str] = [
            Sentence(
                "%(number)r is not a possible phone number. Use the country code, as in +12025550150.",
                number=one[:ENTRY_SHOWN_MAX],
            )
            for one in wrong[:WRONG_NAMED_MAX]
        ]
        return {"allowed_callerids": messages} if messages else {}

    return FieldRule(("allowed_callerids",), errors)


def _state(unit: Unit, rows: Sequence[RowMapping]) -> list[Values]:
    """Return the end of each gateway's rest, None for one that does not rest, and why its line does not work."""
    return [
        {
            "rests_until": row["rests_until_ms"] if row["rests_until_ms"] > unit.now_ms else None,
            "line_down": "" if row["protocol"] == SIMULATED else row["line_down"],
        }
        for row in rows
    ]


def _read_population(parameters: str) -> None:
    parse_behaviour(json.loads(parameters))


_PARAMETERS: Final[Mapping[str, Callable[[str], object]]] = {
    SIP: read_sip_parameters,
    FREESWITCH: read_freeswitch_parameters,
    HTTP: partial(read_http_parameters, HTTP),
    KANNEL: partial(read_http_parameters, KANNEL),
    SMPP: read_smpp_parameters,
}
"""The readers of parameters, which refuse wrong ones. All other protocols describe simulated callees."""
PARAMETER_FIELDS: Final[Mapping[str, tuple[ParameterField, ...]]] = {
    SIMULATED: parameter_fields(CalleeParameters),
    SIP: parameter_fields(SipParameters),
    FREESWITCH: parameter_fields(FreeSwitchParameters),
    HTTP: parameter_fields(HttpParameters),
    KANNEL: parameter_fields(KannelParameters),
    SMPP: parameter_fields(SmppParameters),
}
"""The parameters of each protocol, as a form asks for them."""


def _parameter_errors(change: Change) -> Errors:
    """Return the error in the parameters of a carrier, if any."""
    if not (change.moves("parameters") or change.moves("protocol")):
        return {}
    read = _PARAMETERS.get(change.values["protocol"], _read_population)
    try:
        read(with_kept_secrets(change.stored.get("parameters") or "{}", change.values["parameters"]))
    except (BehaviourError, ParametersError) as error:
        return {"parameters": [str(error)]}
    return {}


def _key(row: Mapping[str, Any]) -> GatewayKey:
    return GatewayKey(row["medium"], row["id"])


def _refuse_while_in_use(unit: Unit, stored: Values) -> None:
    gateway = _key(stored)
    refuse_while_in(unit, *attempts_over(gateway))
    if gateway.medium == SMS:
        refuse_while_in(unit, CallRequest.__table__, texts_waiting_for(gateway.id))


def _shapes(path: str, protocols: Mapping[str, str], carrier: str, *, form: FormLayout, **docs: str) -> Shapes:
    """Return the shapes of the gateways of one medium."""
    name = "".join(map(str.title, path.split("-")))
    protocol = writable(
        TextChoice(tuple(protocols), protocols, f"{name}Protocol"), description=carrier, title="Kind", hint=""
    )
    end = {"max_channels": _CHANNELS, **_GATEWAY_END} if path == "gateway" else _SMS_GATEWAY_END
    return shapes(name, Gateway, {**own(path), **_NAMED, "protocol": protocol, **end}, form=form, **docs)


def _gateways(path: str, medium: str, shaped: Shapes) -> Resource:
    """Return the resource of the gateways of one medium."""
    return Resource(
        path=path,
        shapes=shaped,
        owner=None,
        constants=(("medium", medium),),
        filters=("name", "protocol"),
        orderings=("name", "protocol", "created_date", "updated_date"),
        names=("name",),
        derived=_state,
        hidden=lambda row: fields_for_users(is_simulated=row["protocol"] == SIMULATED),
        rules=(
            FieldRule(("parameters", "protocol"), _parameter_errors),
            _allowed_callerids(allows_names=medium == SMS),
        ),
        update=lambda change, columns: change_gateway(change.unit, GatewayKey(medium, change.record_id), columns),
        touches=lambda _, row: touched_gateway(_key(row)),
        before_delete=_refuse_while_in_use,
    )


GATEWAYS = _gateways(
    "gateway",
    VOICE,
    _shapes(
        "gateway",
        PROTOCOLS,
        "The carrier that places the calls.",
        form=form(
            ("", "name"),
            ("Limits", "max_channels max_cps"),
            ("Numbers and caller IDs", "allowed_callerids removeprefix addprefix"),
            more=[("For your notes", "description")],
            hidden="line_down parameters protocol rests_until",
        ),
        write_doc="A gateway for calls to a carrier; its parameters describe simulated callees.",
        read_doc="A gateway for calls to a carrier, as it is stored.",
    ),
)
SMS_GATEWAYS = _gateways(
    "sms-gateway",
    SMS,
    _shapes(
        "sms-gateway",
        SMS_PROTOCOLS,
        "The carrier that sends the messages.",
        form=form(
            ("", "name"),
            ("Limits", "max_cps"),
            ("Numbers and senders", "allowed_callerids removeprefix addprefix"),
            more=[("For your notes", "description")],
            hidden="line_down parameters protocol rests_until",
        ),
        write_doc="A gateway for text messages to a carrier.",
    ),
)
CALLERID_GROUPS = Resource(
    path="callerid-group",
    shapes=_CALLER_ID_GROUP,
    owner=None,
    filters=("name",),
    orderings=("name", "created_date", "updated_date"),
    names=("name",),
    touches=touches_nothing,
)
CALLERIDS = Resource(
    path="callerid",
    shapes=_CALLER_ID,
    filters=("areacode", "callerid_num"),
    orderings=("callerid_num", "callerid_name", "areacode", "created_date"),
    names=("callerid_name",),
    numbers=("callerid_num",),
    touches=lambda connection, row: users_of_callerid_group(connection, row["callerid_group_id"]),
)
