"""Tests of claims: a chunk of people is not read twice, or they would be called twice."""

import pytest

from dialer.domain.calls.campaign_effects import ClaimFresh, ClaimRetries
from dialer.domain.calls.effects import Effect
from dialer.domain.engine.claims import Claims
from dialer.domain.engine.state import EngineState

FRESH = ClaimFresh(campaign_id=1, zone="UTC", after_id=0, limit=10)
RETRIES = ClaimRetries(campaign_id=1, zone="UTC", after_due_ms=0, after_id=0, limit=10)


def new_claims() -> tuple[Claims, list[Effect]]:
    state, effects = EngineState(seed=1, first_call_id=1), list[Effect]()
    state.emit = effects.append
    return Claims(state), effects


@pytest.mark.parametrize("claim", [FRESH, RETRIES])
def test_a_claim_that_is_open_is_not_made_again(claim: ClaimFresh | ClaimRetries) -> None:
    (claims, effects), decided = new_claims(), list[int]()
    claims.make(claim)
    claims.make(claim)
    claims.defer(decided.append)
    assert effects == [claim]
    claims.answered(7)
    assert decided == [7]
    claims.make(claim)
    assert (effects, claims.are_open()) == ([claim, claim], True)


def test_claims_of_two_chunks_are_both_made_and_waited_for() -> None:
    (claims, effects), decided = new_claims(), list[int]()
    for claim in (FRESH, RETRIES, FRESH):
        claims.make(claim)
    claims.defer(decided.append)
    assert effects == [FRESH, RETRIES]
    claims.answered(7)
    assert (decided, claims.are_open()) == ([], True)
    claims.answered(8)
    assert (decided, claims.are_open()) == ([8], False)
