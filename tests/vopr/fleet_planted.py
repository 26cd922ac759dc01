"""Planted bugs of the agreement between workers, which the simulated fleets must find."""

from typing import Any, Final

from sqlalchemy import Connection

from dialer.domain.engine.gateway_load import GatewayLoad
from dialer.runtime.fleet.fleet_coordinator import FleetCoordinator
from dialer.runtime.steps.guard import Guard
from dialer.runtime.steps.larger_slices import LargerSlices
from dialer.store.database.touched import NOTHING
from dialer.store.fleet import changes, shards, slices, worker_positions
from tests.runtime.broken import Wrapped, wrap
from tests.vopr.planted import Patch, Planted


def go_on_when_replaced(patch: Patch) -> None:
    """Let a worker go on, although others own its shards."""

    def around(begin: Wrapped) -> Wrapped:
        def begun(self: Any, connection: Connection) -> Any:  # noqa: ANN401 - as `begin`
            if self._own_position is None:
                return begin(self, connection)
            return changes.news_since(connection, self._own_position.seen).touched

        return begun

    wrap(patch, FleetCoordinator, "begin", around)
    patch.setattr(FleetCoordinator, "may_step", lambda self: self.worker_id is not None)
    patch.setattr(worker_positions, "save_position", lambda *_: True)


def use_what_was_given_back(patch: Patch) -> None:
    """Let a worker use what it has given back of a gateway."""

    def around(limit: Wrapped) -> Wrapped:
        def grow(self: GatewayLoad, plan: Any, lent: Any) -> None:  # noqa: ANN401 - as `limit`
            channels, cps = self.channels, self.cps
            limit(self, plan, lent)
            if lent is not None:
                self.channels, self.cps = max(channels, self.channels), max(cps, self.cps)

        return grow

    wrap(patch, GatewayLoad, "limit", around)
    patch.setattr(Guard, "lend", lambda *_: None)


def _gives_without_its_calls(patch: Patch) -> None:
    """Let a worker give channels back before its engine knows all calls that it has taken over."""
    patch.setattr(FleetCoordinator, "has_engine_of", lambda *_: True)


def _changes_are_not_counted(patch: Patch) -> None:
    patch.setattr(changes, "news_since", lambda _connection, seen: changes.News(seen, NOTHING))


def _leases_by_own_clock(patch: Patch) -> None:
    own_clock = property(lambda self: lambda _: self._steady_ms(), lambda *_: None)
    patch.setattr(FleetCoordinator, "_database_ms", own_clock, raising=False)


def _takers_begin_at_their_own_position(patch: Patch) -> None:
    def around(progress_of: Wrapped) -> Wrapped:
        return lambda *arguments: dict.fromkeys(progress_of(*arguments))

    wrap(patch, shards, "progress_of", around)


def _slices_exceed_the_gateway(patch: Patch) -> None:
    patch.setattr(slices, "booked", lambda _: 0)


def _calls_per_second_do_not_rest(patch: Patch) -> None:
    patch.setattr(slices, "REST_MS", 0)


def _larger_slices_hold_at_once(patch: Patch) -> None:
    """Let a larger slice hold at the time of the last step, if the gateway is read again for another reason."""
    patch.setattr(LargerSlices, "limited", lambda _self, gateways: gateways)


FLEET_PLANTED: Final = (
    Planted("a worker that was replaced goes on", go_on_when_replaced, 1),
    Planted("a worker uses what it gave back", use_what_was_given_back, 0),
    Planted("a worker gives back what the calls of its new shards use", _gives_without_its_calls, 0),
    Planted("changes of users are not counted", _changes_are_not_counted, 1),
    Planted("leases are judged by the own clock", _leases_by_own_clock, 4),
    Planted("a taker begins at its own position", _takers_begin_at_their_own_position, 4),
    Planted("slices exceed the gateway", _slices_exceed_the_gateway, 0),
    Planted("calls per second are taken at once that were just used", _calls_per_second_do_not_rest, 45),
    Planted("a larger slice holds for what was due before it", _larger_slices_hold_at_once, 14),
)
