"""Legs of calls in the switch: what orders, events and replies of commands lead to, without a socket and a clock."""

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from dialer.carriers.freeswitch.causes import cause_of_hangup, name_of
from dialer.carriers.freeswitch.commands import (
    RECORDING_S_MAX,
    RECORDING_SILENCE_S,
    SoundPath,
    UnfitError,
    answers,
    application_of,
    execution,
    is_fit_key,
    note_the_end,
    originate,
    set_variable,
)
from dialer.carriers.freeswitch.done_orders import done_of
from dialer.carriers.freeswitch.events import SwitchEvent
from dialer.carriers.freeswitch.parameters import FreeSwitchParameters
from dialer.domain.sessions.leg_protocol import (
    Answered,
    Arrived,
    Arriving,
    Ask,
    AwaitBeep,
    Bridge,
    Clear,
    Confer,
    Converse,
    Detect,
    Dialling,
    Ended,
    Hold,
    LegReport,
    Order,
    Play,
    Record,
    Ringing,
    Supervise,
    Tape,
)
from dialer.domain.words.enums import Cause

STOP_MS: Final = 2_000
"""Time for an application to end before the next order is given all the same."""
RECORDING_MS_MAX: Final = (RECORDING_S_MAX + RECORDING_SILENCE_S) * 1_000
"""A recording that goes on for longer is ended here: the switch has a limit, and may not look at it."""
QUIET_MS: Final = 30_000
"""A leg of which nothing was heard for so long is asked about: the switch drops events if it has too many."""
NUMBER_MAX: Final = 64
"""Characters of the numbers of a call that comes in."""
UUID_LENGTH: Final = 36
"""Characters of the name of a call that comes in, which becomes its `callid`."""
LOST_MAX: Final = 1_000
"""Legs that were given up whose keys are remembered, so that they are ended if they appear after all."""
DETECTION_RESULTS: Final = ("timeout", "listenhits", "silence_hits")
"""Variables that `wait_for_silence` sets."""


class ForTurn(NamedTuple):
    """The purpose of a command whose failure matters: the dial of a leg (turn 0), or one of its orders."""

    key: str
    turn: int


class Say(NamedTuple):
    """A command for the switch."""

    command: str
    purpose: ForTurn | None = None


class Tell(NamedTuple):
    """Something for the service that was heard of a leg."""

    key: str
    heard: LegReport


class Look(NamedTuple):
    """A leg about which the switch has to be asked."""

    key: str


LegOutput: TypeAlias = Say | Tell | Look


class SwitchLeg:
    """The state of one leg, as the line knows it. Times are milliseconds of the line's steady clock."""

    def __init__(self, dialling: Dialling | Arriving, now_ms: int) -> None:
        self.dialling: Final = dialling
        self.began_ms: Final = now_ms
        self.heard_ms = now_ms
        self.answered_ms: int | None = None
        self.has_rung = False
        self.is_cleared = False
        self.is_accepted = False
        """True if it came in, and was told to answer."""
        self.turn = 0
        self.order: Order | None = None
        """The order in progress."""
        self.is_busy = False
        """True if an application may be in progress."""
        self.is_stubborn = False
        """True if that is one that only parking ends: a conference or a bridge."""
        self.other = ""
        """The leg with which it is connected after it was taken up."""
        self.next_order: Order | None = None
        """The order that begins when the one before has stopped, or at `stop_ms`."""
        self.stop_ms = 0
        self.ends_at_keys = False
        """True if the last order was a recording, which a key ends. No key may end a prompt."""
        self.recording_ms: int | None = None
        self.recording = (0, 0)
        """The turn of the last recording, and the moment at which it is ended if the switch has not ended it."""
        self.ended: tuple[int, Ended] | None = None


class SwitchLegs:
    """The legs of one FreeSWITCH gateway, by their keys."""

    def __init__(self, parameters: FreeSwitchParameters, mark: str, path: SoundPath) -> None:
        self._parameters, self._mark, self._path = parameters, mark, path
        self._legs: Final[dict[str, SwitchLeg]] = {}
        self._lost: Final[dict[str, None]] = {}
        self._handlers: Final = {
            "CHANNEL_CREATE": self._create,
            "CHANNEL_PROGRESS": self._ring,
            "CHANNEL_PROGRESS_MEDIA": self._ring,
            "CHANNEL_ANSWER": self._answer,
            "CHANNEL_EXECUTE_COMPLETE": self._completed,
            "CHANNEL_UNBRIDGE": self._unbridged,
            "CHANNEL_HANGUP_COMPLETE": self._hung_up,
        }

    def __len__(self) -> int:
        return len(self._legs)

    def get(self, key: str) -> SwitchLeg | None:
        """Return a leg; None if there is none."""
        return self._legs.get(key)

    def dial(self, now_ms: int, dialling: Dialling) -> list[LegOutput]:
        """Return the outputs that place a call. A key that is in use already places nothing."""
        if dialling.key in self._legs:
            return []
        leg = self._legs[dialling.key] = SwitchLeg(dialling, now_ms)
        try:
            command = originate(self._parameters, dialling, self._mark)
        except UnfitError:
            return self._end(leg, now_ms, Cause.INVALID_NUMBER_FORMAT)
        return [Say(command, ForTurn(dialling.key, 0))]

    def answer(self, arriving: Arriving) -> list[LegOutput]:
        """Return the outputs that answer an incoming call. A call that is answered or over gets none."""
        leg = self._legs.get(arriving.key)
        if leg is None or leg.ended is not None or leg.is_accepted or leg.answered_ms is not None:
            return []
        leg.is_accepted = True
        return [Say(command) for command in answers(arriving)]

    def adopt(self, now_ms: int, dialling: Dialling | Arriving, dump: SwitchEvent) -> None:
        """Continue a leg that is in the switch already. The leg may still be performing its last order."""
        open_leg = self._legs.get(dialling.key)
        leg = self._legs[dialling.key] = open_leg or SwitchLeg(dialling, now_ms)
        leg.heard_ms = now_ms
        if leg.answered_ms is None and dump.number("Caller-Channel-Answered-Time"):
            leg.answered_ms = now_ms
        leg.other = dump["variable_bridge_uuid"]
        if open_leg is None:
            application = dump["variable_current_application"]
            leg.ends_at_keys = dump["variable_playback_terminators"] == "#"
            leg.is_stubborn = application == "conference" or bool(leg.other)
            leg.is_busy = leg.is_stubborn or application not in {"", "park"}

    def lose(self, key: str) -> list[LegOutput]:
        """Give a leg up, and end it whenever it appears."""
        self._legs.pop(key, None)
        self._lost[key] = None
        if len(self._lost) > LOST_MAX:
            del self._lost[next(iter(self._lost))]
        return [_kill(key)]

    def drop(self, key: str) -> None:
        """Remove a leg that the switch reported as ended."""
        self._legs.pop(key, None)

    def forget(self, key: str) -> list[LegOutput]:
        """Remove a leg whose end is stored, here and from the notes of the switch."""
        return [] if self._legs.pop(key, None) is None else [Say(f"api db delete/dialer/{key}")]

    def perform(self, now_ms: int, key: str, order: Order) -> list[LegOutput]:
        """Give an order to a leg. The order in progress is stopped first."""
        leg = self._legs.get(key)
        if leg is None or leg.ended is not None:
            return []
        if isinstance(order, Clear):
            leg.is_cleared = True
            return [_kill(key, order.cause)]
        if order.turn <= leg.turn:
            return []
        leg.turn = order.turn
        if isinstance(order, Hold) and order.is_silent:  # A channel whose bridge is over is parked, and hears nothing.
            return []
        other, leg.other = leg.other, ""
        if isinstance(order, Bridge) and order.other == other:  # They go on talking.
            leg.order, leg.is_busy, leg.is_stubborn = order, True, True
            return []
        return self._replace(now_ms, leg, order) if leg.is_busy else self._begin(leg, order)

    @staticmethod
    def _replace(now_ms: int, leg: SwitchLeg, order: Order) -> list[LegOutput]:
        key, was_waiting = leg.dialling.key, leg.next_order is not None
        leg.next_order = order
        if was_waiting:
            return []
        # An order that comes during an application would be performed within it.
        leg.stop_ms = now_ms + STOP_MS
        return [Say(f"api uuid_park {key}" if leg.is_stubborn else f"api uuid_break {key} all")]

    def tick(self, now_ms: int) -> Iterator[LegOutput]:
        """Give the orders that have waited long enough, and name the legs that are quiet."""
        for key, leg in list(self._legs.items()):
            if leg.next_order is not None and now_ms >= leg.stop_ms:
                yield from self._begin_next(leg)
            yield from _end_recording(leg, now_ms)
            if leg.ended is None and now_ms - leg.heard_ms >= QUIET_MS:
                leg.heard_ms = now_ms
                yield Look(key)

    def replied(self, now_ms: int, purpose: ForTurn, reply: str) -> list[LegOutput]:
        """Handle the reply of the switch to a command."""
        leg = self._legs.get(purpose.key)
        if leg is None or leg.ended is not None or not reply.startswith("-") or purpose.turn != leg.turn:
            return []
        if purpose.turn == 0:
            return self._end(leg, now_ms, Cause.TEMPORARY_FAILURE)
        if isinstance(leg.order, Bridge):
            return self._done(leg, SwitchEvent({}))
        return [Look(purpose.key)]

    def hear(self, now_ms: int, event: SwitchEvent) -> list[LegOutput]:
        """Handle an event of the switch, and return the outputs that follow."""
        if event.name == "BACKGROUND_JOB":
            return self._hear_of_dial(now_ms, event)
        leg = self._legs.get(event.key)
        if leg is None and event.key not in self._lost and _came_in(event):
            return self._arrived(now_ms, event)
        if leg is None or leg.ended is not None:
            is_back = event.key in self._lost and not event.is_hung_up
            return [_kill(event.key)] if is_back else []
        leg.heard_ms = now_ms
        handler = self._handlers.get(event.name)
        return [] if handler is None else handler(leg, now_ms, event)

    def find_parked(self, now_ms: int, dump: SwitchEvent) -> list[LegOutput]:
        """Return the arrival of a call that was parked while the service was away, from the dump of its channel."""
        is_ours = dump["variable_dialer"] == self._mark and dump["variable_current_application"] == "park"
        if not is_ours or dump.key in self._legs or dump.key in self._lost or not _is_new(dump):
            return []
        return self._arrived(now_ms, dump)

    def _arrived(self, now_ms: int, event: SwitchEvent) -> list[LegOutput]:
        """Take in a call that the dialplan has parked."""
        key, called = event.key, _number(event["Caller-Destination-Number"])
        is_hidden = event["Caller-Privacy-Hide-Number"] == "true"
        caller = "" if is_hidden else _number(event["Caller-Caller-ID-Number"])
        self._legs[key] = SwitchLeg(Arriving(key, caller, 0, ""), now_ms)
        return [Say(note_the_end(key)), Tell(key, Arrived(called, caller, event["Core-UUID"]))]

    # --- before the answer, and the end -----------------------------------------------------------------------------

    def _hear_of_dial(self, now_ms: int, event: SwitchEvent) -> list[LegOutput]:
        leg, result = self._legs.get(event["Job-UUID"]), event["_body"].strip()
        if leg is None or leg.ended is not None or not result.startswith("-ERR"):
            return []
        return self._end(leg, now_ms, cause_of_hangup(result.removeprefix("-ERR").strip(), 0))

    def _create(self, leg: SwitchLeg, _now_ms: int, _event: SwitchEvent) -> list[LegOutput]:
        return [Say(note_the_end(leg.dialling.key)), *_kill_if_cleared(leg)]

    def _ring(self, leg: SwitchLeg, _now_ms: int, _event: SwitchEvent) -> list[LegOutput]:
        if leg.has_rung:
            return []
        leg.has_rung = True
        return [Tell(leg.dialling.key, Ringing(0)), *_kill_if_cleared(leg)]

    def _answer(self, leg: SwitchLeg, now_ms: int, event: SwitchEvent) -> list[LegOutput]:
        if leg.answered_ms is not None:
            return []
        leg.answered_ms = now_ms
        return [Tell(leg.dialling.key, Answered(0, event["Core-UUID"])), *_kill_if_cleared(leg)]

    def _hung_up(self, leg: SwitchLeg, now_ms: int, event: SwitchEvent) -> list[LegOutput]:
        if isinstance(leg.order, Record):
            leg.recording_ms = event.number("variable_record_ms") or leg.recording_ms
        cause = cause_of_hangup(
            event["Hangup-Cause"] or event["variable_hangup_cause"], event.number("variable_hangup_cause_q850")
        )
        return self._end(leg, now_ms, cause)

    def _end(self, leg: SwitchLeg, now_ms: int, cause: Cause) -> list[LegOutput]:
        ended = Ended(0, cause, leg.recording_ms)
        leg.ended, leg.next_order, leg.order = (now_ms, ended), None, None
        return [Tell(leg.dialling.key, ended)]

    # --- orders -----------------------------------------------------------------------------------------------------

    def _begin_next(self, leg: SwitchLeg) -> list[LegOutput]:
        order, leg.next_order = leg.next_order, None
        return [] if order is None else self._begin(leg, order)

    def _begin(self, leg: SwitchLeg, order: Order) -> list[LegOutput]:
        key = leg.dialling.key
        leg.order, leg.is_busy, leg.is_stubborn = order, True, isinstance(order, Confer | Bridge)
        if isinstance(order, Bridge):
            return [Say(f"api uuid_bridge {key} {order.other}", ForTurn(key, order.turn))]
        try:
            application = application_of(order, self._parameters, self._path)
        except UnfitError:
            # A prompt that nobody hears would make the survey run through.
            return [_kill(key)]
        if application is None:
            return self._done(leg, SwitchEvent({}))
        command = execution(key, order.turn, *application)
        ended_at_keys, leg.ends_at_keys = leg.ends_at_keys, isinstance(order, Record)
        lasting = [Say(set_variable(key, "playback_terminators", "none"))] if ended_at_keys else []
        return [*lasting, *_preparations(key, order), Say(command, ForTurn(key, order.turn))]

    def _completed(self, leg: SwitchLeg, _now_ms: int, event: SwitchEvent) -> list[LegOutput]:
        key, _, turn = event["Application-UUID"].rpartition(":")
        if key != leg.dialling.key:
            return []
        if event.is_hung_up:  # It was cut off by the end, which follows.
            if isinstance(leg.order, Record):
                leg.recording_ms = event.number("variable_record_ms") or None
            return []
        if leg.next_order is not None:
            return self._begin_next(leg)
        return self._done(leg, event) if leg.order is not None and turn == str(leg.order.turn) else []

    def _unbridged(self, leg: SwitchLeg, _now_ms: int, event: SwitchEvent) -> list[LegOutput]:
        if event.is_hung_up:
            return []
        if leg.next_order is not None:
            return self._begin_next(leg)
        return self._done(leg, event) if isinstance(leg.order, Bridge) else []

    def _done(self, leg: SwitchLeg, event: SwitchEvent) -> list[LegOutput]:
        order, leg.order, leg.is_busy, leg.is_stubborn = leg.order, None, False, False
        return [] if order is None else [Tell(leg.dialling.key, done_of(order, event))]


def _end_recording(leg: SwitchLeg, now_ms: int) -> Iterator[Say]:
    """End a recording that goes on for too long.

    The switch counts the frames that it reads, so a callee on hold is silent as long as it reads frames of silence.
    Without a timer for its sound it reads none, and counts nothing.
    """
    if not isinstance(leg.order, Record) or leg.next_order is not None:
        return
    turn, end_ms = leg.recording
    if turn != leg.order.turn:
        leg.recording = (leg.order.turn, now_ms + RECORDING_MS_MAX)
    elif now_ms >= end_ms:
        leg.recording = (turn, now_ms + STOP_MS)
        yield Say(f"api uuid_break {leg.dialling.key} all")


def _preparations(key: str, order: Order) -> list[LegOutput]:
    """Return the commands before an order: variables keep their last values, and keys are kept for the next reader."""
    match order:
        case Detect() | AwaitBeep():
            return [Say(set_variable(key, f"wait_for_silence_{name}")) for name in DETECTION_RESULTS]
        case Record():
            return [
                Say(set_variable(key, "record_ms")),
                Say(f"api uuid_flush_dtmf {key}"),
                Say(set_variable(key, "playback_terminators", "#")),
            ]
        case Confer():
            # The keys of the profile would mute somebody, or hang up.
            return [Say(set_variable(key, "conference_controls", "none"))]
        case Ask():
            return [Say(f"api uuid_flush_dtmf {key}")]
        case Play() | Hold() | Bridge() | Converse() | Supervise() | Clear() | Tape():
            return []


def _came_in(event: SwitchEvent) -> bool:
    """Return whether an event is the arrival of a call that nobody has answered."""
    return event.name == "CHANNEL_PARK" and _is_new(event)


def _is_new(event: SwitchEvent) -> bool:
    """Return whether a channel is that of a call that came in, has a name, and is not answered."""
    is_named = is_fit_key(event.key) and len(event.key) <= UUID_LENGTH
    is_waiting = event["Answer-State"] != "answered" and not event.is_hung_up
    return event["Call-Direction"] == "inbound" and is_waiting and is_named


def _number(text: str) -> str:
    """Return a number of a call that came in; empty if it is none that can be stored."""
    return text if len(text) <= NUMBER_MAX and text.isascii() and text.isprintable() else ""


def _kill(key: str, cause: Cause = Cause.NORMAL_CLEARING) -> Say:
    return Say(f"api uuid_kill {key} {name_of(cause)}")


def _kill_if_cleared(leg: SwitchLeg) -> list[LegOutput]:
    """Return the end of a leg that was cleared before its channel existed."""
    return [_kill(leg.dialling.key)] if leg.is_cleared else []
