"""Trial calls: one call over a gateway, to see what its carrier says. The rules for them are those of campaigns."""

import msgspec
from sqlalchemy import Connection, select

from dialer.app.work.errors import ErrorCode, InvalidFieldsError, RefusedError, UnknownRecordError
from dialer.app.work.events import TrialCallPlaced
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.calling_times.calling_windows import window_at
from dialer.domain.calling_times.zones import zone_of_number
from dialer.domain.calls.plans import FREESWITCH, SIP, VOICE, GatewayKey
from dialer.domain.numbers.destinations import special_digits
from dialer.domain.numbers.emergency import emergency_error, spells_emergency
from dialer.domain.numbers.normal_form import NumberError, is_possible, normalise
from dialer.domain.numbers.prefixes import dialled_number
from dialer.domain.numbers.shown import shown_number, shown_numbers, split_shown
from dialer.domain.words.sentences import FieldName, Sentence, message_of
from dialer.store.database.touched import NOTHING
from dialer.store.queries.calls_in_progress import gateway_row
from dialer.store.queries.do_not_call import entries_against
from dialer.store.tables import DncList


class TrialRules(msgspec.Struct, frozen=True):
    """The settings of the service by which a number may be called or not."""

    region: str | None
    zone: str
    hours: CallingHours


class TrialCall(msgspec.Struct, frozen=True):
    """A trial call that may be placed: its gateway, and the number as the carrier receives it."""

    gateway_id: int
    protocol: str
    parameters: str
    number: str
    callerid: str


def order_trial_call(unit: UnitOfWork, call: tuple[int, str, str], rules: TrialRules) -> TrialCall:
    """Return a trial call, and log that it is placed. `call` is the id of the gateway, the number, and the caller ID.

    Raises:
        UnknownRecordError: there is no such gateway.
        RefusedError: the gateway is simulated, or the number may not be called, or not now.
        InvalidFieldsError: the number is an emergency number or has no country, or the gateway forbids the caller ID.
    """
    trial_call = find_trial_call(unit.connection, call, rules, unit.now_ms)
    unit.note(NOTHING, TrialCallPlaced(trial_call.gateway_id))
    return trial_call


def find_trial_call(connection: Connection, call: tuple[int, str, str], rules: TrialRules, now_ms: int) -> TrialCall:
    """Return the trial call that the rules allow at a time of the real clock, without writing a row.

    Raises:
        UnknownRecordError: there is no such gateway.
        RefusedError: the gateway is simulated, or the number may not be called, or not now.
        InvalidFieldsError: the number is an emergency number or has no country, or the gateway forbids the caller ID.
    """
    gateway_id, number, callerid = call
    gateway = gateway_row(connection, GatewayKey(VOICE, gateway_id))
    if gateway is None:
        raise UnknownRecordError(f"There is no gateway {gateway_id}.")
    if gateway["protocol"] not in {SIP, FREESWITCH}:
        ways = Sentence("Use one with %(sip)s or %(freeswitch)s.", sip=SIP, freeswitch=FREESWITCH)
        raise RefusedError(
            Sentence(
                "Carrier %(gateway)s has the protocol %(protocol)s. %(ways)s",
                gateway=gateway_id,
                protocol=gateway["protocol"],
                ways=ways,
            ),
            code=ErrorCode.PROTOCOL,
        )
    wanted = wanted_number(number, rules.region)
    shown = _shown(callerid, gateway["allowed_callerids"], rules.region)
    _check_lists(connection, wanted)
    _check_hours(wanted, rules, now_ms)
    dialled = dialled_number(wanted, addprefix=gateway["addprefix"], removeprefix=gateway["removeprefix"])
    return TrialCall(gateway_id, gateway["protocol"], gateway["parameters"], dialled, shown)


def wanted_number(number: str, region: str | None) -> str:
    """Return the normal form of a number that test calls may call.

    Raises:
        InvalidFieldsError: it is an emergency number, a special one, or has no country.
    """
    if spells_emergency(number, region):
        raise InvalidFieldsError({"number": [message_of(emergency_error(number))]})
    try:
        normal_form = normalise(number, region)
    except NumberError as error:
        raise InvalidFieldsError({"number": [message_of(error)]}) from None
    if not normal_form.startswith("+") or not is_possible(normal_form):
        message = Sentence(
            "%(number)r is not a possible phone number. Use the country code, as in +12025550150.",
            number=normal_form,
        )
        raise InvalidFieldsError({"number": [message]})
    if special_digits(normal_form):
        message = Sentence(
            "%(number)r is a premium-rate, shared-cost or satellite number, which test calls do not call.",
            number=normal_form,
        )
        raise InvalidFieldsError({"number": [message]})
    return normal_form


def _shown(callerid: str, allowed: str, region: str | None) -> str:
    """Return a caller ID in normal form; empty if none is given. Raise InvalidFieldsError for a wrong one."""
    if not callerid:
        return ""
    shown = shown_number(callerid, region, allows_names=False)
    if shown is None:
        message = Sentence(
            "%(number)r is not a possible phone number. Use the country code, as in +12025550150.", number=callerid
        )
        raise InvalidFieldsError({"callerid": [message]})
    allowed_numbers = shown_numbers(split_shown(allowed), region, allows_names=False)
    if allowed_numbers and shown not in allowed_numbers:
        message = Sentence(
            "%(number)r is not among the %(field)s of the carrier. Use one that is.",
            number=callerid,
            field=FieldName("allowed_callerids"),
        )
        raise InvalidFieldsError({"callerid": [message]})
    return shown


def _check_lists(connection: Connection, number: str) -> None:
    """Refuse a number on a do-not-call list that holds for every campaign."""
    everywhere = list(connection.scalars(select(DncList.id).where(DncList.is_global)))
    if entries_against(connection, everywhere, [number]):
        raise RefusedError(
            "The number is on a do-not-call list that holds for every campaign, so it is not called.",
            code=ErrorCode.DO_NOT_CALL,
        )


def outside_hours(zone: str) -> RefusedError:
    """Return the refusal of a number in whose time zone it is outside of the calling hours."""
    return RefusedError(
        Sentence(
            "It is outside of the calling hours (DIALER_CALLING_HOURS) where the number is: %(zones)s. Try again"
            " within them.",
            zones=zone.replace("&", ", "),
        ),
        code=ErrorCode.CALLING_HOURS,
    )


def _check_hours(number: str, rules: TrialRules, now_ms: int) -> None:
    zone, outer = zone_of_number(number) or rules.zone, rules.hours.over(is_simulated=False)
    if not window_at(Calendar(), zone, now_ms, outer).is_open:
        raise outside_hours(zone)
