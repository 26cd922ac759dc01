"""Tests of the chart of hours, and of the kept forecast beside it."""

from hypothesis import given
from hypothesis import strategies as st

from dialer.console.charts.charts import BOX
from dialer.console.charts.forecast_chart import HOURS_SHOWN_MAX, HOURS_SHOWN_MIN, draw_hours
from dialer.domain.figures.statistics import HOUR_MS, Figures
from dialer.domain.forecast.kept_forecast import ForecastHour, KeptForecast, Spread
from dialer.store.queries.statistics import Counted

PRESENT = 1_000
spreads = st.lists(st.integers(0, 10**5), min_size=3, max_size=3).map(sorted).map(Spread._make)


def kept(*hours: ForecastHour) -> KeptForecast:
    whole = hours[-1].cost if hours else Spread(7, 7, 7)
    return KeptForecast(PRESENT * HOUR_MS, 20, 20, Spread(0, 0, 0), Spread(0, 0, 0), whole, 7, list(hours))


@given(
    st.dictionaries(st.integers(PRESENT - 167, PRESENT), st.integers(0, 10**5), max_size=30),
    st.dictionaries(st.integers(PRESENT, PRESENT + 167), spreads, max_size=30),
)
def test_bars_and_bands_stay_within_the_chart(happened: dict[int, int], likely: dict[int, Spread]) -> None:
    counted = [Counted(hour, "", Figures(calls=calls)) for hour, calls in happened.items()]
    hours = [ForecastHour(hour, calls, Spread(0, 0, 0)) for hour, calls in sorted(likely.items())]
    chart = draw_hours(counted, kept(*hours), PRESENT * HOUR_MS)
    assert (chart is None) == (not happened and not likely)
    if chart is not None:
        assert len(chart.bars) <= HOURS_SHOWN_MAX
        assert len(chart.bars) >= HOURS_SHOWN_MIN
        assert [one.calls for one in chart.bars] == [happened.get(one.at_ms // HOUR_MS, 0) for one in chart.bars]
        assert all(0 <= one.height <= BOX and 0 <= one.band_y <= BOX for one in chart.bars)
        assert all(one.x >= 0 and one.x + one.width <= BOX for one in chart.bars)


def test_the_likely_cost_grows_steadily_within_an_hour() -> None:
    found = kept(
        ForecastHour(PRESENT, Spread(0, 0, 0), Spread(7, 17, 27)),
        ForecastHour(PRESENT + 1, Spread(0, 0, 0), Spread(7, 19, 47)),
    )
    at = {part: found.cost_at(round((PRESENT + part) * HOUR_MS)) for part in (-1, 0, 0.5, 1, 1.5, 2, 9)}
    assert at == {
        -1: Spread(7, 7, 7),
        0: Spread(7, 7, 7),
        0.5: Spread(7, 12, 17),
        1: Spread(7, 17, 27),
        1.5: Spread(7, 18, 37),
        2: Spread(7, 19, 47),
        9: Spread(7, 19, 47),
    }
