"""Rows of wishes not to be called: the lists that keep them, which are made when the first wish needs them.

Each account has at most one list of its own, which holds for all its campaigns. The list of the service holds for every
campaign of every account. It keeps the wishes of people to whom no account is known to have written. The wishes of
simulated people have a list of their own, which holds only for the account's campaigns over simulated gateways.
"""

from collections.abc import Collection
from typing import Final

from msgspec import structs
from sqlalchemy import ColumnElement, Connection, case, exists, literal, or_, select, true, update

from dialer.domain.numbers.listed_forms import listed_forms
from dialer.domain.words.proof import Proof
from dialer.domain.words.roles import Role
from dialer.store.backends.expressions import insert_or
from dialer.store.database.bulk import ASKED_AT_ONCE
from dialer.store.tables import ACCOUNT, HELD, OF_SIMULATED, SERVICE, Campaign, Consent, DncContact, DncList, User

OWN_LIST_NAME: Final = "Asked not to be called"
HELD_LIST_NAME: Final = "Perhaps asked not to be called"
SIMULATED_LIST_NAME: Final = "Asked not to be called, simulated"
SERVICE_LIST_NAME: Final = "Asked not to be called, sender unknown"

SOON_MS: Final = 3_600_000
"""The longest time by which a consent that a wish withdraws may begin after the wish."""


def own_list(connection: Connection, user_id: int, now_ms: int) -> int:
    """Return the id of an account's own list. Make the list if the account has none."""
    is_own = (DncList.keeps_wishes_of == ACCOUNT) & (DncList.user_id == user_id)
    return _list(connection, is_own, now_ms, user_id=user_id, name=OWN_LIST_NAME, keeps_wishes_of=ACCOUNT)


def held_list(connection: Connection, user_id: int, now_ms: int) -> int:
    """Return the id of an account's list of held numbers, which wait for a person's verdict. Make it if needed."""
    is_held = (DncList.keeps_wishes_of == HELD) & (DncList.user_id == user_id)
    return _list(connection, is_held, now_ms, user_id=user_id, name=HELD_LIST_NAME, keeps_wishes_of=HELD)


def simulated_list(connection: Connection, user_id: int, now_ms: int) -> int:
    """Return the id of an account's list of the wishes of simulated people. Make the list if the account has none."""
    is_simulated = (DncList.keeps_wishes_of == OF_SIMULATED) & (DncList.user_id == user_id)
    values = {"user_id": user_id, "name": SIMULATED_LIST_NAME, "keeps_wishes_of": OF_SIMULATED}
    return _list(connection, is_simulated, now_ms, **values)


def list_of_wish(connection: Connection, user_id: int, now_ms: int, *, is_simulated: bool) -> int:
    """Return the list of an account that keeps a wish of a real person, or of a simulated one."""
    return (simulated_list if is_simulated else own_list)(connection, user_id, now_ms)


def service_list(connection: Connection, now_ms: int) -> int | None:
    """Return the id of the list of the service, which the oldest admin owns. None if there is neither."""
    is_of_service = DncList.keeps_wishes_of == SERVICE
    found = connection.scalar(select(DncList.id).where(is_of_service))
    if found is not None:
        return int(found)
    user_id = oldest_admin(connection)
    if user_id is None:
        return None
    values = {"user_id": user_id, "name": SERVICE_LIST_NAME, "keeps_wishes_of": SERVICE, "is_global": True}
    return _list(connection, is_of_service, now_ms, **values)


def oldest_admin(connection: Connection) -> int | None:
    """Return the oldest admin who may log in, else the oldest who may not; None if there is no admin."""
    oldest = select(User.id).where(User.role == Role.ADMIN)
    return connection.scalar(oldest.order_by(case((User.enabled, 0), else_=1), User.id).limit(1))


def call_off(
    connection: Connection, dnc_ids: Collection[int | None], number: str, proof: Proof, now_ms: int
) -> list[tuple[int, int]]:
    """Put a number on do-not-call lists with the proof of the wish. None stands for no list.

    Where the number is on a list already, its first proof stays. With the list of an account, the wish withdraws the
    consents of the number that the account has.

    Return the list and the id of each new entry.
    """
    entries = []
    dates = {"created_date": now_ms, "updated_date": now_ms}
    circumstances = {**structs.asdict(proof), "source": str(proof.source)}
    for dnc_id in dict.fromkeys(one for one in dnc_ids if one is not None):
        owner = select(DncList.user_id).where(DncList.id == dnc_id).scalar_subquery()
        values = {"dnc_id": dnc_id, "user_id": owner, "phone_number": number, "number": number}
        added = insert_or(DncContact.__table__).values({**values, **circumstances, **dates})
        added = added.on_conflict_do_nothing(index_elements=["dnc_id", "number", "user_id"])
        entries += [(dnc_id, entry_id) for entry_id in connection.scalars(added.returning(DncContact.id))]
        _withdraw_consents(connection, dnc_id, number, proof, now_ms)
    return entries


def withdraw_listed(connection: Connection, dnc_id: int, numbers: Collection[str], source: str, now_ms: int) -> None:
    """Withdraw the consents of numbers that are put on a list, if it is an account's own, whatever their purposes."""
    account = connection.scalar(select(DncList.user_id).where(DncList.id == dnc_id, DncList.keeps_wishes_of == ACCOUNT))
    if account is None or not connection.scalar(select(exists().where(Consent.user_id == account))):
        return
    forms = {form for number in numbers for form in listed_forms(number)}
    asked = sorted(forms)
    for place in range(0, len(asked), ASKED_AT_ONCE):
        is_theirs = (Consent.user_id == account) & Consent.number.in_(asked[place : place + ASKED_AT_ONCE])
        _withdraw(connection, is_theirs, source, now_ms)


def _withdraw_consents(connection: Connection, dnc_id: int, number: str, proof: Proof, now_ms: int) -> None:
    """Withdraw the consents of a number that cover the purpose of the campaign that heard a wish.

    If it has none, or nobody knows it any more, all are withdrawn.
    """
    account = select(DncList.user_id).where(DncList.id == dnc_id, DncList.keeps_wishes_of == ACCOUNT).scalar_subquery()
    of_number = (Consent.user_id == account) & Consent.number.in_(listed_forms(number))
    purpose = connection.scalar(select(Campaign.purpose).where(Campaign.id == proof.campaign_id))
    is_meant: ColumnElement[bool] = true()
    if purpose:
        words = literal(" ").concat(Consent.purposes).concat(" ")
        is_meant = or_(Consent.purposes == "", words.contains(f" {purpose} "))
    _withdraw(connection, of_number & is_meant, str(proof.source), now_ms)


def _withdraw(connection: Connection, which: ColumnElement[bool], source: str, now_ms: int) -> None:
    """Withdraw consents that are good, or were made before and say that they are given soon: clocks differ."""
    is_good = or_(Consent.withdrawn_date.is_(None), Consent.withdrawn_date > now_ms)
    is_soon = (Consent.created_date <= now_ms) & (Consent.given_date <= now_ms + SOON_MS)
    withdrawn = {"withdrawn_date": now_ms, "withdrawn_how": str(source), "updated_date": now_ms}
    connection.execute(
        update(Consent).where(which, or_(Consent.given_date <= now_ms, is_soon), is_good).values(withdrawn)
    )


def _list(connection: Connection, which: ColumnElement[bool], now_ms: int, **values: object) -> int:
    found = connection.scalar(select(DncList.id).where(which))
    if found is None:
        # Another process may make the same list at the same time.
        added = insert_or(DncList.__table__).values(**values, created_date=now_ms, updated_date=now_ms)
        connection.execute(added.on_conflict_do_nothing())
        found = connection.execute(select(DncList.id).where(which)).scalar_one()
    return int(found)
