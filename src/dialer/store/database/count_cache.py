"""A cache of row counts, and of the ids of few rows, which are kept until a commit that may change them.

The database tells each connection a version, which changes with the commits of other connections, from any process.
Reading it takes little time, and never waits.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final, TypeVar, cast

from sqlalchemy import Connection

from dialer.store.backends.backend import backend_of

COUNTS_KEPT_MAX: Final = 1_000
"""Maximum number of counts of each kind that one connection remembers."""
_COUNTS: Final = "counts"

_Value = TypeVar("_Value")


def count_once(
    connection: Connection, key: Hashable, count: Callable[[], _Value], *, users_alone_change_it: bool = False
) -> _Value:
    """Return the result of `count`, or its earlier result for `key` if no commit since may have changed it.

    If `users_alone_change_it`, commits of the worker's steps change nothing, so that counts are kept while it dials.
    `connection` is in the transaction of a unit of work that only reads: the result is the count of its snapshot.
    """
    backend = backend_of(connection)
    version = backend.changes_of_users(connection) if users_alone_change_it else backend.version(connection)
    caches = connection.info.setdefault(_COUNTS, {})
    known_version, counts = caches.get(users_alone_change_it, (None, OrderedDict()))
    if known_version != version:
        counts = OrderedDict()
        caches[users_alone_change_it] = (version, counts)
    if key not in counts:
        counts[key] = count()
        if len(counts) > COUNTS_KEPT_MAX:
            counts.popitem(last=False)
    return cast("_Value", counts[key])
