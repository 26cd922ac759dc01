"""All pacing strategies, by name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from dialer.domain.pacing.adaptive import Adaptive, OnDrops
from dialer.domain.pacing.erlang import Erlang
from dialer.domain.pacing.fixed import FixedRate
from dialer.domain.pacing.inputs import Strategy
from dialer.domain.pacing.predictive import Predictive
from dialer.domain.pacing.progressive import Progressive
from dialer.domain.words.enums import DialMethod

_FIXED: Final = FixedRate()
_PROGRESSIVE: Final = Progressive()
PREDICTIVE: Final = Predictive()
_ALL: Final[tuple[Strategy, ...]] = (
    _FIXED,
    _PROGRESSIVE,
    PREDICTIVE,
    *(Adaptive(on_drops) for on_drops in OnDrops),
    Erlang(),
)

STRATEGIES: Final[Mapping[str, Strategy]] = MappingProxyType({strategy.name: strategy for strategy in _ALL})
"""All strategies by name. Add a new one to `_ALL` to make it available everywhere."""
GO_WITH_TIME: Final = frozenset({PREDICTIVE.name, Erlang().name})
"""Strategies whose result changes with time alone: the longer an agent talks, the sooner the talk is expected to end.
"""
_BY_DIAL_METHOD: Final[Mapping[DialMethod, Strategy]] = {
    DialMethod.FIXED_RATE: _FIXED,
    DialMethod.PROGRESSIVE: _PROGRESSIVE,
    DialMethod.PREDICTIVE: PREDICTIVE,
    DialMethod.PREVIEW: _PROGRESSIVE,
}


def strategy_named(name: str, dial_method: DialMethod) -> Strategy:
    """Return the strategy of this name, or that for a `dial_method` if the name is empty."""
    return STRATEGIES[name] if name else _BY_DIAL_METHOD[dial_method]


def for_dial_method(dial_method: DialMethod) -> Strategy:
    """Return the strategy for a campaign's `dial_method`."""
    return _BY_DIAL_METHOD[dial_method]
