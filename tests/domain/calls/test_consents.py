"""Tests of consents: which of them cover a campaign, and from when until when."""

from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calls.consents import ConsentSpan, GivenConsent, NeededConsent, good_at, good_spans
from dialer.domain.words.consent_words import ConsentKind
from dialer.domain.words.moments import NEVER_MS
from dialer.domain.words.purposes import Purpose

FRANCE: Final = "+33142345601"
SPAIN: Final = "+34912345601"
USA: Final = "+12025550100"
PUERTO_RICO: Final = "+17875550100"
PARIS: Final = (ZoneInfo("Europe/Paris"),)
WASHINGTON: Final = (ZoneInfo("America/New_York"),)
ANY: Final = NeededConsent(ConsentKind.OPT_IN, "sales")


def at(text: str) -> int:
    """Return a moment in milliseconds; without an offset, in UTC."""
    moment = datetime.fromisoformat(text)
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1_000)


def consent(**fields: Any) -> GivenConsent:  # noqa: ANN401 - fields of a consent
    return GivenConsent(**{"id": 1, "kind": ConsentKind.EXPRESS, "given_ms": 0, **fields})


@pytest.mark.parametrize(
    ("fields", "needed", "count"),
    [
        ({}, ANY, 1),
        ({"kind": ConsentKind.OPT_IN}, NeededConsent(ConsentKind.EXPRESS, "sales"), 0),
        ({"kind": ConsentKind.WRITTEN}, NeededConsent(ConsentKind.EXPRESS, "sales"), 1),
        ({"kind": ConsentKind.EXPRESS}, NeededConsent(ConsentKind.WRITTEN, "sales"), 0),
        ({"purposes": frozenset({"sales", "debt"})}, ANY, 1),
        ({"purposes": frozenset({"survey"})}, ANY, 0),
        ({"purposes": frozenset({"sales"})}, NeededConsent(ConsentKind.OPT_IN, ""), 0),
        ({}, NeededConsent(ConsentKind.OPT_IN, ""), 1),
        ({"seller": "Example Energy"}, ANY, 0),
        ({"seller": "Example Energy"}, ANY._replace(seller="Example Energy"), 1),
        ({}, ANY._replace(seller="Example Energy"), 1),
    ],
)
def test_a_consent_covers_its_kind_its_purposes_and_its_seller(
    fields: dict[str, Any], needed: NeededConsent, count: int
) -> None:
    covered = (ConsentSpan(0, NEVER_MS, 1),)
    assert good_spans([consent(**fields)], needed, FRANCE, PARIS) == covered * count


@pytest.mark.parametrize(
    ("fields", "from_ms", "until_ms"),
    [
        ({"given_ms": 5, "expires_ms": 9}, 5, 9),
        ({"given_ms": 5, "withdrawn_ms": 7}, 5, 7),
        ({"given_ms": 5, "expires_ms": 9, "withdrawn_ms": 7}, 5, 7),
        ({"given_ms": 5, "expires_ms": 7, "withdrawn_ms": 9}, 5, 7),
    ],
)
def test_it_is_good_from_its_begin_to_before_its_end(fields: dict[str, int], from_ms: int, until_ms: int) -> None:
    spans = good_spans([consent(**fields)], ANY, FRANCE, PARIS)
    assert spans == (ConsentSpan(from_ms, until_ms, 1),)
    goods = [bool(good_at(spans, now_ms)) for now_ms in (from_ms - 1, from_ms, until_ms - 1, until_ms)]
    assert goods == [False, True, True, False]


def test_one_that_is_withdrawn_before_it_is_given_is_never_good() -> None:
    assert good_spans([consent(given_ms=9, withdrawn_ms=9)], ANY, FRANCE, PARIS) == ()


@pytest.mark.parametrize(
    ("number", "begin", "end"),
    [
        (SPAIN, "2026-03-01T10:00:00.250", "2028-03-01T10:00:00.250"),
        (SPAIN, "2028-02-29T23:59:59", "2030-02-28T23:59:59"),
        (SPAIN, "9998-01-01T00:00:00", "9999-01-01T00:00:00"),
        (FRANCE, "2026-03-01T10:00:00", None),
    ],
)
def test_it_is_good_for_two_years_in_spain(number: str, begin: str, end: str | None) -> None:
    ((_, until_ms, _),) = good_spans([consent(given_ms=at(begin))], ANY, number, PARIS)
    assert until_ms == (NEVER_MS if end is None else at(end))


@pytest.mark.parametrize(
    ("number", "withdrawn", "end"),
    [
        (USA, "2026-06-01T00:00:00", "2027-01-31T00:00:00-05:00"),
        (USA, "2027-03-01T12:00:00", "2027-03-01T12:00:00"),
        (PUERTO_RICO, "2027-03-01T12:00:00", "2027-03-01T12:00:00"),
        (FRANCE, "2027-03-01T12:00:00", None),
    ],
)
def test_one_withdrawal_ends_all_earlier_consents_in_the_usa_from_the_day_of_the_rule(
    number: str, withdrawn: str, end: str | None
) -> None:
    other = consent(id=2, purposes=frozenset({"survey"}), withdrawn_ms=at(withdrawn))
    later = consent(id=3, given_ms=at(withdrawn))
    found = good_spans([consent(), other, later], ANY, number, WASHINGTON)
    first = ConsentSpan(0, NEVER_MS if end is None else at(end), 1)
    assert found == (first, ConsentSpan(at(withdrawn), NEVER_MS, 3))


MOMENTS: Final = st.none() | st.integers(0, 100)
CONSENTS: Final = st.builds(
    GivenConsent,
    id=st.integers(1, 9),
    kind=st.sampled_from(ConsentKind),
    given_ms=st.integers(0, 100),
    purposes=st.frozensets(st.sampled_from([one.value for one in Purpose]), max_size=2),
    seller=st.sampled_from(["", "A"]),
    expires_ms=MOMENTS,
    withdrawn_ms=MOMENTS,
)


@given(
    st.lists(CONSENTS, max_size=6), st.sampled_from(ConsentKind), st.sampled_from(["", *Purpose]), st.integers(0, 99)
)
def test_whoever_is_covered_has_a_consent_that_says_so_and_nobody_else_is(
    consents: list[GivenConsent], kind: ConsentKind, purpose: str, now_ms: int
) -> None:
    order = ["opt_in", "express", "written"]
    good = [
        one.id
        for one in consents
        if (purpose in one.purposes or not one.purposes)
        and one.seller == ""
        and order.index(one.kind) >= order.index(kind)
        and one.given_ms <= now_ms
        and (one.expires_ms is None or now_ms < one.expires_ms)
        and (one.withdrawn_ms is None or now_ms < one.withdrawn_ms)
    ]
    assert good_at(good_spans(consents, NeededConsent(kind, purpose), FRANCE, PARIS), now_ms) == good
