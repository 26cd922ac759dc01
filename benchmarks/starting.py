"""Benchmark of a START beside another account's campaign: `python -m benchmarks.starting [--quick] [CONTACTS ...]`.

One account dials ten times a second. Then another account starts a campaign of a million contacts. The benchmark counts
the dials of the first account before that and until all contacts are subscribers, and the longest time without a dial.
It does so on PostgreSQL, whose tables `dialer move` has just filled, and on SQLite.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, func, insert, select, update

from benchmarks.advance import START_MS, add
from benchmarks.campaigning import MUCH_MONEY, message, start
from benchmarks.databases import cluster, new_databases
from benchmarks.fixture_database import create_database
from benchmarks.measure import Figure, print_row, sizes_of
from benchmarks.servers import DIALER, Server, running
from dialer.app.accounts.payments import record_payment
from dialer.app.work.unit import UnitOfWork
from dialer.store.database.database import Database
from dialer.store.moving.move import move
from dialer.store.tables import CallRequest, Campaign, CampaignPhonebook, Contact, Gateway, Phonebook, User

CONTACTS: Final = 1_000_000
OTHERS: Final = 5_000
"""Contacts of the account that dials all the while."""
PER_MINUTE: Final = 600
BEFORE_S: Final = 5.0
QUICK_S: Final = 1.0
WANTED_S: Final = 0.5
POLL_S: Final = 0.05
WAIT_S: Final = 600.0
_BIG: Final = 1
"""Id of the account, and of the phonebook, with all those contacts."""


class Campaigns(NamedTuple):
    """Ids of the campaigns: the large one, and the one that dials beside it."""

    large: int
    other: int


def add_campaigns(connection: Connection, now_ms: int) -> Campaigns:
    """Add a campaign for the large phonebook, and another account with a campaign of its own."""
    unit = UnitOfWork(connection=connection, now_ms=now_ms)
    connection.execute(update(User).values(role="admin"))
    other_id = add(connection, User, username="ben", password_hash="-")  # noqa: S106 - nobody logs in
    people = add(connection, Phonebook, user_id=other_id, name="People")
    connection.execute(insert(Contact), [_contact(other_id, people, place) for place in range(OTHERS)])
    gateway_id = add(connection, Gateway, name="sim")
    found = []
    for user_id, phonebook_id in ((_BIG, _BIG), (other_id, people)):
        record_payment(unit, user_id, MUCH_MONEY)
        campaign_id = add(
            connection,
            Campaign,
            user_id=user_id,
            campaign_code=f"bench{user_id}",
            name="bench",
            aleg_gateway_id=gateway_id,
            object_id=message(connection, user_id, 1),
            startingdate=now_ms - 1_000,
            expirationdate=now_ms + 86_400_000,
            frequency=PER_MINUTE,
        )
        add(connection, CampaignPhonebook, campaign_id=campaign_id, phonebook_id=phonebook_id)
        found.append(campaign_id)
    return Campaigns(*found)


def _contact(user_id: int, phonebook_id: int, place: int) -> dict[str, Any]:
    number = f"+1303{place:07d}"
    moments = {"created_date": START_MS, "updated_date": START_MS}
    owners = {"user_id": user_id, "phonebook_id": phonebook_id}
    return {**owners, "contact": number, "number": number, "zone": "America/Denver", **moments}


class Watched(NamedTuple):
    """Dials of the other account during some seconds."""

    dials: int
    seconds: float
    silence_s: float
    """Longest time without a dial."""

    def told(self) -> str:
        """Return the figures as text."""
        per_s = self.dials / self.seconds
        return f"{per_s:5.1f} dials/s, longest silence {self.silence_s:5.2f} s, {self.seconds:5.1f} s"


def watch(dials: Callable[[], int], is_over: Callable[[float], bool]) -> Watched:
    """Count dials until something is over."""
    began_s = last_s = time.perf_counter()
    first = known = dials()
    silence_s = 0.0
    while True:
        time.sleep(POLL_S)
        now_s, found = time.perf_counter(), dials()
        silence_s = max(silence_s, now_s - last_s)
        if found != known:
            known, last_s = found, now_s
        if is_over(now_s - began_s):
            return Watched(known - first, now_s - began_s, silence_s)


def measure(server: Server, database: Database, campaigns: Campaigns, contacts: int) -> tuple[Watched, Watched]:
    """Return the dials of the other account before the START, and while contacts become subscribers."""
    counted = select(func.count()).select_from(CallRequest).where(CallRequest.campaign_id == campaigns.other)
    collected = select(Campaign.totalcontact).where(Campaign.id == campaigns.large)

    def dials() -> int:
        return int(database.read_now(lambda unit: unit.execute(counted).scalar_one()))

    def is_collected(seconds: float) -> bool:
        total = database.read_now(lambda unit: unit.execute(collected).scalar_one())
        return bool(total >= contacts) or seconds > WAIT_S

    before_s = QUICK_S if "--quick" in sys.argv else BEFORE_S
    start(server, campaigns.other)
    watch(dials, lambda seconds: seconds > before_s / 2)
    before = watch(dials, lambda seconds: seconds > before_s)
    start(server, campaigns.large)
    return before, watch(dials, is_collected)


def main() -> None:
    """Measure and print the results."""
    for contacts in sizes_of((CONTACTS,)):
        compare(contacts)


def compare(contacts: int) -> None:
    """Measure a START of this many contacts on both databases."""
    with tempfile.TemporaryDirectory() as name, cluster() as made, ExitStack() as stack:
        folder = Path(name)
        file = create_database(folder, contacts=contacts)
        source = stack.enter_context(closing(Database(f"sqlite:///{file}")))
        target = stack.enter_context(closing(new_databases(made, folder)["PostgreSQL"]()))
        campaigns = source.write_now(lambda unit: add_campaigns(unit, int(time.time() * 1_000)))
        source.write_now(lambda old: target.write_now(lambda new: move(old, new, lambda *_: None)))
        beside = folder / "server" / "none.db"
        beside.parent.mkdir()
        for kind, database, at, url in (
            ("PostgreSQL", target, beside, {"database_url": target.url.render_as_string()}),
            ("SQLite", source, file, {}),
        ):
            with running(DIALER, at, **url) as server:
                before, during = measure(server, database, campaigns, contacts)
            silence = Figure(
                f"Longest silence beside a START, {kind}",
                f"{contacts:,}",
                "",
                during.silence_s,
                WANTED_S,
                "s",
                at_most=True,
            )
            print_row(silence)
            print(f"{kind}, {contacts:,} contacts\n  before the START: {before.told()}")
            print(f"  from the START on: {during.told()}")


if __name__ == "__main__":
    main()
