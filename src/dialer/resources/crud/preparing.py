"""Work on given values before the transaction, such as hashing, in threads."""

from functools import lru_cache
from http import HTTPStatus
from typing import Final

import anyio
import anyio.to_thread

from dialer.resources.crud.fields import Conventions
from dialer.resources.crud.resource import Actor, Resource
from dialer.resources.crud.shapes import Parsed
from dialer.resources.words.errors import AnsweredError
from dialer.shares import ShareFullError, Shares
from dialer.webhooks.names import names_of

PREPARED_AT_ONCE: Final = 8
"""Requests of one resource whose values are prepared at a time."""
PREPARED_OF_ACCOUNT_AT_ONCE: Final = 2
WAITING_OF_ACCOUNT_MAX: Final = 14
"""Further ones of an account that wait."""
RETRY_AFTER_S: Final = 5
_FULL: Final = "Too many records of your account are being saved. Try again later."
_RESOURCES_MAX: Final = 256


async def prepared(resource: Resource, parsed: Parsed, conventions: Conventions, actor: Actor) -> Parsed:
    """Return a request with the values that the resource prepares before the transaction, such as hashes.

    Each resource has threads of its own for it, and each account a share of them, so none holds up another.

    Raises:
        AnsweredError: 429; too many requests of the account wait.
    """
    if resource.prepare is None:
        return parsed
    account_id = actor.manager_id or actor.id
    places, threads = _preparing(resource.path)
    try:
        async with places.place(account_id):
            with names_of(account_id):
                return await anyio.to_thread.run_sync(resource.prepare, parsed, conventions, limiter=threads)
    except ShareFullError:
        raise AnsweredError(HTTPStatus.TOO_MANY_REQUESTS, _FULL, {"Retry-After": str(RETRY_AFTER_S)}) from None


@lru_cache(maxsize=_RESOURCES_MAX)
def _preparing(_path: str) -> tuple[Shares, anyio.CapacityLimiter]:
    places = Shares(PREPARED_AT_ONCE, PREPARED_OF_ACCOUNT_AT_ONCE, waiting_of_each=WAITING_OF_ACCOUNT_MAX)
    return places, anyio.CapacityLimiter(PREPARED_AT_ONCE)
