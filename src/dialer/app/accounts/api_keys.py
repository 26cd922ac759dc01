"""Use cases of API keys: creation and revocation. The secret leaves the service once, when the key is created."""

import hashlib
import secrets
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Row, delete, func, insert, select

from dialer.app.work.errors import ErrorCode, RefusedError, UnknownRecordError
from dialer.app.work.events import ApiKeyCreated, ApiKeyRevoked
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.roles import Scope
from dialer.domain.words.sentences import Sentence
from dialer.store.database.touched import NOTHING
from dialer.store.tables import ApiKey

KEYS_MAX: Final = 20
"""API keys of one user."""
BEGINNING: Final = "dk_"
SECRET_BYTES: Final = 32
PREFIX_LENGTH: Final = len(BEGINNING) + 8


class NewApiKey(msgspec.Struct, frozen=True, kw_only=True):
    """An API key to create; `expires_ms` is a moment in milliseconds since the epoch, or None."""

    user_id: int
    name: str
    scopes: Sequence[Scope]
    expires_ms: int | None = None


class CreatedApiKey(NamedTuple):
    """The row of a new key, and its secret, which is stored nowhere."""

    row: Row[Any]
    secret: str


def create_api_key(unit: UnitOfWork, key: NewApiKey) -> CreatedApiKey:
    """Create an API key with a random secret.

    Raises:
        RefusedError: the user has `KEYS_MAX` keys already.
    """
    count = select(func.count()).where(ApiKey.user_id == key.user_id)
    if unit.connection.execute(count).scalar_one() >= KEYS_MAX:
        raise RefusedError(
            Sentence("A user has at most %(most)s API keys. Revoke one first.", most=KEYS_MAX),
            code=ErrorCode.LIMIT_REACHED,
        )
    secret = BEGINNING + secrets.token_urlsafe(SECRET_BYTES)
    values = {
        "user_id": key.user_id,
        "name": key.name,
        "prefix": secret[:PREFIX_LENGTH],
        "secret_hash": hash_secret(secret),
        "scopes": " ".join(key.scopes),
        "expirationdate": key.expires_ms,
        "created_date": unit.now_ms,
        "updated_date": unit.now_ms,
    }
    row = unit.connection.execute(insert(ApiKey).values(values).returning(*ApiKey.__table__.c)).one()
    unit.note(NOTHING, ApiKeyCreated(row.id, key.user_id))
    return CreatedApiKey(row, secret)


def revoke_api_key(unit: UnitOfWork, key_id: int) -> None:
    """Delete an API key: the next request with it is refused.

    Raises:
        UnknownRecordError: there is no such key.
    """
    user_id = unit.connection.scalar(select(ApiKey.user_id).where(ApiKey.id == key_id))
    if user_id is None:
        raise UnknownRecordError(f"there is no API key {key_id}")
    unit.connection.execute(delete(ApiKey).where(ApiKey.id == key_id))
    unit.note(NOTHING, ApiKeyRevoked(key_id, user_id))


def revoke_api_keys(unit: UnitOfWork, user_id: int) -> None:
    """Revoke all API keys of a user."""
    revoked = unit.connection.execute(delete(ApiKey).where(ApiKey.user_id == user_id).returning(ApiKey.id))
    unit.note(NOTHING, *(ApiKeyRevoked(key_id, user_id) for key_id in sorted(revoked.scalars())))


def hash_secret(secret: str) -> bytes:
    """Return the hash under which a secret is stored.

    A plain SHA-256 is right, because nobody can guess 256 random bits, and it must be fast: every request needs one.
    """
    return hashlib.sha256(secret.encode()).digest()
