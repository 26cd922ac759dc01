"""The numbers to which agents transfer calls, and whom they consult: each is judged as a dial by hand is."""

from typing import Any, Final

from sqlalchemy import Connection, bindparam, select

from dialer.app.work.errors import InvalidFieldsError
from dialer.domain.calls.plans import VOICE
from dialer.domain.engine.called_off import held_list_of
from dialer.domain.numbers.agent_contacts import target_number
from dialer.domain.numbers.emergency import is_emergency
from dialer.domain.numbers.normal_form import NumberError
from dialer.domain.numbers.prefixes import Prefixes, dialled_number
from dialer.domain.words.sentences import Sentence
from dialer.store.queries.destinations import is_forbidden_for, read_destinations
from dialer.store.queries.do_not_call import listed_for
from dialer.store.queries.regions import region_of
from dialer.store.tables import CallRequest, Gateway

_CALL: Final = (
    select(CallRequest.user_id, CallRequest.campaign_id, Gateway.addprefix, Gateway.removeprefix)
    .outerjoin(Gateway, (Gateway.id == CallRequest.gateway_id) & (Gateway.medium == VOICE))
    .where(CallRequest.id == bindparam("call"))
)


def allowed_number(connection: Connection, callrequest_id: int, given: str) -> str:
    """Return a number that may be dialled during a call, in normal form.

    Raises:
        InvalidFieldsError: it is no number, an emergency number, on a do-not-call list, or not allowed for the account.
    """
    call = connection.execute(_CALL, {"call": callrequest_id}).one()
    try:
        number = target_number(given, region_of(connection, call.user_id))
    except NumberError:
        wrong = "Write the number with its digits, such as +12025550150."
        raise InvalidFieldsError({"phone_number": [wrong]}) from None
    wrong = _wrong(connection, call, number)
    if wrong:
        raise InvalidFieldsError({"phone_number": [wrong]})
    return number


def _wrong(connection: Connection, call: Any, number: str) -> str:  # noqa: ANN401 - a row
    """Return why a number is not dialled during a call; empty if it is."""
    prefixes = Prefixes(call.addprefix or "", call.removeprefix or "")
    dialled = dialled_number(number, addprefix=prefixes.add, removeprefix=prefixes.remove)
    if any(map(is_emergency, (number, dialled, dialled.removeprefix(prefixes.add)))):
        return Sentence("An emergency number is never dialled.")
    if is_forbidden_for(connection, call.user_id, read_destinations(connection, call.user_id), number, prefixes):
        return Sentence("The account may not call this number.")
    lists = {dnc_id for dnc_id, _ in listed_for(connection, call.campaign_id, [number])}
    if lists == {held_list_of(call.user_id)}:
        return Sentence("The person has perhaps asked not to be called, and nobody has looked yet.")
    return Sentence("The number is on a do-not-call list of the campaign.") if lists else ""
