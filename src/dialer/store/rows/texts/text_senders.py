"""Accounts that wrote to the sender of a text message, found by the number as the carrier gives it.

A carrier over SMPP says of what type a number is (SMPP 3.4, 5.2.5). Over HTTP nobody says so, and many carriers leave
the plus out. Digits of which nobody says whether they begin with a country code are both: a number abroad, and a
number within any country.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Final, NamedTuple

from sqlalchemy import Connection, func, select

from dialer.domain.calls.plans import SIMULATED, SMS, GatewayKey
from dialer.domain.numbers.national_form import Likeness, likeness_of
from dialer.domain.numbers.normal_form import digits_of
from dialer.domain.numbers.search_keys import ENDING_MIN
from dialer.domain.sessions.leg_protocol import TextReceived
from dialer.store.backends.expressions import last_digits, without_index
from dialer.store.queries.do_not_call import lists_of
from dialer.store.tables import Campaign, Gateway, SmsMessage, User

WRITERS_MAX: Final = 1_000
"""Accounts that wrote to one number over one gateway, and that a wish of its owner concerns."""
NUMBERS_MAX: Final = 10
"""Numbers that one number without a country code may stand for. With more of them, it says nothing."""
ALIKE_MAX: Final = 1_000
"""Numbers with the same end that are looked at."""
INLAND_PREFIX_DIGITS_MAX: Final = 2
"""Digits of the longest prefix for calls within a country: 06 in Hungary."""
INTERNATIONAL: Final = "00"
"""The international prefix that some carriers write for a plus."""

_OF_WRITER: Final = ("id", "campaign_id", "user_id", "phone_number", "is_simulated")


class Writer(NamedTuple):
    """An account that wrote to a number, the campaign of its newest message, and the first list which that names."""

    campaign_id: int
    user_id: int
    dnc_id: int | None
    """None if a simulated person answers, too."""
    number: str
    sms_message_id: int
    """The newest message."""
    is_simulated: bool = False
    """True if the newest message went over a simulated gateway, and it is one still: a simulated person answers."""


class Sender(NamedTuple):
    """The sender of a text message, as far as it is known."""

    writers: Sequence[Writer]
    """The accounts that wrote to them over the gateway, the last one first."""
    is_certain: bool
    """False if the number may be another person's."""

    @property
    def is_of_several_accounts(self) -> bool:
        """True if the sender may be a person of one account or of another, who must not read their words."""
        return not self.is_certain and len({one.user_id for one in self.writers}) > 1


def sender_of(connection: Connection, gateway_id: GatewayKey, heard: TextReceived) -> Sender:
    """Return the accounts that wrote to the sender of a text message over a gateway.

    A number without a country code is one of those that were written to. Of several that it may stand for, all are
    returned, and none is certain.
    """
    if gateway_id.medium != SMS:
        return Sender((), is_certain=has_country_code(heard))
    digits = digits_of(heard.number)
    spelled = set() if heard.is_national else _spellings(digits)
    if has_country_code(heard):
        return Sender(_writers(connection, gateway_id, spelled), is_certain=True)
    alike = _numbers_like(connection, gateway_id, digits, is_national=heard.is_national)
    found = [_writers(connection, gateway_id, spelled)] if spelled else []
    found += [_writers(connection, gateway_id, {number}) for number in alike if number not in spelled]
    found = [writers for writers in found if writers]
    is_certain = len(found) == 1 and alike.get(found[0][0].number) is not Likeness.ENDING
    newest_first = sorted(chain.from_iterable(found), key=lambda one: -one.sms_message_id)
    return Sender(newest_first, is_certain)


def has_country_code(heard: TextReceived) -> bool:
    """Return whether the number of a text message says in which country it is."""
    return not heard.is_national and (heard.number.lstrip().startswith("+") or digits_of(heard.number)[:2] == "00")


def _spellings(digits: str) -> set[str]:
    """Return the numbers that digits with a country code are."""
    spellings = {digits, f"+{digits}"}
    if digits.startswith(INTERNATIONAL):
        spellings.add(f"+{digits.removeprefix(INTERNATIONAL)}")
    return spellings


def _numbers_like(
    connection: Connection, gateway_id: GatewayKey, digits: str, *, is_national: bool
) -> dict[str, Likeness]:
    """Return the numbers written to for which digits without a country code may stand; none if they are too many.

    The end of a number counts only if the carrier says that it is no more.
    """
    ending = digits[INLAND_PREFIX_DIGITS_MAX:] if len(digits) > ENDING_MIN + INLAND_PREFIX_DIGITS_MAX else digits
    if len(ending) < ENDING_MIN:
        return {}
    query = (
        select(SmsMessage.phone_number)
        .distinct()
        # Each account has its part of the index.
        .where(SmsMessage.user_id.in_(select(User.id)), last_digits(SmsMessage.phone_number) == ending[-ENDING_MIN:])
        .where(without_index(SmsMessage.gateway_id) == gateway_id.id, SmsMessage.phone_number.endswith(ending))
        .limit(ALIKE_MAX)
    )
    found = {number: likeness_of(digits, number) for number in connection.scalars(query)}
    kinds = {Likeness.NATIONAL, Likeness.ENDING} if is_national else {Likeness.NATIONAL}
    alike = {number: likeness for number, likeness in sorted(found.items()) if likeness in kinds}
    return alike if len(alike) <= NUMBERS_MAX else {}


def _writers(connection: Connection, gateway_id: GatewayKey, spellings: AbstractSet[str]) -> list[Writer]:
    """Return the accounts that wrote to a number in one of its spellings, the last one first.

    Of very many accounts, the last `WRITERS_MAX` are returned.
    """
    newest = (
        select(func.max(SmsMessage.id).label("id"))
        .where(without_index(SmsMessage.gateway_id) == gateway_id.id, SmsMessage.phone_number.in_(sorted(spellings)))
        .group_by(SmsMessage.user_id)
        .order_by(func.max(SmsMessage.id).desc())
        .limit(WRITERS_MAX)
    )
    rows = connection.execute(
        select(*(getattr(SmsMessage, name) for name in _OF_WRITER), Campaign.dnc_id)
        .join(Campaign, Campaign.id == SmsMessage.campaign_id)
        .where(SmsMessage.id.in_(select(newest.subquery().c.id)))
        .order_by(SmsMessage.id.desc())
    ).all()
    lists = lists_of(connection, {row.campaign_id: row.dnc_id for row in rows})
    is_real = any(row.is_simulated for row in rows) and not _is_simulated(connection, gateway_id)
    found = []
    for row in rows:
        is_simulated = row.is_simulated and not is_real
        dnc_id = None if is_simulated else lists[row.campaign_id].first
        found.append(Writer(row.campaign_id, row.user_id, dnc_id, row.phone_number, row.id, is_simulated))
    return found


def _is_simulated(connection: Connection, gateway_id: GatewayKey) -> bool:
    """Return whether a gateway is simulated at present. Real people write over any other."""
    of_gateway = (Gateway.medium == gateway_id.medium) & (Gateway.id == gateway_id.id)
    return connection.scalar(select(Gateway.protocol).where(of_gateway)) == SIMULATED
