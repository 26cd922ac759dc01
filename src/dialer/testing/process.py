"""The process of the service that the tests of a session share. Each test gets an account, and a Monday, of its own."""

import contextlib
import secrets
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from dialer.domain.words.roles import Scope
from dialer.local_service.client import Record
from dialer.local_service.clock_client import LOCAL, DevClient
from dialer.local_service.server import new_account, running_server
from dialer.testing.service import DialerService

STARTS: Final = datetime(2026, 1, 5, 15, tzinfo=UTC)
"""A Monday, ten o'clock in Washington, where callees who always do the same are."""
WEEK: Final = timedelta(weeks=1)
CALL_RATE: Final = "0.02000"
"""The price of a minute for each account."""
BALANCE: Final = "1000.00000"
_SIMULATED: Final = {"name": "Simulated carrier", "protocol": "sim"}
_NAME_BYTES: Final = 6
_NOTHING: Final[Mapping[str, str]] = {}


class ServiceProcess:
    """A running service, which makes accounts for tests."""

    def __init__(self, url: str, admin: DevClient) -> None:
        self.url: Final = url
        """The address of the service, without a slash at the end."""
        self.admin: Final = admin
        """A client of the service's admin."""
        self._gateway: Final[Record] = admin.create("gateway", **_SIMULATED)

    @contextlib.contextmanager
    def new_service(self) -> Iterator[DialerService]:
        """Give a new account, on a Monday at 15:00 UTC. At the end, its campaigns are aborted."""
        self._begin_week()
        account = new_account(f"test-{secrets.token_hex(_NAME_BYTES)}")
        user = self.admin.create(
            "users", username=account.username, password=account.password, call_rate=CALL_RATE, sms_rate=CALL_RATE
        )
        self.admin.create("payment", user=user["url"], amount=BALANCE, description="For tests")
        key = self.admin.create("api-key", user=user["url"], name="Tests", scopes=list(Scope))["key"]
        with DialerService(self.url, key, account.username, self._gateway, self.admin) as service:
            service.keep_events()
            try:
                yield service
            finally:
                service.end()

    def _begin_week(self) -> None:
        """Advance to the next Monday, so that no test sees how long the one before took."""
        passed = datetime.fromisoformat(self.admin.now()) - STARTS
        if passed:
            self.admin.advance_to((STARTS + WEEK * (passed // WEEK + 1)).isoformat())


@contextlib.contextmanager
def service_process(folder: Path, settings: Mapping[str, str] = _NOTHING) -> Iterator[ServiceProcess]:
    """Run a service with all its files in an empty folder, until this is left; `settings` are further variables.

    Raises:
        DemoError: it does not start.
    """
    given = LOCAL | dict(settings)
    with (
        running_server(folder, seed=0, clock_start=STARTS.isoformat(), settings=given) as server,
        DevClient(server.url, server.admin) as admin,
    ):
        yield ServiceProcess(server.url, admin)
