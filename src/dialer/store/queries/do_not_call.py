"""Do-not-call lists: look-ups of numbers, which also find erased numbers.

The entry of an erased number holds a keyed hash instead: `#`, which no number begins with, and 90 bits of an
HMAC-SHA256. Only a search through all numbers with the key recovers the number. The entry still prevents calls to it.
"""

import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Collection
from typing import Final

from sqlalchemy import Column, ColumnElement, Connection, and_, select, update

from dialer.store.service_state import open_state
from dialer.store.tables import Campaign, DncContact, ServiceState, Subscriber

KEY_BYTES: Final = 32
FORMS_ASKED_MAX: Final = 10_000
"""Maximum number of forms of numbers in one query."""
_SIGN: Final = "#"
_AFTER_SIGN: Final = chr(ord(_SIGN) + 1)
_HASH_CHARACTERS: Final = 15
_states = ServiceState.__table__
_dnc = DncContact.__table__
_subscribers = Subscriber.__table__
_campaigns = Campaign.__table__


def is_hashed(number: Column[str]) -> ColumnElement[bool]:
    """Return a condition for entries whose `number` is the hash of an erased number. The list's index serves it."""
    return and_(number >= _SIGN, number < _AFTER_SIGN)


def hashed(key: bytes, number: str) -> str:
    """Return the hash that replaces an erased number, which is given in normal form."""
    digest = hmac.digest(key, number.encode(), "sha256")
    return _SIGN + urlsafe_b64encode(digest)[:_HASH_CHARACTERS].decode()


def ensure_key(connection: Connection, now_ms: int) -> bytes:
    """Return the key of the database's hashes. Create and store it on the first call."""
    open_state(connection, now_ms)
    key = connection.scalar(select(_states.c.number_key))
    if key is None:
        key = secrets.token_bytes(KEY_BYTES)
        connection.execute(update(_states).values(number_key=key))
    return key


def forms_of(connection: Connection, numbers: Collection[str]) -> dict[str, str]:
    """Return all forms of numbers that a list may contain, plain and hashed, each with its number."""
    forms = {number: number for number in numbers}
    key = connection.scalar(select(_states.c.number_key))
    return forms if key is None else forms | {hashed(key, number): number for number in numbers}


def numbers_on(connection: Connection, dnc_id: int, numbers: Collection[str]) -> dict[str, int]:
    """Return the numbers that are on a list, with the time of their entry in milliseconds since the epoch."""
    forms = forms_of(connection, numbers)
    asked = list(forms)
    found: dict[str, int] = {}
    for place in range(0, len(asked), FORMS_ASKED_MAX):
        some = asked[place : place + FORMS_ASKED_MAX]
        query = select(_dnc.c.number, _dnc.c.created_date).where(_dnc.c.dnc_id == dnc_id, _dnc.c.number.in_(some))
        found |= {forms[form]: since for form, since in connection.execute(query)}
    return found


def on_dnc(connection: Connection, subscriber_ids: Collection[int]) -> set[int]:
    """Return the ids of subscribers whose numbers are on the do-not-call list of their campaign now."""
    query = (
        select(_campaigns.c.dnc_id, _subscribers.c.id, _subscribers.c.number)
        .join(_campaigns, _campaigns.c.id == _subscribers.c.campaign_id)
        .where(_subscribers.c.id.in_(subscriber_ids), _campaigns.c.dnc_id.is_not(None))
    )
    by_list: dict[int, list[tuple[int, str]]] = {}
    for dnc_id, subscriber_id, number in connection.execute(query):
        by_list.setdefault(dnc_id, []).append((subscriber_id, number))
    found: set[int] = set()
    for dnc_id, some in by_list.items():
        listed = numbers_on(connection, dnc_id, {number for _, number in some})
        found.update(subscriber_id for subscriber_id, number in some if number in listed)
    return found
