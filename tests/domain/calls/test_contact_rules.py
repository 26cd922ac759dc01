"""Tests of contact rules: they hold the next contact back exactly as long as a plain count says."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calls.contact_rules import (
    DAY_MS,
    HOUR_MS,
    FrequencyRule,
    HeldSpan,
    MadeContact,
    RuledCampaign,
    first_free_ms,
    judge,
)
from dialer.domain.words.contact_words import CALL, TEXT, ContactKind, PeriodUnit, RestAfter
from dialer.domain.words.moments import NEVER_MS

NOW_MS = 1_772_467_200_000
CAMPAIGN = RuledCampaign(1, 1, "", (), "UTC")
ZONES = (UTC,)


def rule(**fields: object) -> FrequencyRule:
    plain = {"id": 1, "name": "rule", "limit": 1, "period": 1, "unit": PeriodUnit.DAYS}
    return FrequencyRule(**{**plain, **fields})  # type: ignore[arg-type]


def call(at_ms: int, length_ms: int | None = 60_000, **fields: object) -> MadeContact:
    """Return a call that a person answered; one in progress without a length."""
    ended_ms = None if length_ms is None else at_ms + length_ms
    plain = {
        "at_ms": at_ms,
        "ended_ms": ended_ms,
        "medium": CALL,
        "callid": "",
        "billsec": 0 if ended_ms is None else 60,
    }
    return MadeContact(**{**plain, "is_person": True, **fields})  # type: ignore[arg-type]


def spans(one: FrequencyRule, made: Sequence[MadeContact]) -> list[HeldSpan]:
    return [hold.span for hold in judge(one, CAMPAIGN, made, ZONES)]


def test_a_call_out_of_the_period_leaves_the_one_in_progress_to_decide() -> None:
    made = [call(NOW_MS - 30 * HOUR_MS), call(NOW_MS - 10_000, None)]
    held = spans(rule(counts=ContactKind.ANSWERS), made)
    assert first_free_ms(held, NOW_MS) == NEVER_MS
    assert first_free_ms(held, NOW_MS - 10 * HOUR_MS) == NEVER_MS, "and after the earlier one has counted its day"


def test_a_call_in_progress_asks_nobody_to_wait_longer_than_the_one_besides_it_counts() -> None:
    made = [call(NOW_MS - 23 * HOUR_MS), call(NOW_MS - 10_000, None)]
    held = spans(rule(counts=ContactKind.ANSWERS, limit=2), made)
    assert first_free_ms(held, NOW_MS) == NEVER_MS
    assert first_free_ms(held, NOW_MS + HOUR_MS) == NOW_MS + HOUR_MS


@pytest.mark.parametrize("after", [RestAfter.CONVERSATION, RestAfter.REFUSAL, RestAfter.ABANDONED, RestAfter.MACHINE])
def test_a_call_begins_a_rest_of_texts(after: RestAfter) -> None:
    made = [call(NOW_MS - HOUR_MS, is_refusal=True, is_abandoned=True, is_machine=True)]
    held = spans(rule(after=after, limit=0, media=frozenset({TEXT})), made)
    assert held == [HeldSpan(0, NOW_MS - HOUR_MS + 60_000 + DAY_MS, rule_id=1)]


def test_a_rest_of_texts_with_a_limit_counts_texts_only() -> None:
    begins = call(NOW_MS - HOUR_MS)
    since = [call(NOW_MS - 60_000), call(NOW_MS, medium=TEXT)]
    resting = rule(after=RestAfter.REFUSAL, limit=1, media=frozenset({TEXT}))
    refused = [call(NOW_MS - HOUR_MS, is_refusal=True), *since]
    assert spans(resting, [begins, *since]) == []
    assert spans(resting, refused[:2]) == []
    assert spans(resting, refused) == [HeldSpan(0, NOW_MS - HOUR_MS + 60_000 + DAY_MS, rule_id=1)]


CALLS = st.builds(
    call,
    st.integers(NOW_MS - 4 * DAY_MS, NOW_MS),
    st.sampled_from([None, 1_000, HOUR_MS]),
    medium=st.sampled_from([CALL, CALL, TEXT]),
    billsec=st.sampled_from([0, 5, 60]),
    is_person=st.booleans(),
    is_abandoned=st.booleans(),
    is_inbound=st.booleans(),
)


def ends_ms(one: FrequencyRule, at_ms: int) -> int:
    """Return when a contact leaves the period, plainly."""
    if one.unit is PeriodUnit.CALENDAR_DAYS:
        first = datetime.fromtimestamp(at_ms / 1_000, UTC).date()
        after = datetime.combine(first + timedelta(days=one.period), datetime.min.time(), UTC)
        return int(after.timestamp() * 1_000)
    return at_ms + one.period * (HOUR_MS if one.unit is PeriodUnit.HOURS else DAY_MS)


def is_certain(one: FrequencyRule, made: Sequence[MadeContact], at_ms: int) -> bool | None:
    """Return whether the limit is reached at a moment; None if calls in progress decide."""
    kinds = [(contact, contact.is_counted(one.counts, one.seconds)) for contact in made if contact.medium in one.media]
    counting = sum(1 for contact, kind in kinds if kind and ends_ms(one, contact.at_ms) > at_ms)
    in_progress = sum(1 for _, kind in kinds if kind is None)
    if counting >= one.limit:
        return True
    return None if counting + in_progress >= one.limit else False


@given(
    st.builds(
        rule,
        limit=st.integers(1, 3),
        period=st.integers(1, 3),
        unit=st.sampled_from(PeriodUnit),
        counts=st.sampled_from(ContactKind),
        seconds=st.sampled_from([1, 30]),
        media=st.sampled_from([frozenset({CALL}), frozenset({TEXT}), frozenset({CALL, TEXT})]),
    ),
    st.lists(CALLS, max_size=6),
    st.integers(NOW_MS - DAY_MS, NOW_MS + 4 * DAY_MS),
)
def test_a_limit_holds_exactly_while_a_plain_count_says(
    one: FrequencyRule, made: list[MadeContact], at_ms: int
) -> None:
    free_ms = first_free_ms(spans(one, made), at_ms)
    said = is_certain(one, made, at_ms)
    if said is False:
        assert free_ms == at_ms
    elif said is None:
        assert free_ms == NEVER_MS
    else:
        assert free_ms > at_ms
        assert free_ms == NEVER_MS or is_certain(one, made, free_ms) is False
        assert free_ms == NEVER_MS or is_certain(one, made, free_ms - 1)
