"""IvrSession: a call over a line that is talked through, one order at a time.

A simulated call is walked ahead of its time (`dialer.sim.conversation`). A talk waits for what it hears, and gives the
next order. Both play the same survey by the same rules, so equal callees give equal rows. A talk performs nothing and
has no clock. Its `SessionState` is stored, so that another process can continue it.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from dialer.domain import events
from dialer.domain.enums import AmdBehavior, AmdStatus, Cause
from dialer.domain.plans import NO_AMD, Call, CallOutcome, SectionResult
from dialer.domain.sessions.leg_protocol import (
    Accepted,
    Answered,
    Arrived,
    Ask,
    AwaitBeep,
    Bridge,
    Clear,
    Confer,
    Detect,
    Done,
    Ended,
    Hold,
    LegReport,
    Order,
    Play,
    Receipt,
    Record,
    Ringing,
    Speech,
    TextReceived,
)
from dialer.domain.sessions.playing import UNWANTED, context_of, spoken
from dialer.domain.survey.callflow import Position, StoredPosition
from dialer.domain.survey.sections.actions import (
    ConferenceTalk,
    Diversion,
    DncWish,
    MessageToSend,
    VoiceRecording,
)
from dialer.domain.survey.survey import Prompt

NOT_NETWORK: Final = frozenset({Cause.NO_ANSWER, Cause.NORMAL_CLEARING})
"""Causes of an unanswered call that this side ended, so that its end is no signal of the network."""


class Stage(StrEnum):
    """The stage of a talk: the answer that it waits for."""

    DIALLED = "dialled"
    DETECTING = "detecting"
    AWAITING_BEEP = "awaiting_beep"
    LEAVING_MESSAGE = "leaving_message"
    PLAYING = "playing"
    ASKING = "asking"
    RECORDING = "recording"
    CONFERRING = "conferring"
    TRANSFERRED = "transferred"
    """The engine decides when the call goes on."""
    BRIDGED = "bridged"
    """It is connected with another leg, until that is over."""
    CLEARING = "clearing"
    OVER = "over"


class SessionState(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that a talk knows, as it is stored."""

    stage: Stage = Stage.DIALLED
    turn: int = 0
    """Number of the last order."""
    seq: int = 0
    """Number of the last report to the engine."""
    place: StoredPosition | None = None
    signalled_ms: int | None = None
    answered_ms: int | None = None
    amd_status: AmdStatus = AmdStatus.PERSON
    is_refused_machine: bool = False
    is_completed: bool = False
    results: tuple[SectionResult, ...] = ()
    other: str = ""
    """The key of the leg with which it is connected."""

    def moved(self, by_ms: int) -> "SessionState":
        """Return the standing with all its times moved, after the clock has jumped."""
        return replace(
            self,
            signalled_ms=None if self.signalled_ms is None else self.signalled_ms + by_ms,
            answered_ms=None if self.answered_ms is None else self.answered_ms + by_ms,
            results=tuple(replace(one, at_ms=one.at_ms + by_ms) for one in self.results),
        )


FRESH: Final = SessionState()


class Reaction(NamedTuple):
    """The orders for the line and the reports for the engine that follow from something heard."""

    orders: tuple[Order, ...]
    reports: tuple[events.Report, ...]


class IvrSession:
    """One call over a line.

    Times are milliseconds since the epoch. A `Done` that does not answer the last order changes nothing, nor does
    anything that is heard after the end.
    """

    def __init__(self, call: Call, standing: SessionState = FRESH) -> None:
        self.call: Final = call
        self._standing = standing
        self._position = None if standing.place is None else call.plan.flow.position_at(standing.place)
        self._orders: list[Order] = []
        self._reports: list[events.Report] = []

    @property
    def standing(self) -> SessionState:
        """The state of the talk."""
        return replace(self._standing, place=None if self._position is None else self._position.place)

    def hear(self, now_ms: int, heard: LegReport) -> Reaction:
        """Return the reaction to something that was heard of the leg."""
        match heard:
            case Ringing(age_ms):
                self._ring(self._moment(now_ms, age_ms))
            case Answered(age_ms):
                self._answer(self._moment(now_ms, age_ms))
            case Done(turn) if turn == self._standing.turn:
                self._go_on(self._moment(now_ms, heard.age_ms), heard)
            case Ended():
                self._end(self._moment(now_ms, heard.age_ms), heard)
            case Done() | Arrived() | Accepted() | Receipt() | TextReceived():
                pass
        return self._reaction()

    def resume(self, now_ms: int) -> Reaction:
        """Begin the present section again, because it is not known how far the leg has come with the last order.

        Wishes, messages and transfers of the section that were reported are not reported again.
        """
        match self._standing.stage:
            case Stage.DETECTING:
                self._detect()
            case Stage.AWAITING_BEEP | Stage.LEAVING_MESSAGE:
                self._await_beep()
            case Stage.PLAYING | Stage.ASKING | Stage.RECORDING | Stage.CONFERRING:
                if not self._begin_section(now_ms):
                    self._leave_section(now_ms)
            case Stage.TRANSFERRED:
                self._order(Hold(self._next_turn()), Stage.TRANSFERRED)
            case Stage.BRIDGED:
                self._order(Bridge(self._next_turn(), self._standing.other), Stage.BRIDGED)
            case Stage.CLEARING:
                self._clear()
            case Stage.DIALLED | Stage.OVER:
                pass
        return self._reaction()

    def bridge(self, other: str) -> Reaction:
        """Connect the call, which waits in a transfer, with another leg."""
        if self._standing.stage is Stage.TRANSFERRED:
            self._note(other=other)
            self._order(Bridge(self._next_turn(), other), Stage.BRIDGED)
        return self._reaction()

    def transfer_over(self, now_ms: int, *, is_connected: bool) -> Reaction:
        """Continue the survey after a transfer that has ended, or has reached nobody."""
        if self._standing.stage in {Stage.TRANSFERRED, Stage.BRIDGED} and self._position is not None:
            self._position = self.call.plan.flow.transferred(self._position, is_connected=is_connected)
            self._note(other="")
            self._walk(now_ms)
        return self._reaction()

    def hang_up(self) -> Reaction:
        """End the call from this side. It is over when the line says so."""
        if self._standing.stage is not Stage.OVER:
            self._clear()
        return self._reaction()

    def _reaction(self) -> Reaction:
        reaction = Reaction(tuple(self._orders), tuple(self._reports))
        self._orders, self._reports = [], []
        return reaction

    def _moment(self, now_ms: int, age_ms: int) -> int:
        """Return the time of something heard, which is neither in the future nor before the call and its answer."""
        earliest_ms = self._standing.answered_ms or self.call.started_ms
        return max(earliest_ms, min(now_ms, now_ms - age_ms))

    def _note(self, **changes: object) -> None:
        self._standing = replace(self._standing, **changes)

    def _next_turn(self) -> int:
        return self._standing.turn + 1

    def _order(self, order: Order, stage: Stage) -> None:
        self._orders.append(order)
        self._note(stage=stage, turn=order.turn)

    def _next_seq(self) -> int:
        self._note(seq=self._standing.seq + 1)
        return self._standing.seq

    # --- before the survey --------------------------------------------------------------------------------------

    def _ring(self, at_ms: int) -> None:
        if self._standing.stage is Stage.DIALLED and self._standing.signalled_ms is None:
            self._note(signalled_ms=at_ms)

    def _answer(self, at_ms: int) -> None:
        if self._standing.stage is not Stage.DIALLED:
            return
        self._ring(at_ms)
        self._note(answered_ms=at_ms)
        if self.call.amd == NO_AMD:
            self._greet(at_ms)
        else:
            self._detect()

    def _detect(self) -> None:
        self._order(Detect(self._next_turn(), self.call.plan.amd_sensitivity), Stage.DETECTING)

    def _detected(self, at_ms: int, status: AmdStatus | None) -> None:
        self._note(amd_status=AmdStatus.UNSURE if status is None else status)
        self._greet(at_ms)

    def _greet(self, at_ms: int) -> None:
        """Report the answer if the survey has queues, and begin the survey or the message for a machine.

        A callee that `amd_behavior` excludes is hung up on.
        """
        call, plan, status = self.call, self.call.plan, self._standing.amd_status
        if plan.flow.queue_ids:
            is_live = status is not AmdStatus.MACHINE
            answered_ms = self._standing.answered_ms or at_ms
            self._reports.append(events.CallAnswered(call.id, answered_ms, is_live, self._next_seq()))
        if call.amd != NO_AMD and UNWANTED.get(AmdBehavior(call.amd)) is status:
            self._note(is_refused_machine=call.amd == AmdBehavior.HUMAN_ONLY)
            self._clear()
        elif plan.voicemail_prompt is not None and status is AmdStatus.MACHINE:
            self._await_beep()
        else:
            self._position = plan.flow.begin()
            self._walk(at_ms)

    def _await_beep(self) -> None:
        self._order(AwaitBeep(self._next_turn()), Stage.AWAITING_BEEP)

    def _leave_message(self) -> None:
        prompt = self.call.plan.voicemail_prompt
        speeches = () if prompt is None else self._speeches((prompt,))
        if speeches:
            self._order(Play(self._next_turn(), speeches), Stage.LEAVING_MESSAGE)
        else:
            self._clear()

    # --- the survey ---------------------------------------------------------------------------------------------

    def _go_on(self, at_ms: int, done: Done) -> None:
        """Continue after an order that is done."""
        match self._standing.stage:
            case Stage.DETECTING:
                self._detected(at_ms, done.status)
            case Stage.AWAITING_BEEP:
                self._leave_message()
            case Stage.LEAVING_MESSAGE:
                self._clear()
            case Stage.PLAYING:
                if not self._act(at_ms):
                    self._leave_section(at_ms)
            case Stage.ASKING:
                self._take_keys(at_ms, done.keys)
            case Stage.RECORDING:
                self._keep_recording(at_ms, done.recording_ms)
                self._leave_section(at_ms)
            case Stage.CONFERRING:
                self._leave_section(at_ms)
            case Stage.DIALLED | Stage.TRANSFERRED | Stage.BRIDGED | Stage.CLEARING | Stage.OVER:
                pass

    def _walk(self, at_ms: int) -> None:
        """Enter sections until one of them waits for something. After the last one, hang up."""
        while self._position is not None:
            position = self._position
            if position.section.completed:
                self._note(is_completed=True)
            if position.definition.acts_before_prompt:
                self._act_before(position, at_ms)
            if self._begin_section(at_ms):
                return
            self._position = self.call.plan.flow.done(position)
        self._clear()

    def _act_before(self, position: Position, at_ms: int) -> None:
        call_id = self.call.id
        match position.definition.before_prompt(position.section, context_of(self.call)):
            case DncWish(response):
                self._keep(response, at_ms)
                self._reports.append(events.DncReached(call_id, self._next_seq()))
            case MessageToSend(response, number, text):
                self._keep(response, at_ms)
                self._reports.append(events.TextRequested(call_id, number, text, self._next_seq()))
            case None:
                pass

    def _begin_section(self, at_ms: int) -> bool:
        """Play the prompt of the section, and return whether the call has to wait."""
        position = self._position
        if position is None:
            return False
        speeches = self._speeches(self.call.plan.flow.prompts(position))
        if position.definition.asks:
            section, turn = position.section, self._next_turn()
            digits_max = position.definition.digits_max(section)
            self._order(Ask(turn, speeches, digits_max, section.timeout_ms), Stage.ASKING)
            return True
        if speeches:
            self._order(Play(self._next_turn(), speeches), Stage.PLAYING)
            return True
        return self._act(at_ms)

    def _leave_section(self, at_ms: int) -> None:
        self._position = None if self._position is None else self.call.plan.flow.done(self._position)
        self._walk(at_ms)

    def _take_keys(self, at_ms: int, keys: str) -> None:
        if self._position is not None:
            turn = self.call.plan.flow.heard(self._position, keys)
            if turn.response is not None:
                self._keep(turn.response, at_ms)
            self._position = turn.position
        self._walk(at_ms)

    def _act(self, at_ms: int) -> bool:
        """Perform the section's action after its prompt, and return whether the call has to wait."""
        position = self._position
        if position is None or not position.definition.acts_after_prompt:
            return False
        turn = self._next_turn()
        match position.definition.after_prompt(position.section, context_of(self.call)):
            case Diversion() as diversion:
                self._transfer(position, diversion, at_ms)
            case ConferenceTalk(response, room):
                self._keep(response, at_ms)
                self._order(Confer(turn, f"{self.call.plan.user_id}-{room}"), Stage.CONFERRING)
            case VoiceRecording(response):
                self._order(Record(turn, response), Stage.RECORDING)
            case None:
                return False
        return True

    def _transfer(self, position: Position, to: Diversion, at_ms: int) -> None:
        self._keep(to.response, at_ms)
        self._order(Hold(self._next_turn()), Stage.TRANSFERRED)
        answered_ms = self._standing.answered_ms or at_ms
        self._reports.append(
            events.TransferReached(
                self.call.id, position.section.id, to.queue_id, to.number, answered_ms, self._next_seq()
            )
        )

    def _keep_recording(self, at_ms: int, recording_ms: int | None) -> None:
        """Keep the recording of the present section, if the line has made one."""
        if self._position is None or not recording_ms or recording_ms < 0:
            return
        match self._position.definition.after_prompt(self._position.section, context_of(self.call)):
            case VoiceRecording(response):
                self._keep(response, at_ms, recording_ms)
            case Diversion() | ConferenceTalk() | None:
                pass

    def _keep(self, response: str, at_ms: int, recording_ms: int | None = None) -> None:
        """Keep the answer to the present section. The last answer to a section counts."""
        if self._position is None:
            return
        section = self._position.section
        result = SectionResult(section.id, section.type, section.question, response, at_ms, recording_ms)
        others = tuple(one for one in self._standing.results if one.section_id != section.id)
        self._note(results=(*others, result))

    def _speeches(self, prompts: Iterable[Prompt]) -> tuple[Speech, ...]:
        """Return the prompts that can be heard: a recording, else a text."""
        found = []
        for prompt in prompts:
            if prompt.audio_ms is not None:
                found.append(Speech(file=prompt.file))
            else:
                found.append(Speech(text=spoken(prompt.script, self.call.subscriber).strip()))
        return tuple(one for one in found if one.file or one.text)

    # --- the end ------------------------------------------------------------------------------------------------

    def _clear(self) -> None:
        self._order(Clear(self._next_turn()), Stage.CLEARING)

    def _end(self, at_ms: int, ended: Ended) -> None:
        """Report the end. An answered call lasts no longer than it may, however late its end was heard."""
        standing = self._standing
        if standing.stage is Stage.OVER:
            return
        if standing.answered_ms is not None:
            at_ms = min(at_ms, standing.answered_ms + self.call.talk_limit_ms)
        self._keep_recording(at_ms, ended.recording_ms)
        if standing.answered_ms is None and ended.cause not in NOT_NETWORK:
            self._ring(at_ms)
        self._note(stage=Stage.OVER)
        outcome = replace(self._outcome(at_ms, ended.cause), is_cut_off=ended.is_cut_off)
        self._reports.append(events.CallEnded(self.call.id, outcome, self._next_seq()))

    def _outcome(self, at_ms: int, cause: Cause) -> CallOutcome:
        standing = self._standing
        signalled_ms = standing.signalled_ms if self.call.attempt > 0 else None
        return CallOutcome(
            at_ms,
            cause,
            standing.answered_ms,
            standing.amd_status,
            standing.is_refused_machine,
            standing.is_completed,
            standing.results,
            signalled_ms=signalled_ms,
        )
