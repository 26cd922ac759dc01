"""Tests that a run of a forecast equals a run through the worker and SQLite, in every figure."""

import tempfile
from pathlib import Path
from typing import Any, Final

import anyio
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialer.domain.calls.plans import Call
from dialer.domain.words.enums import CampaignStatus
from dialer.forecast.forecast import ignore_progress, run_seeds, staged
from dialer.forecast.parameters import Order
from dialer.forecast.seed_run import UNREADABLE, SeedRun
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.queries.do_not_call import ensure_key, hashed
from dialer.store.rows.joining import contact_collection
from dialer.store.tables import (
    SMS,
    Campaign,
    ContactRule,
    Did,
    DncContact,
    Gateway,
    RateCardLine,
    Subscriber,
    User,
)
from tests.forecast.worker_run import run_in_worker
from tests.runtime.house import CENTS, House
from tests.sizes import examples

Fields = dict[str, Any]
PREFIXES: Final = ("+1202555", "+4930123", "+6129123", "+3319900")
SHOWN: Final = "+33199000000"
SECTIONS: Final[list[dict[str, Any]]] = [
    {"type": 2, "script": "press a key", "key_1": "desk", "key_2": "boss", "key_3": "never", "retries": 1},
    {"type": 6, "script": "wait", "completed": True},
    {"type": 6, "script": "wait", "phonenumber": "+33199000001", "confirm_script": "a call", "confirm_key": "5"},
    {"type": 9, "script": "we will not call again"},
    {"type": 10, "sms_text": "Thank you"},
    {"type": 5, "script": "leave a message"},
    {"type": 3, "script": "how many stars", "rating_laps": 5, "completed": True},
]
BRANCHES: Final[dict[int, dict[str, int | None]]] = {
    0: {"1": 1, "2": 2, "3": 3, "timeout": 6},
    1: {"0": 4, "timeout": 5},
    2: {"0": 4, "timeout": 5},
    4: {"0": 5},
    5: {"0": 6},
}
OPEN: Final = frozenset({CampaignStatus.NEW, CampaignStatus.START, CampaignStatus.PAUSE})
GATEWAY: Final = st.fixed_dictionaries(
    {
        "max_channels": st.integers(0, 6),
        "max_cps": st.integers(0, 2),
        "parameters": st.sampled_from(
            [
                "{}",
                '{"answer": 1, "machine": 0, "listen": 1, "keys": {"3": 0.3, "1": 0.7}, "patience": [2, 30]}',
                '{"answer": 0.7, "machine": 0.3, "call_back": 0.8, "call_back_after": [5, 900], "talk": [20, 90]}',
                '{"answer": 0.2, "busy": 0.5, "ring": [1, 20], "patience": [1, 3]}',
            ]
        ),
    }
)
CAMPAIGN: Final = st.fixed_dictionaries(
    {
        "dial_method": st.sampled_from([1, 2, 3]),
        "frequency": st.sampled_from([7, 60, 600]),
        "max_aleg": st.integers(0, 5),
        "maxretry": st.integers(0, 3),
        "intervalretry": st.sampled_from([1, 90, 3_600]),
        "completion_maxretry": st.integers(0, 2),
        "completion_intervalretry": st.sampled_from([60, 3_000]),
        "carrier_maxretry": st.integers(0, 2),
        "abandoned_maxretry": st.integers(0, 2),
        "abandoned_intervalretry": st.sampled_from([60, 3_000]),
        "calltimeout": st.sampled_from([5, 40]),
        "callmaxduration": st.sampled_from([20, 300]),
        "max_xfer": st.integers(0, 2),
        "voicemail": st.booleans(),
        "amd_behavior": st.sampled_from([1, 2, 3]),
        "daily_start_time": st.sampled_from(["00:00:00", "08:30:00", "12:30:00"]),
        "daily_stop_time": st.sampled_from(["13:00:00", "20:00:00", "23:59:59"]),
        "callerid": st.sampled_from(["", SHOWN]),
    }
)
RULES: Final[list[Fields]] = [
    {"most": 1, "period": 1, "unit": "hours"},
    {"most": 2, "period": 2, "unit": "calendar_days", "media": "call text"},
    {"most": 1, "period": 3, "unit": "days", "counts": "answers", "country": "US"},
    {"most": 0, "period": 5, "unit": "hours", "after": "conversation", "seconds": 20},
    {"most": 0, "period": 30, "unit": "days", "after": "abandoned"},
    {"most": 1, "period": 2, "unit": "hours", "after": "machine", "scope": "campaign"},
    {"most": 1, "period": 1, "unit": "days", "media": "text", "counts": "attempts"},
]
WORLD: Final = st.fixed_dictionaries(
    {
        "people": st.integers(4, 30),
        "agents": st.integers(0, 3),
        "listed": st.integers(0, 3),
        "erased": st.booleans(),
        "balance": st.sampled_from([40, 100_000, 100_000]),
        "has_card": st.booleans(),
        "chunk": st.sampled_from([3, 5_000]),
        "seconds": st.sampled_from([None, None, 0, 7.25, 95, 1_000]),
        "rules": st.lists(st.sampled_from(RULES), max_size=3),
        "has_law": st.booleans(),
    }
)


def furnished(
    folder: Path, gateway: dict[str, Any], campaign: dict[str, Any], world: dict[str, Any]
) -> tuple[House, int]:
    """Build a service with a campaign of everything that the examples say."""
    house = House(folder, seed=3)
    house.pay((world["balance"] - 100_000) * CENTS)
    house.change(User, house.user_id, sms_rate=3 * CENTS)
    house.change(Gateway, house.gateway_id, **gateway)
    behaviour = '{"talk": [5, 60], "answer": [0, 30], "missed": 0.2, "breaks": 0.3, "break_length": [10, 40]}'
    queue_id = house.queue(*[house.agent(parameters=behaviour) for _ in range(world["agents"])], max_wait_time=25)
    sections = [{**section, "queue_id": queue_id} if place == 1 else section for place, section in enumerate(SECTIONS)]
    numbers = [f"{PREFIXES[place % len(PREFIXES)]}{place:04d}" for place in range(world["people"])]
    dnc_id = house.dnc_list(*numbers[: world["listed"]])
    if world["erased"]:
        key = house.database.write_now(lambda connection: ensure_key(connection, house.now_ms()))
        house.add(DncContact, dnc_id=dnc_id, phone_number="erased", number=hashed(key, numbers[-1]))
    if world["has_card"]:
        card = {"rate": 3 * CENTS, "connection_fee": 7, "first_increment": 30, "next_increment": 6}
        house.add(RateCardLine, user_id=house.user_id, prefix="1202", **card)
        house.change(User, house.user_id, rate_card_version=1)
    campaign_id = house.campaign(
        house.survey(*sections, branches=BRANCHES),
        house.phonebook(*numbers),
        dnc_id=dnc_id,
        sms_gateway_id=house.add(Gateway, medium=SMS, name="texts", max_cps=1),
        **campaign,
    )
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number=SHOWN, campaign_id=campaign_id)
    # A copy has no rows of calls that are over, so campaigns under way are compared with their own future elsewhere.
    for rule in world["rules"] if world["seconds"] is None else ():
        house.add(ContactRule, user_id=house.user_id, name="rule", **rule)
    return house, campaign_id


def in_memory(house: House, order: Order) -> list[SeedRun]:
    stage, _ = staged(house.database, order)
    (runs,) = run_seeds([stage], range(order.first_seed, order.first_seed + order.seeds), 1, ignore_progress)
    return runs


def order_of(house: House, campaign_id: int, **fields: Any) -> Order:  # noqa: ANN401 - fields of an order
    return Order(campaign_id, house.now_ms(), "Europe/Paris", 2, 3, **fields)


@settings(max_examples=examples(12))
@given(gateway=GATEWAY, campaign=CAMPAIGN, world=WORLD)
def test_a_run_equals_that_of_the_worker(
    gateway: dict[str, Any], campaign: dict[str, Any], world: dict[str, Any]
) -> None:
    """Before its start, or under way: with calls, transfers, retries, texts and expected callers in progress.

    A campaign under way is run under the service's own seed, as the past of its calls is that of this seed.
    """

    async def advanced(house: House, campaign_id: int) -> None:
        if world["seconds"] is not None:
            await house.move(campaign_id, CampaignStatus.START)
            await house.advance(world["seconds"])

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(contact_collection, "COLLECT_CHUNK", world["chunk"])
        house, campaign_id = furnished(Path(folder), gateway, campaign, world)
        anyio.run(advanced, house, campaign_id)
        seeds = (3, 4) if world["seconds"] is None else (3,)
        has_law = world["has_law"] and world["seconds"] is None
        order = msgspec.structs.replace(
            order_of(house, campaign_id), seeds=len(seeds), obey_contact_rules=True if has_law else None
        )
        try:
            if house.row(Campaign, campaign_id)["status"] in OPEN:
                expected = [anyio.run(run_in_worker, house.database, order, seed) for seed in seeds]
                assert in_memory(house, order) == expected
        finally:
            house.database.close()


ALWAYS: Final[Fields] = {"max_channels": 0, "max_cps": 0, "parameters": '{"answer": 0.5, "listen": 0.9}'}
PLAIN: Final[Fields] = {"frequency": 60, "maxretry": 2, "intervalretry": 90, "completion_maxretry": 2}
SMALL: Final[Fields] = {
    "people": 12,
    "agents": 1,
    "listed": 0,
    "erased": False,
    "balance": 100_000,
    "has_card": False,
    "seconds": None,
    "rules": (),
}


async def under_way(folder: Path) -> tuple[House, int]:
    house, campaign_id = furnished(folder, ALWAYS, PLAIN, SMALL)
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(8)
    return house, campaign_id


async def test_people_who_are_halted_in_a_call_are_not_called_again(tmp_path: Path) -> None:
    house, campaign_id = await under_way(tmp_path)
    for person in house.rows(Subscriber):
        house.change(Subscriber, person["id"], halt_reason="contact_deleted" if person["status"] == 6 else "")
    order = order_of(house, campaign_id)
    assert any(person["halt_reason"] for person in house.rows(Subscriber))
    assert in_memory(house, order) == [await run_in_worker(house.database, order, seed) for seed in (3, 4)]
    house.database.close()


async def test_a_gateway_whose_callees_cannot_be_read_dials_nobody(tmp_path: Path) -> None:
    house, campaign_id = furnished(tmp_path, ALWAYS, PLAIN, SMALL)
    house.change(Gateway, house.gateway_id, parameters='{"answer": "often"}')
    order = order_of(house, campaign_id)
    (run, _) = in_memory(house, order)
    assert run == await run_in_worker(house.database, order, 3)
    assert (run.stop.reason, run.counters.calls) == ("expired", 0)
    house.database.close()


async def test_an_engine_that_fails_ends_the_run_and_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    house, campaign_id = furnished(tmp_path, ALWAYS, PLAIN, SMALL)
    stage, _ = staged(house.database, order_of(house, campaign_id))

    def fail(_carrier: SimulatedCarrier, _call: Call) -> None:
        raise KeyError("nobody")

    monkeypatch.setattr(SimulatedCarrier, "dial", fail)
    ((run,),) = run_seeds([stage], [3], 1, ignore_progress)
    assert (run.stop.reason, run.counters.calls) == (UNREADABLE, 0)
    assert "KeyError: 'nobody'" in run.failure
    house.database.close()


async def test_seeds_in_several_processes_give_the_same_runs_in_their_order(tmp_path: Path) -> None:
    """The campaign as it is, and another copy of it, run under equal seeds."""
    house, campaign_id = await under_way(tmp_path)
    order = order_of(house, campaign_id)
    stages = [staged(house.database, order)[0], staged(house.database, msgspec.structs.replace(order, is_rich=True))[0]]
    told: list[int] = []
    shared = run_seeds(stages, range(5), 3, told.append)
    assert shared == run_seeds(stages, range(5), 1, ignore_progress)
    assert [[run.seed for run in runs] for runs in shared] == [[0, 1, 2, 3, 4]] * 2
    assert told == list(range(1, 11))
    house.database.close()
