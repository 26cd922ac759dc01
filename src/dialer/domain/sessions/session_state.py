"""The state of the session of a call, as it is stored, and the reactions of sessions."""

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from dialer.domain.calls import events
from dialer.domain.calls.plan_parts import SectionResult
from dialer.domain.sessions.leg_protocol import Order
from dialer.domain.survey.callflow import StoredPosition
from dialer.domain.survey.heard import HeardInput
from dialer.domain.words.enums import AmdStatus


class Stage(StrEnum):
    """The stage of a session: the report that it waits for."""

    DIALLED = "dialled"
    DETECTING = "detecting"
    NOTICE = "notice"
    """The callee hears that the call is recorded, and may refuse."""
    AWAITING_BEEP = "awaiting_beep"
    LEAVING_MESSAGE = "leaving_message"
    PLAYING = "playing"
    ASKING = "asking"
    RECORDING = "recording"
    CONFERRING = "conferring"
    CONVERSING = "conversing"
    """A program talks with the callee."""
    FALLING_BACK = "falling_back"
    """The callee hears what there is to hear if no program answers."""
    TRANSFERRED = "transferred"
    """The engine decides when the call goes on."""
    BRIDGED = "bridged"
    """It is connected with another leg, until that is over."""
    HELD = "held"
    """It waits, apart from that leg, until it is connected with it again."""
    JOINED = "joined"
    """It talks with its agent and a third person at once."""
    CLEARING = "clearing"
    OVER = "over"


class SessionState(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that a session knows, as it is stored."""

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
    is_message_left: bool = False
    """True if an answering machine has heard the message for machines, or the survey, to its end."""
    results: tuple[SectionResult, ...] = ()
    other: str = ""
    """The key of the leg with which it is connected."""
    transfers: int = 0
    """Number of transfers that the call has reached."""
    heard: tuple[HeardInput, ...] = ()
    silences: tuple[int, ...] = ()
    """The moments at which sections began and ended silence in the recording, in milliseconds since the start."""
    notices: int = 0
    """Times that the callee was told of the recording, from the first word on."""
    is_recording_refused: bool = False

    def moved(self, by_ms: int) -> "SessionState":
        """Return the state with all its times moved, after the clock has jumped."""
        return replace(
            self,
            signalled_ms=None if self.signalled_ms is None else self.signalled_ms + by_ms,
            answered_ms=None if self.answered_ms is None else self.answered_ms + by_ms,
            results=tuple(replace(one, at_ms=one.at_ms + by_ms) for one in self.results),
        )


class Reaction(msgspec.Struct, frozen=True, gc=False):
    """The orders for the line and the events for the engine that follow from a report."""

    orders: tuple[Order, ...]
    engine_events: tuple[events.Report, ...]
