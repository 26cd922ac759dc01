"""The sound of many calls: those beyond a number are carried by helpers, processes that share them.

Two legs that talk with each other, and the members of a conference, are carried by the same process. So a leg moves,
with its sockets, when it is connected with one that is carried elsewhere.
"""

import secrets
import socket
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, NamedTuple, assert_never

import structlog

from dialer.carriers.media.sound_leg import SoundLeg, SoundTerms
from dialer.carriers.media.sound_router import OrderDone, SoundLost
from dialer.carriers.sip.sdp import AgreedSound
from dialer.carriers.voice.clock import steady_ms
from dialer.carriers.voice.helper_frames import (
    AgreeSound,
    DiscardTape,
    EndSound,
    HelperNews,
    LegFinished,
    LegReleased,
    PressKey,
    RecordLeg,
    ReleaseLeg,
    RemoveLeg,
    SilenceLeg,
    ToHelper,
    WatchLeg,
)
from dialer.carriers.voice.sound_process import SoundProcess
from dialer.carriers.voice.sound_room import Finish, Hear, LegSockets, SoundFailed, SoundOver, SoundRoom
from dialer.domain.calls.call_recording import SoundStore
from dialer.domain.sessions.leg_protocol import Bridge, Confer, Order, Supervise

CALLS_EACH: Final = 200
"""Calls whose sound one process carries before another one is started."""
START_EVERY_MS: Final = 2_000
"""Least time between two starts of helpers, so that one that cannot live is not started without end."""
_log = structlog.get_logger(__name__)


class _Away(NamedTuple):
    """A leg whose sound a helper carries. The sockets are kept for a move."""

    helper: SoundProcess
    sockets: LegSockets
    hear: Hear


class _Move(NamedTuple):
    """A leg that its helper is giving back: where it goes to, and what is to be done after that."""

    target: SoundProcess | None
    works: list[Callable[[], None]]


class SharedRoom(SoundRoom):
    """The sound of all legs, of which this process carries the first `CALLS_EACH`."""

    def __init__(self, helpers_max: int) -> None:
        """Prepare it. At most so many helpers are started, when they are needed; 0 leaves all to this process."""
        super().__init__()
        self._helpers_max: Final = helpers_max
        self.helpers: list[SoundProcess] = []
        """The helpers that were started."""
        self._started_ms: int | None = None
        self._away: dict[str, _Away] = {}
        self._moving: dict[str, _Move] = {}
        self._finishes: dict[str, tuple[SoundProcess, Finish]] = {}
        """Callers who wait for the rest of a leg, with the process that has it."""
        self._conferences: dict[str, str] = {}
        """The conference in which a leg is."""

    def add(self, key: str, place: tuple[socket.AddressFamily, range | None], hear: Hear, terms: SoundTerms) -> int:
        """Open sockets for a leg, in a family and a range of ports, and return the port of its sound.

        Raises:
            OSError: no port is free.
        """
        chance = secrets.randbits(96)
        sockets = LegSockets.open(*place, chance)
        self._put(self._least_loaded(), SoundLeg(key, chance, terms), sockets, hear)
        return sockets.port

    def _least_loaded(self) -> SoundProcess | None:
        """Return the helper that takes the next leg; None for this process."""
        if self.calls_here < CALLS_EACH:
            return None
        ready = [helper for helper in self.helpers if helper.is_ready]
        helper = min(ready, key=lambda one: len(one.legs), default=None)
        if helper is None or len(helper.legs) >= CALLS_EACH:
            self._start_helper()
        return helper

    def _start_helper(self) -> None:
        now_ms = steady_ms()
        is_soon = self._started_ms is not None and now_ms - self._started_ms < START_EVERY_MS
        if len(self.helpers) < self._helpers_max and not is_soon:
            self._started_ms = now_ms
            self.helpers.append(SoundProcess(self._take, self._helper_ended))

    def _put(self, helper: SoundProcess | None, leg: SoundLeg, sockets: LegSockets, hear: Hear) -> None:
        if helper is not None and helper.is_ready:
            try:
                helper.hold(leg, sockets)
            except OSError:
                # It does not read, so it is better to carry one leg more.
                _log.warning("sound_process_behind", pid=helper.pid)
            else:
                self._away[leg.key] = _Away(helper, sockets, hear)
                return
        self.hold(leg, sockets, hear)

    def agree(self, key: str, sound: AgreedSound) -> None:
        """Send to and hear from the place of a description from now on."""
        if not self._is_passed_on(key, AgreeSound(key, sound), partial(self.agree, key, sound)):
            super().agree(key, sound)

    def watch(self, key: str) -> None:
        """Start to report silence of the other side of a leg."""
        if not self._is_passed_on(key, WatchLeg(key), partial(self.watch, key)):
            super().watch(key)

    def record(self, key: str, store: SoundStore) -> None:
        """Record both sides of a leg from now on."""
        if not self._is_passed_on(key, RecordLeg(key, store), partial(self.record, key, store)):
            super().record(key, store)

    def silence(self, key: str, *, is_silent: bool) -> None:
        """Keep silence in the recording of a leg from now on, or sound again."""
        again = partial(self.silence, key, is_silent=is_silent)
        if not self._is_passed_on(key, SilenceLeg(key, is_silent), again):
            super().silence(key, is_silent=is_silent)

    def discard(self, key: str, store: SoundStore | None = None) -> None:
        """Throw away what was recorded of a leg, and record no more."""
        if store is not None or not self._is_passed_on(key, DiscardTape(key), partial(self.discard, key)):
            super().discard(key, store)

    def press(self, key: str, digit: str) -> None:
        """Handle a key that arrived by SIP in place of the sound."""
        if not self._is_passed_on(key, PressKey(key, digit), partial(self.press, key, digit)):
            super().press(key, digit)

    def perform(self, key: str, order: Order, prompt: bytes) -> None:
        """Begin an order of sound, where the leg with which it connects this one is."""
        partner = self._partner(key, order)
        for moving in (key, partner):
            if moving in self._moving:
                self._moving[moving].works.append(partial(self.perform, key, order, prompt))
                return
        if partner and self._place(partner) is not self._place(key):
            self._move(key, self._place(partner), partial(self._begin, key, order, prompt))
        else:
            self._begin(key, order, prompt)

    def _begin(self, key: str, order: Order, prompt: bytes) -> None:
        self._conferences.pop(key, None)
        if isinstance(order, Confer):
            self._conferences[key] = order.room
        away = self._away.get(key)
        if away is None:
            super().perform(key, order, prompt)
        else:
            away.helper.perform(key, order, prompt)

    def finish(self, key: str, then: Finish) -> None:
        """Close the sockets of a leg, and tell `then` what is left of its sound, even if it is gone."""
        if self._is_passed_on(key, EndSound(key), partial(self.finish, key, then)):
            if (away := self._forget_away(key)) is not None:
                self._finishes[key] = (away.helper, then)
        else:
            self._conferences.pop(key, None)
            super().finish(key, then)

    def remove(self, key: str) -> None:
        """Close the sockets of a leg. Sound that still waits is not sent."""
        if self._is_passed_on(key, RemoveLeg(key), partial(self.remove, key)):
            self._forget_away(key)
        else:
            self._conferences.pop(key, None)
            super().remove(key)

    async def end(self) -> None:
        """Close all sockets, and end the helpers."""
        helpers, self.helpers = self.helpers, []
        for helper in helpers:
            await helper.close()
        for away in self._away.values():
            away.sockets.close()
        self._away.clear()
        self.close()

    def _is_passed_on(self, key: str, frame: ToHelper, again: Callable[[], None]) -> bool:
        """Send a frame about a leg that is away, or do it `again` once it has moved. Return False if it is here."""
        if key in self._moving:
            self._moving[key].works.append(again)
        elif (away := self._away.get(key)) is not None:
            away.helper.send(frame)
        else:
            return False
        return True

    def _partner(self, key: str, order: Order) -> str:
        """Return a leg with which an order connects this one; an empty text if there is none."""
        partners: Iterable[str] = ()
        if isinstance(order, Bridge):
            partners = [order.other]
        elif isinstance(order, Supervise):
            partners = [order.callee, order.agent]
        elif isinstance(order, Confer):
            partners = [one for one, room in self._conferences.items() if room == order.room]
        return next((one for one in partners if one != key and (one in self._away or self.leg(one) is not None)), "")

    def _place(self, key: str) -> SoundProcess | None:
        away = self._away.get(key)
        return None if away is None else away.helper

    def _move(self, key: str, target: SoundProcess | None, then: Callable[[], None]) -> None:
        """Let another process carry the sound of a leg, and do the rest after that."""
        away = self._away.get(key)
        if away is not None:
            self._moving[key] = _Move(target, [then])
            away.helper.send(ReleaseLeg(key))
            return
        released = self.release(key)
        if released is not None:
            self._put(target, *released)
        then()

    def _moved(self, key: str, leg: SoundLeg | None) -> None:
        move = self._moving.pop(key)
        away = self._away.pop(key)
        away.helper.legs.discard(key)
        if leg is None:
            away.sockets.close()
        else:
            self._put(move.target, leg, away.sockets, away.hear)
        for work in move.works:
            work()

    def _forget_away(self, key: str) -> _Away | None:
        """Forget a leg that is over, unless that is to be done after a move."""
        self._conferences.pop(key, None)
        away = None if key in self._moving else self._away.pop(key, None)
        if away is not None:
            away.helper.legs.discard(key)
            away.sockets.close()
        return away

    def _take(self, helper: SoundProcess, frame: HelperNews) -> None:
        """Take what a helper tells."""
        match frame:
            case OrderDone() | SoundLost() | SoundFailed():
                away = self._away.get(frame.key)
                if away is not None and away.helper is helper:
                    away.hear(frame)
            case LegFinished():
                _, then = self._finishes.pop(frame.key)
                then(frame.over)
            case LegReleased():
                self._moved(frame.key, frame.leg)
            case _:
                assert_never(frame)

    def _helper_ended(self, helper: SoundProcess) -> None:
        """End the legs whose sound a helper has carried."""
        if helper in self.helpers:
            self.helpers.remove(helper)
        lost = list(helper.legs)
        _log.error("sound_process_ended", pid=helper.pid, calls=len(lost))
        for key in [one for one, (its, _) in self._finishes.items() if its is helper]:
            self._finishes.pop(key)[1](SoundOver())
        for key in lost:
            hear = self._away[key].hear
            if key in self._moving:
                self._moved(key, None)
            else:
                self._forget_away(key)
            hear(SoundFailed(key))
