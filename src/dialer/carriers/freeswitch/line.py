"""The line of one FreeSWITCH gateway: the port of real carriers over its event socket."""

import asyncio
import contextlib
from collections.abc import Coroutine, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import structlog
from msgspec.structs import replace

from dialer.carriers.freeswitch.call_trace import KeptLine, kept_command, kept_event
from dialer.carriers.freeswitch.calls_per_second import CallTurns
from dialer.carriers.freeswitch.commands import SoundPath, is_fit_key, service_mark, subscriptions
from dialer.carriers.freeswitch.connection import SwitchConnection, SwitchLostError, Trace, connect
from dialer.carriers.freeswitch.events import SwitchEvent
from dialer.carriers.freeswitch.leg_lookup import alive_by, over_by_dump, over_by_note, read_dump, ringing_in
from dialer.carriers.freeswitch.legs import LegOutput, Look, Say, SwitchLegs, Tell
from dialer.carriers.freeswitch.parameters import FreeSwitchParameters, is_path, read_freeswitch_parameters
from dialer.carriers.line_port import Alive, Exchange, Found, LiveLeg, Over, Unknown, Unplaced
from dialer.carriers.parameters import ParametersError
from dialer.carriers.voice.call_trace import Capture
from dialer.carriers.voice.clock import steady_ms
from dialer.carriers.voice.speech import Speaker
from dialer.domain.sessions.leg_protocol import (
    Arriving,
    Ask,
    Clear,
    Dialling,
    Ended,
    Leg,
    LegReport,
    Order,
    Play,
    Texting,
)

FIRST_WAIT_S: Final = 0.5
"""Pause before the switch is called again. It doubles each time."""
LAST_WAIT_S: Final = 30.0
LOOKS_EVERY_S: Final = 0.25
SEARCHES_S: Final = (0.0, 3.0)
"""Pauses before each search for calls that were parked while nobody listened. The switch lists new channels late."""
NOTES_KEPT_MS: Final = 60_000
"""Time after which the note of a leg's end is deleted that was found after a restart, and stored meanwhile."""
_log = structlog.get_logger(__name__)


class FreeSwitchLine:
    """The line of one FreeSWITCH gateway. It connects to the switch by itself, and again after a lost connection."""

    def __init__(
        self,
        gateway_id: int,
        parameters: str,
        exchange: Exchange,
        media: Path,
        *,
        path: SoundPath | None = None,
        speaker: Speaker | None = None,
        trace: Trace | None = None,
        first_wait_s: float = FIRST_WAIT_S,
    ) -> None:
        """Open the line. `media` is the folder of sound files, and `path` says where the switch finds one.

        Without `speaker`, recordings alone are played.
        """
        self.capture: Capture | None = None
        """Keeps commands and events of the legs. It is closed with the line."""
        self._speaker: Final = speaker
        self._exchange, self._media, self._path, self._trace = exchange, media, path, trace
        self._first_wait_s: Final = first_wait_s
        self._mark: Final = service_mark(gateway_id)
        self._numbers = 0
        self._ends: dict[int, str] = {}
        """Numbers of ends that are not settled, with their legs."""
        self._notes: dict[str, int] = {}
        """Legs whose notes in the switch are to be deleted later, with the moments of their ends."""
        self._connection: SwitchConnection | None = None
        self._is_up: Final = asyncio.Event()
        self._legs: SwitchLegs | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._turns: Final = CallTurns(self._place)
        self._work: Final = asyncio.get_running_loop().create_task(self._live(parameters))

    def dial(self, leg: Leg) -> None:
        """Place a call, or answer one that came in. If that cannot be done, report at once that it was not placed."""
        legs = self._legs
        if isinstance(leg, Texting) or legs is None or self._connection is None or not is_fit_key(leg.key):
            self._tell(leg.key, Unplaced())
        elif isinstance(leg, Dialling):
            if legs.get(leg.key) is None and not self._turns.add(leg):
                self._tell(leg.key, Unplaced())
        elif legs.get(leg.key) is None:
            self._tell(leg.key, Unplaced())
        else:
            self._do(legs.answer(leg))

    def _place(self, dialling: Dialling) -> bool:
        """Place a call that has its turn, unless the connection was lost meanwhile."""
        legs = self._legs
        if legs is None or self._connection is None:
            self._tell(dialling.key, Unplaced())
            return False
        self._do(legs.dial(steady_ms(), dialling))
        return True

    def perform(self, key: str, order: Order) -> None:
        """Give an order to a leg. Repeat an order that was lost with the connection after `find`."""
        if isinstance(order, Clear) and self._turns.drop(key):
            self._tell(key, Ended(0, order.cause))
        elif (
            self._speaker is not None
            and isinstance(order, (Play, Ask))
            and any(speech.text for speech in order.speeches)
        ):
            self._later(self._speak(self._speaker, key, order))
        elif self._legs is not None and self._connection is not None:
            self._do(self._legs.perform(steady_ms(), key, order))

    async def _speak(self, speaker: Speaker, key: str, order: Play | Ask) -> None:
        """Give an order once the texts of its prompt are files. Later orders go before it."""
        self.perform(key, replace(order, speeches=await speaker.as_files(order.speeches)))

    async def find(self, legs: Sequence[LiveLeg]) -> list[Found]:
        """Return the state of each leg, as the switch itself knows it. Wait for a connection if there is none."""
        while True:
            await self._is_up.wait()
            with contextlib.suppress(SwitchLostError):
                return await self._found(legs)

    def settled(self, number: int) -> None:
        """Remove the legs whose ends are stored now."""
        for end_number in [end_number for end_number in self._ends if end_number <= number]:
            key = self._ends.pop(end_number)
            if self._legs is not None and self._connection is not None:
                self._do(self._legs.forget(key))
            elif self._legs is not None:
                self._legs.drop(key)
                self._notes[key] = steady_ms() - NOTES_KEPT_MS

    async def close(self) -> None:
        """Leave the switch, and the calls in it, alone."""
        self._turns.close()
        tasks = [self._work, *self._tasks]
        for task in tasks:
            task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self._disconnect()
        if self.capture is not None:
            await asyncio.to_thread(self.capture.close)

    # --- the connection ---------------------------------------------------------------------------------------------

    async def _live(self, text: str) -> None:
        try:
            parameters = read_freeswitch_parameters(text)
            self._legs = SwitchLegs(parameters, self._mark, self._path or _where(parameters, self._media))
        except ParametersError as error:
            self._exchange.is_up(str(error))
            return
        if not parameters.is_local:
            _log.warning("event_socket_not_encrypted", host=parameters.host)
        wait_s = self._first_wait_s
        while True:
            try:
                self._connection = await connect(parameters, subscriptions(self._mark), self._trace)
                wait_s = self._first_wait_s
                await self._serve(self._connection, self._legs)
            except SwitchLostError as error:
                self._disconnect()
                self._exchange.is_up(f"FreeSWITCH on {parameters.host}:{parameters.port}: {error}")
            await asyncio.sleep(wait_s)
            wait_s = min(LAST_WAIT_S, wait_s * 2)

    async def _serve(self, connection: SwitchConnection, legs: SwitchLegs) -> None:
        """Hear events until the connection is lost, and look after it meanwhile."""
        self._is_up.set()
        self._exchange.is_up("")
        loop = asyncio.get_running_loop()
        tasks = [loop.create_task(work(connection, legs)) for work in (self._look, self._search)]
        try:
            await connection.listen(partial(self._hear, legs))
        finally:
            for task in tasks:
                task.cancel()

    async def _search(self, connection: SwitchConnection, legs: SwitchLegs) -> None:
        """Find calls that came in while no process was connected."""
        for pause_s in SEARCHES_S:
            await asyncio.sleep(pause_s)
            with contextlib.suppress(SwitchLostError):
                keys = ringing_in(await connection.ask("api show channels as json"))
                unknown = {key: f"api uuid_dump {key} json" for key in keys if legs.get(key) is None}
                for reply in (await _ask_all(connection, unknown)).values():
                    if (dump := read_dump(reply)) is not None:
                        self._do(legs.find_parked(steady_ms(), dump))

    async def _look(self, connection: SwitchConnection, legs: SwitchLegs) -> None:
        while True:
            await asyncio.sleep(LOOKS_EVERY_S)
            connection.look()
            self._do(legs.tick(steady_ms()))
            for key in [key for key, at_ms in self._notes.items() if steady_ms() - at_ms >= NOTES_KEPT_MS]:
                del self._notes[key]
                connection.send(f"api db delete/dialer/{key}")

    def _disconnect(self) -> None:
        self._is_up.clear()
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    # --- legs -------------------------------------------------------------------------------------------------------

    def _hear(self, legs: SwitchLegs, event: SwitchEvent) -> None:
        self._keep(kept_event(event), is_sent=False)
        self._do(legs.hear(steady_ms(), event))

    def _do(self, outputs: Iterable[LegOutput]) -> None:
        for output in outputs:
            match output:
                case Say():
                    self._say(output)
                case Tell(key, heard):
                    self._tell(key, heard)
                case Look(key):
                    self._later(self._find_again(key))

    def _say(self, output: Say) -> None:
        connection, legs, purpose = self._connection, self._legs, output.purpose
        if connection is None or legs is None:
            return
        self._keep(kept_command(output.command), is_sent=True)
        if purpose is None:
            connection.send(output.command)
        else:
            connection.send(output.command, lambda reply: self._do(legs.replied(steady_ms(), purpose, reply)))

    def _keep(self, line: KeptLine | None, *, is_sent: bool) -> None:
        if self.capture is not None and line is not None:
            self.capture.note(line.key, line.text.encode(), is_sent=is_sent)

    def _tell(self, key: str, heard: LegReport | Found) -> None:
        self._numbers += 1
        if isinstance(heard, Ended):
            self._ends[self._numbers] = key
            if self._trace is None:
                _log.info("leg_over", key=key, cause=heard.cause.value)
        self._exchange.heard(self._numbers, key, heard)

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _find_again(self, key: str) -> None:
        """Ask about a leg of which events may have been lost."""
        leg = None if self._legs is None else self._legs.get(key)
        if leg is None:
            return
        now_ms = steady_ms()
        age_ms = None if leg.answered_ms is None else now_ms - leg.answered_ms
        with contextlib.suppress(SwitchLostError):
            (leg_state,) = await self._found([LiveLeg(leg.dialling, now_ms - leg.began_ms, age_ms)])
            if isinstance(leg_state, Alive) and leg_state.answered is not None:
                self._tell(key, leg_state.answered)
            elif isinstance(leg_state, Unknown) or (isinstance(leg_state, Over) and leg.ended is None):
                self._tell(key, leg_state)

    async def _found(self, legs: Sequence[LiveLeg]) -> list[Found]:
        connection, ours = self._connection, self._legs
        if connection is None or ours is None:
            raise SwitchLostError("it is not connected")
        calls = [leg.order.key for leg in legs if not isinstance(leg.order, Texting) and is_fit_key(leg.order.key)]
        # `show channels` reads a table that is written later. A dump is exact, and says more.
        dumps = await _ask_all(connection, {key: f"api uuid_dump {key} json" for key in calls})
        gone = [key for key in calls if dumps[key].startswith("-")]
        notes = await _ask_all(connection, {key: f"api db select/dialer/{key}" for key in gone})
        time_us = await connection.ask("api strmicroepoch") if gone else ""
        now_ms = int(time_us) // 1_000 if time_us.strip().isdecimal() else 0
        return [self._one(ours, live, dumps, notes, now_ms) for live in legs]

    def _one(self, ours: SwitchLegs, live: LiveLeg, dumps: dict[str, str], notes: dict[str, str], now_ms: int) -> Found:
        key, leg = live.order.key, ours.get(live.order.key)
        if isinstance(live.order, Texting) or self._turns.drop(key):
            return Unplaced()
        if leg is not None and leg.ended is not None:
            ended_ms, ended = leg.ended
            return Over(replace(ended, age_ms=steady_ms() - ended_ms))
        dump = read_dump(dumps.get(key, "-"))
        if dump is not None and not dump.is_hung_up:
            ours.adopt(steady_ms(), live.order, dump)
            if isinstance(live.order, Arriving) and live.order.talk_limit_ms:
                self._do(ours.answer(live.order))
            return alive_by(dump, live)
        over = over_by_note(notes.get(key, ""), live, now_ms) if dump is None else over_by_dump(dump)
        if over is not None:
            ours.drop(key)
            self._notes[key] = steady_ms()
            return over
        if is_fit_key(key):
            self._do(ours.lose(key))
        return Unknown()


async def _ask_all(connection: SwitchConnection, commands: dict[str, str]) -> dict[str, str]:
    """Send commands at once, and return the reply to each."""
    replies = await asyncio.gather(*(connection.ask(command) for command in commands.values()))
    return dict(zip(commands, replies, strict=True))


def _where(parameters: FreeSwitchParameters, media: Path) -> SoundPath:
    folder = parameters.media_path.rstrip("/") if parameters.media_path else str(media.absolute())
    if not is_path(folder):
        raise ParametersError(f"the media folder {folder!r} has other characters than letters, digits and _./+-.")
    return lambda name: f"{folder}/{name}"
