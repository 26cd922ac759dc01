"""Agent profiles: the behaviour of simulated agents that an agent's `parameters` describe."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from dialer.carriers.engine_port import Decision
from dialer.domain.queueing.agents import AGENT_RING_MS_MAX
from dialer.domain.queueing.plans import DeskAction, Preview
from dialer.sim.chance import Chance
from dialer.sim.spans import BehaviourError, Span, draw, read_chance, read_span, refuse_unknown

AGENT_KEYS: Final = (
    *("answer", "missed", "talk", "wrap_up", "breaks", "break_length", "preview", "skipped", "at_desk", "person"),
)
_NO_SPANS: Final = frozenset({"missed", "breaks", "skipped", "at_desk", "person"})
_ANSWER: Final = Span(1_000, 1_000)
_PREVIEW: Final = Span(5_000, 15_000)
_BREAK: Final = Span(300_000, 300_000)


class Rest(NamedTuple):
    """The time after a talk in which an agent takes no call, in milliseconds. No wrap-up: that of the agent's row."""

    wrap_up_ms: int | None
    break_ms: int


class AgentBehaviour(msgspec.Struct, frozen=True):
    """Behaviour of an agent. Chances are thresholds of `dialer.sim.chance`."""

    talk: Span | None
    """Length of a talk; None to use the gateway's `talk`."""
    answer: Span
    """Delay from the offer until the agent takes the call."""
    missed: int
    """The chance that the agent lets an offered call ring."""
    wrap_up: Span | None
    """Length of the wrap-up time; None to use the agent's `wrap_up_time`."""
    breaks: int
    """The chance of a break after a talk."""
    break_length: Span
    preview: Span
    """Time for which the agent looks at a person before a call."""
    skipped: int
    """The chance that the agent skips the person."""
    at_desk: bool
    """True for an agent who decides at the desk whom to call. The talks are simulated."""
    is_person: bool
    """True if a person at the desk takes the calls: they talk until one of both hangs up. Forecasts ignore it."""

    def decides(self, preview: Preview, chance: Chance, *, is_rehearsal: bool) -> Decision | None:
        """Return the agent's decision about a person within the preview time; None if they decide at their desk."""
        if self.at_desk or (self.is_person and not is_rehearsal):
            return None
        action = DeskAction.SKIP if chance.happens(self.skipped) else DeskAction.CALL
        after_ms = min(draw(self.preview, chance), preview.until_ms - preview.from_ms - 1)
        return Decision(preview.from_ms + max(0, after_ms), action)

    def answers_after_ms(self, chance: Chance, *, is_played: bool = False) -> int:
        """Return the delay until the agent takes a call that is offered; longer than any offer if they let it ring.

        The telephone of an agent who is played by a person (`is_played`) takes every call by itself.
        """
        if not is_played and chance.happens(self.missed):
            return AGENT_RING_MS_MAX + 1
        return draw(self.answer, chance)

    def rest(self, chance: Chance) -> Rest:
        """Return the rest of the agent after a talk."""
        wrap_up_ms = None if self.wrap_up is None else draw(self.wrap_up, chance)
        return Rest(wrap_up_ms, draw(self.break_length, chance) if chance.happens(self.breaks) else 0)


@lru_cache(maxsize=4_096)
def read_agent(parameters: str) -> AgentBehaviour:
    """Return the behaviour that an agent's `parameters` describe, given as JSON text.

    Parameters that an older version accepted, and that are now invalid, are replaced by the defaults.
    """
    try:
        return parse_agent(msgspec.json.decode(parameters or "{}", type=dict[str, object]))
    except BehaviourError:
        return parse_agent({})


def parse_agent(parameters: Mapping[str, object]) -> AgentBehaviour:
    """Return the behaviour of an agent with these `parameters`.

    Raises:
        BehaviourError: an unknown key, or a value out of bounds.
    """
    refuse_unknown("", parameters, AGENT_KEYS)
    spans = {name: read_span(name, parameters[name]) for name in parameters if name not in _NO_SPANS}
    return AgentBehaviour(
        talk=spans.get("talk"),
        answer=spans.get("answer", _ANSWER),
        missed=read_chance("missed", parameters.get("missed", 0)),
        wrap_up=spans.get("wrap_up"),
        breaks=read_chance("breaks", parameters.get("breaks", 0)),
        break_length=spans.get("break_length", _BREAK),
        preview=spans.get("preview", _PREVIEW),
        skipped=read_chance("skipped", parameters.get("skipped", 0)),
        at_desk=_read_flag("at_desk", parameters.get("at_desk", False)),
        is_person=_read_flag("person", parameters.get("person", False)),
    )


def _read_flag(place: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise BehaviourError(f"{place}: Must be true or false.")
    return value
