"""Effects, events and section types that nobody handles: each driver refuses to start with one."""

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Final, Union, get_args

import msgspec
import pytest

from dialer.domain import calls
from dialer.domain.calls import call_effects, effects, events
from dialer.domain.engine.engine import Engine
from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.domain.words.enums import SectionType
from dialer.domain.words.exhaustive import exhaustive
from dialer.forecast.run_store import RunStore
from dialer.forecast.stage import ForecastStage
from dialer.runtime.steps.dial_counters import StepCounters
from dialer.runtime.steps.guard import Guard
from dialer.runtime.steps.kernel import Kernel
from dialer.sim.carrier import SimulatedCarrier
from dialer.sim.memory_store import CampaignPeople
from dialer.sim.simulation_store import SimulationStore
from dialer.store.journal.journal import JournalStore
from dialer.store.queries.load_engine import LoadedRows
from tests.gateways import FIRST


class Unheard(msgspec.Struct, frozen=True):
    """An effect, or an event, that no driver knows."""


STAGE: Final = ForecastStage(
    campaign_id=1,
    now_ms=0,
    expires_ms=0,
    subscribers=0,
    done_until_ms=0,
    first_call_id=1,
    world=LoadedRows([], [], {}, [], [], [], [], [], [], [], [], {}),
    openings=(),
    people=CampaignPeople(0, 0, {}),
    listed=frozenset(),
    number_key=None,
    attempts=(),
    waiting=(),
    call_backs=(),
)


def kernel() -> Kernel:
    return Kernel(Engine(seed=1), SimulatedCarrier(1), SimulationStore(), now_ms=0)


def journal() -> None:
    JournalStore(next_cdr_id=1, observers=(Guard(), StepCounters())).record(call_effects.KeepLine(FIRST, ""), 0)


DRIVERS: Final[list[tuple[ModuleType, str, Callable[[], object]]]] = [
    (effects, "Recorded", SimulationStore),
    (effects, "Recorded", lambda: RunStore(STAGE)),
    (effects, "Recorded", journal),
    (effects, "Recorded", Guard),
    (effects, "Recorded", StepCounters),
    (effects, "Question", kernel),
    (effects, "Effect", kernel),
    (events, "EngineEvent", lambda: Engine(seed=1)),
]


@pytest.mark.parametrize(("module", "union", "start"), DRIVERS)
def test_a_new_effect_or_event_stops_each_driver_that_does_not_name_it(
    monkeypatch: pytest.MonkeyPatch,
    module: ModuleType,
    union: str,
    start: Callable[[], object],
) -> None:
    start()
    monkeypatch.setattr(module, union, Union[getattr(module, union), Unheard])  # noqa: UP007 - of any union
    with pytest.raises(TypeError, match=r"^these types have no entry, or are not in the union: Unheard$"):
        start()


def test_an_entry_for_a_type_that_is_gone_is_refused() -> None:
    with pytest.raises(TypeError, match="Unheard"):
        exhaustive(effects.Question, {**dict.fromkeys(get_args(effects.Question)), Unheard: None})


def test_each_effect_has_one_kind_and_each_class_of_effects_and_events_is_in_its_union() -> None:
    kinds = [set(get_args(kind)) for kind in (effects.Question, effects.Recorded, effects.Command)]
    assert sum(map(len, kinds)) == len(set(get_args(effects.Effect)))
    assert declared("effects") == set(get_args(effects.Effect))
    assert declared("events") == set(get_args(events.Event))


def declared(kind: str) -> set[type]:
    """Return the classes of all modules of effects, or of events."""
    names = [name for _, name, _ in iter_modules(calls.__path__) if name.endswith(kind)]
    modules = [import_module(f"{calls.__name__}.{name}") for name in names]
    return {
        member
        for module in modules
        for member in vars(module).values()
        if isinstance(member, type) and member.__module__ == module.__name__
    }


def test_each_section_type_is_in_the_table() -> None:
    assert list(SECTION_TYPES) == list(SectionType)
