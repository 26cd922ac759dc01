"""`Idempotency-Key`: a POST that a client repeats because its answer was lost gets the stored answer.

The answer is stored in the transaction of the request, so there is never one without the other.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Final

import msgspec
from litestar import Request, Response
from sqlalchemy import delete, insert, select

from dialer.api.http.answers import Answer
from dialer.app.work.errors import ErrorCode
from dialer.resources.crud.resource import Actor, Unit
from dialer.resources.words.errors import AnsweredError, ConflictError, MalformedError
from dialer.resources.words.ignored import ignored_header
from dialer.store.database.touched import NOTHING
from dialer.store.tables import IdempotentResponse

KEPT_MS: Final = 86_400_000
KEY_LENGTH_MAX: Final = 255
KEY_PATTERN: Final = "[!-~]([ -~]*[!-~])?"
"""Printable ASCII without blanks around it, which a header cannot carry."""
REPLAYED_HEADER: Final = "Idempotent-Replayed"


class StoredAnswer(msgspec.Struct, frozen=True):
    """A stored answer: status, headers and body."""

    status: int
    headers: dict[str, str]
    content: bytes

    def response(self, ignored: Iterable[str] = ()) -> Response[Any]:
        """Return the answer as a response, which also names the fields that were ignored."""
        headers = {**self.headers, **ignored_header(ignored)}
        return Answer(self.content, status_code=self.status, headers=headers, media_type="application/json")


class PostAttempt(msgspec.Struct, frozen=True):
    """A POST with a key: its user, path and body."""

    user_id: int
    path: str
    key: str
    body_hash: bytes


class Attempts:
    """The attempts that are under way in this process."""

    def __init__(self) -> None:
        self._under_way: Final[set[tuple[int, str, str]]] = set()

    @contextmanager
    def begin(self, attempt: PostAttempt | None) -> Iterator[None]:
        """Refuse another attempt with the same key with 409 while the context is entered."""
        if attempt is None:
            yield
            return
        identity = (attempt.user_id, attempt.path, attempt.key)
        if identity in self._under_way:
            raise ConflictError("A request with this Idempotency-Key is still running.", code=ErrorCode.IN_PROGRESS)
        self._under_way.add(identity)
        try:
            yield
        finally:
            self._under_way.discard(identity)


def attempt_of(request: Request[Actor, Any, Any], path: str, body: bytes) -> PostAttempt | None:
    """Return the attempt of a request with a key, or None without a key."""
    key = request.headers.get("idempotency-key")
    if key is None:
        return None
    if len(key) > KEY_LENGTH_MAX or not re.fullmatch(KEY_PATTERN, key):
        raise MalformedError(f"An Idempotency-Key has 1 to {KEY_LENGTH_MAX} printable ASCII characters.")
    return PostAttempt(request.user.id, path, key, hashlib.sha256(body).digest())


def answer_once(unit: Unit, attempt: PostAttempt | None, work: Callable[[], StoredAnswer]) -> StoredAnswer:
    """Return the answer of `work`, or the one that an earlier attempt got.

    Raises:
        AnsweredError: 422 if the key was used with another body.
    """
    if attempt is None:
        return work()
    answer = recall(unit, attempt)
    if answer is None:
        answer = work()
        remember(unit, attempt, answer)
    return answer


def recall(unit: Unit, attempt: PostAttempt) -> StoredAnswer | None:
    """Return the answer that an earlier attempt got in the last 24 hours, or None.

    Raises:
        AnsweredError: 422 if the key was used with another body.
    """
    unit.connection.execute(delete(IdempotentResponse).where(IdempotentResponse.created_date <= unit.now_ms - KEPT_MS))
    unit.note(NOTHING)
    query = select(IdempotentResponse.__table__).where(
        IdempotentResponse.user_id == attempt.user_id,
        IdempotentResponse.path == attempt.path,
        IdempotentResponse.key == attempt.key,
    )
    row = unit.connection.execute(query).mappings().first()
    if row is None:
        return None
    if row["body_hash"] != attempt.body_hash:
        detail = "This Idempotency-Key was used with another body."
        raise AnsweredError(HTTPStatus.UNPROCESSABLE_ENTITY, detail)
    headers = msgspec.json.decode(row["headers"], type=dict[str, str])
    return StoredAnswer(row["status_code"], {**headers, REPLAYED_HEADER: "true"}, row["content"])


def remember(unit: Unit, attempt: PostAttempt, answer: StoredAnswer) -> None:
    """Store the answer for the next attempt."""
    unit.connection.execute(
        insert(IdempotentResponse).values(
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
