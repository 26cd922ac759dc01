"""A storm over real processes, while campaigns run and users act; then all rules are checked."""

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple

from dialer.commands.open_service import database_ms
from dialer.store.database.database import Database
from dialer.store.fleet.leases import LEASE_MS
from tests.databases.cluster import Cluster
from tests.fleet.processes import SharedService, shared_service
from tests.fleet.storm import rules
from tests.fleet.storm.network import Network
from tests.fleet.storm.notes import notes_of, take_notes
from tests.fleet.storm.people import Deed, Person, Watch
from tests.fleet.storm.process import LOG, Preparation
from tests.fleet.storm.scene import ACCOUNTS, GATEWAYS, Place, furnish
from tests.fleet.storm.troubles import Suffered, Trouble, Troubles, plan_of

WORKERS: Final = 3
AHEAD_MS_MAX: Final = 3_600_000
"""Maximum difference between the clock of a machine and that of the database."""
REST_S_MAX: Final = 90
"""Time in which all calls must end after the storm."""
PEOPLE_A_SECOND: Final = 5
_BAD: Final = (
    "invariant_broken",
    "keeper_failed",
    '"problem": "engine"',
    "report_ignored",
    "row_unreadable",
    "displaced",
)
"""Parts of lines of the log that no trouble excuses."""


class Report(NamedTuple):
    """The result of a storm."""

    calls: int
    answers: dict[str, int]
    troubles: dict[str, int]
    replaced: int
    """Workers that others have replaced."""
    slowest: str
    """The longest answer to a pause or a start, and what happened meanwhile."""
    loads: list[rules.Load]
    audit: tuple[int, str]
    broken: list[str]


class Sky(NamedTuple):
    """The parts of a storm."""

    seed: int
    seconds: float
    plan: Sequence[Trouble] | None = None
    """The troubles; drawn from the seed if None."""
    workers: int = WORKERS
    accounts: int = ACCOUNTS
    bug: str | None = None
    lease_ms: int = LEASE_MS


def storm(folder: Path, sky: Sky, *, url: str, cluster: Cluster | None = None) -> Report:
    """Let a storm pass over a new service on an empty database with tables, and check its rows and its answers."""
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(contextlib.closing(Database(url)))
        database.write_now(take_notes)
        is_file = url.startswith("sqlite")
        network = None if is_file else stack.enter_context(contextlib.closing(Network()))
        preparation = Preparation(sky.bug, lease_ms=sky.lease_ms)
        skew = 0 if is_file else AHEAD_MS_MAX  # A file has the clock of its machine.
        options: dict[str, Any] = {"preparation": preparation, "ahead_ms_max": skew, "seed": sky.seed}
        service = stack.enter_context(shared_service(folder, url, network=network, **options))
        # Without workers, no answer waits for one.
        places = furnish(service, accounts=sky.accounts, people=200 + round(PEOPLE_A_SECOND * sky.seconds))
        for _ in range(sky.workers):
            service.join()
        service.serve()
        watch = Watch(database)
        deeds, troubles = _rage(service, places, watch, sky, cluster)
        suffered = troubles.suffered
        left = calm(service, places, watch, sky.lease_ms)
        audit = service.run("audit")
        broken = [*troubles.intruded, *left, *watch.read(lambda one: list(_broken(one, folder, deeds, suffered, sky)))]
        return _report(watch, deeds, suffered, audit, broken)


def _rage(
    service: SharedService, places: list[Place], watch: Watch, sky: Sky, cluster: Cluster | None
) -> tuple[list[Deed], Troubles]:
    troubles = Troubles(service, cluster)
    drawn = plan_of(sky.seed, sky.seconds, lease_s=sky.lease_ms / 1_000, kinds=sorted(troubles.kinds))
    people = [Person(place, service, watch, seed=sky.seed) for place in places]
    is_over = threading.Event()
    with ThreadPoolExecutor(len(people)) as threads:
        lives = [threads.submit(person.live, is_over) for person in people]
        try:
            troubles.rage(drawn if sky.plan is None else sky.plan, sky.seconds, is_over)
        finally:
            is_over.set()
        for life in lives:
            life.result()
    return [deed for person in people for deed in person.deeds], troubles


def calm(service: SharedService, places: list[Place], watch: Watch, lease_ms: int) -> list[str]:
    """Pause all campaigns, and wait until all calls have ended and all shards have owners. Return what does not."""
    until_s = time.monotonic() + REST_S_MAX + lease_ms / 1_000
    running = unowned = None
    with service.client() as root:
        for place in places:
            root.change(f"campaigns/{place.campaign_id}/", status=2)
        while time.monotonic() < until_s:
            running = root.get("callrequest/", page_size=1, status=7)["count"]
            unowned = watch.read(lambda one: rules.unowned(one, database_ms(one)))
            if not running and not unowned:
                return []
            time.sleep(0.3)
    return [f"after {REST_S_MAX} s of rest {running} calls have not ended, and {unowned} shards have no owner"]


def _broken(
    connection: Any,  # noqa: ANN401 - of SQLAlchemy
    folder: Path,
    deeds: Sequence[Deed],
    suffered: Sequence[Suffered],
    sky: Sky,
) -> Iterator[str]:
    yield from rules.broken_rows(connection, GATEWAYS)
    yield from rules.broken_promises(connection, deeds)
    yield from rules.replaced_well(connection, suffered, sky.lease_ms)
    yield from rules.silences(connection, suffered, sky.lease_ms)
    yield from rules.waits(deeds, suffered, sky.lease_ms)
    lines = (folder / LOG).read_text().splitlines()
    yield from (f"log: {line[:400]}" for line in lines if any(bad in line for bad in _BAD))


def _report(
    watch: Watch, deeds: Sequence[Deed], suffered: Sequence[Suffered], audit: tuple[int, str], broken: list[str]
) -> Report:
    calls = watch.read(lambda one: len(notes_of(one, "dial")))
    replaced = watch.read(lambda one: len(notes_of(one, "replaced")))
    return Report(
        calls,
        dict(sorted(Counter(f"{one.kind} {one.status}" for one in deeds).items())),
        dict(sorted(Counter(one.kind for one in suffered).items())),
        replaced,
        rules.slowest(deeds, suffered),
        watch.read(rules.loads),
        audit,
        broken,
    )


@contextlib.contextmanager
def database_of(kind: str, folder: Path) -> Iterator[tuple[str, Cluster | None]]:
    """Yield the URL of an empty database with tables, and the cluster that it is in, if it is not a file."""
    if kind == "sqlite":
        from tests.new_database import new_database  # noqa: PLC0415 - each kind needs its own

        yield new_database(folder), None
        return
    from tests.databases.postgresql import make_template  # noqa: PLC0415 - as above

    cluster = Cluster.made()
    try:
        make_template(cluster)
        yield cluster.url("dialer"), cluster
    finally:
        cluster.remove()
