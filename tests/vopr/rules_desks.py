"""Rules about calls at desks: orders are performed once, and an agent is in one call at a time (I18)."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Final

from tests.vopr.memory import Memory
from tests.vopr.snapshot import DeskRow, Leg, Snapshot

_CONNECTED: Final = 2
_PENDING: Final = 1
_ASKED: Final = 1
_ON_HOLD: Final = {"third": [True, False], "callee": [False, True], "all": [False, False]}
"""For each mode of a consultation, whether callee and third person are on hold."""
_DONE: Final = frozenset({4, 5})
"""The statuses of subscribers who failed, and who were reached."""


def desks(before: Snapshot, after: Snapshot, memory: Memory, *, has_worked: bool) -> Iterator[str]:
    """Yield what is wrong with agents and the calls that they have taken; `memory` already holds the legs."""
    legs = {leg.agent_id: leg for leg in after.legs if leg.status == _CONNECTED and leg.agent_id is not None}
    talks = Counter(leg.agent_id for leg in memory.legs.values() if leg.agent_id and leg.ended_ms is not None)
    thirds = {leg.call_id: leg for leg in after.legs if leg.consulted == _ASKED and leg.ended_ms is None}
    consulted = {leg.for_agent_id for leg in thirds.values() if leg.answered_ms is not None}
    if has_worked:
        yield from _alone(after, {leg.call_id for leg in legs.values()})
    for desk in after.desks:
        leg = legs.get(desk.agent_id)
        if bool(desk.is_talking) != (leg is not None or desk.agent_id in consulted):
            yield f"I18: agent {desk.agent_id} {'talks' if desk.is_talking else 'does not talk'} in {leg}"
        done = json.loads(desk.figures)["calls_answered"] if desk.figures else 0
        if done != talks[desk.agent_id]:
            yield f"I18: agent {desk.agent_id} was free again {done} times, after {talks[desk.agent_id]} talks"
        yield from _own_call(desk, leg, after)
        if has_worked and leg is not None:
            yield from _obeyed(desk, leg, thirds.get(leg.call_id))
    if has_worked:
        yield from _unobeyed(before, after)
    yield from _promised(before, after)
    yield from (f"I18: what was typed is lost: {lost}" for lost in before.drafts - after.drafts)
    yield from _absent(before, after)
    yield from _owing(before, after)
    yield from _at_once(after, memory)
    yield from _ordered(before, after)


def _own_call(desk: DeskRow, leg: Leg | None, after: Snapshot) -> Iterator[str]:
    """Yield a call that an agent has placed, if another one comes to the agent before it is over."""
    call_id = json.loads(desk.preview).get("call_id") if desk.preview else None
    if call_id is None or not any(call.id == call_id and call.ended_ms is None for call in after.calls):
        return
    if leg is not None and leg.call_id != call_id:
        yield f"I18: agent {desk.agent_id} has placed call {call_id} and talks in call {leg.call_id}"
    asks = [one for one in after.legs if one.ended_ms is None and str(desk.agent_id) in json.loads(one.offers)]
    yield from (
        f"I18: agent {desk.agent_id} has placed call {call_id} and is asked for {one.call_id}"
        for one in asks
        if one.call_id != call_id
    )


def _alone(after: Snapshot, talks: set[int]) -> Iterator[str]:
    """Yield third persons and people on hold in calls without an agent."""
    for leg in after.legs:
        is_waiting = leg.on_hold_from_ms is not None or leg.consulted == _ASKED
        if leg.ended_ms is None and is_waiting and leg.call_id not in talks:
            yield f"I18: nobody talks in call {leg.call_id}, and somebody waits in it: {leg}"


def _obeyed(desk: DeskRow, leg: Leg, third: Leg | None) -> Iterator[str]:
    if third is not None:
        on_hold = [one.on_hold_from_ms is not None for one in (leg, third)]
        if desk.consulted_call_id != leg.call_id or on_hold != _ON_HOLD[desk.consultation_mode]:
            yield f"I18: agent {desk.agent_id} wants {desk}, and on hold are {on_hold} of {leg} and {third}"
        return
    if desk.consulted_call_id is not None:
        yield f"I18: agent {desk.agent_id} still consults somebody in call {desk.consulted_call_id}"
    if (leg.on_hold_from_ms is not None) != (desk.hold_call_id == leg.call_id):
        yield f"I18: agent {desk.agent_id} wants call {desk.hold_call_id} on hold, and that of transfer {leg.id} is not"


def _unobeyed(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Yield calls that go on with an agent who has hung them up or transferred them, and orders that are kept."""
    talks = {leg.agent_id: leg for leg in before.legs if leg.status == _CONNECTED and leg.agent_id is not None}
    still = {leg.id for leg in after.legs if leg.status == _CONNECTED}
    for desk in before.desks:
        leg = talks.get(desk.agent_id)
        if leg is not None and leg.id in still and leg.call_id in {desk.hang_up_call_id, desk.transfer_call_id}:
            yield f"I18: call {leg.call_id} goes on, which agent {desk.agent_id} has hung up or transferred"
    for desk in after.desks:
        if desk.hang_up_call_id is not None or desk.transfer_call_id is not None:
            yield f"I18: agent {desk.agent_id} still wants to end a call: {desk}"


def _promised(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Yield callees who were promised a call-back in a call that is over, and who are not to be called then."""
    for call in after.calls:
        at_ms, person = before.promised.get(call.id), after.people.get(call.subscriber_id)
        if at_ms is None or call.ended_ms is None or person is None or person.attempts != call.attempt:
            continue
        is_early = person.status == _PENDING and person.due_ms < at_ms
        if is_early or person.status in _DONE:
            yield f"I18: in call {call.id} an agent has promised to call back at {at_ms}, and subscriber is {person}"


def _absent(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Yield agents who are back or get a call, although they have left their desk and have not come back."""
    gone = {desk.agent_id for desk in before.desks if desk.has_left}
    there = [desk for desk in after.desks if not desk.has_left]
    yield from (f"I18: agent {desk.agent_id} is back: {desk}" for desk in there if desk.agent_id in gone)
    called = {leg.id: _called(leg) for leg in before.legs}
    for leg in after.legs:
        for agent_id in (_called(leg) - called.get(leg.id, set())) & gone:
            yield f"I18: agent {agent_id} has left the desk, and gets call {leg.call_id}"


def _called(leg: Leg) -> set[int]:
    """Return the agents who are asked for a leg, and the one who has taken it."""
    taken = set() if leg.agent_id is None else {leg.agent_id}
    return taken | {int(agent_id) for agent_id in json.loads(leg.offers)}


def _owing(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Yield agents who get a call while they have to say the outcome of an earlier one."""
    owed = {desk.agent_id: _owed_call(desk) for desk in before.desks}
    for desk in after.desks:
        call_id = _owed_call(desk)
        if not call_id or owed.get(desk.agent_id) != call_id:
            continue
        for leg in after.legs:
            if leg.ended_ms is None and desk.agent_id in _called(leg):
                yield f"I18: agent {desk.agent_id} owes the outcome of call {call_id}, and gets call {leg.call_id}"


def _owed_call(desk: DeskRow) -> int:
    """Return the call whose outcome an agent has to say; 0 if there is none."""
    return int(json.loads(desk.figures).get("outcome_call_id", 0)) if desk.figures else 0


def _at_once(after: Snapshot, memory: Memory) -> Iterator[str]:
    """Yield two talks of an agent at once, and two legs of a call at once."""
    known = [leg for leg in memory.transfers() if leg.answered_ms is not None]
    new = [leg for leg in after.legs if leg.answered_ms is not None]
    for one in new:
        for other in known:
            is_agent = one.agent_id is not None and one.agent_id == other.agent_id
            is_alone = not (one.consulted or other.consulted)  # A third person talks beside the callee.
            if other.id < one.id and (is_agent or (is_alone and one.call_id == other.call_id)) and _overlap(one, other):
                yield f"I18: transfers {other.id} and {one.id} at once of agent {one.agent_id}, call {one.call_id}"


def _overlap(one: Leg, other: Leg) -> bool:
    return max(one.answered_ms or 0, other.answered_ms or 0) < min(one.end_ms, other.end_ms)


def _ordered(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Yield transfers that no agent has ordered, such as those that were ordered once and are performed again."""
    known = {leg.id for leg in before.legs}
    orders = {
        (desk.agent_id, call) for desk in before.desks for call in (desk.transfer_call_id, desk.consulted_call_id)
    }
    for leg in after.legs:
        if leg.id in known or not leg.is_ordered or leg.from_agent_id is None:
            continue
        if (leg.from_agent_id, leg.call_id) not in orders:
            yield f"I18: agent {leg.from_agent_id} has not ordered transfer {leg.id} of call {leg.call_id}"
        orders.discard((leg.from_agent_id, leg.call_id))


def inbound(after: Snapshot, memory: Memory) -> Iterator[str]:
    """Yield campaigns that count calls which they have not dialled, such as those that came in."""
    dialled = Counter(call.campaign_id for call in memory.calls.values() if call.attempt > 0)
    dialled.update(text.campaign_id for text in memory.texts.values() if text.parent_id is None)
    for campaign_id, campaign in after.campaigns.items():
        counted, made = campaign["calls"], dialled[campaign_id]
        if counted > made:
            yield f"I18: campaign {campaign_id} counts {counted} calls, and has dialled {made}"
