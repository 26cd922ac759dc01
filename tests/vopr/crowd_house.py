"""A service with two accounts: ann, who dials, and eve, who has several people.

The service's own code runs on a machine whose time stands still while it computes. Only carriers, receivers of
webhooks, names and the processes of forecasts are made up.
"""

import random
import socket
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final
from urllib.parse import urlsplit

import anyio
import pytest
from litestar import Litestar
from sqlalchemy.util import await_only

from dialer.api.actions import imports, webhook_sender
from dialer.api.app import create_app
from dialer.api.http.auth import Authenticator
from dialer.app.imports.report import ImportReport
from dialer.app.telling.webhooks import create_webhook
from dialer.forecast.parameters import Order
from dialer.resources.crud import preparing
from dialer.runtime.steps.clock import NANOSECONDS, RealClock
from dialer.runtime.steps.worker import Worker
from dialer.settings import Settings
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import Database
from dialer.store.tables import Phonebook, User
from dialer.webhooks import addresses, names, posting
from dialer.webhooks.addresses import AddressGuard
from dialer.webhooks.checked_session import CheckedNames
from dialer.webhooks.signing import new_secret
from tests.api.harness import PASSWORD_HASH
from tests.runtime.line_house import AFTERNOON_MS, LineHouse
from tests.runtime.other_side import FAKE, OtherSide
from tests.vopr.crowd_machine import MILLISECONDS, Machine, VirtualCondition, VirtualQueue, VirtualThread

ANN: Final = "ann"
EVE: Final = "eve"
HELPERS: Final = ("vera", "viola", "victor", "vincent")
"""People of eve's account who read."""
PEOPLE: Final = 200
CALLS_A_MINUTE: Final = 240
RECEIVER: Final = "crm.ann.test"
"""The host of ann's webhook, which answers at once."""
SILENT: Final = "silent.eve.test"
"""The host of eve's webhook, which never answers."""
SLOW: Final = "slow"
"""The beginning of names whose addresses come late."""
SLOW_NAME_S: Final = 20.0
ANSWER_S: Final = 0.02
BEHAVIOUR: Final[dict[str, object]] = {
    "answer": 0.8,
    "busy": 0.2,
    "rejected": 0,
    "invalid": 0,
    "machine": 0,
    "ring": [1, 3],
    "talk": [1, 5],
}
SPEAKS_EVERY_S: Final = 0.02
SEED_S: Final = 0.06
"""The time of one run of a forecast, in processes of its own."""
NETWORK: Final = "192.0.2.0/24"
_ADDRESS: Final = "192.0.2.7"
_ACCOUNT: Final = {"password_hash": PASSWORD_HASH, "keeps_events": True}
BYTE_MS: Final = {"apply": 0.05, "import": 0.02, "body": 0.000_2}
"""The work for a byte. Bodies here are short, and stand for bodies that are a hundred times as long."""
COSTS: Final[dict[str, Callable[..., float]]] = {
    "Database.read_now": lambda *_: 0.5,
    "Database._write_together": lambda *_: 3.0,
    "AddressGuard.addresses": lambda *_: 0.2,
    "_asked": lambda body: len(body) * BYTE_MS["apply"] / 2,
    "_wanted": lambda asked: sum(len(one.content) for one in asked.files) * BYTE_MS["apply"] / 2,
}


class Ids(SimpleNamespace):
    """The records of both accounts."""

    book: int
    campaign: int
    webhook: int
    eves_book: int
    eves_campaigns: Sequence[int]
    eves_webhook: int


@cache
def built() -> tuple[bytes, Ids]:
    """Return the database of both accounts, which is the same for all seeds, and their records."""
    with tempfile.TemporaryDirectory() as folder:
        house = LineHouse(Path(folder))
        try:
            ids = _fill(house)
        finally:
            house.database.close()
        return (Path(folder) / "dialer.db").read_bytes(), ids


def _fill(house: LineHouse) -> Ids:
    house.change(User, house.user_id, username_key=ANN, role="manager", **_ACCOUNT)
    eve = house.add(User, username=EVE, username_key=EVE, role="manager", **_ACCOUNT)
    for name in HELPERS:
        house.add(User, username=name, username_key=name, role="viewer", manager_id=eve, **_ACCOUNT)
    survey = house.survey({"type": 1, "audiofile_id": house.recording(2_000)})
    book = house.phonebook(*(f"+1202555{place:04}" for place in range(PEOPLE)))
    campaign = house.campaign(survey, book, frequency=CALLS_A_MINUTE, calltimeout=20)
    house.start(campaign)
    own = {"user_id": eve, "created_date": house.now_ms(), "updated_date": house.now_ms()}
    eves_book = house.add(Phonebook, **own, name="People")
    eves = [house.campaign(survey, user_id=eve) for _ in range(2)]
    return Ids(
        book=book,
        campaign=campaign,
        webhook=_webhook(house, house.user_id, RECEIVER),
        eves_book=eves_book,
        eves_campaigns=eves,
        eves_webhook=_webhook(house, eve, SILENT),
    )


def _webhook(house: LineHouse, user_id: int, host: str) -> int:
    url = {"target_url": f"https://{host}/", "base": "http://testserver.local"}
    columns = {"user_id": user_id, "name": "CRM", "types": "", "enabled": True, "secret": new_secret(), **url}
    return int(house.perform(lambda unit: create_webhook(unit, columns)).id)


class Receivers:
    """The hosts of webhooks, and the names that lead to them."""

    def __init__(self) -> None:
        self.came_ms: Final[dict[str, float]] = {}
        """The moment at which each event of ann came first."""

    def session(self, guard: AddressGuard, timeout_s: float, _tls: object) -> "Session":
        """Return the connections of a process, in place of `CheckedSession`."""
        return Session(self, guard, timeout_s)

    @staticmethod
    def look_up(host: str, *_: object, **__: object) -> list[tuple[Any, ...]]:
        """Return the addresses of a host, in place of `socket.getaddrinfo`."""
        if host.startswith(SLOW):
            await_only(anyio.sleep(SLOW_NAME_S))
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (_ADDRESS, 443))]


class Session:
    """Connections to the receivers. Names are looked up as the service does."""

    def __init__(self, receivers: Receivers, guard: AddressGuard, timeout_s: float) -> None:
        self._receivers: Final = receivers
        self._names: Final = CheckedNames(guard)
        self._timeout_s: Final = timeout_s

    async def post(self, url: str, headers: Mapping[str, str], _body: bytes) -> tuple[int, str | None]:
        """Send an event to a receiver, and wait for its answer.

        Raises:
            TimeoutError: it took too long.
        """
        host = urlsplit(url).hostname or ""
        with anyio.fail_after(self._timeout_s):
            await self._names.resolve(host, 443)
            await anyio.sleep(self._timeout_s * 2 if host == SILENT else ANSWER_S)
        if host == RECEIVER:
            self._receivers.came_ms.setdefault(headers["webhook-id"], anyio.current_time() * MILLISECONDS)
        return 204, None

    async def close(self) -> None:
        """Do nothing."""


class Running:
    """The service while it runs."""

    def __init__(self, app: Litestar, ids: Ids, machine: Machine, receivers: Receivers, side: OtherSide) -> None:
        self.app: Final = app
        self.ids: Final = ids
        self.machine: Final = machine
        self.receivers: Final = receivers
        self.dialled_ms: Final[dict[str, float]] = {}
        """The moment at which each of ann's people was dialled."""
        side.on_dial = self._dialled

    def _dialled(self, leg: Any) -> None:  # noqa: ANN401 - a leg of any kind
        self.dialled_ms[leg.number] = anyio.current_time() * MILLISECONDS


async def forecasting(_database: Database, order: Order, _progress: object) -> object:
    """Take the time of a forecast, which other processes compute."""
    await anyio.sleep(order.seeds * SEED_S)
    return {}


async def comparing(_database: Database, order: Order, named: Sequence[object], _progress: object) -> object:
    """Take the time of a comparison, which other processes compute."""
    await anyio.sleep(order.seeds * SEED_S * len(named))
    return {}


@asynccontextmanager
async def running_service() -> AsyncIterator[Running]:
    """Run the service on a new database while the context is entered, on the loop of the caller."""
    content, ids = built()
    machine, receivers = Machine(COSTS), Receivers()

    def clock() -> RealClock:
        return RealClock(lambda: AFTERNOON_MS * NANOSECONDS + _steady_ns(), _steady_ns)

    with machine.in_place() as patch, tempfile.TemporaryDirectory() as folder:
        _put_in_place(patch, machine, receivers, clock)
        path = Path(folder) / "dialer.db"
        path.touch(mode=0o600)
        path.write_bytes(content)
        database = Database(f"sqlite+aiosqlite:///{path}", synchronous="OFF")
        service_clock = clock()
        side = OtherSide(service_clock.now_ms, behaviour=BEHAVIOUR)
        worker = Worker(
            database,
            service_clock,
            seed=1,
            service_zone="UTC",
            new_carrier=SimulatedCarrier,
            new_lines={FAKE: side.line},
        )
        app = create_app(
            Settings(seed=1, webhook_networks=(NETWORK,), media_dir=Path(folder) / "media"),
            database=database,
            worker=worker,
            authenticator=Authenticator(database, anyio.current_time, clock_ms=service_clock.now_ms),
            forecasting=forecasting,  # type: ignore[arg-type] # nobody looks at the result
            comparing=comparing,  # type: ignore[arg-type] # nobody looks at the result
            sends_webhooks=True,
        )
        try:
            async with app.lifespan(), anyio.create_task_group() as tasks:
                tasks.start_soon(_speaking, side)
                yield Running(app, ids, machine, receivers, side)
                tasks.cancel_scope.cancel()
        finally:
            database.close()


def _steady_ns() -> int:
    return round(anyio.current_time() * MILLISECONDS) * NANOSECONDS


async def _speaking(side: OtherSide) -> None:
    """Let people answer and hang up when their time comes."""
    while True:
        await anyio.sleep(SPEAKS_EVERY_S)
        side.speak()


def _put_in_place(
    patch: pytest.MonkeyPatch, machine: Machine, receivers: Receivers, clock: Callable[[], RealClock]
) -> None:
    """Let what the service reaches by itself be that of the machine: threads, names, receivers, chance and clock."""
    lookups = addresses._LOOKUPS  # noqa: SLF001 - the lookups of the process
    for name, fresh in (("_open", Counter()), ("_slow", {}), ("_now_s", anyio.current_time)):
        patch.setattr(lookups, name, fresh)
    patch.setattr(names, "threading", SimpleNamespace(Thread=VirtualThread))
    patch.setattr(names, "SimpleQueue", VirtualQueue)
    patch.setattr(socket, "getaddrinfo", receivers.look_up)
    patch.setattr(posting, "_session_class", lambda: receivers.session)
    patch.setattr(posting, "_tls", lambda: None)
    patch.setattr(webhook_sender, "RealClock", clock)
    patch.setattr(webhook_sender, "random", SimpleNamespace(SystemRandom=lambda: random.Random(1)))  # noqa: S311 - no secret
    preparing._preparing.cache_clear()  # noqa: SLF001 - its places belong to a loop
    patch.setattr(imports, "Condition", VirtualCondition)
    patch.setattr(imports, "_AT_WORK", imports.ImportsAtWork())
    patch.setattr(imports, "_UNDER_WAY", Counter())
    parse = imports.import_csv  # type: ignore[attr-defined] # where it is called

    def import_csv(chunks: Iterable[bytes], *rest: Any, **options: Any) -> ImportReport:  # noqa: ANN401 - passed on
        def working() -> Iterator[bytes]:
            for chunk in chunks:
                await_only(machine.work(len(chunk) * BYTE_MS["import"]))
                yield chunk

        return parse(working(), *rest, **options)

    patch.setattr(imports, "import_csv", import_csv)
