"""People who use the API during a storm, and write down what they were answered and when, by the database's clock."""

import contextlib
import random
import threading
import time
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import httpx
from sqlalchemy import Connection, text

from dialer.commands.open_service import database_ms
from dialer.store.database.database import Database, StorageUnavailableError
from tests.api.harness import PASSWORD
from tests.end_to_end.killing import NO_TLS
from tests.fleet.processes import CLIENT_S, SharedService
from tests.fleet.storm.scene import Place

PAUSE: Final = 2
START: Final = 1
_AGAIN_S: Final = 0.2
_CLOCK_S_MAX: Final = 60
_TRIES_MAX: Final = 100
_IMPORTED: Final = "+1203555{:04d}"
_IMPORTED_EACH: Final = 50
_IMPORTS_MAX: Final = 100
_NEXT: Final = text("SELECT number FROM subscriber WHERE campaign_id = :id AND status = 1 ORDER BY id LIMIT 20")
"""Numbers that are dialled soon."""


class Deed(NamedTuple):
    """A request that changes something, and its answer."""

    kind: str
    """`pause`, `start`, `list`, `pay` or `import`."""
    campaign_id: int
    what: str
    """The number that was put on the list, or the description of the payment."""
    asked_ms: int
    answered_ms: int
    """Time at which the answer was there, or its absence certain."""
    status: int
    """HTTP status; 0 if there was no answer."""
    api: str
    """The process of the API that was asked."""

    @property
    def took_ms(self) -> int:
        """Return the time until there was an answer."""
        return self.answered_ms - self.asked_ms

    @property
    def is_done(self) -> bool:
        """Return whether the answer says that it was done."""
        return 200 <= self.status < 300


class Watch:
    """The database's clock, for those who wait for the database as long as it takes."""

    def __init__(self, database: Database) -> None:
        self._database: Final = database

    def now_ms(self) -> int:
        """Return the time of the database's clock; once the database answers."""
        return int(self.read(database_ms))

    def read(self, work: Any) -> Any:  # noqa: ANN401 - a unit of work and its result
        """Return the result of a unit of work that reads, once the database answers."""
        until_s = time.monotonic() + _CLOCK_S_MAX
        while True:
            try:
                return self._database.read_now(work)
            except StorageUnavailableError:
                if time.monotonic() > until_s:
                    raise
                time.sleep(_AGAIN_S)


class Person:
    """The user of an account, who pauses and starts the campaign, pays, and fills the do-not-call list."""

    def __init__(self, place: Place, service: SharedService, watch: Watch, *, seed: int) -> None:
        self._place: Final = place
        self._service: Final = service
        self._watch: Final = watch
        self._chance: Final = random.Random(f"{seed} {place.username}")  # noqa: S311 - chance for a test
        self._payments = 0
        self.deeds: Final[list[Deed]] = []

    def live(self, is_over: threading.Event) -> None:
        """Act until the storm is over."""
        with httpx.Client(timeout=CLIENT_S, verify=NO_TLS) as client:
            deeds = self._day(client)
            while not is_over.wait(self._chance.uniform(0.2, 1.5)):
                next(deeds)

    def _day(self, client: httpx.Client) -> Iterator[None]:
        while True:
            deeds = {"list": self._list, "pay": self._pay, "import": self._import}
            for kind in self._chance.choices(sorted(deeds), (6, 3, 1), k=self._chance.randint(1, 4)):
                deeds[kind](client)
                yield
            self._set(client, PAUSE)
            yield
            self._set(client, START)
            yield

    def _set(self, client: httpx.Client, status: int) -> None:
        """Pause or start the campaign, and repeat that until there is a certain answer."""
        path, kind = f"campaigns/{self._place.campaign_id}/", "pause" if status == PAUSE else "start"
        self._insist(client, "PATCH", path, kind, "", {"status": status})

    def _list(self, client: httpx.Client) -> None:
        listed = {one.what for one in self.deeds}
        numbers = [one for one in self._watch.read(self._next_numbers) if one not in listed]
        if numbers:
            number = self._chance.choice(numbers)
            body = {"dnc": self._place.list_id, "phone_number": number}
            self._insist(client, "POST", "dnc-contact/", "list", number, body)

    def _pay(self, client: httpx.Client) -> None:
        self._payments += 1
        what = f"{self._place.username} {self._payments}"
        body = {"user": self._place.user_id, "amount": "0.01000", "description": what}
        self._insist(client, "POST", "payment/", "pay", what, body, "root")

    def _import(self, client: httpx.Client) -> None:
        """Import contacts into a phonebook of no campaign. Nobody insists: the same contacts can be imported again."""
        asked_ms, status = self._watch.now_ms(), 0
        first = self._chance.randrange(_IMPORTED_EACH * _IMPORTS_MAX)
        content = "\n".join(["contact", *(_IMPORTED.format(first + one) for one in range(_IMPORTED_EACH))])
        api = self._chance.choice(list(self._service.apis))
        path = f"{api.base}phonebook/{self._place.book_id}/import/"
        with contextlib.suppress(httpx.TransportError):
            headers, auth = {"Content-Type": "text/csv"}, (self._place.username, PASSWORD)
            status = client.post(path, content=content, headers=headers, auth=auth).status_code
        deed = Deed("import", self._place.campaign_id, "", asked_ms, self._watch.now_ms(), status, api.name)
        self.deeds.append(deed)

    def _next_numbers(self, connection: Connection) -> list[str]:
        return [row[0] for row in connection.execute(_NEXT, {"id": self._place.campaign_id})]

    def _insist(
        self,
        client: httpx.Client,
        method: str,
        path: str,
        kind: str,
        what: str,
        body: dict[str, Any],
        username: str | None = None,
    ) -> None:
        """Send a request until it is answered for certain. A repeated POST keeps its idempotency key."""
        headers = {"Idempotency-Key": f"{kind} {what}"} if method == "POST" else {}
        for _ in range(_TRIES_MAX):
            asked_ms, status = self._watch.now_ms(), 0
            api = self._chance.choice(list(self._service.apis))
            try:
                answer = client.request(
                    method,
                    api.base + path,
                    json=body,
                    headers=headers,
                    auth=(username or self._place.username, PASSWORD),
                )
                status = answer.status_code
            except httpx.TransportError:
                time.sleep(_AGAIN_S)
            deed = Deed(kind, self._place.campaign_id, what, asked_ms, self._watch.now_ms(), status, api.name)
            self.deeds.append(deed)
            if status not in {0, 503}:
                return
            time.sleep(_AGAIN_S)
