"""Situations drawn by hypothesis: all that an engine could describe, and some that it could not."""

from typing import Any, Final

from hypothesis import strategies as st

from dialer.domain.pacing.inputs import PacingFigures, PacingInputs, PeriodFigures

NOW_MS: Final = 1_795_168_800_000

times_ms = st.lists(st.integers(0, 600_000), max_size=200)
moments = st.lists(st.integers(NOW_MS - 600_000, NOW_MS), max_size=80).map(lambda values: tuple(sorted(values)))
memories = st.fixed_dictionaries(
    {}, optional={"level": st.floats(1, 3), "due_ms": st.integers(NOW_MS - 60_000, NOW_MS + 15_000).map(float)}
).filter(lambda memory: "level" in memory or not memory)
counted = st.builds(
    lambda from_ms, answered, abandoned: PeriodFigures(from_ms, answered, min(answered, abandoned)),
    st.integers(0, NOW_MS),
    st.integers(0, 5_000),
    st.integers(0, 200),
)
periods = st.lists(counted, max_size=2)
shares = st.integers(0, 1_000)
"""Shares in thousandths, so that tests can compute with integers."""


@st.composite
def figures(draw: st.DrawFn) -> PacingFigures:
    answered = draw(st.integers(0, 5_000))
    return PacingFigures(
        dialled=answered + draw(st.integers(0, 10_000)),
        answered=answered,
        abandoned=min(answered, draw(st.integers(0, 200) | st.integers(0, 5_000))),
        outcomes=draw(st.lists(st.integers(0, 1), max_size=200)),
        ring_ms=draw(times_ms),
        greeting_ms=draw(times_ms),
        handling_ms=draw(times_ms),
        periods=draw(periods),
        memory=draw(memories),
    )


@st.composite
def situations(draw: st.DrawFn, share: st.SearchStrategy[int] = shares) -> PacingInputs:
    idle = draw(st.integers(0, 80))
    bridged_ms = draw(moments)
    wrapping = draw(st.lists(st.integers(NOW_MS, NOW_MS + 60_000), max_size=20))
    drawn: dict[str, Any] = {
        "idle": idle,
        "bridged_ms": bridged_ms,
        "wrapping_ms": tuple(sorted(wrapping)),
        "agents": idle + len(bridged_ms) + len(wrapping) + draw(st.integers(0, 3)),
        "waiting": draw(st.integers(0, 20)),
        "dialling_ms": draw(moments),
        "greeted_ms": draw(moments),
        "frequency": draw(st.integers(1, 300)),
        "next_dial_us": draw(st.integers(0, NOW_MS * 1_000)),
        "agent_dial_rate": draw(st.integers(0, 500)) / 100,
        "abandon_rate_max": draw(share) / 1_000,
        "first_answers": draw(st.sampled_from([0, 100])),
        "figures": draw(figures()),
    }
    return PacingInputs(NOW_MS, **drawn)
