"""Tests of an agent who consults a third person at the desk and over the API."""

from typing import Final

from sqlalchemy import insert, select, update

from dialer.store.database.database import Database
from dialer.store.tables import Agent, Transfer
from tests.api.harness import NOW_MS, Caller
from tests.console.building import campaign, store
from tests.console.test_desk import gus, talk_to_gus
from tests.console.visitor import Visitor

__all__ = ["gus"]
THIRD: Final = "+12025550161"


def test_an_agent_consults_a_third_person(gus: Visitor, bob: Visitor, api: Caller, database: Database) -> None:
    """The desk has each order once it is possible, and says who is on hold."""

    def wanted() -> tuple[int | None, str, str]:
        columns = (Agent.consulted_call_id, Agent.consultation_mode, Agent.consultation_to)
        row = database.read_now(lambda c: c.execute(select(*columns).where(Agent.id == 1)).one())
        return row[0], row[1], row[2]

    talk_to_gus(database, campaign(api, name="Departures"))
    assert 'formaction="/console/desk/consult/" name="call" value="7"' in gus.get("desk/")
    bob.get("account/")
    assert bob.send("desk/consult/", call="7", phone_number=THIRD).status_code == 404
    assert gus.send("desk/consult/", call="7", phone_number="112").status_code == 400
    assert (gus.send("desk/consult/", call="7", phone_number=THIRD).status_code, wanted()) == (303, (7, "third", THIRD))
    assert gus.send("desk/consult/", call="7", phone_number="+12025550199").status_code == 409
    agent = Caller(api.client, "gus")

    def order(mode: str) -> int:
        return int(agent.request("POST", "callrequest/7/consultation/", json={"mode": mode}).status_code)

    assert [order(mode) for mode in ("callee", "hand_over", "nobody")] == [409, 409, 400]
    (talk,) = database.read_now(lambda c: c.execute(select(Transfer.__table__)).mappings().all())
    third = {**talk, "id": 99, "place": 2, "agent_id": None, "from_agent_id": 1, "consulted": 1, "queue_id": None}
    third |= {"phone_number": THIRD, "score_from_ms": 0, "answered_ms": None, "status": 1}
    store(database, insert(Transfer).values(third))
    store(database, update(Transfer).where(Transfer.id != 99).values(on_hold_from_ms=NOW_MS - 42_000))
    assert f"{THIRD} is being called. The callee has been on hold for 42 s." in gus.text("desk/")
    keys = {key for key in "eptj" if f'data-key="{key}"' in gus.page}
    assert keys == {"e"}
    store(database, update(Transfer).where(Transfer.id == 99).values(answered_ms=NOW_MS))
    assert f"You talk with {THIRD}. The callee has been on hold for 42 s." in gus.text("desk/")
    assert {key for key in "eptj" if f'data-key="{key}"' in gus.page} == set("eptj")
    assert (gus.send("desk/consultation/", call="7", mode="callee").status_code, wanted()[1]) == (303, "callee")
    assert gus.send("desk/consultation/", call="7", mode="nobody").status_code == 404
    assert [order(mode) for mode in ("all", "all", "hand_over")] == [200, 200, 200]
    store(database, update(Transfer).where(Transfer.id == 99).values(reason="not_handed_over"))
    refused = f"Hand over: The callee was not handed over to {THIRD}. Try again, or go on with the callee."
    assert refused in gus.text("desk/")
    store(database, update(Transfer).where(Transfer.id == 99).values(status=3))
    assert f"The callee was not handed over to {THIRD}. You talk with the callee." in gus.text("desk/")
    late = gus.send("desk/consultation/", call="7", mode="hand_over")
    assert (late.status_code, "No third person is in the call." in late.text) == (409, True)
    store(database, update(Transfer).where(Transfer.id == 99).values(reason="no_answer"))
    assert f"{THIRD} was not reached: nobody answered. You talk with the callee." in gus.text("desk/")
    assert (order("end"), wanted()[0]) == (200, None)
    logged = [entry["action"] for entry in api.get("audit-log/?resource=agent&ordering=-id")["results"]]
    ordered = ["call_consulted", "call_swapped", "call_swapped", "call_handed_over", "call_consultation_ended"]
    assert logged[:5] == ordered[::-1]
    assert sorted(one["consulted"] for one in api.get("transfer/")["results"]) == [0, 1]


def test_a_third_person_who_did_not_get_the_callee_was_reached_all_the_same(
    gus: Visitor, alice: Visitor, api: Caller, database: Database
) -> None:
    """They answered and talked with the agent for a minute. Their call is billed once."""
    talk_to_gus(database, campaign(api, name="Departures"))
    (talk,) = database.read_now(lambda c: c.execute(select(Transfer.__table__)).mappings().all())
    third = {**talk, "id": 99, "place": 2, "agent_id": None, "from_agent_id": 1, "consulted": 1, "queue_id": None}
    third |= {"phone_number": THIRD, "status": 3, "reason": "not_handed_over", "score_from_ms": 0}
    third |= {"started_ms": NOW_MS - 64_000, "answered_ms": NOW_MS - 62_000, "ended_ms": NOW_MS - 2_000}
    store(database, insert(Transfer).values(third))
    gus.get("desk/")
    said = alice.text("number/?number=%2B12025550001")
    assert f"Taken at {THIRD}" in said
    assert f"To {THIRD}: the callee could not be handed over" in said
    assert said.index(f"Taken at {THIRD}") < said.index(f"To {THIRD}: the callee could not be handed over")
