"""The settings of the database."""

from functools import partial
from typing import Final

from dialer.settings_values import (
    LOCK_TIMEOUT_MAX,
    READERS_MAX,
    READERS_MIN,
    STATEMENT_TIMEOUT_MAX,
    Setting,
    read_database_url,
    read_whole,
    without_password,
)

DATABASE_SETTINGS: Final = (
    Setting(
        variable="DIALER_DATABASE_URL",
        field="database_url",
        default="sqlite+aiosqlite:///dialer.db",
        meaning="the database",
        may_hold="sqlite+aiosqlite:///FILE (four slashes before an absolute path) or postgresql://USER@HOST/NAME",
        read=read_database_url,
        show=lambda text: repr(without_password(text)),
    ),
    Setting(
        variable="DIALER_DATABASE_READERS",
        field="database_readers",
        default="6",
        meaning="reads of a process at once, and its connections for them",
        may_hold=f"a whole number from {READERS_MIN} to {READERS_MAX}",
        read=partial(read_whole, least=READERS_MIN, most=READERS_MAX),
    ),
    Setting(
        variable="DIALER_DATABASE_LOCK_TIMEOUT",
        field="database_lock_timeout",
        default="5",
        meaning="seconds to wait for others that write",
        may_hold=f"a whole number from 1 to {LOCK_TIMEOUT_MAX}",
        read=partial(read_whole, least=1, most=LOCK_TIMEOUT_MAX),
    ),
    Setting(
        variable="DIALER_DATABASE_STATEMENT_TIMEOUT",
        field="database_statement_timeout",
        default="30",
        meaning="seconds of the longest statement on PostgreSQL",
        may_hold=f"a whole number from 1 to {STATEMENT_TIMEOUT_MAX}",
        read=partial(read_whole, least=1, most=STATEMENT_TIMEOUT_MAX),
    ),
)
"""The variables of the database, in the order of the help."""
