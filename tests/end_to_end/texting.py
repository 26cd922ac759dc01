"""A service on the real clock that sends text messages over real lines, and the campaigns of its user."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from litestar.testing import TestClient
from sqlalchemy import Connection, insert, select

from dialer.api.app import create_app
from dialer.app.erasure.erasure import erase_number
from dialer.carriers.texts.line_factories import TEXT_LINES
from dialer.console.app import Console
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.runtime.steps.clock import RealClock
from dialer.runtime.steps.worker import Worker
from dialer.settings import Settings
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import Database
from dialer.store.queries.accounts import has_accounts
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import LiveLeg, User
from tests.api.harness import PASSWORD, PASSWORD_HASH, Caller
from tests.new_database import new_database

ASKED_MAX: Final = 2_000
"""Requests until something has happened, of which each takes milliseconds."""
SECRET: Final = "the-carrier-knows-this-one"


class TextService:
    """The service's admin and its user."""

    def __init__(self, client: TestClient[Any], database: Database) -> None:
        self.client: Final = client
        self.admin, self.ann = (Caller(client, name, PASSWORD) for name in ("admin", "ann"))
        self._database: Final = database

    def campaign(self, gateway: dict[str, Any], *numbers: str, text: str = "Hello", **fields: object) -> dict[str, Any]:
        """Create a campaign that sends a text to these numbers as fast as it may."""
        phonebook = self.ann.create("phonebook", name="friends")
        for number in numbers:
            self.ann.create("contact", phonebook=phonebook["url"], contact=number)
        made = {
            "name": "party",
            "callerid": "+3545550199",
            "sms_gateway": gateway["url"],
            "phonebook": phonebook["url"],
            "text_message": text,
            "frequency": 100_000,
        }
        return dict(self.ann.create("sms-campaigns", **made | fields))

    def messages(self) -> list[dict[str, Any]]:
        """Return the messages as the API shows them, by number."""
        found = self.ann.get("sms-message/")["results"]
        return sorted(found, key=lambda one: (one["phone_number"], one["id"]))

    def statuses(self) -> list[tuple[str, str]]:
        """Return number and status of each message."""
        return [(one["phone_number"], one["status"]) for one in self.messages()]

    def wait(self, happened: Callable[[], bool]) -> None:
        """Ask until something has happened. A change of the gateway makes the worker look for receipts now."""
        assert any(happened() or self._changed(number) for number in range(ASKED_MAX)), self.messages()

    def _changed(self, number: int) -> bool:
        self.admin.change("/rest-api/sms-gateway/1/", description=str(number))
        return False

    def callback(self, target: str, **fields: str) -> int:
        """Send a callback, and return the status of its answer."""
        answer = self.client.post(target, data=fields)
        assert answer.content == b"" or answer.status_code >= 400, answer.text
        return answer.status_code

    def erase(self, number: str) -> None:
        """Erase a person, as the command does."""
        erase_number(self._database, number, lambda _: None, RealClock().now_ms())

    def orders(self) -> list[str]:
        """Return the orders to carriers, as they are stored while their receipts are missing."""
        return list(self._database.read_now(lambda c: c.scalars(select(LiveLeg.dialling)).all()))

    def standings(self) -> list[str]:
        """Return the states of these orders, as they are stored."""
        return list(self._database.read_now(lambda c: c.scalars(select(LiveLeg.standing)).all()))

    def differences(self) -> list[str]:
        """Return the findings of the audit."""
        return [str(one) for one in self._database.read_now(audit).differences]


@contextmanager
def text_service(folder: Path, url: str = "") -> Iterator[TextService]:
    """Run a service with its files in a folder, on the database at a URL, or else on a new one."""
    database = Database(url or new_database(folder), synchronous="OFF")
    is_new = not database.read_now(has_accounts)
    now_ms = RealClock().now_ms()

    def furnish(connection: Connection) -> None:
        stamps = {"created_date": now_ms, "updated_date": now_ms, "password_hash": PASSWORD_HASH}
        connection.execute(insert(User).values(username="admin", role="admin", **stamps))
        connection.execute(insert(User).values(username="ann", sms_rate=5_000, **stamps))

    if is_new:
        database.write_now(furnish)
    worker = Worker(
        database,
        RealClock(),
        seed=1,
        service_zone="UTC",
        new_carrier=SimulatedCarrier,
        hours=read_calling_hours("off"),
        new_lines=TEXT_LINES,
    )
    settings = Settings(media_dir=folder / "media", calling_hours="off")
    app = create_app(settings, database=database, worker=worker, console=Console(database))
    with TestClient(app) as client:
        service = TextService(client, database)
        if is_new:
            service.admin.create("payment", user="/rest-api/users/2/", amount="10")
        yield service
    database.close()
