"""A trial call over FreeSWITCH: one call, with every command and event shown."""

import asyncio
import re
import secrets
from pathlib import Path
from typing import Final

from dialer.carriers.freeswitch.line import FreeSwitchLine
from dialer.carriers.line_port import Found, Unplaced
from dialer.carriers.voice.clock import steady_ms
from dialer.carriers.voice.sound_files import SoundFileError
from dialer.carriers.voice.trial_call import GREETING, Trial, TrialOrder, wait_for_end
from dialer.domain.sessions.leg_protocol import Answered, Ask, Dialling, Done, Ended, LegReport, Speech

TONE: Final = "tone_stream://%(1000,0,440)"
_PLAYABLE: Final = re.compile(r"[0-9A-Za-z_./+-]+", re.ASCII)


class _TrialExchange:
    """The service, as the line of a trial call sees it."""

    def __init__(self, order: TrialOrder, trial: Trial) -> None:
        self._order, self._trial = order, trial
        self.line: FreeSwitchLine
        self.connected: Final[asyncio.Future[str]] = asyncio.get_running_loop().create_future()
        """Why the line does not work; empty if it does."""
        self.over: Final = asyncio.Event()

    def is_up(self, why_not: str) -> None:
        """Note the first state of the line."""
        self._trial.trunk_is(why_not)
        if not self.connected.done():
            self.connected.set_result(why_not)

    def heard(self, number: int, key: str, heard: LegReport | Found) -> None:
        """Show a report of the trial call, and give the next order: the greeting, then one key after the other."""
        if isinstance(heard, Answered | Done):
            self._trial.hear(key, steady_ms(), heard, "")
            turn = heard.turn + 1 if isinstance(heard, Done) else 1
            greeting = (Speech(GREETING),) if turn == 1 else ()
            self.line.perform(key, Ask(turn, greeting, 1, self._order.talk_limit_ms))
        elif isinstance(heard, Ended):
            self._trial.hear(key, steady_ms(), heard, f"FreeSWITCH reports cause {heard.cause.value}")
            self.line.settled(number)
            self.over.set()
        elif isinstance(heard, Unplaced):
            self.over.set()
        elif not isinstance(heard, Found):
            self._trial.hear(key, steady_ms(), heard, "")


async def place_switch_call(parameters: str, order: TrialOrder, trial: Trial) -> None:
    """Place a call and follow it to its end.

    Raises:
        OSError: the switch cannot be used.
        SoundFileError: the switch cannot be told to play the file.
    """
    played = TONE if order.play is None else str(order.play.absolute())
    if order.play is not None and not _PLAYABLE.fullmatch(played):
        raise SoundFileError(f"{played}: use a path of letters, digits and _./+-.")
    exchange = _TrialExchange(order, trial)
    # No gateway has the id 0, so the events of the service's own calls are not shown.
    exchange.line = FreeSwitchLine(0, parameters, exchange, Path(), path=lambda _: played, trace=trial.show_message)
    try:
        why_not = await exchange.connected
        if why_not:
            raise OSError(why_not)
        key = secrets.token_hex(16)
        exchange.line.dial(Dialling(key, order.number, order.callerid, order.ring_limit_ms, order.talk_limit_ms))
        await wait_for_end(order, exchange.over, lambda last: exchange.line.perform(key, last))
    finally:
        await exchange.line.close()
