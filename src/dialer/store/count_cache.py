"""Whether anything was committed since: what was read before may be kept for as long as nothing was.

SQLite counts the commits that a connection has seen others make (`PRAGMA data_version`,
https://www.sqlite.org/pragma.html#pragma_data_version), whatever process they were made by. To ask takes some
microseconds, and waits for nobody.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final

from sqlalchemy import Connection

from dialer.store.backends import sqlite

COUNTS_KEPT_MAX: Final = 1_000
"""Counts that one connection remembers."""
_COUNTS: Final = "counts"


def count_once(connection: Connection, key: Hashable, count: Callable[[], int]) -> int:
    """What `count` returns, which is asked only if something was committed since it was asked for the same `key`.

    `connection` is that of a unit of work that only reads, in its transaction: the count is that of its snapshot.
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
