"""Tests of resting gateways and their campaigns. Times count from the start in milliseconds."""

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calls import campaign_effects
from dialer.domain.calls.circuit_breaker import CARRIER_FAILURES, CircuitBreaker, after_attempt
from dialer.domain.calls.circuit_breaker import CircuitBreaker as Breaker
from dialer.domain.calls.plans import GatewayKey, GatewayPlan
from dialer.domain.engine.gateway_load import GatewayLoad
from dialer.domain.words.enums import CampaignStatus, Cause
from tests.domain.workers import DAY_MS, START_MS, Fleet, plan
from tests.gateways import FIRST, SECOND

NO_CIRCUIT: Final = ("+12025550115", "")
"""A number that fails a second after the dial, as do the next two."""
OUT_OF_ORDER: Final = ("+12025550116", "")
TEMPORARY: Final = ("+12025550117", "")
BUSY: Final = ("+12025550111", "")


def fold(*attempts: tuple[Cause, int, int]) -> list[CircuitBreaker]:
    """Return the circuit breaker after each attempt (cause, time of the dial, time of the end)."""
    breaker, found = Breaker(), []
    for cause, started_ms, ended_ms in attempts:
        breaker = after_attempt(breaker, cause, started_ms, ended_ms)
        found.append(breaker)
    return found


def failing(fleet_plan: Any = None, **settings: Any) -> Fleet:  # noqa: ANN401 - any setting of a fleet
    """Run a campaign of eight numbers that always fail, with one dial a second."""
    callees = [[NO_CIRCUIT, OUT_OF_ORDER, TEMPORARY] * 2 + [NO_CIRCUIT] * 2]
    return Fleet(fleet_plan or plan(), callees=callees, **settings)


def moments(fleet: Fleet, gateway_id: GatewayKey = FIRST) -> list[int]:
    """Return the moments of the calls over a gateway."""
    return [call.started_ms - START_MS for call in fleet.dials if call.plan.gateway_id == gateway_id]


@pytest.mark.parametrize("cause", sorted(CARRIER_FAILURES))
def test_at_the_fifth_failure_in_a_row_it_rests(cause: Cause) -> None:
    assert fold(*((cause, second, second + 1) for second in range(5)))[3:] == [
        Breaker(4),
        Breaker(5, 30_000, 30_005),
    ]


@pytest.mark.parametrize("cause", sorted(set(Cause) - CARRIER_FAILURES))
def test_any_cause_of_the_callee_resets_the_count(cause: Cause) -> None:
    failures = [(Cause.NO_CIRCUIT, second, second) for second in range(4)]
    assert fold(*failures, (cause, 5, 5), *failures)[3:] == [
        Breaker(4),
        Breaker(),
        Breaker(1),
        Breaker(2),
        Breaker(3),
        Breaker(4),
    ]


def test_a_rest_after_a_rest_is_twice_as_long_up_to_ten_minutes() -> None:
    breaker, lengths = fold(*((Cause.NO_CIRCUIT, 0, 0) for _ in range(5)))[-1], []
    for _ in range(6):
        now_ms = breaker.open_until_ms
        breaker = after_attempt(breaker, Cause.NO_CIRCUIT, now_ms, now_ms)
        lengths.append(breaker.open_ms // 1_000)
        assert breaker.open_until_ms == now_ms + breaker.open_ms
    assert lengths == [60, 120, 240, 480, 600, 600]


def test_a_carrier_that_asks_for_a_rest_gets_it_at_its_first_failure() -> None:
    once = after_attempt(Breaker(), Cause.TEMPORARY_FAILURE, 0, 1_000, 120_000)
    assert (once, once.is_asked_for) == (Breaker(1, 0, 121_000), True)
    # Calls from before are refused, too, and may ask for a longer rest.
    assert after_attempt(once, Cause.TEMPORARY_FAILURE, 500, 2_000, 200_000) == Breaker(1, 0, 202_000)
    assert after_attempt(once, Cause.TEMPORARY_FAILURE, 500, 2_000, 1_000) == once
    assert after_attempt(once, Cause.NORMAL_CLEARING, 121_000, 130_000) == Breaker()
    assert after_attempt(once, Cause.TEMPORARY_FAILURE, 121_000, 130_000) == Breaker(2)


@pytest.mark.parametrize("asked_ms", [300_000, 3_600_000, 10**12])
def test_one_refusal_stops_a_gateway_for_five_minutes_and_one_after_its_rest_for_up_to_an_hour(asked_ms: int) -> None:
    once = after_attempt(Breaker(), Cause.TEMPORARY_FAILURE, 0, 1_000, asked_ms)
    assert once == Breaker(1, 0, 301_000)
    # A call from before says nothing new, however long it rang.
    assert after_attempt(once, Cause.TEMPORARY_FAILURE, 500, 31_000, asked_ms) == Breaker(1, 0, 331_000)
    again = after_attempt(once, Cause.TEMPORARY_FAILURE, 301_000, 302_000, asked_ms)
    assert again == Breaker(2, 0, 302_000 + min(asked_ms, 3_600_000))
    assert after_attempt(again, Cause.USER_BUSY, 10**7, 10**7) == Breaker()


def test_the_longer_of_both_rests_counts_and_says_whether_it_was_asked_for() -> None:
    failed = Breaker(4)
    own = after_attempt(failed, Cause.TEMPORARY_FAILURE, 0, 1_000, 29_000)
    assert (own, own.is_asked_for) == (Breaker(5, 30_000, 31_000), False)
    asked = after_attempt(failed, Cause.TEMPORARY_FAILURE, 0, 1_000, 31_000)
    assert (asked, asked.is_asked_for) == (Breaker(5, 0, 32_000), True)
    longer = after_attempt(own, Cause.TEMPORARY_FAILURE, 500, 2_000, 31_000)
    assert (longer, longer.is_asked_for) == (Breaker(5, 0, 33_000), True)


def test_a_callee_who_is_called_later_is_no_failure_of_the_carrier() -> None:
    for cause in set(Cause) - CARRIER_FAILURES:
        assert after_attempt(Breaker(), cause, 0, 1_000, 120_000) == Breaker()


def test_a_gateway_is_not_used_while_its_carrier_wants_no_calls() -> None:
    gateway = GatewayLoad(GatewayPlan(FIRST))
    gateway.learn(Cause.TEMPORARY_FAILURE, 0, 1_000, 120_000)
    assert gateway.free_at_ms(2_000) == 121_000


def test_a_call_dialled_before_the_end_of_the_rest_does_not_count() -> None:
    """An older call changes nothing, whether it succeeds or its failure is reported late."""
    breaker = Breaker(5, 60_000, 100_000)
    for cause in Cause:
        assert after_attempt(breaker, cause, 99_999, 120_000) == breaker
    assert after_attempt(breaker, Cause.NORMAL_CLEARING, 100_000, 120_000) == Breaker()


@given(st.lists(st.tuples(st.sampled_from(Cause), st.integers(0, 1_000_000), st.integers(0, 100_000)), max_size=60))
def test_no_rest_begins_without_a_failure_and_none_is_longer_than_ten_minutes(
    attempts: list[tuple[Cause, int, int]],
) -> None:
    breaker = Breaker()
    for cause, started_ms, length_ms in sorted(attempts, key=lambda one: one[1] + one[2]):
        before, now_ms = breaker, started_ms + length_ms
        breaker = after_attempt(before, cause, started_ms, now_ms)
        if breaker != before and breaker.open_until_ms:
            assert cause in CARRIER_FAILURES
            assert breaker.open_until_ms - now_ms == breaker.open_ms
            assert 30_000 <= breaker.open_ms <= 600_000


@given(st.lists(st.tuples(st.sampled_from(Cause), st.integers(0, 10**7), st.integers(0, 10**12)), max_size=60))
def test_no_single_refusal_stops_a_gateway_that_worked_for_more_than_five_minutes(
    attempts: list[tuple[Cause, int, int]],
) -> None:
    breaker, now_ms = Breaker(), 0
    for cause, after_ms, asked_ms in attempts:
        before, now_ms = breaker, now_ms + after_ms
        breaker = after_attempt(before, cause, now_ms, now_ms, asked_ms)
        if before == Breaker():
            assert breaker.open_until_ms <= now_ms + 300_000
        assert breaker == before or breaker.open_until_ms <= now_ms + 3_600_000


class TestCampaigns:
    def test_they_wait_for_the_end_of_the_rest(self) -> None:
        """The fifth call fails at 5 s, when the sixth is due. Each call after a rest fails, too."""
        fleet = failing().run()
        assert moments(fleet) == [0, 1_000, 2_000, 3_000, 4_000, 35_000, 96_000, 217_000]
        assert fleet.moves == [(218_000, 1, CampaignStatus.END, "completed")]

    def test_a_call_that_was_on_its_way_when_the_rest_began_changes_nothing(self) -> None:
        """At two dials a second, the fifth fails at 3 s. The sixth, dialled at 2.5 s, fails during the rest."""
        assert moments(failing(plan(frequency=120)).run())[4:] == [2_000, 2_500, 33_000, 33_500]

    def test_a_successful_call_ends_the_row_of_failures(self) -> None:
        callees = [*[NO_CIRCUIT] * 4, BUSY, *[NO_CIRCUIT] * 4, BUSY, BUSY]
        assert moments(Fleet(plan(), callees=[callees]).run()) == [second * 1_000 for second in range(11)]

    def test_after_a_rest_all_goes_on_as_before_if_the_carrier_does(self) -> None:
        callees = [*[NO_CIRCUIT] * 5, *[BUSY] * 3, *[NO_CIRCUIT] * 6]
        found = moments(Fleet(plan(), callees=[callees]).run())
        assert found[5:] == [35_000, 36_000, 37_000, 38_000, 39_000, 40_000, 41_000, 42_000, 73_000]

    def test_campaigns_on_other_gateways_go_on(self) -> None:
        fleet = Fleet(
            plan(1),
            plan(2, gateway_id=SECOND),
            callees=[[NO_CIRCUIT] * 6, [BUSY] * 8],
            others=(GatewayPlan(SECOND),),
        ).run()
        assert moments(fleet)[5:] == [35_000]
        assert moments(fleet, SECOND) == [second * 1_000 for second in range(8)]

    def test_all_on_the_same_gateway_wait(self) -> None:
        """The second campaign begins during the rest that the first has caused."""
        fleet = Fleet(plan(1), plan(2, starting_ms=START_MS + 10_000), callees=[[NO_CIRCUIT] * 5, [BUSY] * 2]).run()
        assert moments(fleet)[5:] == [35_000, 36_000]

    def test_one_that_expires_in_a_rest_ends_then(self) -> None:
        fleet = failing(plan(expires_ms=START_MS + 20_000)).run()
        assert fleet.moves == [(20_000, 1, CampaignStatus.END, "expired")]

    def test_failures_are_retried_as_ever(self) -> None:
        """After five attempts to one number, a second apart, the retry waits for the end of the rest."""
        fleet = Fleet(plan(maxretry=6, intervalretry_ms=0), callees=[[NO_CIRCUIT]]).run()
        assert moments(fleet) == [0, 1_000, 2_000, 3_000, 4_000, 35_000, 96_000]

    def test_no_channel_is_lost(self) -> None:
        """With one channel, all calls after the rests are still placed."""
        fleet = failing(gateway=GatewayPlan(FIRST, max_channels=1)).run()
        assert moments(fleet) == [0, 1_000, 2_000, 3_000, 4_000, 35_000, 96_000, 217_000]

    @pytest.mark.parametrize("restart_ms", [0, 4_999, 5_000, 5_001, 20_000, 34_999, 35_000, 36_000, 200_000])
    def test_a_restart_does_not_end_a_rest(self, restart_ms: int) -> None:
        undisturbed, restarted = failing().run(), failing()
        restarted.run(START_MS + restart_ms).restart()
        assert moments(restarted.run(START_MS + DAY_MS)) == moments(undisturbed)
        assert restarted.breaker(FIRST) == undisturbed.breaker(FIRST)

    def test_each_change_is_recorded_once(self) -> None:
        callees = [NO_CIRCUIT, BUSY, BUSY, *[NO_CIRCUIT] * 5]
        fleet = Fleet(plan(), callees=[callees]).run()
        kept = [effect.breaker.failures for effect in fleet.effects(campaign_effects.KeepBreaker)]
        assert kept == [1, 0, 1, 2, 3, 4, 5]
