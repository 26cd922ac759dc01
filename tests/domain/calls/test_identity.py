"""Tests of call ids: equal for equal calls, different for different ones."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calls.identity import call_uuid
from dialer.domain.words.enums import LegType

ids = st.integers(0, 2**63 - 1)


@given(ids, ids, ids, ids, st.sampled_from(LegType))
def test_a_call_id_is_a_uuid_of_version_8(
    seed: int, campaign: int, subscriber: int, attempt: int, leg: LegType
) -> None:
    callid = call_uuid(seed, campaign, subscriber, attempt, leg)
    assert (str(UUID(callid)), UUID(callid).version, UUID(callid).variant) == (callid, 8, "specified in RFC 4122")


def test_a_call_has_the_id_it_has_always_had() -> None:
    assert call_uuid(1, 2, 3, 4) == "e5d7b691-7410-833a-9ef5-2402bc809d35"


def test_calls_that_differ_in_one_thing_have_different_ids() -> None:
    neighbours = [(1, 1, 1, 1), (2, 1, 1, 1), (1, 2, 1, 1), (1, 1, 2, 1), (1, 1, 1, 2), (1, 11, 1, 1), (11, 1, 1, 1)]
    callids = {call_uuid(*one, leg) for one in neighbours for leg in LegType}
    assert len(callids) == 2 * len(neighbours)
