"""The consents of people, read from the rows."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, select

from dialer.domain.calls.consents import GivenConsent, NeededConsent
from dialer.domain.words.consent_words import ConsentKind
from dialer.store.tables import Consent

_OF_NUMBERS: Final = (
    select(
        Consent.id,
        Consent.number,
        Consent.kind,
        Consent.purposes,
        Consent.seller,
        Consent.given_date,
        Consent.expiration_date,
        Consent.withdrawn_date,
    )
    .where(Consent.user_id == bindparam("user"), Consent.number.in_(bindparam("numbers", expanding=True)))
    .order_by(Consent.id)
)


def needed_consent(kind: str, purpose: str, seller: str) -> NeededConsent | None:
    """Return the consent that a campaign with these columns needs; raises ValueError for an unknown kind."""
    return NeededConsent(ConsentKind(kind), purpose, seller) if kind else None


def consents_of(connection: Connection, user_id: int, numbers: Collection[str]) -> Mapping[str, Sequence[GivenConsent]]:
    """Return the consents of numbers that an account has. One query reads them, by the index of numbers."""
    found: defaultdict[str, list[GivenConsent]] = defaultdict(list)
    for row in connection.execute(_OF_NUMBERS, {"user": user_id, "numbers": list(set(numbers))}):
        found[row.number].append(_given(row))
    return found


def _given(row: Row[*tuple[Any, ...]]) -> GivenConsent:
    return GivenConsent(
        id=row.id,
        kind=ConsentKind(row.kind),
        purposes=frozenset(row.purposes.split()),
        seller=row.seller,
        given_ms=row.given_date,
        expires_ms=row.expiration_date,
        withdrawn_ms=row.withdrawn_date,
    )
