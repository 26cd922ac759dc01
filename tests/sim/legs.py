"""Helpers of the tests of transfers and inbound calls: one callee, and short forms of the CDRs."""

from typing import Any, Final, NamedTuple

from dialer.sim.simulation import Simulation
from dialer.sim.simulation_store import SimulatedCdr
from tests.sim.scenes import START_MS, run

CALLER: Final = "+33199001234"
OTHER: Final = "+33199009999"
MINUTE: Final = 6_000
"""The cost of a minute in these scenarios."""
PATIENT: Final[dict[str, Any]] = {"outcome": "answer", "ring": 4, "keys": []}
"""A callee who answers 5 s after the dial, hears everything, and waits without limit."""
POPULATION: Final[dict[str, Any]] = {"ring": 3, "talk": 40, "key_delay": 2}
"""Others answer 4 s after the dial, and talk for 40 s if they are connected."""
TRANSFER: Final[dict[str, Any]] = {"type": 6, "audio_seconds": 2, "phonenumber": OTHER}
"""A transfer with 2 s of prompt, which begins 7 s after the dial."""


class Leg(NamedTuple):
    """A short form of a CDR; `starts_s` counts from the first dial."""

    leg_type: int
    starts_s: float
    duration: int
    billsec: int
    cause: int
    callerid: str
    phone_number: str
    cost: int


def a_leg(duration: int, billsec: int, *, starts_s: float = 0, minutes: int = 1, cause: int = 16) -> Leg:
    """Return the CDR of the A-leg."""
    return Leg(1, starts_s, duration, billsec, cause, "", CALLER, minutes * MINUTE)


def b_leg(starts_s: float, duration: int, billsec: int, cause: int = 16, *, to: str = OTHER, minutes: int = 1) -> Leg:
    """Return the CDR of the B-leg."""
    return Leg(2, starts_s, duration, billsec, cause, CALLER, to, minutes * MINUTE)


def call(
    *sections: dict[str, Any],
    caller: dict[str, Any] | None = None,
    numbers: dict[str, Any] | None = None,
    population: dict[str, Any] | None = None,
    contact: dict[str, Any] | None = None,
    **parts: Any,  # noqa: ANN401 - any part of the document
) -> Simulation:
    """Simulate one call to one callee; sections are numbered from 1."""
    named = [{"question": f"Section {place}", **section, "id": place} for place, section in enumerate(sections, 1)]
    behaviours = {CALLER: PATIENT | (caller or {}), **(numbers or {})}
    gateway = {"parameters": POPULATION | (population or {}) | {"numbers": behaviours}}
    return run(
        survey={"sections": named},
        contacts=[{"contact": CALLER, **(contact or {})}],
        **{"gateway": gateway | parts.pop("gateway", {}), **parts},
    )


def legs(simulation: Simulation) -> list[Leg]:
    """Return all CDRs, in the order in which the legs ended."""
    return [_leg(row) for row in simulation.store.cdrs]


def fates(simulation: Simulation) -> list[tuple[str, bool]]:
    """Return, for each transfer in order, its reason (empty if it was connected) and whether it was abandoned."""
    transfers = sorted((call.id, transfer.place, transfer) for call, transfer in simulation.store.transfers.values())
    return [(transfer.reason, transfer.is_abandoned) for _, _, transfer in transfers]


def responses(simulation: Simulation) -> list[str]:
    """Return the answers, in order."""
    return [result.response for _, result in simulation.store.results]


def _leg(row: SimulatedCdr) -> Leg:
    starts_s = (row.starting_ms - START_MS) / 1_000
    figures = (row.duration, row.billsec, row.hangup_cause_q850)
    return Leg(row.leg_type, starts_s, *figures, row.callerid, row.phone_number, row.call_cost)
