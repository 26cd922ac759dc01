"""Tests of PgBouncer in front of PostgreSQL: a session for each connection works, one for each transaction does not."""

import os
import pwd
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from sqlalchemy import make_url, text

from dialer.store.backends.backend import UnfitDatabaseError, backend_for
from dialer.store.database import migrate
from dialer.store.database.database import Database
from tests.optional_tools import find_tool

PORT = 6432
LOOKS_MAX = 20_000
_UNPRIVILEGED = "postgres"


@contextmanager
def pooled(url: str, mode: str) -> Iterator[str]:
    """Yield the URL of a database behind a pooler."""
    found = make_url(url)
    with TemporaryDirectory() as name, ExitStack() as until_the_end:
        folder = Path(name)
        (folder / "users").write_text(f'"{found.username}" ""\n')
        (folder / "config").write_text(
            f"[databases]\n{found.database} = host={found.query['host']}\n[pgbouncer]\nlisten_addr =\n"
            f"unix_socket_dir = {folder}\nlisten_port = {PORT}\nauth_type = trust\nauth_file = {folder}/users\n"
            f"pool_mode = {mode}\nlogfile = {folder}/log\n"
        )
        user = _UNPRIVILEGED if os.geteuid() == 0 else None
        if user is not None:
            account = pwd.getpwnam(user)
            os.chown(folder, account.pw_uid, account.pw_gid)
        (folder / "config").chmod(0o644)
        pooler = subprocess.Popen([find_tool("pgbouncer"), "-q", str(folder / "config")], user=user)
        until_the_end.callback(pooler.wait)
        until_the_end.callback(pooler.terminate)
        reached = found.set(port=PORT).update_query_dict({"host": str(folder)})
        wait_for(reached.set(drivername="postgresql").render_as_string())
        yield reached.render_as_string()


def wait_for(url: str) -> None:
    for _ in range(LOOKS_MAX):
        try:
            psycopg.connect(url, connect_timeout=1).close()
        except psycopg.OperationalError:
            continue
        return
    raise AssertionError("the pooler does not start")


def test_a_pooler_with_a_session_for_each_transaction_is_refused(url: str) -> None:
    with pooled(url, "transaction") as reached:
        found = make_url(reached)
        with pytest.raises(migrate.MigrationError, match="a pooler in transaction mode, such as PgBouncer, and dialer"):
            migrate.upgrade(reached)
        for serving in (backend_for(reached).serving_alone, backend_for(reached).serving_together):
            with pytest.raises(UnfitDatabaseError, match="set pool_mode = session, or use the port of PostgreSQL"):
                serving(found).__enter__()


def test_a_pooler_with_a_session_for_each_connection_works(url: str) -> None:
    with pooled(url, "session") as reached:
        backend = backend_for(reached)
        with backend.serving_alone(make_url(reached)) as place, closing(Database(reached, place=place)) as database:
            assert database.write_now(lambda unit: unit.scalar(text("SELECT 1"))) == 1
