"""OpenGateways: the gateways of one engine, each with its carrier, and the state of its line as the engine knows it."""

from collections.abc import Callable, Mapping
from typing import Final

import structlog

from dialer.domain.calls import call_events, campaign_events, events
from dialer.domain.calls.plans import GatewayKey, GatewayPlan
from dialer.runtime.lines.call_router import CallRouter
from dialer.runtime.lines.line_reports import STARTING, LineSettings
from dialer.runtime.lines.switchboard import Switchboard
from dialer.runtime.steps.engine_rows import in_scope
from dialer.runtime.steps.kernel import Kernel
from dialer.store.database.touched import Touched
from dialer.store.queries.calls_in_progress import UNREADABLE_PROTOCOL
from dialer.store.queries.load_engine import LoadedRows
from dialer.store.queries.readable_rows import UNREADABLE

_log = structlog.get_logger(__name__)


class OpenGateways:
    """The gateways of one engine, kept up to date with the rows and the lines."""

    def __init__(self, kernel: Kernel, router: CallRouter, switchboard: Switchboard, *, simulates_all: bool) -> None:
        self._kernel: Final = kernel
        self._router: Final = router
        self._switchboard: Final = switchboard
        self._simulates_all: Final = simulates_all
        self.settings: Final[dict[GatewayKey, LineSettings]] = {}
        self._lines: Final[dict[GatewayKey, str]] = {}
        """Why the line of each gateway that needs one does not work, as the engine knows it; empty if it works."""

    def apply(self, world: LoadedRows, scope: Touched) -> None:
        """Apply gateways to the engine, and close the lines of those that are gone."""
        for gateway_id in in_scope(self.settings.keys(), scope, scope.gateways) - world.parameters.keys():
            self._switchboard.close_line(gateway_id)
        for gateway in world.gateways:
            self._open(gateway, world.parameters[gateway.plan.id])

    def open_unknown(self, gateway_id: GatewayKey) -> None:
        """Open a gateway that was deleted, if it is not open. A call that was placed over it still needs it to end."""
        if gateway_id not in self.settings:
            self._open(campaign_events.GatewayOpened(GatewayPlan(gateway_id)), "{}")

    def follow_lines(self, lines: Mapping[GatewayKey, str], tell: Callable[[events.Event], None]) -> None:
        """Tell the engine which lines have stopped or begun to work."""
        for gateway_id in self._switchboard.settings:
            why = lines.get(gateway_id, STARTING)
            if self._lines.get(gateway_id) != why:
                self._lines[gateway_id] = why
                tell(call_events.LineLost(gateway_id, why) if why else call_events.LineFound(gateway_id))

    def _open(self, opened: campaign_events.GatewayOpened, parameters: str) -> None:
        gateway_id, settings = opened.plan.id, LineSettings(opened.plan.protocol, parameters)
        if self.settings.get(gateway_id) != settings:
            self.settings[gateway_id] = settings
            self._open_carrier(gateway_id, settings)
        self._kernel.apply(opened)
        if gateway_id not in self._switchboard.settings and self._lines.pop(gateway_id, ""):
            self._kernel.apply(call_events.LineFound(gateway_id))

    def _open_carrier(self, gateway_id: GatewayKey, settings: LineSettings) -> None:
        """Open the carrier of a gateway. With parameters that cannot be read, it has none, and dials nothing."""
        if not (settings.is_simulated or self._simulates_all):
            self._switchboard.open_line(gateway_id, settings)
            return
        try:
            self._router.open_gateway(gateway_id, settings.simulated())
        except UNREADABLE as error:
            _log.error("gateway_unreadable", **gateway_id.columns(), reason=str(error))
            self._switchboard.open_line(gateway_id, LineSettings(UNREADABLE_PROTOCOL, settings.parameters))
