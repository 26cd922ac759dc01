"""Tests of forecasts under other settings: equal ones never differ, and each comes true once it is applied."""

import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialer.app.campaigns.change import change_campaign
from dialer.app.work.errors import InvalidFieldsError
from dialer.domain.calls import call_effects
from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.words.enums import CampaignStatus
from dialer.forecast.forecast import forecast_campaign, ignore_progress, run_seeds
from dialer.forecast.parameters import COMPARED_SEEDS_MAX, SETTINGS_MAX, Order, TriedSetting
from dialer.forecast.processes import TASKS_MAX
from dialer.forecast.run_store import RunStore
from dialer.forecast.seed_run import SeedRun, run_seed
from dialer.forecast.what_if import FIGURES, NamedSetting, compare_settings, differences, staged_settings
from dialer.store.tables import Agent, Campaign, Cdr, Gateway, RateCardLine, User
from tests.forecast.test_forecast import furnished as plain_house
from tests.forecast.test_forecast import happened, open_house
from tests.forecast.test_seed_run import CAMPAIGN, GATEWAY, OPEN, WORLD, furnished
from tests.runtime.house import ALL_ANSWER, House
from tests.sizes import examples

Fields = dict[str, Any]
BUSY: Final[Fields] = {
    "max_channels": 6,
    "max_cps": 2,
    "parameters": '{"answer": 0.7, "machine": 0.1, "talk": [20, 90], "keys": {"1": 0.7, "": 0.3}, "patience": [5, 60]}',
}
CALM: Final[Fields] = {"frequency": 60, "maxretry": 2, "intervalretry": 90, "completion_maxretry": 1}
SMALL: Final[Fields] = {
    "people": 24,
    "agents": 2,
    "listed": 1,
    "erased": False,
    "balance": 100_000,
    "has_card": True,
    "seconds": None,
    "rules": (),
}


def order_of(house: House, campaign_id: int, seeds: int = 2, first_seed: int = 3) -> Order:
    return Order(campaign_id, house.now_ms(), "Europe/Paris", seeds, first_seed, service_seed=3)


def runs_of(house: House, order: Order, *wanted: TriedSetting) -> list[list[SeedRun]]:
    """Return the runs as it is, and under each setting."""
    stages, _ = staged_settings(house.database, order, wanted)
    return run_seeds(stages, range(order.first_seed, order.first_seed + order.seeds), 1, ignore_progress)


@contextmanager
def a_house(gateway: Fields, campaign: Fields, world: Fields) -> Iterator[tuple[House, int]]:
    """Build a service with a campaign, which is under way if the world says so."""

    async def advanced(house: House, campaign_id: int) -> None:
        if world.get("seconds") is not None:
            await house.move(campaign_id, CampaignStatus.START)
            await house.advance(world["seconds"])

    with tempfile.TemporaryDirectory() as folder:
        house, campaign_id = furnished(Path(folder), gateway, campaign, world)
        anyio.run(advanced, house, campaign_id)
        try:
            yield house, campaign_id
        finally:
            house.database.close()


def irrelevant(house: House, campaign_id: int, runs: list[SeedRun]) -> dict[str, TriedSetting]:
    """Return settings that change something on which nothing of these runs depends."""
    row, gateway = house.row(Campaign, campaign_id), house.row(Gateway, house.gateway_id)
    peak = max(run.calls_in_progress_peak for run in runs)
    agents = sum(agent["status"] == 2 for agent in house.rows(Agent))
    found = {
        "nothing": TriedSetting(),
        "name": TriedSetting({"name": "another name", "description": "and what it is"}),
        "the same values": TriedSetting({name: row[name] for name in ("frequency", "maxretry", "daily_start_time")}),
        "the same gateway": TriedSetting(channels=gateway["max_channels"], calls_a_second=gateway["max_cps"]),
        "the same agents": TriedSetting(agents=agents),
    }
    if row["dial_method"] == 1:
        found["pace for agents"] = TriedSetting({"agent_dial_rate": 700_000, "abandon_rate_max": 100_000})
    if not row["voicemail"]:
        found["machines"] = TriedSetting({"amd_behavior": 3})
    if not gateway["max_channels"]:
        # Transfers take channels too: no call has more than two legs.
        found["channels that are never used up"] = TriedSetting(channels=2 * peak + 100)
    if not row["max_aleg"]:
        found["calls that are never reached"] = TriedSetting({"max_aleg": peak + 100})
    return found


@settings(max_examples=examples(10))
@given(gateway=GATEWAY, campaign=CAMPAIGN, world=WORLD)
def test_what_cannot_matter_does_not(gateway: Fields, campaign: Fields, world: Fields) -> None:
    """Nothing differs, to the call and the cent, in any seed: before the start of a campaign, and under way."""
    with a_house(gateway, campaign, world) as (house, campaign_id):
        if house.row(Campaign, campaign_id)["status"] not in OPEN:
            return
        order = order_of(house, campaign_id)
        (present,) = runs_of(house, order)
        tried = irrelevant(house, campaign_id, present)
        for name, runs in zip(tried, runs_of(house, order, *tried.values())[1:], strict=True):
            assert runs == present, name
            assert not any(one.difference or one.margin for one in differences(present, runs, order.now_ms, 7))


@settings(max_examples=examples(6))
@given(
    gateway=GATEWAY,
    campaign=CAMPAIGN,
    world=WORLD,
    columns=st.fixed_dictionaries(
        {},
        optional={
            "frequency": st.sampled_from([5, 30, 1_000]),
            "max_aleg": st.integers(0, 4),
            "maxretry": st.integers(0, 4),
            "daily_start_time": st.sampled_from(["00:30:00", "12:45:00"]),
            "monday": st.booleans(),
        },
    ),
)
def test_equal_settings_never_differ_and_leave_the_others_alone(
    gateway: Fields, campaign: Fields, world: Fields, columns: Fields
) -> None:
    """A setting has the same outcome alone, twice, and after others: trying one changes nothing for the next."""
    with a_house(gateway, campaign, world) as (house, campaign_id):
        if house.row(Campaign, campaign_id)["status"] not in OPEN:
            return
        order, wanted = order_of(house, campaign_id, seeds=1), TriedSetting(columns)
        other = TriedSetting({"frequency": 33, "maxretry": 1}, channels=1, calls_a_second=1, agents=3, rate=12_345)
        present, alone = runs_of(house, order, wanted)
        again, _, first, second = runs_of(house, order, other, wanted, wanted)
        assert (again, first, second) == (present, alone, alone)


CALL_FATES: Final = frozenset({"frequency", "max_aleg", "channels", "daily_start_time", "agents"})


@pytest.mark.parametrize(
    "setting",
    [
        TriedSetting({"frequency": 7}),
        TriedSetting({"max_aleg": 2}),
        TriedSetting({"daily_start_time": "12:30:00"}),
        TriedSetting({"dial_method": 2}),
        TriedSetting({"maxretry": 0}),
        TriedSetting({"maxretry": 5, "intervalretry": 1_800}),
        TriedSetting(channels=2),
        TriedSetting(agents=1),
        TriedSetting(agents=6),
        TriedSetting(rate=70_000),
    ],
)
def test_a_persons_attempt_has_the_same_fate_in_every_setting(
    setting: TriedSetting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer of a callee depends on seed, person and attempt, not on when or after whom they are called."""
    fates: dict[tuple[int, int], tuple[Any, ...]] = {}
    plain = RunStore._record_finish  # noqa: SLF001 - to hear of each call

    def listen(store: RunStore, effect: call_effects.FinishCall, now_ms: int) -> None:
        call, outcome = effect.call, effect.outcome
        after_ms = None if outcome.answered_ms is None else outcome.answered_ms - call.started_ms
        keys = tuple(result.response for result in outcome.results[:1])
        fates[call.subscriber.id, call.attempt] = (outcome.cause if after_ms is None else None, after_ms, keys)
        plain(store, effect, now_ms)

    monkeypatch.setattr(RunStore, "_record_finish", listen)
    with a_house(BUSY, CALM, SMALL) as (house, campaign_id):
        stages, _ = staged_settings(house.database, order_of(house, campaign_id), [setting])
        each = []
        for stage in stages:
            fates.clear()
            run_seed(stage, 5)
            each.append(dict(fates))
    common = each[0].keys() & each[1].keys()
    assert len(common) >= 20
    assert {key: each[0][key] for key in common} == {key: each[1][key] for key in common}


@pytest.mark.parametrize("seconds", [None, 97])
async def test_a_setting_that_is_applied_comes_true(tmp_path: Path, seconds: float | None) -> None:
    """To the call and the cent, under the seed of the service."""
    house = open_house(tmp_path / "house", 2)
    campaign_id = plain_house(house)
    if seconds is not None:
        await house.move(campaign_id, CampaignStatus.START)
        await house.advance(seconds)
    before = len(house.rows(Cdr)) if seconds else 0
    columns: dict[str, str | int | bool | None] = {
        "frequency": 20,
        "maxretry": 1,
        "intervalretry": 1_000,
        "daily_stop_time": "15:00:00",
    }
    order = Order(campaign_id, house.now_ms(), "UTC", 1, 2, service_seed=2)
    tried = await compare_settings(house.database, order, [NamedSetting({"frequency": "20"}, TriedSetting(columns))])
    (foretold,) = tried.settings[0].forecast.per_seed
    assert tried.present == await forecast_campaign(house.database, order)
    assert foretold.digest != tried.present.per_seed[0].digest
    house.perform(lambda unit: change_campaign(unit, campaign_id, columns))
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(5 * 86_400)
    found = happened(house, campaign_id, before)
    assert (foretold.calls, foretold.digest, foretold.cost) == (found.calls, found.digest, found.cost)
    assert (foretold.finish_date, foretold.stop_reason) == (found.finish_date, found.stop_reason)
    house.database.close()


def test_agents_channels_and_prices_are_tried_on_the_copy_only() -> None:
    with a_house(BUSY, {**CALM, "dial_method": 2}, SMALL) as (house, campaign_id):
        tables = (Agent, Gateway, User, RateCardLine, Campaign)
        stored = {model: house.rows(model) for model in tables}
        order = order_of(house, campaign_id, seeds=6)
        tried = [
            TriedSetting(agents=0),
            TriedSetting(agents=8),
            TriedSetting(channels=1),
            TriedSetting(rate=0),
            TriedSetting(rate=900_000),
        ]
        present, *others = runs_of(house, order, *tried)
        means = [[sum(figure(run, order.now_ms) for run in runs) for figure in FIGURES.values()] for runs in others]
        names = list(FIGURES)
        usual = [sum(figure(run, order.now_ms) for run in present) for figure in FIGURES.values()]
        calls, cost, time_ = names.index("calls"), names.index("cost"), names.index("seconds_to_finish")
        peak = names.index("calls_in_progress_peak")
        assert means[0][calls] == 0 < usual[calls]
        assert means[1][time_] < usual[time_]
        assert means[2][peak] == order.seeds < usual[peak]
        assert means[3][cost] < usual[cost] < means[4][cost]
        assert {model: house.rows(model) for model in tables} == stored


async def test_a_rehearsal_obeys_the_calling_hours_if_it_is_told_to(tmp_path: Path) -> None:
    """It is noon in UTC, and 07:00 at the callees, where nobody may be called before 08:00."""
    house = open_house(tmp_path / "house")
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    survey_id = house.survey({"type": 1, "script": "hello"})
    campaign_id = house.campaign(survey_id, house.phonebook("+12025550101", "+12025550102"))
    order = Order(campaign_id, house.now_ms(), "UTC", 1)
    tried = [TriedSetting(obey_calling_hours=obey) for obey in (False, True)]
    present, free, bound = ([run.hours[0].hour for run in runs] for runs in runs_of(house, order, *tried))
    assert present == free == [house.now_ms() // HOUR_MS]
    assert bound == [house.now_ms() // HOUR_MS + 1]
    house.database.close()


async def test_a_setting_that_the_campaign_may_not_have_is_refused(tmp_path: Path) -> None:
    house = open_house(tmp_path / "house")
    campaign_id = plain_house(house)
    order = Order(campaign_id, house.now_ms(), "UTC", 1)
    with pytest.raises(InvalidFieldsError, match="dial_method"):
        await compare_settings(house.database, order, [NamedSetting({}, TriedSetting({"dial_method": 3}))])
    house.database.close()


def a_run(present: SeedRun, **figures: int) -> SeedRun:
    return present._replace(counters=present.counters._replace(**figures))


@pytest.fixture(scope="module")
def one_run() -> SeedRun:
    """Return the run of a small campaign."""
    with a_house(BUSY, CALM, SMALL) as (house, campaign_id):
        return runs_of(house, order_of(house, campaign_id, seeds=1))[0][0]


def test_the_margins_of_a_table_hold_together(one_run: SeedRun) -> None:
    """Among 200 comparisons of settings that differ by chance alone, about ten tables say that something differs."""
    chance, wrong, tables = random.Random(7), 0, 200  # noqa: S311 - equal in every run of the test
    for _ in range(tables):
        present = [a_run(one_run, calls=round(chance.gauss(500, 20))) for _ in range(10)]
        others = [[a_run(one_run, calls=round(chance.gauss(500, 20))) for _ in range(10)] for _ in range(4)]
        shown = [one for runs in others for one in differences(present, runs, 0, 4)]
        wrong += any(one.is_more_than_chance for one in shown)
    assert wrong <= 20


def test_a_difference_is_judged_by_its_margin(one_run: SeedRun) -> None:
    present = [a_run(one_run, calls=500 + noise) for noise in (0, 40, -30, 10, 5, -20)]
    more = [
        run._replace(counters=run.counters._replace(calls=run.counters.calls + 3 + n % 2))
        for n, run in enumerate(present)
    ]
    (calls,) = [one for one in differences(present, more, 0, 7) if one.figure == "calls"]
    assert (calls.difference, calls.is_more_than_chance) == (3.5, True)
    assert 0 < (calls.margin or 0) < 3.5
    assert {one.is_more_than_chance for one in differences(present, present, 0, 7)} == {False}
    assert {one.is_more_than_chance for one in differences(present[:4], more[:4], 0, 7)} == {None}
    assert {one.margin for one in differences(present[:1], more[:1], 0, 7)} == {None}


def test_the_largest_comparison_fits_into_the_pipe() -> None:
    assert (SETTINGS_MAX + 1) * COMPARED_SEEDS_MAX <= TASKS_MAX
