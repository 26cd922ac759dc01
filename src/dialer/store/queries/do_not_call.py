"""Do-not-call lists: look-ups of numbers, which also find erased numbers.

The entry of an erased number holds a keyed hash instead: `#`, which no number begins with, and 90 bits of an
HMAC-SHA256. Only a search through all numbers with the key recovers the number. The entry still prevents calls to it.

An entry without a country code prevents calls to the numbers of every country whose national part it is.
"""

import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    CompoundSelect,
    Connection,
    Row,
    RowMapping,
    SQLColumnExpression,
    and_,
    bindparam,
    case,
    exists,
    literal_column,
    or_,
    select,
    union_all,
    update,
)

from dialer.domain.calls.plans import SIMULATED, SMS
from dialer.domain.engine.called_off import OF_SERVICE, held_list_of, own_list_of, simulated_list_of
from dialer.domain.numbers.listed_forms import WITHOUT_COUNTRY, listed_forms
from dialer.store.database.bulk import PreparedStatement
from dialer.store.database.service_state import open_state
from dialer.store.tables import (
    ACCOUNT,
    HELD,
    OF_SIMULATED,
    SERVICE,
    Campaign,
    CampaignDncList,
    DncContact,
    DncList,
    Gateway,
    ServiceState,
    Subscriber,
)

KEY_BYTES: Final = 32
FORMS_ASKED_MAX: Final = 10_000
"""Maximum number of forms of numbers in one query."""
_SIGN: Final = "#"
_AFTER_SIGN: Final = chr(ord(_SIGN) + 1)
_HASH_CHARACTERS: Final = 15
_IS_SIMULATED: Final = exists().where(
    Gateway.medium == Campaign.medium,
    Gateway.id
    == case((Campaign.medium == literal_column(f"'{SMS}'"), Campaign.sms_gateway_id), else_=Campaign.aleg_gateway_id),
    Gateway.protocol == literal_column(f"'{SIMULATED}'"),
)
"""The condition that a campaign calls, or sends its text messages, over a simulated gateway."""
_HOLDS: Final = DncList.keeps_wishes_of.in_((literal_column(f"'{ACCOUNT}'"), literal_column(f"'{HELD}'"))) | (
    (DncList.keeps_wishes_of == literal_column(f"'{OF_SIMULATED}'")) & _IS_SIMULATED
)
"""The condition that a list of an account, which keeps wishes or held numbers, holds for a campaign of the account."""
_EVERY_CAMPAIGN: Final = 0
"""Stands for the id of a campaign in the rows of lists that hold for every campaign."""
# Statements are built once, as building one takes longer than running it.
_asked: BindParameter[Any] = bindparam("campaigns", expanding=True)
_NAMED: Final[ColumnElement[int]] = literal_column("1")
_UNNAMED: Final[ColumnElement[int]] = literal_column("0")
_MARK: Final[ColumnElement[int]] = literal_column("2")
"""Marks the row that says that a campaign is simulated."""
_FURTHER: Final[CompoundSelect[*tuple[Any, ...]]] = union_all(
    select(CampaignDncList.campaign_id, CampaignDncList.dnc_id, CampaignDncList.id.label("place"), _NAMED).where(
        CampaignDncList.campaign_id.in_(_asked)
    ),
    select(Campaign.id, DncList.id, DncList.id, _UNNAMED)
    .join(DncList, DncList.user_id == Campaign.user_id)
    .where(Campaign.id.in_(_asked), _HOLDS),
    select(Campaign.id, literal_column("0"), literal_column("0"), _MARK).where(Campaign.id.in_(_asked), _IS_SIMULATED),
    select(literal_column(str(_EVERY_CAMPAIGN)), DncList.id, DncList.id, _UNNAMED).where(DncList.is_global),
).order_by("place")
_KEY: Final = select(ServiceState.number_key)
_lists: BindParameter[Any] = bindparam("lists", expanding=True)
_forms: BindParameter[Any] = bindparam("forms", expanding=True)
_ENTRIES: Final = select(DncContact.dnc_id, DncContact.number, DncContact.created_date).where(
    DncContact.dnc_id.in_(_lists), DncContact.number.in_(_forms)
)
_PROOFS: Final = (
    select(DncContact.__table__)
    .where(DncContact.dnc_id.in_(_lists), DncContact.number.in_(_forms))
    .order_by(DncContact.created_date.desc(), DncContact.id.desc())
)
_OF_SUBSCRIBERS: Final = (
    select(Campaign.id, Campaign.dnc_id, Subscriber.id, Subscriber.number)
    .join(Campaign, Campaign.id == Subscriber.campaign_id)
    .where(Subscriber.id.in_(bindparam("subscribers", expanding=True)))
)


def is_hashed(number: SQLColumnExpression[str]) -> ColumnElement[bool]:
    """Return a condition for entries whose `number` is the hash of an erased number. The list's index serves it."""
    return and_(number >= _SIGN, number < _AFTER_SIGN)


def is_without_country(number: SQLColumnExpression[str]) -> ColumnElement[bool]:
    """Return a condition for entries that are digits without a country code. The list's index serves it."""
    return number >= WITHOUT_COUNTRY


def is_in_another_form(number: SQLColumnExpression[str]) -> ColumnElement[bool]:
    """Return a condition for entries that may prevent calls to a number without being equal to it."""
    return or_(is_hashed(number), is_without_country(number))


def hashed(key: bytes, number: str) -> str:
    """Return the hash that replaces an erased number, which is given in normal form."""
    digest = hmac.digest(key, number.encode(), "sha256")
    return _SIGN + urlsafe_b64encode(digest)[:_HASH_CHARACTERS].decode()


def ensure_key(connection: Connection, now_ms: int) -> bytes:
    """Return the key of the database's hashes. Create and store it on the first call."""
    open_state(connection, now_ms)
    key = connection.scalar(_KEY)
    if key is None:
        key = secrets.token_bytes(KEY_BYTES)
        connection.execute(update(ServiceState).values(number_key=key))
    return key


def forms_of(connection: Connection, numbers: Collection[str]) -> dict[str, str]:
    """Return the forms of numbers by which a list has them already, plain and hashed, each with its number."""
    forms = {number: number for number in numbers}
    key = connection.scalar(_KEY)
    return forms if key is None else forms | {hashed(key, number): number for number in numbers}


def entries_on(
    connection: Connection, dnc_ids: Collection[int], numbers: Collection[str]
) -> dict[tuple[int, str], int]:
    """Return the lists that have some of the numbers, as pairs of list and number.

    Each pair has the time of its entry in milliseconds since the epoch.
    """
    if not dnc_ids:
        return {}
    forms = forms_of(connection, numbers)
    return {(row.dnc_id, forms[row.number]): row.created_date for row in _entries(connection, dnc_ids, list(forms))}


def entries_against(
    connection: Connection, dnc_ids: Collection[int], numbers: Collection[str]
) -> dict[tuple[int, str], int]:
    """Return the lists that prevent calls to some of the numbers, as pairs of list and number.

    An entry without a country code counts, too. Each pair has the time of its earliest entry in milliseconds since the
    epoch.
    """
    if not dnc_ids:
        return {}
    meant = forms_against(connection, numbers)
    found: dict[tuple[int, str], int] = {}
    for row in _entries(connection, dnc_ids, list(meant)):
        for number in meant[row.number]:
            pair = (row.dnc_id, number)
            found[pair] = min(found.get(pair, row.created_date), row.created_date)
    return found


def forms_against(connection: Connection, numbers: Collection[str]) -> dict[str, list[str]]:
    """Return all forms of entries that prevent calls to some numbers, plain and hashed, each with its numbers."""
    key = connection.scalar(_KEY)
    meant: dict[str, list[str]] = {}
    for number in numbers:
        for form in listed_forms(number):
            meant.setdefault(form, []).append(number)
            if key is not None:
                meant.setdefault(hashed(key, form), []).append(number)
    return meant


def _entries(connection: Connection, dnc_ids: Collection[int], forms: Sequence[str]) -> Iterator[Row[Any, Any, Any]]:
    for place in range(0, len(forms), FORMS_ASKED_MAX):
        some = forms[place : place + FORMS_ASKED_MAX]
        yield from connection.execute(_ENTRIES, {"lists": list(dnc_ids), "forms": list(some)})


def proofs_on(connection: Connection, dnc_ids: Collection[int], number: str) -> dict[int, RowMapping]:
    """Return the earliest entries on lists that prevent calls to a number, with their proofs, by list."""
    asked = {"lists": list(dnc_ids), "forms": list(forms_against(connection, [number]))}
    return {row["dnc_id"]: row for row in connection.execute(_PROOFS, asked).mappings()}


class CampaignLists(NamedTuple):
    """The do-not-call lists that hold for a campaign."""

    first: int | None
    """The first list that the campaign names. It keeps wishes not to be called, besides the account's own list."""
    ids: tuple[int, ...]
    """All lists: those that the campaign names, the account's own list, and those that hold for every campaign."""
    is_simulated: bool = False
    """True if the gateway of the campaign is simulated, so that the wishes of simulated people hold, too."""


def lists_that_hold(campaign: SQLColumnExpression[int], *outer: type[Campaign]) -> CompoundSelect[Any]:
    """Return a query of the ids of the do-not-call lists that hold for a campaign.

    `outer` is the table of an outer query to which the campaign belongs.
    """
    queries = (
        select(Campaign.dnc_id).where(Campaign.id == campaign),
        select(CampaignDncList.dnc_id).where(CampaignDncList.campaign_id == campaign),
        select(DncList.id).join(Campaign, Campaign.user_id == DncList.user_id).where(Campaign.id == campaign, _HOLDS),
        select(DncList.id).where(DncList.is_global),
    )
    return union_all(*(query.correlate(*outer) for query in queries))


_HOLDING: Final = PreparedStatement(select(DncList.id).where(DncList.id.in_(lists_that_hold(bindparam("campaign")))))


def lists_of(connection: Connection, named: Mapping[int, int | None]) -> dict[int, CampaignLists]:
    """Return the do-not-call lists of campaigns, whose `dnc_id` is given, in one query."""
    further: dict[tuple[int, int], list[int]] = {}
    for campaign_id, dnc_id, _, is_named in connection.execute(_FURTHER, {"campaigns": list(named)}):
        further.setdefault((campaign_id, is_named), []).append(dnc_id)
    found: dict[int, CampaignLists] = {}
    for campaign_id, dnc_id in named.items():
        theirs = [*([] if dnc_id is None else [dnc_id]), *further.get((campaign_id, 1), ())]
        others = (*further.get((campaign_id, 0), ()), *further.get((_EVERY_CAMPAIGN, 0), ()))
        ids = tuple(dict.fromkeys((*theirs, *others)))
        found[campaign_id] = CampaignLists(theirs[0] if theirs else None, ids, (campaign_id, 2) in further)
    return found


def listed_for(connection: Connection, campaign_id: int, numbers: Collection[str]) -> set[tuple[int, str]]:
    """Return the numbers that are on lists of a campaign now, each with its list as `lists_of_wish` names it."""
    return {(one.name, one.number) for one in entries_for(connection, campaign_id, numbers)}


class NumberOnList(NamedTuple):
    """A number on a list, with the id of the list, and with what `lists_of_wish` calls it."""

    dnc_id: int
    name: int
    number: str


def entries_for(connection: Connection, campaign_id: int, numbers: Collection[str]) -> set[NumberOnList]:
    """Return the numbers that are on lists of a campaign now."""
    found = entries_against(connection, _HOLDING.run(connection, {"campaign": campaign_id}), numbers)
    if not found:
        return set()
    names = _names_of(connection, {dnc_id for dnc_id, _ in found})
    return {NumberOnList(dnc_id, names[dnc_id], number) for dnc_id, number in found}


def names_of(connection: Connection, dnc_ids: Collection[int]) -> tuple[int, ...]:
    """Return lists by their ids, and by what `lists_of_wish` calls those of them that keep wishes of somebody.

    A wish that has no row yet is known by that name alone, also to the campaigns of another account.
    """
    names = _names_of(connection, dnc_ids).values() if dnc_ids else ()
    return tuple(dict.fromkeys((*dnc_ids, *sorted(names))))


def _names_of(connection: Connection, dnc_ids: Collection[int]) -> dict[int, int]:
    query = select(DncList.id, DncList.user_id, DncList.keeps_wishes_of).where(DncList.id.in_(dnc_ids))
    return {row.id: _name_of(row) for row in connection.execute(query)}


def _name_of(row: Row[Any, Any, Any]) -> int:
    if row.keeps_wishes_of == SERVICE:
        return OF_SERVICE
    if row.keeps_wishes_of == HELD:
        return held_list_of(row.user_id)
    if row.keeps_wishes_of == OF_SIMULATED:
        return simulated_list_of(row.user_id)
    return own_list_of(row.user_id) if row.keeps_wishes_of == ACCOUNT else int(row.id)


def on_dnc(connection: Connection, subscriber_ids: Collection[int]) -> set[int]:
    """Return the ids of subscribers whose numbers are on a do-not-call list of their campaign now."""
    return set(_lists_with(connection, subscriber_ids))


def held_among(connection: Connection, subscriber_ids: Collection[int]) -> set[int]:
    """Return the ids of subscribers whose numbers are only on the list of numbers that their account holds."""
    found = _lists_with(connection, subscriber_ids)
    if not found:
        return set()
    held = set(connection.scalars(select(DncList.id).where(DncList.keeps_wishes_of == HELD)))
    return {subscriber_id for subscriber_id, dnc_ids in found.items() if dnc_ids <= held}


def _lists_with(connection: Connection, subscriber_ids: Collection[int]) -> dict[int, set[int]]:
    """Return the do-not-call lists that have the numbers of subscribers, by the ids of those whose number is on any."""
    rows = connection.execute(_OF_SUBSCRIBERS, {"subscribers": list(subscriber_ids)}).all()
    lists = lists_of(connection, {campaign_id: dnc_id for campaign_id, dnc_id, _, _ in rows})
    listed = entries_against(connection, {one for each in lists.values() for one in each.ids}, {row[3] for row in rows})
    found: dict[int, set[int]] = {}
    for campaign_id, _, subscriber_id, number in rows:
        having = {dnc_id for dnc_id in lists[campaign_id].ids if (dnc_id, number) in listed}
        if having:
            found[subscriber_id] = having
    return found
