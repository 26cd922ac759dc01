"""CalleeLine: a simulated callee at the other end of a leg, who obeys orders as a real line does.

The behaviour of a callee is known in advance. So an `IvrSession` and its callee are walked in one go up to the next
milestone. A milestone is a moment that the engine must know of: the answer, a do-not-call request, a transfer, the end.
If a call is hung up from outside, it is walked again, up to that moment.
"""

from functools import lru_cache
from typing import Final

import msgspec
from msgspec.structs import replace

from dialer.carriers.engine_port import Milestone
from dialer.domain.calls import call_events
from dialer.domain.calls.call_recording import NOTICE_WAIT_MS
from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plans import Call, CallOutcome, Transfer
from dialer.domain.sessions.b_leg_session import BLegSession, BLegSessionState, BLegStage
from dialer.domain.sessions.ivr_session import IvrSession
from dialer.domain.sessions.leg_protocol import (
    Answered,
    Ask,
    AwaitBeep,
    Confer,
    Converse,
    Detect,
    Done,
    Ended,
    Record,
)
from dialer.domain.sessions.session_state import Stage
from dialer.domain.survey.inputs import SectionInput
from dialer.domain.survey.survey import INPUT_END
from dialer.domain.words.enums import Cause
from dialer.sim.agent_profile import read_agent
from dialer.sim.callee import Callee, callee_behind
from dialer.sim.program_talk import talk_of
from dialer.sim.third_person import cut_at, third_leg

AMD_MS: Final = 2_000
"""Duration of answering-machine detection after the answer."""
WORD_MS: Final = 400
SPEECH_MS_MIN: Final = 1_000
RECORDING_MS: Final = 10_000
"""Length of a recording that a person makes. A machine speaks until `RECORDING_MS_MAX`."""
RECORDING_MS_MAX: Final = 120_000
_FOR_EVER_MS: Final = 2**62
# Every call uses these members. A lookup in an enumeration costs as much as a function call.
_NO_ANSWER: Final = Cause.NO_ANSWER
_CLEARED: Final = Cause.NORMAL_CLEARING
_CLEARING: Final = Stage.CLEARING
_ASKING: Final = Stage.ASKING
_NOTICE: Final = Stage.NOTICE
_SPEAKING: Final = frozenset({Stage.PLAYING, Stage.ASKING, Stage.LEAVING_MESSAGE, Stage.NOTICE, Stage.FALLING_BACK})
_ACCEPTED: Final = BLegStage.ACCEPTED
_IN_TRANSFER: Final = frozenset({Stage.TRANSFERRED, Stage.BRIDGED})


class QueueWait(msgspec.Struct, frozen=True, gc=False):
    """Reply to a transfer into a queue where no agent is free yet."""


class Resume(msgspec.Struct, frozen=True, gc=False):
    """Reply to a transfer that ended at `at_ms` without a connection."""

    at_ms: int


class Parted(msgspec.Struct, frozen=True, gc=False):
    """Reply to a talk with an agent, who transfers the call at `at_ms`."""

    at_ms: int


class HandedOver(msgspec.Struct, frozen=True, gc=False):
    """Reply to a talk with an agent, who has handed the callee over to a third person, with the leg of that person."""

    leg: LegOutcome


Reply = QueueWait | Resume | Parted | HandedOver | Transfer | None
"""Reply to a milestone. A `Transfer` means that its B-leg is dialled or its agent has answered."""


class CalleeLine(msgspec.Struct, eq=False, gc=False):
    """A call with one simulated callee, who obeys the orders of a session."""

    call: Call
    _callee: Callee
    _session: IvrSession
    _at_ms: int = 0
    """Time up to which the call is walked."""
    _cut_ms: int = 0
    """Time at which the callee or the limit of the call ends it; 0 before the answer."""
    _b_leg: LegOutcome | None = None
    """Outcome of the B-leg whose end is the last milestone."""
    _replies: tuple[Reply, ...] = ()
    """Replies to all milestones but the last."""
    is_rehearsal: bool = False
    """True if no person plays an agent."""

    def dial(self, until_ms: int = _FOR_EVER_MS) -> Milestone | None:
        """Place or answer the call, and return the first milestone.

        Return None if there is none up to `until_ms`. Nothing later has been heard then.
        """
        ended = unanswered(self.call, self._callee)
        if ended is None:
            return self.answer(until_ms)
        outcome = ended.outcome
        if outcome.ended_ms < until_ms:
            return Milestone(outcome.ended_ms, ended)
        signalled_ms = outcome.signalled_ms
        self._session.signalled_ms = None if signalled_ms is None or signalled_ms > until_ms else signalled_ms
        return None

    def answer(self, until_ms: int = _FOR_EVER_MS) -> Milestone | None:
        """Place or answer a call that is not `unanswered`, and return the first milestone, as `dial` does."""
        call, callee, session = self.call, self._callee, self._session
        at_ms = call.started_ms
        if call.attempt >= 0:  # It is not inbound.
            fate = callee.fate
            signalled_ms = at_ms + fate.signal_ms
            if signalled_ms <= until_ms:
                session.signalled_ms = signalled_ms
            at_ms += fate.after_ms
            if at_ms > until_ms:
                return None
        self._at_ms = at_ms
        habit_ms, limit_ms = callee.hangs_up_after_ms, call.talk_limit_ms
        self._cut_ms = at_ms + (limit_ms if habit_ms is None or habit_ms > limit_ms else habit_ms)
        session.answer(at_ms)
        return self._walk(until_ms)

    def next(self, reply: Reply = None, until_ms: int = _FOR_EVER_MS) -> Milestone | None:
        """Return the next milestone, as `dial` does. After a transfer, it depends on the reply to the transfer."""
        self._replies += (reply,)
        session = self._session
        if isinstance(reply, Parted):
            self._b_leg, self._at_ms = None, reply.at_ms
            session.part()
            return None
        if not session.engine_events and session.stage in _IN_TRANSFER:
            milestone = self._go_on(reply, until_ms)
            if milestone is not None:
                return milestone
        return self._walk(until_ms)

    def _walk(self, until_ms: int) -> Milestone | None:
        """Let the callee obey the session until something has to be reported."""
        session = self._session
        while not (reports := session.engine_events):
            obey = self._listen if session.stage in _SPEAKING else self._obey_rare
            if not obey(session, until_ms):
                return None
        session.engine_events = reports[1:]
        return Milestone(self._at_ms, reports[0])

    def hang_up(self, now_ms: int) -> tuple[LegOutcome | None, CallOutcome]:
        """Return the outcomes of the B-leg, if any, and of the call when both are hung up from outside at `now_ms`.

        A call that ended or was cut before `now_ms` ends as it did.
        """
        again: CalleeLine = self._anew()
        milestone = again.walk_again(self._replies, now_ms)
        if milestone is not None and milestone.at_ms <= now_ms and isinstance(milestone.event, call_events.CallEnded):
            return again._b_leg, milestone.event.outcome
        return again._b_leg, again._hung_up(min(now_ms, again._cut_ms or now_ms))

    def part(self, now_ms: int) -> tuple[LegOutcome, "CalleeLine"]:
        """Return the outcome of the leg of the agent who transfers the call, and the call, which waits for another."""
        again: CalleeLine = self._anew()
        again.walk_again(self._replies, now_ms)
        leg = again._b_leg or LegOutcome(now_ms, _CLEARED)
        again.next(Parted(now_ms))
        return leg, again

    def walk_again(self, replies: tuple[Reply, ...], now_ms: int) -> Milestone | None:
        """Walk a new line with the replies of another one, the last of which holds until a moment."""
        milestone = self.dial(_FOR_EVER_MS if replies else now_ms)
        for place, reply in enumerate(replies, 1):
            milestone = self.next(reply, _FOR_EVER_MS if place < len(replies) else now_ms)
        return milestone

    def _anew(self) -> "CalleeLine":
        call, callee = self.call, self._callee
        callee = callee_behind(callee.behaviour, call.subscriber.number, abs(call.attempt), callee.chance.again())
        return CalleeLine(call, callee, IvrSession(call), is_rehearsal=self.is_rehearsal)

    def _hung_up(self, at_ms: int) -> CallOutcome:
        session = self._session
        recording_ms = at_ms - self._at_ms if session.stage is Stage.RECORDING else None
        session.hang_up()
        session.end(at_ms, _CLEARED, recording_ms)
        return session.outcome(at_ms, _CLEARED)

    # --- orders -----------------------------------------------------------------------------------------------------

    # Each order is done, or the call ends before. Return False if neither has happened up to `until_ms`.

    def _listen(self, session: IvrSession, until_ms: int) -> bool:
        """Hear one prompt after the other, as long as they have nothing to report."""
        at_ms, cut_ms, callee = self._at_ms, self._cut_ms, self._callee
        while session.stage in _SPEAKING and not session.engine_events:
            for speech in session.speeches:
                length_ms = speech_ms(speech.text) if speech.length_ms is None else speech.length_ms
                if length_ms:
                    until_hung_up_ms = None if callee.listens else callee.hangs_up_within(length_ms)
                    if until_hung_up_ms is not None:
                        return self._end(min(at_ms + until_hung_up_ms, cut_ms), until_ms)
                    at_ms += length_ms
                    if at_ms >= cut_ms:
                        return self._end(cut_ms, until_ms)
            step, digits, after_ms = session.step, "", 0
            if step is not None and session.stage is _ASKING:
                digits, after_ms = pressed(callee, step.digits_max, step.timeout_ms)
            elif session.stage is _NOTICE and self.call.plan.recording.refuse_key:
                after_ms = NOTICE_WAIT_MS
            if (at_ms := at_ms + after_ms) >= cut_ms:
                return self._end(cut_ms, until_ms)
            if at_ms > until_ms:
                return False
            self._at_ms = at_ms
            session.done(at_ms, digits)
        return True

    def _obey_rare(self, session: IvrSession, until_ms: int) -> bool:
        at_ms, cut_ms, callee = self._at_ms, self._cut_ms, self._callee
        if session.stage is _CLEARING:
            stays = callee.talks_on and not session.is_unwanted
            return self._end(cut_ms if stays else at_ms, until_ms)
        recording_ms = status = None
        match session.order:
            case AwaitBeep():
                pass
            case Record():
                length_ms = RECORDING_MS_MAX if callee.is_machine else RECORDING_MS
                recording_ms = min(length_ms, cut_ms - at_ms)
                at_ms += length_ms
            case Confer():
                at_ms += callee.talks_ms()
            case Converse() as order:
                return self._converse(session, order, until_ms)
            case Detect():
                at_ms += AMD_MS
                status = callee.detected_as() if at_ms < cut_ms else None
            case _:
                at_ms = cut_ms
        if at_ms >= cut_ms:
            return self._end(cut_ms, until_ms, recording_ms)
        if at_ms > until_ms:
            return False
        self._at_ms = at_ms
        session.done(at_ms, "", recording_ms, status)
        return True

    def _converse(self, session: IvrSession, order: Converse, until_ms: int) -> bool:
        """Hear the disclosure, and talk with the program for as long as the gateway's parameters say."""
        at_ms, cut_ms, callee = self._at_ms, self._cut_ms, self._callee
        for speech in order.speeches:
            length_ms = speech_ms(speech.text) if speech.length_ms is None else speech.length_ms
            until_hung_up_ms = None if callee.listens or not length_ms else callee.hangs_up_within(length_ms)
            if until_hung_up_ms is not None:
                return self._end(min(at_ms + until_hung_up_ms, cut_ms), until_ms)
            at_ms += length_ms
        talk_ms, branch = talk_of(callee.behaviour.conversation, callee.chance, order.limit_ms)
        at_ms += talk_ms
        if at_ms >= cut_ms or not branch:
            return self._end(min(at_ms, cut_ms), until_ms)
        if at_ms > until_ms:
            return False
        self._at_ms = at_ms
        session.conversed(at_ms, SectionInput(branch=branch))
        return True

    def _end(self, at_ms: int, until_ms: int, recording_ms: int | None = None) -> bool:
        if at_ms >= until_ms:
            return False
        self._at_ms = at_ms
        self._session.end(at_ms, _CLEARED, recording_ms)
        return True

    # --- transfers --------------------------------------------------------------------------------------------------

    def _go_on(self, reply: Reply, until_ms: int) -> Milestone | None:
        """Follow the reply to a transfer. Return a milestone, or None if the call leaves the transfer."""
        call_id, session, leg = self.call.id, self._session, self._b_leg
        if leg is not None:
            self._b_leg = None
            self._leave_transfer(leg.ended_ms, is_connected=leg.is_connected)
            return None
        if isinstance(reply, HandedOver):
            session.seq += 1
            session.bridge(self.call.callid)
            leg = self._b_leg = cut_at(reply.leg, min(self._cut_ms, until_ms))
            return Milestone(leg.ended_ms, call_events.LegEnded(call_id, leg, session.seq))
        if isinstance(reply, Transfer):
            session.seq += 1
            leg = self._b_leg = self._agent_leg(reply, until_ms) if reply.has_queued else self._leg(reply, until_ms)
            return Milestone(leg.ended_ms, call_events.LegEnded(call_id, leg, session.seq))
        if isinstance(reply, QueueWait):
            session.seq += 1
            return self._patience()
        self._leave_transfer(reply.at_ms if isinstance(reply, Resume) else self._at_ms, is_connected=False)
        return None

    def _leave_transfer(self, at_ms: int, *, is_connected: bool) -> None:
        """Let the call go on after a transfer, unless it was cut meanwhile."""
        self._at_ms = min(at_ms, self._cut_ms)
        if at_ms >= self._cut_ms:
            self._session.end(self._cut_ms, _CLEARED)
        else:
            self._session.leave_transfer(at_ms, is_connected=is_connected)

    def _patience(self) -> Milestone:
        """Return the milestone of a wait that no agent ends: the caller leaves, or the call is cut."""
        session, patience_ms = self._session, self._callee.waits_ms()
        if patience_ms is None or self._at_ms + patience_ms >= self._cut_ms:
            outcome = session.outcome(self._cut_ms, _CLEARED)
            return Milestone(self._cut_ms, call_events.CallEnded(self.call.id, outcome, session.seq))
        return Milestone(self._at_ms + patience_ms, call_events.CallerLeft(self.call.id, session.seq))

    def _agent_leg(self, transfer: Transfer, until_ms: int) -> LegOutcome:
        """Return the outcome of the leg to the agent who took the call at the transfer's `answered_ms`."""
        state = BLegSessionState(
            transfer.place, transfer.agent_id or 0, stage=_ACCEPTED, is_connected=True, is_taken=True
        )
        self._session.bridge(transfer.callid)
        agent = read_agent(transfer.parameters)
        is_played = agent.is_person and not self.is_rehearsal
        talk_ms = _FOR_EVER_MS if is_played else self._callee.talks_ms(agent.talk)
        ends_ms = min((transfer.answered_ms or 0) + min(talk_ms, transfer.talk_limit_ms), self._cut_ms)
        outcome = _outcome(BLegSession(self.call, state), ends_ms, _CLEARED, until_ms)
        if is_played or (agent.wrap_up is None and not agent.breaks):
            return outcome
        rest = agent.rest(self._callee.chance.of(f"rest:{transfer.place}"))
        return replace(outcome, wrap_up_ms=rest.wrap_up_ms, break_ms=rest.break_ms)

    def third(self, transfer: Transfer) -> LegOutcome:
        """Return the outcome of the leg of a third person, who talks until they hang up, whoever talks with them."""
        return third_leg(self._callee, transfer, is_rehearsal=self.is_rehearsal)

    def _leg(self, transfer: Transfer, until_ms: int) -> LegOutcome:
        """Return the outcome of the leg to a number."""
        cut_ms, begins_ms = self._cut_ms, transfer.started_ms or 0
        leg = BLegSession(self.call, BLegSessionState(transfer.place, began_ms=begins_ms, is_taken=True))
        callee = self._callee.other(transfer.number, transfer.place)
        fate = callee.fate
        is_missed = fate.cause is _NO_ANSWER or fate.after_ms >= transfer.ring_limit_ms
        at_ms = begins_ms + (transfer.ring_limit_ms if is_missed else fate.after_ms)
        if at_ms >= cut_ms:
            return leg.cut(min(cut_ms, until_ms))
        cause = _NO_ANSWER if is_missed else fate.cause
        if cause is not None:
            return _outcome(leg, at_ms, cause, until_ms)
        if at_ms > until_ms:
            return leg.cut(until_ms)
        habit_ms = callee.hangs_up_after_ms
        limit_ms = min(transfer.talk_limit_ms, transfer.talk_limit_ms if habit_ms is None else habit_ms)
        limit_ms = min(at_ms + limit_ms, cut_ms)
        reaction = leg.hear(at_ms, Answered(0, ""))
        section = self.call.plan.flow.section(transfer.section_id)
        for ask in reaction.orders:
            if isinstance(ask, Ask):
                digits, after_ms = pressed(callee, ask.digits_max, ask.timeout_ms, section.confirm_key)
                at_ms += after_ms + sum(speech_ms(speech.text) for speech in ask.speeches)
                if at_ms >= limit_ms or at_ms > until_ms:
                    return _outcome(leg, limit_ms, _CLEARED, until_ms)
                reaction = leg.hear(at_ms, Done(ask.turn, 0, digits))
        if not reaction.is_accepted:
            return _outcome(leg, at_ms, _CLEARED, until_ms)
        self._session.bridge(transfer.callid)
        ends_ms = limit_ms if callee.talks_on else min(at_ms + self._callee.talks_ms(), limit_ms)
        return _outcome(leg, ends_ms, _CLEARED, until_ms)


def unanswered(call: Call, callee: Callee) -> call_events.CallEnded | None:
    """Return the end of an outbound call that nobody answers; None of any other call.

    More than half of all calls end so, and need neither a session nor a line.
    """
    fate, limit_ms = callee.fate, call.ring_limit_ms
    cause, after_ms, signal_ms = fate.cause, fate.after_ms, fate.signal_ms
    if cause is _NO_ANSWER or after_ms >= limit_ms:
        cause, after_ms = _NO_ANSWER, limit_ms
    if cause is None or call.attempt < 0:
        return None
    at_ms = call.started_ms + after_ms
    back_ms = callee.calls_back_after_ms() if cause is _NO_ANSWER else None
    calls_back_ms = None if back_ms is None else at_ms + back_ms
    signalled_ms = call.started_ms + signal_ms if signal_ms <= after_ms and call.attempt else None
    outcome = CallOutcome(at_ms, cause, calls_back_ms=calls_back_ms, signalled_ms=signalled_ms)
    return call_events.CallEnded(call.id, outcome, 1)


def _outcome(leg: BLegSession, ends_ms: int, cause: Cause, until_ms: int) -> LegOutcome:
    """Return the outcome of a B-leg that ends at `ends_ms`, or is hung up from outside before."""
    ended = leg.hear(ends_ms, Ended(0, cause)).ended if ends_ms <= until_ms else None
    return leg.cut(until_ms) if ended is None else ended


def pressed(callee: Callee, digits_max: int, timeout_ms: int, wanted: str | None = None) -> tuple[str, int]:
    """Return the digits that count as input, and the delay from the end of the prompt until the input is over.

    Input ends with its last possible digit or with `#`. Shorter input ends after a time-out without a further digit.
    """
    digits, after_ms = callee.presses(wanted)
    if not digits or after_ms > timeout_ms:
        return "", timeout_ms
    pressed, end, _ = digits.partition(INPUT_END)
    return digits, after_ms if end or len(pressed) >= digits_max else after_ms + timeout_ms


@lru_cache(maxsize=4_096)
def speech_ms(text: str) -> int:
    """Return the milliseconds that a text takes to say."""
    words = len(text.split())
    return max(SPEECH_MS_MIN, words * WORD_MS) if words else 0
