"""EngineParts: everything that a worker gives to each of the engines that it builds."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from dialer.carriers.engine_port import CallPlacer
from dialer.domain.engine.engine import Engine
from dialer.runtime.steps.clock import Clock
from dialer.runtime.steps.coordinator import Coordinator
from dialer.runtime.steps.kernel import CampaignStore, Kernel
from dialer.runtime.steps.quarantine import Quarantine
from dialer.runtime.steps.step_extent import StepExtent
from dialer.store.journal.unwritten_rows import Recordings
from dialer.store.queries.load_engine import Loader
from dialer.store.queries.selection import Shards

NewCarrier = Callable[[int], CallPlacer]
"""Factory of the carrier of all gateways, from the service's seed."""
NewLoader = Callable[[Shards], Loader]
"""Factory of the reader of records, for the accounts of some shards."""
NewKernel = Callable[[Engine, CallPlacer, CampaignStore, int], Kernel]
"""Factory of the kernel that drives an engine. The last argument is the time, in milliseconds since the epoch."""


class EngineParts(NamedTuple):
    """The parts of an engine that outlive it. A worker has one set of them."""

    clock: Clock
    seed: int
    coordinator: Coordinator
    loader: NewLoader
    new_carrier: NewCarrier
    turns_given: Mapping[str, int]
    """The number of the last order that was given to each leg of this process, by key."""
    simulates_all: bool
    """True if no gateway has a line, whatever its protocol."""
    recordings: Recordings | None
    new_kernel: NewKernel
    quarantine: Quarantine
    extent: StepExtent
