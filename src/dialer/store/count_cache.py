"""A cache of row counts, which are kept until another connection commits.

SQLite counts the commits of other connections, from any process (`PRAGMA data_version`,
https://www.sqlite.org/pragma.html#pragma_data_version). Reading it takes a few microseconds, and never waits.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final

from sqlalchemy import Connection

from dialer.store.backends import sqlite

COUNTS_KEPT_MAX: Final = 1_000
"""Maximum number of counts that one connection remembers."""
_COUNTS: Final = "counts"


def count_once(connection: Connection, key: Hashable, count: Callable[[], int]) -> int:
    """Return the result of `count`, or its earlier result for `key` if nothing was committed since.

    `connection` is in the transaction of a unit of work that only reads: the result is the count of its snapshot.
    """
    version = sqlite.version(connection)
    known_version, counts = connection.info.get(_COUNTS, (None, OrderedDict()))
    if known_version != version:
        counts = OrderedDict()
        connection.info[_COUNTS] = (version, counts)
    if key not in counts:
        counts[key] = count()
        if len(counts) > COUNTS_KEPT_MAX:
            counts.popitem(last=False)
    return int(counts[key])
