"""Tests of breaks that last longer than a queue allows, in the statistics of agents and queues."""

from typing import Any

from sqlalchemy import update

from dialer.store.database.database import Database
from dialer.store.tables import Agent
from tests.api.harness import BASE, NOW_MS, Caller
from tests.console.building import store


def on_break(api: Caller, database: Database, name: str, since_s: int, *queues: str, reason: str = "") -> str:
    """Make an agent of queues who went on a break some seconds ago, and return the agent's URL."""
    url: str = api.create("agent", name=name, status=4, break_reason=reason)["url"]
    for queue in queues:
        api.create("tier", queue=queue, agent=url)
    store(database, update(Agent).where(Agent.name == name).values(counted_ms=NOW_MS - since_s * 1_000))
    return url


def now_of(api: Caller, url: str) -> dict[str, Any]:
    """Return the present in the statistics of a record."""
    present: dict[str, Any] = api.get(f"{url}statistics/")["now"]
    return present


def test_a_break_beyond_the_limit_is_told_of_agent_and_queue(alice: Caller, database: Database) -> None:
    """The shortest limit of an agent's queues counts. A queue without one tells of its agents' breaks, too."""
    free, short, long = (
        alice.create("queue", name=name, max_break_time=limit)["url"]
        for name, limit in (("a", 0), ("b", 600), ("c", 1_800))
    )
    ann = on_break(alice, database, "Ann", 900, free, short, long, reason="Lunch")
    ben = on_break(alice, database, "Ben", 2_000, long)
    on_break(alice, database, "Cleo", 1_800, long)
    dan = on_break(alice, database, "Dan", 9_000, free)
    found = {url: now_of(alice, url) for url in (ann, ben, dan, free, short, long)}
    assert [(found[url]["break_limit"], found[url]["break_exceeded_by"]) for url in (ann, ben, dan)] == [
        (600, 300),
        (1_800, 200),
        (0, 0),
    ]
    of_ann = {
        "agent": ann,
        "reason": "Lunch",
        "since": "2026-11-18T10:51:40Z",
        "seconds": 900.0,
        "exceeded_by": 300.0,
    }
    assert [found[url]["on_break"] for url in (free, short, long)] == [2, 1, 3]
    assert [found[url]["long_breaks"] for url in (free, short)] == [[of_ann], [of_ann]]
    assert [one["agent"] for one in found[long]["long_breaks"]] == [ben, ann]
    assert ann.startswith(BASE)


def test_who_talks_or_works_has_no_long_break(alice: Caller, database: Database) -> None:
    queue = alice.create("queue", name="a", max_break_time=60)["url"]
    agents = [on_break(alice, database, name, 900, queue) for name in ("Ann", "Ben")]
    store(database, update(Agent).where(Agent.name == "Ann").values(is_talking=True))
    alice.change(agents[1], status=2)
    assert [now_of(alice, url)["break_exceeded_by"] for url in agents] == [0, 0]
    present = now_of(alice, queue)
    assert (present["on_break"], present["long_breaks"]) == (0, [])
