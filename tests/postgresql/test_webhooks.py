"""Tests of webhooks of a service of several processes: every event arrives, in order, whoever dies."""

import json
import signal
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import select

from dialer.store.database.database import Database
from dialer.store.rows.account_events import EventsWanted, read_events
from dialer.store.tables import AccountEvent, CallInProgress, Webhook
from tests.databases.choice import server_url
from tests.fleet.processes import Process, shared_service
from tests.fleet.storm.process import Preparation
from tests.fleet.storm.scene import Place, furnish
from tests.fleet.test_sharing import shards, until

LEASE_MS: Final = 4_000
ACCOUNTS: Final = 3
OF_CAMPAIGN: Final = frozenset({"campaigns", "callrequest", "sms-message", "subscriber-list"})
"""The records whose events are about the campaign of an account."""
PEOPLE: Final = 1_000
SOME: Final = 40
"""Events that each account has before something happens."""


class Receivers:
    """The programs of all accounts, one a path: they keep the events that come, and the processes that sent them."""

    def __init__(self) -> None:
        self.got: Final[dict[str, list[dict[str, Any]]]] = {}
        self.ports: Final[dict[str, int]] = {}
        """The port of the connection over which the last event of a path came."""
        receivers = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                receivers.ports[self.path] = self.client_address[1]
                receivers.got.setdefault(self.path, []).append(event)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server: Final = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def ids(self, place: Place) -> list[int]:
        """Return the numbers of the events that came for an account, in the order of their arrival."""
        return [number(event) for event in list(self.got.get(f"/{place.username}", []))]

    def url(self, place: Place) -> str:
        """Return the address of the program of an account."""
        return f"http://127.0.0.1:{self.server.server_port}/{place.username}"


def number(event: dict[str, Any]) -> int:
    return int(str(event["id"]).removeprefix("evt_"))


@contextmanager
def receiving() -> Iterator[Receivers]:
    receivers = Receivers()
    thread = threading.Thread(target=receivers.server.serve_forever, daemon=True)
    thread.start()
    try:
        yield receivers
    finally:
        receivers.server.shutdown()
        receivers.server.server_close()


def owner_of(port: int, processes: list[Process]) -> Process | None:
    """Return the process whose connection has this local port."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]]
    sockets = {f"socket:[{line[9]}]" for line in lines if int(line[1].partition(":")[2], 16) == port}
    for process in processes:
        folder = Path(f"/proc/{process.pid}/fd")
        if sockets & {str(link.readlink()) for link in folder.iterdir() if link.is_symlink()}:
            return process
    return None


class Followers:
    """Readers of pages, one of each account, who always ask for what comes after the last event that they have."""

    def __init__(self, url: str, places: list[Place]) -> None:
        self._url: Final = url
        self._is_over: Final = threading.Event()
        self.read: Final[dict[Place, list[int]]] = {place: [] for place in places}
        self._threads: Final = [threading.Thread(target=self._follow, args=(place,), daemon=True) for place in places]
        for thread in self._threads:
            thread.start()

    def _follow(self, place: Place) -> None:
        read = self.read[place]
        with closing(Database(self._url)) as database:
            while True:
                is_last = self._is_over.is_set()
                wanted = EventsWanted(after_id=read[-1] if read else 0)
                page = database.read_now(partial(read_events, user_id=place.user_id, wanted=wanted))
                read += [row.id for row in page]
                if is_last and not page:
                    return

    def end(self) -> None:
        """Let them read to the end."""
        self._is_over.set()
        for thread in self._threads:
            thread.join()


def events_of(database: Database, place: Place) -> list[int]:
    """Return the ids of the events of an account."""
    query = select(AccountEvent.id).where(AccountEvent.user_id == place.user_id).order_by(AccountEvent.id)
    return database.read_now(lambda connection: list(connection.scalars(query)))


def firsts(ids: list[int]) -> list[int]:
    """Return the ids without repetitions, each where it came first."""
    return list(dict.fromkeys(ids))


def have_more(receivers: Receivers, places: list[Place]) -> None:
    """Wait until each account has got some more events."""
    before = {place: len(receivers.ids(place)) for place in places}
    until("more events", lambda: all(len(receivers.ids(place)) >= before[place] + SOME for place in places))


def sender(receivers: Receivers, place: Place, processes: list[Process]) -> Process:
    """Return the process that sends the events of an account."""
    found: list[Process] = []

    def is_found() -> bool:
        process = owner_of(receivers.ports[f"/{place.username}"], processes)
        found.extend([] if process is None else [process])
        return bool(found)

    until("a process sends", is_found)
    return found[0]


def is_complete(database: Database, receivers: Receivers, place: Place) -> bool:
    return set(events_of(database, place)) == set(receivers.ids(place))


def arrivals(receivers: Receivers, place: Place, of: str) -> list[list[int]]:
    """Return the ids of the events about a campaign, or about each record, in the order in which they came first."""
    found: dict[str, list[int]] = {}
    for event in list(receivers.got[f"/{place.username}"]):
        kind = str(event["subject"]).partition("/")[0]
        if of == "record" or kind in OF_CAMPAIGN:
            found.setdefault(event["subject"] if of == "record" else "", []).append(number(event))
    return [firsts(ids) for ids in found.values()]


def lease_of(database: Database, place: Place) -> Any:  # noqa: ANN401 - a row
    """Return who delivers for an account, and until when nobody else does."""
    query = select(Webhook.lease_holder, Webhook.lease_until_ms).where(Webhook.user_id == place.user_id)
    return database.read_now(lambda connection: connection.execute(query).one())


def has_calls(database: Database) -> bool:
    return database.read_now(lambda connection: connection.scalar(select(CallInProgress.id).limit(1))) is not None


@pytest.fixture(autouse=True)
def _loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALER_WEBHOOK_NETWORKS", "127.0.0.0/8")


def test_every_event_arrives_in_order_whoever_ends_or_dies_and_readers_miss_none(tmp_path: Path) -> None:
    url, preparation = server_url(), Preparation(lease_ms=LEASE_MS)
    with (
        receiving() as receivers,
        closing(Database(url)) as database,
        shared_service(tmp_path, url, preparation=preparation) as service,
    ):
        service.serve()
        for _ in range(2):
            service.join()
        until("both workers have accounts", lambda: len(shards(database)) == 2)
        places = furnish(service, accounts=ACCOUNTS, people=PEOPLE)
        for place in places:
            with service.client(place.username) as own:
                own.create("webhook", name="CRM", target_url=receivers.url(place))
        followers = Followers(url, places)

        have_more(receivers, places)
        for place in places:  # Nobody has ended yet, so nothing comes twice, and those of a campaign come in order.
            ids = receivers.ids(place)
            assert ids == firsts(ids)
            (came,) = arrivals(receivers, place, "campaign")
            assert came == sorted(came)

        ended = sender(receivers, places[0], service.apis)
        holder = lease_of(database, places[0]).lease_holder
        assert ended.end(signal.SIGTERM) == 0
        lease = lease_of(database, places[0])
        assert lease.lease_until_ms == 0 or lease.lease_holder != holder, "the lease was not given back"
        service.apis.remove(ended)
        have_more(receivers, places)
        service.serve()

        died = sender(receivers, places[0], service.apis)
        died.lose(signal.SIGKILL)
        service.apis.remove(died)
        have_more(receivers, places)

        for place in places:
            with service.client(place.username) as own:
                own.change(f"campaigns/{place.campaign_id}/", status=3)
        until("no call is in progress", lambda: not has_calls(database))
        until("everything has arrived", lambda: all(is_complete(database, receivers, place) for place in places))
        followers.end()
        for place in places:
            assert followers.read[place] == events_of(database, place)
            for ids in arrivals(receivers, place, "record"):
                assert ids == sorted(ids)
