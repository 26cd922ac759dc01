"""The share of abandoned calls of a campaign: the limit that holds for it, and the causes of a share above it."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from dialer.domain.pacing.inputs import ABANDONED_AFTER_MS
from dialer.domain.rules.abandoned_limits import LEGAL_PERCENT, AbandonedCount, JudgedShare, Period, judge
from dialer.domain.words.enums import DialMethod
from dialer.domain.words.sentences import FieldName, Sentence, counting_sentence

FEW_AGENTS: Final = 5
"""Agents on duty below which one long call makes several callees wait."""
TELEPHONES_SEEN: Final = 50
"""Calls of the agents whose ringing is looked at."""
SETTINGS: Final = "settings"
AGENTS: Final = "agents"
_SECOND_MS: Final = 1_000


class AbandonedFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a campaign and the agents of its queues, as far as they decide how many calls are abandoned."""

    limit: float
    """The campaign's own limit, in per cent."""
    dial_method: int
    agent_dial_rate: float
    available: int = 0
    """Agents who are logged in and not on a break."""
    on_break: int = 0
    logged_out: int = 0
    ring_ms: int | None = None
    """The median time in which agents answered their telephones of late; None if nobody rang."""


class AbandonedCause(NamedTuple):
    """A probable cause of abandoned calls with its remedy, and the place of the remedy: `SETTINGS` or `AGENTS`."""

    text: Sentence
    place: str


class ExceededShare(NamedTuple):
    """A share of abandoned calls that is above its limit, both in per cent, and the probable causes."""

    share: float
    limit: float
    period: Period = Period.CAMPAIGN
    """The time over which the calls are counted."""
    causes: tuple[AbandonedCause, ...] = ()


def limit_of(own_limit: float) -> float:
    """Return the share in per cent that a campaign must keep: its own limit, or the legal one if that is lower."""
    return min(own_limit, LEGAL_PERCENT)


def exceeded_share(abandoned: int, of: int, own_limit: float) -> ExceededShare | None:
    """Return the share of abandoned calls without causes if it is above its limit; None if not, or if calls are few."""
    return worst_of(judge({Period.CAMPAIGN: AbandonedCount(abandoned, of)}, (), own_limit))


def worst_of(judged: Iterable[JudgedShare]) -> ExceededShare | None:
    """Return the share that is most above its limit, without causes; None if all limits are kept."""
    exceeded = [
        ExceededShare(share, one.limit, one.rule.period)
        for one in judged
        if one.is_exceeded and (share := one.counted.share) is not None
    ]
    return max(exceeded, key=lambda one: one.share - one.limit, default=None)


def causes_of(facts: AbandonedFacts) -> tuple[AbandonedCause, ...]:
    """Return the probable causes of a share that is too high, the ones that the settings name first."""
    return (*_of_settings(facts), *_of_agents(facts))


def _of_settings(facts: AbandonedFacts) -> Iterator[AbandonedCause]:
    method = FieldName("dial_method")
    if facts.dial_method == DialMethod.FIXED_RATE:
        text = Sentence(
            "It dials a fixed number of calls a minute, however many agents are free. In %(field)s, choose dialling"
            " ahead of free agents (predictive).",
            field=method,
        )
        yield AbandonedCause(text, SETTINGS)
    elif facts.dial_method == DialMethod.PROGRESSIVE and facts.agent_dial_rate > 1:
        text = Sentence(
            "It dials %(rate)s calls for each free agent, and several of them may be answered. Set %(field)s to 1.",
            rate=f"{facts.agent_dial_rate:g}",
            field=FieldName("agent_dial_rate"),
        )
        yield AbandonedCause(text, SETTINGS)
    elif facts.dial_method == DialMethod.PREDICTIVE and facts.limit > LEGAL_PERCENT:
        text = Sentence(
            "It dials ahead of agents until %(limit)s %% of calls are abandoned. Set %(field)s to %(legal)s or less.",
            limit=f"{facts.limit:g}",
            legal=LEGAL_PERCENT,
            field=FieldName("abandon_rate_max"),
        )
        yield AbandonedCause(text, SETTINGS)
    elif facts.dial_method == DialMethod.PREDICTIVE:
        text = Sentence("It no longer dials ahead: until the share is below the limit, each free agent gets one call.")
        yield AbandonedCause(text, SETTINGS)


def _of_agents(facts: AbandonedFacts) -> Iterator[AbandonedCause]:
    if not facts.available:
        text = Sentence(
            "No agent of its queues is available: %(breaks)s on a break, %(out)s logged out. Pause the campaign, or let"
            " agents log in.",
            breaks=facts.on_break,
            out=facts.logged_out,
        )
        yield AbandonedCause(text, AGENTS)
    elif facts.available < FEW_AGENTS:
        text = counting_sentence(
            "Only %(count)s agent is available. With so few, a long call makes others wait. Let more agents log in.",
            "Only %(count)s agents are available. With so few, a long call makes others wait. Let more agents log in.",
            facts.available,
        )
        yield AbandonedCause(text, AGENTS)
    if facts.available and facts.on_break >= facts.available:
        text = Sentence(
            "As many agents are on a break (%(breaks)s) as are available (%(available)s). Calls that were dialled for"
            " them before the break wait.",
            breaks=facts.on_break,
            available=facts.available,
        )
        yield AbandonedCause(text, AGENTS)
    if facts.ring_ms is not None and facts.ring_ms >= ABANDONED_AFTER_MS:
        text = Sentence(
            "Agents answer their telephones after %(seconds)s s (median of the last calls), and a call that waits for"
            " %(limit)s s counts as abandoned. Let telephones answer by themselves.",
            seconds=f"{facts.ring_ms / _SECOND_MS:.1f}",
            limit=ABANDONED_AFTER_MS // _SECOND_MS,
        )
        yield AbandonedCause(text, AGENTS)
