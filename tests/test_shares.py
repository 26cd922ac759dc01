"""Property tests: no share of any page, table or answer leaves 0 to 100, and no whole lacks its part."""

from collections import defaultdict
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.api.routes.statistics_answer import shown_figures
from dialer.console.pages.figures import _OF_AGENTS, _OF_CALLS
from dialer.console.parts.sheets import ValueKind
from dialer.domain.calls import call_effects
from dialer.domain.engine.call_results import results_by_cause
from dialer.domain.engine.retry import is_enough
from dialer.domain.figures.statistics import Figures, NoShareError, Strictness, add_figures, percent
from dialer.domain.words.enums import AmdStatus
from dialer.store.journal.call_counters import COUNTERS, _add_up, _spread
from dialer.store.journal.rows import cdr
from tests.domain.engine.test_engine_properties import fleets
from tests.domain.workers import Fleet

RATES: Final = ("asr", "contact_rate", "completion_rate", "abandoned_percent", "delivery_rate")


def figures_of(effect: call_effects.FinishCall) -> Figures:
    """Return the counters of one call, as the journal counts them."""
    counters, found = [0] * len(COUNTERS), defaultdict[Any, list[int]](lambda: [0] * 11)
    _add_up(found, [cdr(0, effect)])
    for alike, sums in found.items():
        for place, value in _spread(alike[3], sums):
            counters[place] = value
    return Figures(*counters)


@given(fleets())
def test_no_share_of_simulated_calls_leaves_0_to_100(fleet: Fleet) -> None:
    """Machines, mistakes of detection, several attempts and aborts included; each group of calls and their sum."""
    ended = [effect for _, effect in fleet.store.entries if isinstance(effect, call_effects.FinishCall)]
    calls = [(int(effect.outcome.cause), figures_of(effect)) for effect in ended]
    total = add_figures(one for _, one in calls)
    for figures in (*(one for _, one in calls), total):
        assert 0 <= figures.completed <= figures.live <= figures.answered <= figures.calls
        assert figures.abandoned <= figures.for_agents <= figures.live
        shown = msgspec.structs.asdict(shown_figures(figures))
        assert all(shown[name] is None or 0 <= shown[name] <= 100 for name in RATES)
        for one in (*_OF_CALLS, *_OF_AGENTS):
            value = one.value(figures)
            assert one.column.kind is not ValueKind.SHARE or value is None or 0 <= value <= 100  # type: ignore[operator]
    results = results_by_cause(calls)
    assert sum(results.values()) == total.calls
    machines = [effect for effect in ended if effect.outcome.answered_ms is not None and not effect.outcome.is_live]
    assert results.get("machine", 0) == sum(1 for effect in machines if figures_of(effect).answered)  # type: ignore[call-overload]
    for effect in machines:
        is_reached = effect.disposition.reason == "message_left"
        assert not is_reached or (is_enough(effect.call) and effect.outcome.amd_status is AmdStatus.MACHINE)


@given(part=st.integers(-5, 400), whole=st.integers(-5, 300))
def test_a_part_that_its_whole_does_not_contain_has_no_share(part: int, whole: int) -> None:
    if 0 <= part <= whole:
        share = percent(part, whole)
        assert share is None if whole == 0 else share is not None and 0 <= share <= 100
        return
    with pytest.raises(NoShareError):
        percent(part, whole)
    Strictness.raises = False
    try:
        assert percent(part, whole) is None
    finally:
        Strictness.raises = True
