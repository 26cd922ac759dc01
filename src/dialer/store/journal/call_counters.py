"""The journal's counters of calls and messages, by campaign and by user, for each hour and grouping.

A step adds calls up by everything that they have in common, and writes each counter once. So the cost of a counter
hardly depends on the number of calls.

Agents may give a call its disposition before it ends and change it afterwards. A leg that is over counts with the
disposition of its call: the step that writes its CDR looks for one, and whoever changes it moves the legs.

Tests of campaigns are no result of anybody's work, so they count in `Grouping.TESTS`, and in no other grouping.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, Table, bindparam, select

from dialer.domain.calls.outcomes import outcome_text
from dialer.domain.calls.plans import Call, CallOutcome, GatewayKey
from dialer.domain.figures.statistics import HOUR_MS, Grouping, agent_member
from dialer.domain.words.enums import AmdStatus, LegType
from dialer.store.backends.expressions import insert_or
from dialer.store.database.bulk import KeyedBulk, PreparedQuery
from dialer.store.journal.rows import CdrRow
from dialer.store.tables import CallDisposition, CampaignHour, Cdr, UserHour

_A_LEG: Final = int(LegType.A_LEG)
_MACHINE: Final = int(AmdStatus.MACHINE)
COUNTERS: Final = (
    "calls",
    "answered",
    "live",
    "completed",
    "talk_s",
    "answer_s",
    "signalled",
    "post_dial_ms",
    "for_agents",
    "abandoned",
    "legs",
    "legs_answered",
    "legs_talk_s",
    "inbound",
    "inbound_answered",
    "inbound_talk_s",
    "messages",
    "delivered",
    "parts",
    "cost",
)
"""The counters, in the order of their columns."""
_CALLS: Final = COUNTERS.index("calls")
_LEGS: Final = COUNTERS.index("legs")
_INBOUND: Final = COUNTERS.index("inbound")
_MESSAGES: Final = COUNTERS.index("messages")
_COST: Final = COUNTERS.index("cost")
_TOTAL, _OUTCOME, _AGENT, _PHONEBOOK, _GATEWAY, _ZONE, _ATTEMPT, _DISPOSITION, _WORD, _AGENT_WORD, _TESTS = map(
    int, Grouping
)


_Alike = tuple[int, int, int, int, int | str, int, int, int | GatewayKey, str, int, bool]
"""Everything by which calls are counted.

The user, the campaign (0 for none), the hour, the place of the counter of the calls, the outcome, the agent, the
phonebook, the gateway, the zone, the attempt, and whether they are of a test.
"""


def _members(alike: _Alike) -> list[tuple[int, str]]:
    """Return the groupings in which calls count, each with their member."""
    outcome, agent_id, phonebook_id, gateway_id, zone, attempt, is_test = alike[4:]
    if is_test:
        return [(_TESTS, "")]
    found = [
        (_TOTAL, ""),
        (_OUTCOME, str(outcome)),
        (_PHONEBOOK, str(phonebook_id)),
        (_GATEWAY, str(gateway_id)),
        (_ZONE, zone),
        (_ATTEMPT, str(abs(attempt))),
    ]
    return [*found, (_AGENT, str(agent_id))] if agent_id else found


def _upsert(table: Table, owner: str) -> KeyedBulk:
    names = (owner, "grouping", "hour", "member", *COUNTERS)
    added = insert_or(table)
    grown = {name: table.c[name] + added.excluded[name] for name in COUNTERS}
    return KeyedBulk(added.on_conflict_do_update(index_elements=names[:4], set_=grown), names)


_COUNT_CAMPAIGNS: Final = _upsert(CampaignHour.__table__, "campaign_id")
_COUNT_USERS: Final = _upsert(UserHour.__table__, "user_id")
_Key = tuple[int, int, int, int, str]
"""The user, the campaign (0 for none), the grouping, the hour and the member."""


class Said(NamedTuple):
    """The outcome of a call as its row has it: the disposition, and the campaign's own word for it, or an empty one."""

    disposition: str
    word: str

    def members(self, agent_id: int) -> list[tuple[int, str]]:
        """Return the groupings in which a leg counts, each with its member; `agent_id` is 0 for a leg to no agent."""
        text = outcome_text(self.disposition, self.word)
        found = [(_DISPOSITION, self.disposition), (_WORD, text)]
        return [*found, (_AGENT_WORD, agent_member(agent_id, text))] if agent_id else found


_NEW_DISPOSED: Final = PreparedQuery(
    select(CallDisposition.callrequest_id, CallDisposition.disposition, CallDisposition.word)
    .join(Cdr, Cdr.callrequest_id == CallDisposition.callrequest_id)
    .where(Cdr.id.between(bindparam("first"), bindparam("last")))
)
"""The dispositions of the calls whose CDRs a step has written."""
_LEGS_OF_CALL: Final = select(Cdr.__table__).where(Cdr.callrequest_id == bindparam("call"))


def move_disposition(connection: Connection, callrequest_id: int, before: Said | None, after: Said) -> None:
    """Count the legs of a call that are over with another outcome than before; None if it had none."""
    if before == after:
        return
    found: defaultdict[_Key, list[int]] = defaultdict(_nothing)
    for leg in connection.execute(_LEGS_OF_CALL, {"call": callrequest_id}):
        row = CdrRow(*leg)
        for said, sign in ((before, -1), (after, 1)):
            if said is not None:
                _add_disposed(found, row, said, sign)
    _write(connection, found)


def _add_disposed(found: defaultdict[_Key, list[int]], leg: CdrRow, said: Said, sign: int) -> None:
    """Add a leg to the counters of an outcome, or take it away."""
    if leg.is_test:
        return
    alone: defaultdict[_Alike, list[int]] = defaultdict(_no_sums)
    _add_up(alone, [leg])
    for alike, sums in alone.items():
        user_id, campaign_id, hour, first = alike[:4]
        for grouping, member in said.members(leg.agent_id):
            counters = found[user_id, campaign_id, grouping, hour, member]
            for place, value in _spread(first, sums):
                counters[place] += sign * value


def _add_up(found: defaultdict[_Alike, list[int]], legs: Sequence[CdrRow]) -> None:
    """Add the number of legs that are alike, and ten of their figures, to their sums."""
    for leg in legs:
        attempt, billsec = leg.attempt, leg.billsec
        sums = found[
            leg.user_id,
            leg.campaign_id or 0,
            leg.starting_date // HOUR_MS,
            _LEGS if leg.leg_type != _A_LEG else _CALLS if attempt > 0 else _INBOUND,
            leg.hangup_cause_q850,
            leg.agent_id,
            leg.phonebook_id,
            leg.gateway_id,
            leg.zone,
            attempt,
            bool(leg.is_test),
        ]
        sums[0] += 1
        if billsec:
            sums[1] += 1
            sums[2] += leg.amd_status != _MACHINE
            sums[3] += leg.is_completed
            sums[4] += billsec
            sums[5] += leg.duration - billsec
            sums[8] += leg.is_for_agents
            sums[9] += leg.is_abandoned
            sums[10] += leg.call_cost
        if leg.post_dial_ms is not None:
            sums[6] += 1
            sums[7] += leg.post_dial_ms


def _no_sums() -> list[int]:
    return [0] * 11


class CallCounts:
    """Calls and messages that are over and wait to be counted."""

    def __init__(self) -> None:
        self._found: Final[defaultdict[_Alike, list[int]]] = defaultdict(_no_sums)
        """Their number, and the sums of ten of their figures."""
        self._legs: Final[list[CdrRow]] = []
        self._added_up = 0
        """The number of legs that are in the sums already."""
        self.cdr: Final = self._legs.append
        """Counts a leg by its CDR."""

    def message(self, message: Call, outcome: CallOutcome, cost: int) -> None:
        """Count a text message whose outcome is known."""
        plan, person = message.plan, message.subscriber
        alike = (
            plan.user_id,
            plan.id,
            message.started_ms // HOUR_MS,
            _MESSAGES,
            str(outcome.message_status),
            0,
            person.phonebook_id or 0,
            plan.gateway_id,
            person.zone,
            message.attempt,
            plan.trial_of_id is not None,
        )
        self._add_up_legs()  # Rows of counters get their ids in the order of the ends.
        sums = self._found[alike]
        sums[0] += 1
        sums[1] += outcome.delivered_ms is not None
        sums[2] += message.parts
        sums[10] += cost

    def write(self, connection: Connection) -> None:
        """Add the calls and messages to their counters."""
        self._add_up_legs()
        if not self._found:
            return
        of_campaigns = _of_campaigns(self._found)
        self._add_dispositions(connection, of_campaigns)
        _write(connection, of_campaigns)
        self._found.clear()
        self._legs.clear()
        self._added_up = 0

    def _add_up_legs(self) -> None:
        """Add up the legs since the last time, in one loop."""
        if self._added_up < len(self._legs):
            _add_up(self._found, self._legs[self._added_up :] if self._added_up else self._legs)
            self._added_up = len(self._legs)

    def _add_dispositions(self, connection: Connection, found: defaultdict[_Key, list[int]]) -> None:
        """Count the legs of calls that have a disposition already. The CDRs are written by now."""
        if not self._legs:
            return
        written = {"first": self._legs[0].id, "last": self._legs[-1].id}
        disposed: dict[int | None, Said] = {
            call_id: Said(*said) for call_id, *said in _NEW_DISPOSED.rows(connection, written)
        }
        for leg in self._legs if disposed else ():
            if leg.callrequest_id in disposed:
                _add_disposed(found, leg, disposed[leg.callrequest_id], 1)


def _of_campaigns(counted: Mapping[_Alike, list[int]]) -> defaultdict[_Key, list[int]]:
    """Return the counters of each campaign. Calls that differ in other groupings only are added up."""
    found: defaultdict[_Key, list[int]] = defaultdict(_nothing)
    for alike, sums in counted.items():
        grown = _spread(alike[3], sums)
        user_id, campaign_id, hour = alike[:3]
        for grouping, member in _members(alike):
            row = found[user_id, campaign_id, grouping, hour, member]
            for place, value in grown:
                row[place] += value
    return found


def _write(connection: Connection, of_campaigns: Mapping[_Key, list[int]]) -> None:
    of_users: defaultdict[tuple[int, int, int, str], list[int]] = defaultdict(_nothing)
    for (user_id, _, *rest), row in of_campaigns.items():
        for place, value in enumerate(row):
            of_users[user_id, *rest][place] += value  # type: ignore[index]
    _COUNT_CAMPAIGNS.put(connection, [(*key[1:], *row) for key, row in of_campaigns.items() if key[1]])
    _COUNT_USERS.put(connection, [(*key, *row) for key, row in of_users.items()])


def _nothing() -> list[int]:
    return [0] * len(COUNTERS)


def _spread(first: int, sums: Sequence[int]) -> list[tuple[int, int]]:
    """Return the counters that calls change whose own counter has the place `first`, each with its place."""
    figures = sums[:10] if first == _CALLS else sums[:3]
    if first in {_LEGS, _INBOUND}:
        figures = [sums[0], sums[1], sums[4]]
    found = [(first + place, value) for place, value in enumerate(figures) if value]
    return [*found, (_COST, sums[10])] if sums[10] else found
