"""The call in a transfer: it waits, is connected with another leg, and comes back to the survey."""

from typing import Final

from dialer.domain.sessions.conversation import ConversationTalk
from dialer.domain.sessions.leg_protocol import Bridge, Confer
from dialer.domain.sessions.session_fields import hold_in, hold_where_it_is, room_of, way_back
from dialer.domain.sessions.session_state import Reaction, Stage
from dialer.domain.sessions.survey_steps import SurveyStep
from dialer.domain.survey.inputs import transfer_input

# Every call uses these members. A lookup in an enumeration costs as much as a function call.
_TRANSFERRED: Final = Stage.TRANSFERRED
_BRIDGED: Final = Stage.BRIDGED
_HELD: Final = Stage.HELD
_JOINED: Final = Stage.JOINED
_TALKING: Final = frozenset({_BRIDGED, _HELD, _JOINED})
_IN_TRANSFER: Final = _TALKING | {_TRANSFERRED}


class TransferTalk(ConversationTalk, eq=False, gc=False):
    """The part of a session that follows its transfers."""

    def bridge(self, other: str) -> Reaction:
        """Connect the call, which waits in a transfer, with another leg."""
        turn = self.turn
        if self.stage is _TRANSFERRED:
            self.other = other
            if self.step is not None and self.step.completes_when_taken:
                self.is_completed = True
            self._give(Bridge(turn + 1, other), _BRIDGED)
        return self._reaction(turn)

    def hold(self, *, is_held: bool) -> Reaction:
        """Separate the call from the second leg for a hold, or connect both legs again."""
        turn = self.turn
        if is_held and self.stage in {_BRIDGED, _JOINED}:
            self._give(hold_where_it_is(self.call, turn + 1), _HELD)
        elif not is_held and self.stage in {_HELD, _JOINED}:
            self._give(Bridge(turn + 1, self.other), _BRIDGED)
        return self._reaction(turn)

    def join(self) -> Reaction:
        """Connect the call with its agent and a third person at once."""
        turn = self.turn
        if self.stage in {_BRIDGED, _HELD}:
            self._give(Confer(turn + 1, room_of(self.call)), _JOINED)
        return self._reaction(turn)

    def part(self) -> Reaction:
        """Part the call from its agent, who has transferred it: it waits for the next leg."""
        turn = self.turn
        if self.stage in _TALKING:
            self.other, self.transfers = "", self.transfers + 1
            self._give(hold_where_it_is(self.call, turn + 1), _TRANSFERRED)
        return self._reaction(turn)

    def leave_transfer(self, at_ms: int, *, is_connected: bool) -> None:
        """Continue the survey after a transfer, unless the call is in none.

        A callee whom an agent has transferred, and who has reached nobody, comes back to the agent's queue first.
        """
        if self.stage in _IN_TRANSFER and self.step is not None:
            self.other = ""
            if not is_connected and self._come_back(self.step, at_ms):
                return
            taken = transfer_input(is_connected=is_connected)
            turn = self.step.turns.get(taken) or self.step.find_turn(taken)
            self.heard = self._with(self.step, turn.text, at_ms)
            self._walk(at_ms, turn.step)

    def _come_back(self, step: SurveyStep, at_ms: int) -> bool:
        back = way_back(self, step.section.id, at_ms)
        if back is None:
            return False
        if self.stage is not _TRANSFERRED:
            self._give(hold_in(self.call, back.queue_id, self.turn + 1), _TRANSFERRED)
        self.seq, self.transfers = back.seq, self.transfers + 1
        self.engine_events += (back,)
        return True
