"""Benchmark of many STARTs at once: `python -m benchmarks.rush [--quick | --postgresql]`.

Sixteen accounts start a campaign in the same moment, each at the highest rate. The benchmark says when the last START
is answered, and the longest wait of another user who saves a record meanwhile, on PostgreSQL and on SQLite. On a busy
machine, the processor time that the service and the database took during a wait tells more than its seconds.
"""

import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from sqlalchemy import Connection, insert, update

from benchmarks.advance import START_MS, add
from benchmarks.campaigning import MUCH_MONEY, message, send, start
from benchmarks.databases import cluster, new_databases
from benchmarks.fixture_database import create_database
from benchmarks.live import PARAMETERS
from benchmarks.measure import Figure, print_row
from benchmarks.servers import DIALER, Server, cpu_s_of_all, running
from dialer.app.accounts.payments import record_payment
from dialer.app.work.unit import UnitOfWork
from dialer.store.database.database import Database
from dialer.store.moving.move import move
from dialer.store.tables import Campaign, CampaignPhonebook, Contact, Gateway, Phonebook, User

ACCOUNTS: Final = 16
CONTACTS: Final = 12_000
"""Contacts of each account."""
CONTACTS_QUICK: Final = 1_000
FREQUENCY: Final = 60_000
"""Calls a minute of each account."""
DAY_MS: Final = 86_400_000
WANTED_S: Final = 5.0
WANTED_WAIT_S: Final = 0.2
PAUSE_S: Final = 0.05


class Save(NamedTuple):
    """A record that was saved: the seconds of waiting, and those of a processor that others took meanwhile."""

    seconds: float
    cpu_s: float


class Waits(NamedTuple):
    """Seconds of waiting: until the last START was answered, and the longest of the user who saves a record."""

    last_start_s: float
    save: Save


def add_accounts(connection: Connection, now_ms: int, contacts: int) -> list[int]:
    """Add the accounts, and return the ids of their campaigns."""
    connection.execute(update(User).values(role="admin"))
    gateway_id = add(connection, Gateway, name="sim", parameters=PARAMETERS)
    return [_account(connection, place, gateway_id, now_ms, contacts) for place in range(ACCOUNTS)]


def _account(connection: Connection, place: int, gateway_id: int, now_ms: int, contacts: int) -> int:
    user_id = add(connection, User, username=f"user{place}", password_hash="-")  # noqa: S106 - nobody logs in
    record_payment(UnitOfWork(connection=connection, now_ms=now_ms), user_id, MUCH_MONEY)
    phonebook_id = add(connection, Phonebook, user_id=user_id, name="People")
    owners = {"user_id": user_id, "phonebook_id": phonebook_id, "zone": "America/New_York"}
    moments = {"created_date": START_MS, "updated_date": START_MS}
    numbers = (f"+1202{place:02d}{one:05d}" for one in range(contacts))
    rows = [{**owners, "contact": number, "number": number, **moments} for number in numbers]
    connection.execute(insert(Contact), rows)
    campaign_id = add(
        connection,
        Campaign,
        user_id=user_id,
        campaign_code=f"bench{place}",
        name="bench",
        startingdate=now_ms - 1_000,
        expirationdate=now_ms + DAY_MS,
        frequency=FREQUENCY,
        aleg_gateway_id=gateway_id,
        object_id=message(connection, user_id, 10),
    )
    add(connection, CampaignPhonebook, campaign_id=campaign_id, phonebook_id=phonebook_id)
    return campaign_id


@contextmanager
def saving(server: Server, processes: list[int], waits: list[Save]) -> Iterator[None]:
    """Save a record again and again, and note how long each time takes, and the processor time of the processes."""
    is_over = threading.Event()

    def save() -> None:
        while not is_over.wait(PAUSE_S):
            began_s, cpu_s = time.perf_counter(), cpu_s_of_all(processes)
            send(server, "POST", "/rest-api/phonebook/", {"name": "Another"})
            waits.append(Save(time.perf_counter() - began_s, cpu_s_of_all(processes) - cpu_s))

    thread = threading.Thread(target=save)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def measure(server: Server, of_database: list[int], campaign_ids: list[int]) -> Waits:
    """Start all campaigns at once. `of_database` has the process of the database's server, if it has one."""
    answered: list[float] = []
    waits: list[Save] = []
    send(server, "POST", "/rest-api/phonebook/", {"name": "The first"})  # The user is known, and no module is missing.
    began_s = time.perf_counter()

    def start_one(campaign_id: int) -> None:
        start(server, campaign_id)
        answered.append(time.perf_counter() - began_s)

    threads = [threading.Thread(target=start_one, args=(campaign_id,)) for campaign_id in campaign_ids]
    with saving(server, [server.process_id, *of_database], waits):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return Waits(max(answered), Save(*map(max, zip(*waits, strict=True))))


def main() -> None:
    """Measure and print the results."""
    contacts = CONTACTS_QUICK if "--quick" in sys.argv else CONTACTS
    with tempfile.TemporaryDirectory() as place, cluster() as made, ExitStack() as stack:
        folder = Path(place)
        file = create_database(folder, contacts=1)
        source = stack.enter_context(closing(Database(f"sqlite:///{file}")))
        target = stack.enter_context(closing(new_databases(made, folder)["PostgreSQL"]()))
        now_ms = time.time_ns() // 1_000_000
        campaign_ids = source.write_now(lambda connection: add_accounts(connection, now_ms, contacts))
        source.write_now(lambda old: target.write_now(lambda new: move(old, new, lambda *_: None)))
        beside = folder / "server" / "none.db"
        beside.parent.mkdir()
        cases: list[tuple[str, Path, dict[str, str], list[int]]] = [
            ("PostgreSQL", beside, {"database_url": target.url.render_as_string()}, [made.process_id]),
            ("SQLite", file, {}, []),
        ]
        for kind, at, url, of_database in cases[:1] if "--postgresql" in sys.argv else cases:
            with running(DIALER, at, **url) as server:
                waits = measure(server, of_database, campaign_ids)
            for work, seconds, wanted_s in (
                ("the last is answered", waits.last_start_s, WANTED_S),
                ("longest wait of a user who saves", waits.save.seconds, WANTED_WAIT_S),
                ("most processor time during such a wait", waits.save.cpu_s, WANTED_WAIT_S),
            ):
                name = f"{ACCOUNTS} STARTs at once, {kind}: {work}"
                print_row(Figure(name, f"{contacts:,}", "", seconds, wanted_s, "s", at_most=True))


if __name__ == "__main__":
    main()
