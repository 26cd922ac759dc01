"""Listener: an engine as it hears of things. It knows which report it is told, and which are set aside.

A report that cannot be handled is set aside, with its reason: in its place, its leg ends. So a call never depends on a
report that nobody can read, and its channel and its money are free again.
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final

from sqlalchemy import Connection

from dialer.domain.calls import events
from dialer.domain.calls.plans import GatewayKey
from dialer.domain.sessions.leg_protocol import Arrived, Receipt, Ringing, TextReceived
from dialer.domain.words.enums import Cause
from dialer.runtime.lines.line_reports import LineReport
from dialer.runtime.lines.report_checks import Report, ReportError, checked, described
from dialer.runtime.lines.switchboard import Switchboard
from dialer.store.queries.selection import Shards
from dialer.store.rows.set_aside_reports import KnownReports, SetAside, set_aside
from dialer.store.rows.texts.incoming_texts import UnreadNews, add_news

Apply = Callable[[events.Event], None]
"""Tells the engine of an event."""
_NEEDS_NO_END: Final = (Receipt, Ringing, TextReceived)
"""Reports without which a leg goes on as before."""


class Listener:
    """An engine as it hears of things: its lines, its accounts, and the way to tell it of events."""

    def __init__(
        self,
        switchboard: Switchboard,
        shards: Shards,
        apply: Apply,
        known: KnownReports,
        *,
        tell_others: Callable[[], None],
    ) -> None:
        self.switchboard: Final = switchboard
        self.shards: Final = shards
        self.apply: Final = apply
        self.tell_others: Final = tell_others
        """Lets other workers read again what they know, because a wish concerns their accounts."""
        self._known: Final = known
        self.told: list[Report] = []
        """The reports of which the present step has begun to tell the engine."""
        self.telling: Report | None = None
        """The report of which the engine is being told."""
        self.in_place: list[Report] = []
        """The reports of the present step in whose place their legs were ended."""
        self.faulty: list[SetAside] = []
        """The reports of the present step that were set aside because of a field."""
        self._resting: AbstractSet[GatewayKey] = frozenset()
        """Gateways whose lines rest."""

    def begin_step(self, resting: AbstractSet[GatewayKey]) -> None:
        """Discard the reports of the last step, and note the lines that rest during this one."""
        self._resting = resting
        self.told, self.telling, self.faulty, self.in_place = [], None, [], []

    def begin(self, report: Report) -> None:
        """Note the report that the engine handles next."""
        self.told.append(report)
        self.telling = report

    def end(self) -> None:
        """Note that the engine has handled all reports of the step."""
        self.telling = None

    def accepted(self, connection: Connection, sound: LineReport, now_ms: int) -> LineReport | None:
        """Return a report of a line, checked. If it is set aside, end its leg in its place, and return None.

        While the line rests, a report that concerns no leg in progress is not told: a call is refused, and a receipt or
        a text message is kept for later.
        """
        try:
            sound, fault = checked(sound), ""
        except ReportError as error:
            fault = str(error)
        if self._waits(sound):
            if not (fault or self._is_known(sound) or self.keep_text(connection, sound, now_ms)):
                return sound  # It may be a wish, which is never lost.
            self._end_leg(sound, now_ms)
            return None
        if not fault and not self._known.ends_leg:
            return sound
        one = described(sound, fault)
        identity = self._known.identity(one.name)
        ends_leg = self._known.ends_leg.get(identity)
        if fault and ends_leg is None:
            set_aside(connection, one, now_ms)
            self.faulty.append(one)
            ends_leg = True
        if ends_leg is None and sound.key not in self._known.lost_keys:
            return sound
        if ends_leg:
            self.in_place.append(self.told[-1])
            self._end_leg(sound, now_ms)
        return None

    @staticmethod
    def keep_text(connection: Connection, sound: LineReport, now_ms: int) -> bool:
        """Store a receipt or a text message until a later step, or another worker, takes it.

        Return False if there is no room for it, and True for anything else that a line has heard.
        """
        if not isinstance(sound.heard, Receipt | TextReceived):
            return True
        return add_news(connection, sound.gateway_id, sound.key, sound.heard, now_ms)

    def put_aside(self, connection: Connection, unread: UnreadNews, now_ms: int) -> None:
        """Set aside a callback that holds no report."""
        name = ascii(f"{unread.gateway_id} {unread.key} {unread.heard}")
        one = SetAside(name, unread.gateway_id, "", "", "TextNews", unread.heard, unread.reason)
        set_aside(connection, one, now_ms)
        self.faulty.append(one)

    def _waits(self, sound: LineReport) -> bool:
        """Return whether a report is not told now, because its line rests and it concerns no leg in progress."""
        key: object = sound.key
        return sound.gateway_id in self._resting and not (isinstance(key, str) and self.switchboard.has_leg(key))

    def _is_known(self, sound: LineReport) -> bool:
        """Return whether a report is set aside already."""
        known = self._known
        return bool(known.ends_leg) and known.identity(described(sound, "").name) in known.ends_leg

    def _end_leg(self, sound: LineReport, now_ms: int) -> None:
        """End the leg of a report, as one of which nobody can say what became of it. Refuse a call that came in."""
        key: object = sound.key
        if isinstance(sound.heard, _NEEDS_NO_END) or not isinstance(key, str):
            return
        if isinstance(sound.heard, Arrived) and not self.switchboard.has_leg(sound.key):
            if sound.gateway_id in self.switchboard.settings:
                self.switchboard.turn_away(sound.gateway_id, sound.key, Cause.TEMPORARY_FAILURE)
            return
        for event in self.switchboard.end(sound.gateway_id, key, now_ms):
            self.apply(event)
