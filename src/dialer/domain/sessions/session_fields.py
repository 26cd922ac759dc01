"""The fields of the session of a call, and the way back of a callee whose agent has transferred the call."""

from typing import Final

import msgspec

from dialer.domain.calls import call_events, events
from dialer.domain.calls.call_recording import TapeState
from dialer.domain.calls.plan_parts import SectionResult
from dialer.domain.calls.plans import Call, CallOutcome
from dialer.domain.calls.sound_quality import SoundQuality
from dialer.domain.engine.retry import cause_after_answer
from dialer.domain.sessions.leg_protocol import Hold, Order, Speech
from dialer.domain.sessions.session_state import Stage
from dialer.domain.sessions.survey_steps import SurveyStep
from dialer.domain.survey.heard import HEARD_MAX, LEFT, HeardInput
from dialer.domain.words.enums import AmdStatus, Cause, Consulted

_MACHINE: Final = AmdStatus.MACHINE
_NORMAL: Final = Cause.NORMAL_CLEARING
"""Every call uses them. A lookup in an enumeration costs as much as a function call."""


class SessionFields(msgspec.Struct, eq=False, gc=False):
    """The fields of a call's session."""

    call: Call
    stage: Stage = Stage.DIALLED
    turn: int = 0
    """Number of the last order."""
    seq: int = 0
    """Number of the last report to the engine."""
    step: SurveyStep | None = None
    """The place in the survey; None before and after it."""
    signalled_ms: int | None = None
    answered_ms: int | None = None
    amd_status: AmdStatus = AmdStatus.PERSON
    is_refused_machine: bool = False
    is_completed: bool = False
    is_message_left: bool = False
    """True if an answering machine has heard the message for machines, or the survey, to its end."""
    other: str = ""
    """The key of the leg with which it is connected."""
    transfers: int = 0
    """Number of transfers that the call has reached."""
    speeches: tuple[Speech, ...] = ()
    """The prompt that is being played, in the stages that play one."""
    engine_events: tuple[events.Report, ...] = ()
    """Events that the engine has not been told."""
    results: tuple[SectionResult, ...] = ()
    """The last answer to each section, in the order of the answers."""
    heard: tuple[HeardInput, ...] = ()
    """The inputs of the callee in the first `HEARD_MAX` sections of the call."""
    silences: tuple[int, ...] = ()
    """As those of `SessionState`."""
    notices: int = 0
    """Times that the callee was told of the recording, from the first word on."""
    is_recording_refused: bool = False
    _order: Order | None = None
    """The last order of a stage whose orders are rare."""

    def tape_state(self, at_dial: TapeState) -> TapeState:
        """Return what becomes of the sound of the call now, if it is recorded; `at_dial` is what did at its dial."""
        if self.is_recording_refused:
            return TapeState.REFUSED
        return self.call.recording_by_now.state(at_dial, self.silences)

    def outcome(
        self,
        at_ms: int,
        cause: Cause,
        *,
        is_cut_off: bool = False,
        retry_after_ms: int = 0,
        sound: SoundQuality | None = None,
    ) -> CallOutcome:
        """Return the outcome of the call if it ends at `at_ms`. A machine completes no survey, but may hear it."""
        signalled_ms = self.signalled_ms if self.call.attempt > 0 else None
        if self.answered_ms is None:
            return CallOutcome(
                at_ms,
                cause,
                signalled_ms=signalled_ms,
                is_cut_off=is_cut_off,
                retry_after_ms=retry_after_ms,
                sound=sound,
            )
        is_machine = self.amd_status is _MACHINE
        return CallOutcome(
            at_ms,
            cause if cause is _NORMAL else cause_after_answer(cause),
            self.answered_ms,
            self.amd_status,
            self.is_refused_machine,
            self.is_completed and not is_machine,
            self.results,
            signalled_ms=signalled_ms,
            is_cut_off=is_cut_off,
            sound=sound,
            heard=self.heard if self.step is None else self._with(self.step, LEFT, at_ms),
            silences=self.silences,
            is_recording_refused=self.is_recording_refused,
            is_message_left=is_machine and (self.is_message_left or self.is_completed),
        )

    def _with(self, step: SurveyStep, text: str, at_ms: int) -> tuple[HeardInput, ...]:
        """Return the inputs with another one, so that the call can be replayed."""
        heard = HeardInput(at_ms - (self.answered_ms or at_ms), step.section.id, text)
        return self.heard if step.position.visited > HEARD_MAX else (*self.heard, heard)


def room_of(call: Call) -> str:
    """Return the name of the room in which a callee, an agent and a third person talk."""
    return f"consultation:{call.callid}"


def hold_in(call: Call, queue_id: int | None, turn: int) -> Hold:
    """Return the order to wait with the music of a queue, or with the line's own if the queue has none."""
    files = (sound.file for sound in call.plan.hold_sounds if sound.queue_id == queue_id)
    return Hold(turn, file=next(files, ""))


def hold_where_it_is(call: Call, turn: int) -> Hold:
    """Return the order to wait with the music of the queue in which a call waits or was taken."""
    of_callee = [transfer for transfer in call.transfers if transfer.consulted is not Consulted.ASKED]
    return hold_in(call, of_callee[-1].queue_id if of_callee else None, turn)


def way_back(session: SessionFields, section_id: int, at_ms: int) -> call_events.TransferReached | None:
    """Return the transfer back to the queue of the agent who has transferred the call; None if there is no way back."""
    of_callee = [transfer for transfer in session.call.transfers if transfer.consulted is not Consulted.ASKED]
    earlier = of_callee[: session.transfers]
    if not earlier or not earlier[-1].comes_back:
        return None
    agent_id, queue_id = earlier[-1].from_agent_id, earlier[-2].queue_id
    where = (session.call.id, section_id, queue_id, "", session.answered_ms or at_ms)
    return call_events.TransferReached(*where, session.seq + 1, agent_id, agent_id)
