"""Work on given values before the transaction, such as hashing, in threads."""

from functools import lru_cache
from typing import Final

import anyio
import anyio.to_thread

from dialer.api.crud.fields import Conventions
from dialer.api.crud.resource import Actor, Resource
from dialer.api.crud.shapes import Parsed
from dialer.webhooks.names import names_of
from dialer.webhooks.shares import Shares

PREPARED_AT_ONCE: Final = 8
"""Requests of one resource whose values are prepared at a time."""
PREPARED_OF_ACCOUNT_AT_ONCE: Final = 2
_RESOURCES_MAX: Final = 256


async def prepared(resource: Resource, parsed: Parsed, conventions: Conventions, actor: Actor) -> Parsed:
    """Return a request with the values that the resource prepares before the transaction, such as hashes.

    Each resource has threads of its own for it, and each account a share of them, so none holds up another.
    """
    if resource.prepare is None:
        return parsed
    account_id = actor.manager_id or actor.id
    places, threads = _preparing(resource.path)
    async with places.place(account_id):
        with names_of(account_id):
            return await anyio.to_thread.run_sync(resource.prepare, parsed, conventions, limiter=threads)


@lru_cache(maxsize=_RESOURCES_MAX)
def _preparing(_path: str) -> tuple[Shares, anyio.CapacityLimiter]:
    return Shares(PREPARED_AT_ONCE, PREPARED_OF_ACCOUNT_AT_ONCE), anyio.CapacityLimiter(PREPARED_AT_ONCE)
