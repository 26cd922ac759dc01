"""Tests that the short way to a dial decides as the long one does."""

from unittest.mock import patch

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.billing.charge import Rate
from dialer.domain.calls.effects import KeepWish
from dialer.domain.calls.plans import SIMULATED, SIP, GatewayPlan, Subscriber
from dialer.domain.engine.credit import Account
from dialer.domain.engine.gateway_load import GatewayLoad
from dialer.domain.engine.person_verdicts import PersonVerdicts
from dialer.domain.engine.plain_dials import PlainDials
from dialer.domain.engine.state import EngineState, OpenCampaign
from dialer.domain.numbers.destinations import EVERYWHERE, Destinations
from dialer.domain.words.proof import Proof, WishSource
from tests.domain.engine.test_engine_properties import built_twice
from tests.domain.numbers.test_ordinary_numbers import numbers_of_all_countries
from tests.domain.workers import Fleet, plan
from tests.gateways import FIRST

numbers = numbers_of_all_countries | st.sampled_from(
    ["+12025550101", "+4930123456", "2025550101", "+19002345678", "911"]
)
gateways = st.builds(
    GatewayPlan,
    st.just(FIRST),
    addprefix=st.sampled_from(["", "9", "00"]),
    removeprefix=st.sampled_from(["", "+", "+1", "+49,+4"]),
    protocol=st.sampled_from([SIMULATED, SIP]),
)
destinations = st.sampled_from(
    [EVERYWHERE, Destinations(frozenset({"DE"})), Destinations(allows_special=True)],
)
people = st.builds(
    Subscriber,
    st.just(1),
    numbers,
    st.sampled_from(["", "UTC", "Europe/Paris&Europe/Berlin", "?", "Mars/Olympus"]),
    is_on_dnc=st.sampled_from([False, False, True]),
    is_held=st.booleans(),
)


@given(built_twice())
def test_a_campaign_makes_the_same_calls_by_the_short_and_the_long_way(twins: tuple[Fleet, Fleet]) -> None:
    short, long = twins
    with patch.object(PlainDials, "dial", lambda *_: False):
        long.run()
    assert short.run().store.entries == long.store.entries


@given(
    people, gateways, destinations, st.sampled_from([None, "Hello", " "]), st.sampled_from([0, 5]), st.none() | numbers
)
def test_an_ordinary_person_has_no_fact_that_the_dial_rules_look_at(
    person: Subscriber,
    gateway: GatewayPlan,
    allowed: Destinations,
    text_message: str | None,
    closed_until_ms: int,
    called_off: str | None,
) -> None:
    state = EngineState(seed=1, first_call_id=1)
    campaign = OpenCampaign(msgspec.structs.replace(plan(), text_message=text_message), state.windows)
    state.gateways[FIRST] = GatewayLoad(gateway)
    state.accounts[1] = Account(0, 0, Rate(0), 0, destinations=allowed)
    for number in {called_off, person.number} if called_off == "911" else {called_off} - {None}:
        state.called_off.add(KeepWish(1, None, str(number), Proof(WishSource.KEY)))
    verdicts = PersonVerdicts(state)
    assert verdicts.of(campaign, person, closed_until_ms) == verdicts.judged(campaign, person, closed_until_ms)
