"""Queues, agents and waiting calls: plain values, rebuilt from rows. Times are in milliseconds."""

from collections.abc import Mapping
from enum import StrEnum
from typing import ClassVar, Final, NamedTuple

import msgspec

from dialer.domain.numbers.agent_contacts import BROWSER
from dialer.domain.words.enums import AgentStatus, AgentTelephone, ConsultationMode, QueueStrategy, SupervisionMode

PREVIEW_SECONDS_MIN: Final = 5
PREVIEW_SECONDS_MAX: Final = 3_600
"""The least and the most time that an agent has to decide about a person whom they preview."""


class HoldSound(NamedTuple):
    """The music of a queue, a file of the media folder."""

    queue_id: int
    file: str


class Promise(NamedTuple):
    """The promise of an agent to take a call-back themselves."""

    agent_id: int
    until_ms: int
    """The time from which any agent may take it."""


class Preview(msgspec.Struct, frozen=True):
    """A person whom an agent sees before the call, or has called since. Nobody else is offered or dialled them."""

    campaign_id: int
    subscriber_id: int
    from_ms: int
    until_ms: int
    """The time until which the agent has to decide."""
    call_id: int | None = None
    """The call to the person, once it is placed."""
    is_chosen: bool = False
    """True for a person whom the agent has chosen, and wants to call."""


class DeskAction(StrEnum):
    """The wish of an agent about a person."""

    CALL = "call"
    """Call the person whom the agent previews."""
    SKIP = "skip"
    """Preview somebody else."""
    DIAL = "dial"
    """Call a person whom the agent has chosen, instead of anybody previewed."""


class PreviewOrder(msgspec.Struct, frozen=True):
    """An order from the desk of an agent about one person."""

    action: DeskAction
    campaign_id: int
    subscriber_id: int
    given_ms: int
    """`from_ms` of the preview; for a person whom the agent has chosen, the time of the order."""


class TierPlan(msgspec.Struct, frozen=True):
    """An agent's place in a queue: lower levels are asked first, and within a level lower positions."""

    agent_id: int
    level: int = 1
    position: int = 1


class QueuePlan(msgspec.Struct, frozen=True):
    """The settings of a queue, with the meaning that FreeSWITCH's mod_callcenter gives them."""

    columns_of_plan: ClassVar[Mapping[str, str]] = {
        "tier_rule_wait_ms": "tier_rule_wait_second",
        "max_wait_ms": "max_wait_time",
        "max_wait_with_no_agent_ms": "max_wait_time_with_no_agent",
        "max_wait_with_no_agent_time_reached_ms": "max_wait_time_with_no_agent_time_reached",
    }
    """The columns that have other names than their fields (`dialer.domain.calls.plan_settings`)."""

    id: int
    strategy: QueueStrategy = QueueStrategy.AGENT_WITH_LEAST_TALK_TIME
    tiers: tuple[TierPlan, ...] = ()
    """Sorted by level, position and agent."""
    scores_from_answer: bool = False
    """True for `time_base_score` `system`: a caller's wait counts from the answer of the call, not from joining."""
    tier_rules_apply: bool = False
    tier_rule_wait_ms: int = 300_000
    tier_rule_wait_multiply_level: bool = True
    tier_rule_no_agent_no_wait: bool = False
    discard_abandoned_after_ms: int = 14_400_000
    abandoned_resume_allowed: bool = True
    max_wait_ms: int = 0
    """0: no limit."""
    max_wait_with_no_agent_ms: int = 120_000
    max_wait_with_no_agent_time_reached_ms: int = 5_000
    missed_calls_max: int = 3
    """Calls over a line that an agent may miss in a row before a break; 0: no limit."""
    outcome_required: bool = False
    """True if an agent gets no further call before the outcome of the last one is said."""
    skills: str = ""
    """The skills that an agent needs to take calls of the queue, with commas between them."""
    skill_field: str = ""
    """The name of the contact's value with further skills that its call needs; empty for none."""


class Supervision(msgspec.Struct, frozen=True):
    """The wish of a supervisor to hear a call in which an agent talks."""

    call_id: int
    turn: int
    """The number of the supervision: it counts those of its agent."""
    mode: SupervisionMode
    contact: str
    """The telephone of the supervisor: an extension, or a number."""


class Consultation(msgspec.Struct, frozen=True):
    """The wish of an agent to talk with a third person during a call."""

    call_id: int
    turn: int
    """The number of the consultation: it counts those of its agent."""
    mode: ConsultationMode
    to: str
    """The third person: a number in normal form, or `agent:` with an id."""


class AgentPlan(msgspec.Struct, frozen=True):
    """A person who takes calls."""

    columns_of_plan: ClassVar[Mapping[str, str]] = {"wrap_up_ms": "wrap_up_time"}
    """The columns that have other names than their fields (`dialer.domain.calls.plan_settings`)."""

    id: int
    user_id: int
    status: AgentStatus = AgentStatus.LOGGED_OUT
    wrap_up_ms: int = 0
    contact: str = ""
    parameters: str = "{}"
    """The agent's behaviour in a simulation: JSON text of an object."""
    hang_up_call_id: int | None = None
    """The call that is to be hung up while the agent talks in it; None if the agent has ordered that of none."""
    hold_call_id: int | None = None
    """The call that the agent wants on hold, or wanted last; None if the agent has resumed it."""
    supervised_call_id: int | None = None
    """The call of the agent that a supervisor wants to hear; None if nobody does."""
    supervision_turn: int = 0
    """The number of the last supervision of the agent."""
    supervision_mode: SupervisionMode = SupervisionMode.LISTEN
    supervision_contact: str = ""
    """The telephone of the supervisor."""
    preview: str = ""
    """A `Preview` as JSON, or empty."""
    preview_order: str = ""
    """A `PreviewOrder` as JSON; empty if there is none that is not obeyed yet."""
    transfer_call_id: int | None = None
    """The call that the agent transfers at the desk; None if the agent has ordered that of none."""
    transfer_to: str = ""
    """Where to: a number in normal form, or `queue:` or `agent:` with an id."""
    skills: str = ""
    """The skills of the agent, with commas between them."""
    consulted_call_id: int | None = None
    """The call in which the agent consults a third person; None if they consult nobody."""
    consultation_turn: int = 0
    """The number of the last consultation of the agent."""
    consultation_mode: ConsultationMode = ConsultationMode.THIRD
    consultation_to: str = ""
    """The third person: a number in normal form, or `agent:` with an id."""
    telephone: AgentTelephone = AgentTelephone.CONTACT
    """The kind of telephone with which the agent takes calls."""

    @property
    def number(self) -> str:
        """The number or extension at which the agent takes calls; empty for a telephone in the browser."""
        # A contact that somebody wrote in the form of a browser's would lead to the desk of another agent.
        is_other = self.telephone is AgentTelephone.BROWSER or self.contact.startswith(BROWSER)
        return "" if is_other else self.contact

    @property
    def called(self) -> str:
        """The contact that lines dial: `number`, or the telephone in the browser."""
        return f"{BROWSER}{self.id}" if self.telephone is AgentTelephone.BROWSER else self.number

    @property
    def consultation(self) -> Consultation | None:
        """The consultation that is wanted; None if none is."""
        if self.consulted_call_id is None:
            return None
        return Consultation(
            self.consulted_call_id, self.consultation_turn, self.consultation_mode, self.consultation_to
        )

    @property
    def supervision(self) -> Supervision | None:
        """The supervision that is wanted; None if none is."""
        if self.supervised_call_id is None:
            return None
        return Supervision(
            self.supervised_call_id, self.supervision_turn, self.supervision_mode, self.supervision_contact
        )


class AgentFigures(msgspec.Struct):
    """The figures of an agent so far, which the strategies use and which survive a restart."""

    last_offered_ms: int = 0
    last_bridge_end_ms: int = 0
    talk_ms: int = 0
    calls_answered: int = 0
    free_at_ms: int = 0
    """The end of the wrap-up time, or of the rest after an offer that was not taken."""
    let_ring_ms: int = 0
    """The end of the last offer that the agent did not take; 0 once they have taken a call since."""
    has_rung: bool = True
    """False if the telephone may not have rung for that offer, because the line or the carrier had failed."""
    outcome_call_id: int = 0
    """The call whose outcome the agent has to say before the next one; 0 if there is none."""
    is_wrap_up_longer: bool = False
    """True if the agent has made the present wrap-up time longer, which they can do once."""
    missed_calls: int = 0
    """Calls over a line that the agent's telephone did not answer, since it last did."""


class Waiting(msgspec.Struct):
    """A call that waits in a queue."""

    call_id: int
    queue_id: int
    number: str
    joined_ms: int
    score_from_ms: int
    """The start of the wait that counts: the smallest is served first; ties are broken by call id."""
    offers: dict[int, int] = {}
    """Agents who are being asked, and the time each was asked."""
    promise: Promise | None = None
    """The promise of an agent to take the call themselves."""
    is_over_line: bool = False
    """True if telephones ring for it. Simulated agents miss calls by chance."""
    skills: frozenset[str] = frozenset()
    """The skills that the agent needs, beside those that all calls of the queue need."""


class LeftEarly(msgspec.Struct, frozen=True):
    """A caller who left a queue without being served, and who gets their place back if they return in time."""

    queue_id: int
    number: str
    score_from_ms: int
    left_ms: int
