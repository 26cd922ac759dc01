"""Lines: the real carriers of all gateways, as a worker opens, hears and serves them.

They outlive the engine, which is discarded when a step fails. Things heard wait here until a step that tells the
engine of them is committed. All methods run in the event loop.
"""

import contextlib
import itertools
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import anyio
import msgspec
import structlog

from dialer.carriers.line_port import Exchange, Found, Line, LiveLeg, Unknown, Unplaced
from dialer.domain.calls.plans import GatewayKey
from dialer.domain.sessions.leg_protocol import LegReport, Tape, TextReceived
from dialer.runtime.lines.line_leg import LineLeg
from dialer.runtime.lines.line_legs import HandOver
from dialer.runtime.lines.line_reports import STARTING, LineReport, LineSettings
from dialer.runtime.lines.report_checks import storable
from dialer.runtime.lines.switchboard import Switchboard

HEARD_PER_STEP: Final = 1_000
"""Limit of things heard that one step tells the engine."""
HEARD_WITH_TEXTS_MAX: Final = 200_000
"""Limit of things heard, if the next one is a text message, which may be a wish not to be written to."""
HEARD_MAX: Final = 100_000
"""Limit of things heard that wait for a step. Later ones are lost, and the watchdog ends the calls."""
HEARD_OF_GATEWAY_MAX: Final = 50_000
"""Limit of things heard over one gateway that wait for a step, so that there is room for those of the others."""
REASON_MAX: Final = 255
"""Characters of the reason why a line does not work."""
FIND_SECONDS: Final = 5.0
"""Time for a line to find its legs. After that, it is asked again when it next says that it works."""

NewLine = Callable[[int, str, Exchange], Line]
"""Factory of a line, from the id and the parameters (a JSON object) of its gateway. It neither blocks nor raises."""

FAILURES: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    msgspec.MsgspecError,
)
"""Errors of a line that raises, though it must not. They stop no step."""

_log = structlog.get_logger(__name__)


class _Trunk:
    """An open line: the `Exchange` that it is given, and what is known of it."""

    def __init__(self, lines: "Lines", gateway_id: GatewayKey, settings: LineSettings, new_line: NewLine) -> None:
        self._lines: Final = lines
        self._gateway_id: Final = gateway_id
        self.settings: Final = settings
        self.why_down = STARTING
        self.needs_find = True
        """True if it is not known which legs the line still has."""
        self.line: Final = new_line(gateway_id.id, settings.parameters, self)

    def heard(self, number: int, key: str, heard: LegReport | Found) -> None:
        """Queue an event of a leg for the next step."""
        self._lines.take(self._gateway_id, number, key, heard)

    def is_up(self, why_not: str) -> None:
        """Note whether the line works."""
        why_not = storable(why_not)[:REASON_MAX]
        if why_not and not self.why_down:
            self.needs_find = True
        if why_not == self.why_down:
            return
        if why_not:
            _log.warning("line_down", **self._gateway_id.columns(), reason=why_not)
        else:
            _log.info("line_up", **self._gateway_id.columns())
        self.why_down = why_not
        self._lines.nudge()


class Lines:
    """The lines of a worker.

    `new_lines` are the factories by protocol, `now_ms` is the service's clock, and `nudge` makes a step happen soon.
    """

    def __init__(self, new_lines: Mapping[str, NewLine], now_ms: Callable[[], int], nudge: Callable[[], None]) -> None:
        self._new_lines: Final = new_lines
        self._now_ms: Final = now_ms
        self._nudge: Final = nudge
        self._trunks: Final[dict[GatewayKey, _Trunk]] = {}
        self._missing: dict[GatewayKey, str] = {}
        """Gateways whose protocol has no line here, with that protocol."""
        self._unusable: Final[dict[GatewayKey, tuple[LineSettings, str]]] = {}
        """Gateways whose settings no line can be opened with, with the reason."""
        self._inbox: Final[deque[tuple[LineReport, int]]] = deque()
        self._waiting: Final[Counter[GatewayKey]] = Counter()
        """Number of things in the inbox, by gateway."""
        self._has_news = False
        self.turns_given: Final[dict[str, int]] = {}
        """The number of the last order that was given to each leg, by key."""

    @property
    def are_in_use(self) -> bool:
        """True if any line is open."""
        return bool(self._trunks)

    @property
    def has_news(self) -> bool:
        """True if a line's state has changed, or an event waits for a step."""
        return self._has_news or bool(self._inbox)

    def nudge(self) -> None:
        """Make a step happen soon."""
        self._has_news = True
        self._nudge()

    def take(self, gateway_id: GatewayKey, number: int, key: str, heard: LegReport | Found) -> None:
        """Queue a report of a leg for the next step; a full inbox drops it.

        The line gave it `number`, and hears that number again (`settled`) once the report is stored. It hears nothing
        of a report with 0.
        """
        is_full = len(self._inbox) >= HEARD_MAX or self._waiting[gateway_id] >= HEARD_OF_GATEWAY_MAX
        has_room = isinstance(heard, TextReceived) and len(self._inbox) < HEARD_WITH_TEXTS_MAX
        if is_full and not has_room:
            _log.error("heard_too_much", **gateway_id.columns(), key=key)
            return
        self._inbox.append((LineReport(gateway_id, key, heard, self._now_ms()), number))
        self._waiting[gateway_id] += 1
        self._nudge()

    def heard(self) -> list[LineReport]:
        """Return the events of lines that the next step handles, oldest first."""
        self._has_news = False
        return [sound for sound, _ in itertools.islice(self._inbox, HEARD_PER_STEP)]

    def states(self) -> dict[GatewayKey, str]:
        """Return the state of each gateway's line: why it does not work, or an empty text."""
        missing = {key: f"this process has no carrier for the protocol {name}" for key, name in self._missing.items()}
        unusable = {key: why for key, (_, why) in self._unusable.items()}
        return missing | unusable | {key: trunk.why_down for key, trunk in self._trunks.items()}

    def drop_reported(self, count: int) -> None:
        """Drop the oldest things heard, of which a committed step has told the engine, and let the lines know."""
        settled: dict[GatewayKey, int] = {}
        for _ in range(count):
            sound, number = self._inbox.popleft()
            self._waiting[sound.gateway_id] -= 1
            if number:
                settled[sound.gateway_id] = number
        for gateway_id, number in settled.items():
            if gateway_id in self._trunks:
                with _surviving(gateway_id):
                    self._trunks[gateway_id].line.settled(number)

    async def follow(self, settings: Mapping[GatewayKey, LineSettings]) -> None:
        """Open the lines of these gateways, and close all other lines."""
        for gateway_id, trunk in list(self._trunks.items()):
            if settings.get(gateway_id) != trunk.settings:
                del self._trunks[gateway_id]
                with _surviving(gateway_id):
                    await trunk.line.close()
        for gateway_id in self._unusable.keys() - settings.keys():
            del self._unusable[gateway_id]
        missing = {}
        for gateway_id, wanted in settings.items():
            new_line = self._new_lines.get(wanted.protocol)
            if new_line is None:
                missing[gateway_id] = wanted.protocol
            elif gateway_id not in self._trunks:
                self._open(gateway_id, wanted, new_line)
        if missing != self._missing:
            self._missing = missing
            self.nudge()

    def _open(self, gateway_id: GatewayKey, wanted: LineSettings, new_line: NewLine) -> None:
        """Open the line of a gateway, unless its settings are those with which that has failed."""
        if self._unusable.get(gateway_id, (None, ""))[0] == wanted:
            return
        self._unusable.pop(gateway_id, None)
        try:
            self._trunks[gateway_id] = _Trunk(self, gateway_id, wanted, new_line)
        except FAILURES as error:
            _log.exception("line_not_opened", **gateway_id.columns())
            self._unusable[gateway_id] = (wanted, f"no line can be opened with its settings: {error}"[:REASON_MAX])
        self.nudge()

    def perform(self, over: HandOver) -> None:
        """Give orders to the lines, in their order."""
        for gateway_id, key, order in over.orders:
            if not isinstance(order, Tape):
                self.turns_given[key] = order.turn
            if gateway_id in self._trunks:
                with _surviving(gateway_id):
                    self._trunks[gateway_id].line.perform(key, order)

    def dial(self, legs: list[LineLeg], cps_max: Mapping[GatewayKey, int]) -> None:
        """Hand legs over to their lines, each once. The legs must be marked as handed over already.

        `cps_max` are the limits of calls a second, by gateway id, to which the lines keep.
        """
        for leg in legs:
            self.turns_given[leg.key] = 0
            if leg.gateway_id in self._trunks:
                try:
                    self._trunks[leg.gateway_id].line.dial(leg.paced_order(cps_max.get(leg.gateway_id, 0)))
                except FAILURES:
                    _log.exception("line_failed", **leg.gateway_id.columns(), key=leg.key)
                    self.take(leg.gateway_id, 0, leg.key, Unknown())
            else:
                self.take(leg.gateway_id, 0, leg.key, Unplaced())

    async def find(self, switchboard: Switchboard) -> None:
        """Ask the lines whether legs in doubt still exist, and queue the answers."""
        for key in [key for key in self.turns_given if not switchboard.has_leg(key)]:
            del self.turns_given[key]
        for leg in switchboard.legs_elsewhere(self._trunks.keys()):
            self.take(leg.gateway_id, 0, leg.key, Unknown())
        async with anyio.create_task_group() as tasks:
            for gateway_id, trunk in self._trunks.items():
                if trunk.why_down:
                    continue
                legs = [
                    leg
                    for leg in switchboard.legs_over(gateway_id)
                    if trunk.needs_find or leg.key not in self.turns_given
                ]
                trunk.needs_find = False
                if legs:
                    tasks.start_soon(self._find, gateway_id, trunk, legs)

    async def _find(self, gateway_id: GatewayKey, trunk: _Trunk, legs: list[LineLeg]) -> None:
        now_ms = self._now_ms()
        live_legs = [_live_leg(leg, now_ms) for leg in legs]
        states: list[Found] | None = None
        with anyio.move_on_after(FIND_SECONDS), _surviving(gateway_id):
            states = list(await trunk.line.find(live_legs))
        if states is None or len(states) != len(legs):
            trunk.needs_find = True
            _log.warning("legs_not_found", **gateway_id.columns(), legs=len(legs))
            return
        for leg, state in zip(legs, states, strict=True):
            self.turns_given[leg.key] = leg.turn
            self.take(gateway_id, 0, leg.key, state)

    async def close(self) -> None:
        """Close all lines. Legs in progress go on."""
        await self.follow({})


@contextlib.contextmanager
def _surviving(gateway_id: GatewayKey) -> Iterator[None]:
    """Log the failure of a line, and go on: the watchdog ends its calls."""
    try:
        yield
    except FAILURES:
        _log.exception("line_failed", **gateway_id.columns())


def _live_leg(leg: LineLeg, now_ms: int) -> LiveLeg:
    handed_ms = leg.wanted_ms if leg.handed_ms is None else leg.handed_ms
    answered_age_ms = None if leg.answered_ms is None else max(0, now_ms - leg.answered_ms)
    return LiveLeg(leg.recorded_order(now_ms), max(0, now_ms - handed_ms), answered_age_ms, leg.handle)
