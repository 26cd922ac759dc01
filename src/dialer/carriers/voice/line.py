"""The line of one SIP gateway: the port of real carriers over a telephone."""

import asyncio
import contextlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeVar

import structlog
from msgspec.structs import replace

from dialer.carriers.line_port import Alive, Exchange, Found, LiveLeg, Over, Unknown, Unplaced
from dialer.carriers.media import srtp
from dialer.carriers.parameters import ParametersError
from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.incoming_invite import read_invitation
from dialer.carriers.sip.parameters import SipParameters, read_sip_parameters
from dialer.carriers.sip.timers import T1_MS
from dialer.carriers.voice.agent_addresses import SharedLookups
from dialer.carriers.voice.browser_legs import BrowserLegs
from dialer.carriers.voice.call_trace import Capture
from dialer.carriers.voice.clock import steady_ms
from dialer.carriers.voice.dns_records import DnsRecords
from dialer.carriers.voice.sealed_handles import HandleSeal
from dialer.carriers.voice.signed_calls import SignedCalls
from dialer.carriers.voice.sip_trunk_endpoint import SipTrunkEndpoint
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.carriers.voice.sound_stores import ordered
from dialer.carriers.voice.speech import Speaker
from dialer.domain.calls.call_recording import TapeState
from dialer.domain.numbers.agent_contacts import agent_in_browser
from dialer.domain.sessions.leg_protocol import (
    Accepted,
    Answered,
    Arrived,
    Arriving,
    Bridge,
    Clear,
    Converse,
    Dialling,
    Done,
    Ended,
    Leg,
    LegReport,
    Order,
    Receipt,
    Ringing,
    Tape,
    TextReceived,
)

NO_ORDER_MS: Final = 30_000
"""An answered leg that has nothing to do for so long is cleared: nobody steers it any more."""
LOOKS_EVERY_S: Final = 1.0
OPEN_AGAIN_S: Final = 10.0
"""Pause before the socket of a gateway that could not be opened is opened again."""
KEYS_KEPT_MAX: Final = 20_000
"""Legs of the past whose keys are remembered, so that no leg is placed twice."""
HANDED_MARGIN_MS: Final = 2_000
_CALL_ID: Final = re.compile(rb"(?im)^(?:call-id|i)[ \t]*:[ \t]*([!-~]{1,256})[ \t]*\r?$")
_Heard = TypeVar("_Heard", bound=LegReport | Found)
_log = structlog.get_logger(__name__)


class _LineLeg:
    """The state of one leg, as its line knows it."""

    def __init__(self, answered_ms: int | None = None) -> None:
        self.answered_ms = answered_ms
        self.idle_since_ms: int | None = answered_ms
        self.other = ""
        """The leg that this one was told to talk with, and that needs no order meanwhile."""
        self.answered: tuple[int, Answered] | None = None
        """The answer, until it is settled, with its moment."""
        self.ended: tuple[int, Ended] | None = None


class SipLine:
    """The line of one SIP gateway. It opens by itself, and again after a failure."""

    def __init__(  # noqa: PLR0913 - all but four are optional
        self,
        parameters: str,
        exchange: Exchange,
        room: SoundRoom,
        files: SoundFiles,
        t1_ms: int = T1_MS,
        speaker: Speaker | None = None,
        capture: Capture | None = None,
        seal: HandleSeal | None = None,
        *,
        telephones: Path | None = None,
    ) -> None:
        """Open the line. Without `speaker`, it plays recordings only; without `capture`, it keeps no messages.

        `telephones` is the path of the exchange of agents' telephones in browsers.

        `seal` encrypts the keys of sound in what it tells. Without it, calls with such keys are not taken up again.
        """
        self.lookups = SharedLookups()
        """The lookups of programs, which lines of a process share."""
        self._looking: set[asyncio.Task[None]] = set()
        self.agent_networks: tuple[str, ...] = ()
        """Networks besides the public internet in which programs may be that talk."""
        self._capture: Final = capture
        self._seal: Final = seal or HandleSeal()
        self._has_keys = False
        """True if handles have keys of sound."""
        self._exchange, self._room, self._files, self._t1_ms = exchange, room, files, t1_ms
        self._speaker: Final = speaker
        self._began_ms: Final = steady_ms()
        self._numbers = 0
        self._unsettled: dict[int, tuple[str, int, LegReport | Found]] = {}
        self._legs: dict[str, _LineLeg] = {}
        self._known: dict[str, None] = {}
        self._came_in: dict[bytes, str] = {}
        """Calls that came in, by the Call-ID of the other side. As many as `_known` are kept."""
        self._tapes: Final[dict[str, TapeState | None]] = {}
        """The legs that are being found, with the state of the recording that was ordered meanwhile, if any."""
        self._why_not = "it is being opened"
        self._records: Final = DnsRecords()
        self._browsers: Final = BrowserLegs(telephones, room, self)
        self._signed: Final = SignedCalls(self, self._place)
        self._telephone: SipTrunkEndpoint | None = None
        self._is_open = asyncio.Event()
        self._work: Final = asyncio.get_running_loop().create_task(self._live(parameters))

    def dial(self, leg: Leg) -> None:
        """Place or answer a call, now or never. A leg that is known is not placed again."""
        leg = self._seal.opened_order(leg)
        if isinstance(leg, Arriving):
            open_leg = self._legs.get(leg.key)
            if open_leg is None or (open_leg.ended is None and not self._answer(leg)):
                self._tell(leg.key, Unplaced())
            return
        if leg.key in self._known:
            return
        self._remember(leg.key)
        if not isinstance(leg, Dialling) or self._telephone is None or self._why_not:
            self._tell(leg.key, Unplaced())
            return
        self._legs[leg.key] = _LineLeg()
        if not self._browsers.dial(leg) and not self._signed.dial(leg):
            self._place(leg)

    def _place(self, dialling: Dialling) -> None:
        if self._telephone is None or not self._telephone.dial(dialling):
            del self._legs[dialling.key]
            self._tell(dialling.key, Unplaced())

    def perform(self, key: str, order: Order) -> None:
        """Give an order to a leg."""
        leg = self._legs.get(key)
        if isinstance(order, Tape) and key in self._tapes:
            self._tapes[key] = order.state
        if leg is None or self._telephone is None:
            return
        if isinstance(order, Tape):
            self._telephone.tape(key, order.state)
            return
        self._part(leg)
        leg.idle_since_ms = None
        if isinstance(order, Bridge) and order.other in self._legs:
            leg.other = order.other
            self._legs[leg.other].idle_since_ms = None
        if self._browsers.obey(key, order) or self._signed.obey(key, order):
            return
        if isinstance(order, Converse) and not order.goes_on:
            self._look_up(self._telephone, key, order)
        else:
            self._telephone.perform(key, order)

    def _look_up(self, telephone: SipTrunkEndpoint, key: str, order: Converse) -> None:
        """Look up the addresses of a program, and begin its conversation then."""

        async def begin() -> None:
            addresses = await self.lookups.addresses(order.url, self.agent_networks, order.account_id)
            telephone.perform(key, replace(order, addresses=addresses))

        task = asyncio.get_running_loop().create_task(begin())
        self._looking.add(task)
        task.add_done_callback(self._looking.discard)

    async def find(self, legs: Sequence[LiveLeg]) -> list[Found]:
        """Return the state of each leg. A leg of another process is taken over, or else withdrawn."""
        # A leg comes with the state of its recording. Only an order after that is newer.
        self._tapes.update(dict.fromkeys(leg.order.key for leg in legs))
        try:
            await self._is_open.wait()
            return [self._find(self._seal.opened_leg(leg)) for leg in legs]
        finally:
            for leg in legs:
                self._tapes.pop(leg.order.key, None)

    def settled(self, number: int) -> None:
        """Discard the events that are stored now. For a stored answer, send the ACK to the other side."""
        for settled in [number_unsettled for number_unsettled in self._unsettled if number_unsettled <= number]:
            key, _, heard = self._unsettled.pop(settled)
            leg = self._legs.get(key)
            if leg is not None and isinstance(heard, Answered):
                leg.answered = None
                if self._telephone is not None:
                    self._telephone.acknowledge(key)
            elif leg is not None and isinstance(heard, Ended):
                del self._legs[key]

    def listen(self, exchange: Exchange) -> None:
        """Report to another exchange from now on, beginning with all events that are not settled."""
        self._exchange = exchange
        exchange.is_up(self._why_not)
        for number, (key, at_ms, heard) in tuple(self._unsettled.items()):
            exchange.heard(number, key, aged(heard, at_ms))

    async def close(self) -> None:
        """Stop without ending legs in progress."""
        await self._signed.close()
        self._work.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._work
        if self._telephone is not None:
            await self._telephone.close()
        await self._browsers.close()
        for key in self._legs:
            self._room.remove(key)

    def __len__(self) -> int:
        return sum(leg.ended is None for leg in self._legs.values())

    def hear(self, key: str, at_ms: int, heard: LegReport, because: str) -> None:
        """Handle a report of a leg from the SIP endpoint."""
        if isinstance(heard, Arrived):
            self._legs[key] = _LineLeg()
            self._remember(key)
            self._note_arrival(key, heard)
        if self._has_keys:
            heard = self._seal.closed(heard)
        leg = self._legs.get(key)
        if leg is None:
            return
        match heard:
            case Answered():
                leg.answered, leg.answered_ms, leg.idle_since_ms = (at_ms, heard), at_ms, at_ms
            case Ended():
                leg.ended = (at_ms, heard)
                self._part(leg)
                _log.info("leg_over", key=key, cause=heard.cause.value, because=because)
            case Done():
                self._part(leg)
                leg.idle_since_ms = at_ms
            case Arrived() | Ringing() | Accepted() | Receipt() | TextReceived():
                pass
        self._tell(key, heard, at_ms)

    def trunk_is(self, why_not: str) -> None:
        """Take the state of the trunk: an empty text if it answers, or why it does not."""
        if why_not != self._why_not:
            self._why_not = why_not
            self._exchange.is_up(why_not)

    def found(self, text: str) -> None:
        """Log how the carrier's servers were found."""
        _log.info("carrier_servers_looked_up", found=text)

    def trace(self, data: bytes, flow: Flow, *, is_sent: bool) -> None:  # noqa: ARG002 - there is one carrier
        """Keep the messages of legs."""
        match = None if self._capture is None else _CALL_ID.search(data)
        if self._capture is not None and match is not None:
            key = self._came_in.get(match[1]) or match[1].decode("ascii", "replace")
            if key in self._known:
                self._capture.note(key, data, is_sent=is_sent)

    def remark(self, key: str, text: str) -> None:
        """Keep a remark about a leg with its messages."""
        if self._capture is not None and key in self._known:
            self._capture.remark(key, text)

    def _note_arrival(self, key: str, arrived: Arrived) -> None:
        """Keep the INVITE of a call that came in. Its messages have the other side's name of the call, from now on."""
        invite = read_invitation(arrived.handle).data
        match = None if self._capture is None else _CALL_ID.search(invite)
        if self._capture is not None and match is not None:
            self._came_in[match[1]] = key
            self._capture.note(key, invite, is_sent=False)
        if len(self._came_in) > KEYS_KEPT_MAX:
            del self._came_in[next(iter(self._came_in))]

    async def _live(self, text: str) -> None:
        """Open the gateway, and look after its legs."""
        try:
            parameters = read_sip_parameters(text)
        except ParametersError as error:
            self.trunk_is(str(error))
            return
        self._has_keys = parameters.encryption != "off"
        self._signed.begin(parameters)
        if self._has_keys:
            srtp.load()
        while self._telephone is None:
            await self._open(parameters)
        while True:
            await asyncio.sleep(LOOKS_EVERY_S)
            self.look()

    async def _open(self, parameters: SipParameters) -> None:
        telephone = SipTrunkEndpoint(
            parameters, self._room, self._files, self, self._t1_ms, self._speaker, self._records
        )
        try:
            await telephone.open()
        except OSError as error:
            self.trunk_is(f"it cannot be opened: {error}")
            await asyncio.sleep(OPEN_AGAIN_S)
        else:
            self._telephone = telephone
            self._is_open.set()
            if not parameters.register:
                # OPTIONS says later if it is gone; until then, calls find out by themselves.
                self.trunk_is("")

    def look(self) -> None:
        """Clear legs that have had no order for too long."""
        for key, leg in tuple(self._legs.items()):
            is_idle = leg.idle_since_ms is not None and steady_ms() - leg.idle_since_ms >= NO_ORDER_MS
            if is_idle and leg.ended is None:
                leg.idle_since_ms = None
                self.perform(key, Clear(0))

    def _part(self, leg: _LineLeg) -> None:
        """Note that a leg talks with no other one any more, and that the other one has nothing to do."""
        other, leg.other = self._legs.get(leg.other), ""
        if other is not None:
            other.idle_since_ms = steady_ms()

    def _find(self, live: LiveLeg) -> Found:
        key, leg = live.order.key, self._legs.get(live.order.key)
        if leg is not None:
            if isinstance(live.order, Arriving) and leg.ended is None:
                self._answer(live.order)
            answered = None if leg.answered is None else aged(leg.answered[1], leg.answered[0])
            if leg.ended is None:
                return Alive(answered)
            return Over(aged(leg.ended[1], leg.ended[0]), answered)
        if isinstance(live.order, Arriving):
            return self._find_arrival(live, live.order)
        was_here = steady_ms() - self._began_ms > live.handed_age_ms + HANDED_MARGIN_MS
        if not isinstance(live.order, Dialling) or self._telephone is None or (was_here and key not in self._known):
            # This process was here when the order should have come, and it did not come.
            self._remember(key)
            return Unplaced()
        self._remember(key)
        if live.handle and live.answered_age_ms is not None:
            return self._take_up(self._telephone, live.order, live.answered_age_ms, live.handle)
        if not was_here and agent_in_browser(live.order.number) is None:
            self._legs[key] = _LineLeg()
            self._telephone.withdraw(live.order)
        return Unknown()

    def _answer(self, arriving: Arriving) -> bool:
        """Answer a call that still rings, and return whether there is any such call."""
        return self._telephone is not None and self._telephone.answer(arriving)

    def _find_arrival(self, live: LiveLeg, arriving: Arriving) -> Found:
        """Return the state of a call that came in at another process, or that is over."""
        if self._telephone is None or arriving.key in self._known:
            return Unknown()
        self._remember(arriving.key)
        if live.handle and live.answered_age_ms is not None:
            return self._take_up(self._telephone, arriving, live.answered_age_ms, live.handle)
        self._legs[arriving.key] = _LineLeg()
        if self._answer(arriving):
            return Alive()
        del self._legs[arriving.key]
        return Unknown()

    def _take_up(
        self, telephone: SipTrunkEndpoint, order: Dialling | Arriving, answered_age_ms: int, handle: str
    ) -> Found:
        left_ms = max(1, order.talk_limit_ms - answered_age_ms)
        now_ms = steady_ms()
        self._legs[order.key] = _LineLeg(answered_ms=now_ms)
        store, state = order.sound_store, self._tapes.get(order.key)
        if store is not None and state is not None:
            store = ordered(store, state)
        if isinstance(order, Dialling) and self._browsers.take_up(replace(order, talk_limit_ms=left_ms), handle):
            return Alive()
        if telephone.take_up(replace(order, talk_limit_ms=left_ms, sound_store=store), handle, answered_age_ms):
            return Alive()
        del self._legs[order.key]
        return Unknown()

    def _remember(self, key: str) -> None:
        self._known[key] = None
        if len(self._known) > KEYS_KEPT_MAX:
            del self._known[next(iter(self._known))]

    def _tell(self, key: str, heard: LegReport | Found, at_ms: int | None = None) -> None:
        self._numbers += 1
        moment_ms = steady_ms() if at_ms is None else at_ms
        self._unsettled[self._numbers] = (key, moment_ms, heard)
        self._exchange.heard(self._numbers, key, aged(heard, moment_ms))


def aged(heard: _Heard, at_ms: int) -> _Heard:
    """Return a report of a leg with the milliseconds that have passed since it was made."""
    if isinstance(heard, Ringing | Answered | Done | Ended):
        return replace(heard, age_ms=max(0, steady_ms() - at_ms))
    return heard
