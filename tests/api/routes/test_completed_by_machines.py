"""People of earlier versions whose survey a machine completed: how they are counted, and who may call them again."""

import json
from typing import Any, Final

import pytest
from sqlalchemy import Connection, delete, update

from dialer.domain.figures.statistics import Strictness
from dialer.domain.words.enums import AmdStatus
from dialer.domain.words.enums import SubscriberStatus as S
from dialer.store.database.database import Database
from dialer.store.journal.call_counters import CallCounts
from dialer.store.journal.rows import CdrRow
from dialer.store.tables import Cdr
from tests.api.builders import Estate
from tests.api.routes.test_call_again import again, call, end, number, numbers, seal
from tests.api.routes.test_recycle import people

COMPLETED: Final = {"status": S.COMPLETED, "count_attempt": 1}
SENT: Final = {"status": S.SENT, "count_attempt": 1}
MACHINE: Final[dict[str, Any]] = {"amd_status": int(AmdStatus.MACHINE)}
PERSON: Final[dict[str, Any]] = {"amd_status": int(AmdStatus.PERSON)}


def old_campaign(estate: Estate, database: Database) -> None:
    """Store two surveys that machines completed, one of a person, and a machine that heard it in part."""
    database.write_now(lambda connection: connection.execute(delete(Cdr)))
    ids = people(estate, database, COMPLETED, COMPLETED, COMPLETED, SENT)
    seal(estate, has_completion=True)
    ours: dict[str, Any] = {"campaign_id": estate.campaign["id"], "gateway_id": 1}
    call(estate, ids[0], is_completed=True, **MACHINE, **ours)
    call(estate, ids[1], is_completed=True, **MACHINE, **ours)
    call(estate, ids[2], is_completed=True, **PERSON, **ours)
    call(estate, ids[3], **MACHINE, **ours)
    end(estate)


@pytest.mark.usefixtures("worker")
def test_people_whose_survey_a_machine_completed_are_called_again(estate: Estate, database: Database) -> None:
    old_campaign(estate, database)
    found = again(estate, expected=200, dry_run=True)
    assert (found["by_outcome"], found["kept"]) == ({"machine": 3}, {"done": 1})
    made = again(estate, outcomes=["machine"], confirm=3)
    assert numbers(database, made["campaign"]) == [number(0), number(1), number(3)]


@pytest.mark.usefixtures("worker")
def test_a_person_who_completed_it_after_a_machine_did_is_done(estate: Estate, database: Database) -> None:
    (one,) = people(estate, database, COMPLETED)
    seal(estate, has_completion=True)
    call(estate, one, 1, is_completed=True, **MACHINE)
    call(estate, one, 2, is_completed=True, **PERSON)
    end(estate)
    found = again(estate, expected=200, dry_run=True)
    assert (found["by_outcome"], found["kept"]) == ({}, {"done": 1})


@pytest.mark.usefixtures("worker")
def test_counters_of_an_earlier_version_give_no_share_and_no_error(
    estate: Estate, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three surveys were completed, and one person answered: three of one is no share, whatever the service shows."""
    monkeypatch.setattr(Strictness, "raises", False)
    old_campaign(estate, database)

    def count(connection: Connection) -> None:
        connection.execute(update(Cdr).values(attempt=1))
        counts = CallCounts()
        for row in connection.execute(Cdr.__table__.select().order_by(Cdr.id)).all():
            counts.cdr(CdrRow(*row))
        counts.write(connection)

    database.write_now(count)
    totals = json.loads(estate.owner.request("GET", f"{estate.campaign['url']}statistics/").content)["totals"]
    shown = {name: totals[name] for name in ("answered", "live_answered", "machine_answered", "completed")}
    assert shown == {"answered": 4, "live_answered": 1, "machine_answered": 3, "completed": 3}
    assert (totals["completion_rate"], totals["contact_rate"], totals["asr"]) == (None, 25.0, 100.0)
    estate.owner.create("campaigns", **estate.campaign_fields())
    machines = {row["id"]: row["machine_answered"] for row in estate.owner.get("campaigns/")["results"]}
    assert machines == {campaign: 3 * (campaign == estate.campaign["id"]) for campaign in machines}
    assert len(machines) > 1
