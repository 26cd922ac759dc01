"""The keys of the desk: each letter means one thing, whatever is in progress."""

import re

from sqlalchemy import insert, select, update

from dialer.store.database.database import Database
from dialer.store.tables import CallRequest, Campaign, Transfer
from tests.api.harness import NOW_MS, Caller
from tests.console.building import campaign, store
from tests.console.test_desk import gus, talk_to_gus
from tests.console.visitor import Visitor

__all__ = ["gus"]


def test_a_letter_means_one_thing_on_the_desk(gus: Visitor, api: Caller, database: Database) -> None:
    """The call is recorded and has a page in the CRM, and a third person is in it afterwards."""

    def keys() -> list[str]:
        return sorted(re.findall('data-key="(.*?)"', gus.get("desk/")))

    talk_to_gus(database, campaign(api, name="Departures"))
    store(database, update(CallRequest).values(is_simulated=True))
    store(database, update(Campaign).values(record="on_demand", crm_url="https://crm.example/{call_id}"))
    assert keys() == ["/", *"hkopt"]
    (talk,) = database.read_now(lambda c: c.execute(select(Transfer.__table__)).mappings().all())
    third = {**talk, "id": 99, "place": 2, "agent_id": None, "from_agent_id": 1, "consulted": 1, "queue_id": None}
    third |= {"phone_number": "+12025550161", "score_from_ms": 0, "answered_ms": NOW_MS, "status": 1}
    store(database, insert(Transfer).values(third))
    assert keys() == ["/", *"ehjkopt"]
