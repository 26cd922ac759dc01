"""Every write tells what the engine must read again."""

from typing import Final

import pytest
from sqlalchemy import update

from dialer.domain.calls.plans import GatewayKey
from dialer.domain.words.enums import CampaignStatus
from dialer.resources.crud.resource import Resource, touches_everything
from dialer.resources.records.table import RESOURCES
from dialer.store.database.database import Database
from dialer.store.database.touched import NOTHING, Touched
from dialer.store.tables import SMS, VOICE, Campaign, Queue
from tests.api.builders import Estate, stored
from tests.api.harness import Caller
from tests.gateways import FIRST

PLAIN: Final = {
    "audio-files": NOTHING,
    "branching-template": NOTHING,
    "callerid": Touched(campaigns=frozenset({1})),
    "callerid-group": NOTHING,
    "did": Touched(dids=frozenset({1})),
    "phonebook": NOTHING,
    "gateway": Touched(gateways=frozenset({FIRST})),
    "queue": Touched(queues=frozenset({1})),
    "agent": Touched(agents=frozenset({1})),
    "section-template": NOTHING,
    "sms-gateway": Touched(gateways=frozenset({GatewayKey(SMS, 1)})),
    "survey-template": NOTHING,
    "tier": Touched(queues=frozenset({1})),
}
"""By the path of a resource: what a plain write of its first record touches, while campaign 1 is started."""


BY_PATH: Final = {resource.path: resource for resource in RESOURCES}


def is_written_plainly(resource: Resource) -> bool:
    """Return whether a method of the resource writes without a use case."""
    use_cases = {"POST": resource.insert, "PATCH": resource.update, "DELETE": resource.remove}
    return resource.write is not None and any(use_cases[method] is None for method in resource.methods)


@pytest.mark.parametrize("path", [resource.path for resource in RESOURCES if is_written_plainly(resource)])
def test_what_is_written_plainly_says_what_it_touches(path: str) -> None:
    assert BY_PATH[path].touches is not touches_everything


MUSIC: Final = {
    "a file that a queue names": ("audio-files", {"name": "Music"}, True),
    "another file": ("audio-files", {"name": "Greeting"}, False),
    "a queue with music": ("queue", {"moh_sound": "Music"}, True),
    "a queue without": ("queue", {"moh_sound": ""}, False),
}


@pytest.mark.parametrize("what", MUSIC)
def test_music_concerns_campaigns_of_calls_alone(estate: Estate, database: Database, what: str) -> None:
    path, values, is_heard = MUSIC[what]
    _start_all(database)
    stored(database, Queue, name="other", user_id=estate.user_id, moh_sound=" Music ")
    table = BY_PATH[path].table
    row = database.read_now(lambda c: c.execute(table.select().where(table.c.id == 1)).mappings().one())
    touched = database.read_now(lambda c: BY_PATH[path].touches(c, {**row, **values}))
    assert touched.campaigns == (frozenset({estate.campaign["id"]}) if is_heard else frozenset())


def test_a_change_of_a_queue_concerns_campaigns_only_if_it_moves_the_music(
    alice: Caller, estate: Estate, database: Database
) -> None:
    _start_all(database)
    alice.change(estate.queue["url"], moh_sound="Music")
    found = []
    for change in (
        {"strategy": 1},
        {"moh_sound": "Music", "name": "desk"},
        {"moh_sound": "Soft music"},
        {"moh_sound": ""},
    ):
        database.write_now(database.take_touched)
        alice.change(estate.queue["url"], **change)
        found.append(database.write_now(database.take_touched))
    queue, campaigns = frozenset({estate.queue["id"]}), frozenset({estate.campaign["id"]})
    assert found == [Touched(queues=queue)] * 2 + [Touched(queues=queue, campaigns=campaigns)] * 2


def _start_all(database: Database) -> None:
    started = update(Campaign).values(status=CampaignStatus.START)
    database.write_now(lambda connection: connection.execute(started))


@pytest.mark.parametrize(("path", "touched"), PLAIN.items())
def test_a_plain_write_names_the_records_concerned(
    estate: Estate, database: Database, path: str, touched: Touched
) -> None:
    table = BY_PATH[path].table
    started = update(Campaign).where(Campaign.id == estate.campaign["id"])
    values = {"status": CampaignStatus.START, "callerid_group_id": estate.callerid_group["id"]}
    database.write_now(lambda connection: connection.execute(started.values(values)))
    first = table.c.id == 1
    if "medium" in table.c:
        first &= table.c.medium == (SMS if path == "sms-gateway" else VOICE)
    row = database.read_now(lambda c: c.execute(table.select().where(first)).mappings().one())
    assert database.read_now(lambda c: BY_PATH[path].touches(c, dict(row))) == touched
