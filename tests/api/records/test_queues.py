"""Queues, agents and tiers."""

from tests.api.builders import Estate
from tests.api.harness import BASE, NOW, Caller


def test_a_queue_is_made_with_a_name_alone(alice: Caller) -> None:
    assert alice.create("queue", name="desk") == {
        "manager": f"{BASE}/users/2/",
        "id": 1,
        "url": f"{BASE}/queue/1/",
        "name": "desk",
        "strategy": 5,
        "moh_sound": "",
        "record_template": "",
        "time_base_score": "queue",
        "tier_rules_apply": False,
        "tier_rule_wait_second": 300,
        "tier_rule_wait_multiply_level": True,
        "tier_rule_no_agent_no_wait": False,
        "discard_abandoned_after": 14400,
        "abandoned_resume_allowed": True,
        "max_wait_time": 0,
        "max_wait_time_with_no_agent": 120,
        "max_wait_time_with_no_agent_time_reached": 5,
        "created_date": NOW,
        "updated_date": NOW,
    }


def test_an_agent_stands_in_a_queue_once(alice: Caller, estate: Estate) -> None:
    twice = {"queue": estate.queue["url"], "agent": estate.agent["url"], "level": 2}
    refusal = (400, {"agent": ["The agent is in the queue already."]})
    assert alice.refused("POST", "tier/", **twice) == refusal
    alice.change(estate.tier["url"], level="3", position=2)
    tier = alice.get(estate.tier["url"])
    assert (tier["level"], tier["position"]) == (3, 2)


def test_an_agent_has_a_state(alice: Caller, estate: Estate) -> None:
    alice.change(estate.agent["url"], status=2, wrap_up_time=10, parameters={"answer": 2})
    agent = alice.get(estate.agent["url"])
    assert (agent["status"], agent["wrap_up_time"], agent["parameters"]) == (2, 10, {"answer": 2})
    assert alice.refused("PATCH", estate.agent["url"], status=5)[1].keys() == {"status"}
