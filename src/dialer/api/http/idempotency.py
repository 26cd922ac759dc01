"""`Idempotency-Key`: a POST that is sent again, because its answer was lost, is answered again and not done again.

The answer is stored in the transaction of what it answers, so there is never one without the other.
"""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Final

import msgspec
from sqlalchemy import delete, insert, select

from dialer.api.crud.resource import Unit, table_of
from dialer.api.http.errors import AnsweredError, ConflictError, MalformedError
from dialer.store.tables import IdempotentResponse
from dialer.store.touched import NOTHING

KEPT_MS: Final = 86_400_000
KEY_LENGTH_MAX: Final = 255
KEY_PATTERN: Final = "[!-~]([ -~]*[!-~])?"
"""Printable ASCII, with no blanks around it: a header cannot carry those."""
REPLAYED_HEADER: Final = "Idempotent-Replayed"


class Answer(msgspec.Struct, frozen=True):
    """An answer as it goes over the wire."""

    status: int
    headers: dict[str, str]
    content: bytes


class Attempt(msgspec.Struct, frozen=True):
    """A POST that carries a key: whose, where, and with which body."""

    user_id: int
    path: str
    key: str
    body_hash: bytes


class Attempts:
    """The attempts that are under way in this process."""

    def __init__(self) -> None:
        self._under_way: Final[set[tuple[int, str, str]]] = set()

    @contextmanager
    def begin(self, attempt: Attempt | None) -> Iterator[None]:
        """While this is entered, another attempt with the same key is refused with 409."""
        if attempt is None:
            yield
            return
        identity = (attempt.user_id, attempt.path, attempt.key)
        if identity in self._under_way:
            raise ConflictError("A request with this Idempotency-Key is still running.")
        self._under_way.add(identity)
        try:
            yield
        finally:
            self._under_way.discard(identity)


def attempt_of(key: str | None, *, user_id: int, path: str, body: bytes) -> Attempt | None:
    """The attempt that a request's key makes it; None without a key."""
    if key is None:
        return None
    if len(key) > KEY_LENGTH_MAX or not re.fullmatch(KEY_PATTERN, key):
        raise MalformedError(f"An Idempotency-Key has 1 to {KEY_LENGTH_MAX} printable ASCII characters.")
    return Attempt(user_id, path, key, hashlib.sha256(body).digest())


def recall(unit: Unit, attempt: Attempt) -> Answer | None:
    """The first answer to this attempt, if there was one in the last 24 hours.

    Raises:
        AnsweredError: 422, if the key was used with another body.
    """
    table = table_of(IdempotentResponse)
    unit.connection.execute(delete(table).where(table.c.created_date <= unit.now_ms - KEPT_MS))
    unit.note(NOTHING)
    query = select(table).where(
        table.c.user_id == attempt.user_id, table.c.path == attempt.path, table.c.key == attempt.key
    )
    row = unit.connection.execute(query).mappings().first()
    if row is None:
        return None
    if row["body_hash"] != attempt.body_hash:
        detail = "This Idempotency-Key was used with another body."
        raise AnsweredError(HTTPStatus.UNPROCESSABLE_ENTITY, detail)
    headers = msgspec.json.decode(row["headers"], type=dict[str, str])
    return Answer(row["status_code"], {**headers, REPLAYED_HEADER: "true"}, row["content"])


def remember(unit: Unit, attempt: Attempt, answer: Answer) -> None:
    """Keep the answer for the next attempt."""
    unit.connection.execute(
        insert(table_of(IdempotentResponse)).values(
            user_id=attempt.user_id,
            path=attempt.path,
            key=attempt.key,
            body_hash=attempt.body_hash,
            status_code=answer.status,
            headers=msgspec.json.encode(answer.headers).decode(),
            content=answer.content,
            created_date=unit.now_ms,
        )
    )
