"""The rules of signalling: nothing that was accepted stays unanswered, and a cause says what happened.

They look at the messages alone, as somebody on the wire sees them.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Final

import pytest

from dialer.carriers.sip import leg, register_and_options
from dialer.carriers.sip.early_dialogs import EarlyDialogs
from dialer.carriers.sip.flows import Target
from dialer.carriers.sip.inbound_leg import InboundLeg
from dialer.carriers.sip.leg import SipLeg
from dialer.carriers.sip.messages import Received
from dialer.carriers.sip.outputs import LegArrived, LegOver, Outputs
from dialer.carriers.sip.request_answers import RequestAnswers
from dialer.domain.calls.circuit_breaker import RETRY_AFTER_MS_MAX
from tests.carriers.sip.network import HERE
from tests.vopr.signalling import HORIZON_MS, World

_LAST_WORD_MS: Final = 60_000
"""Time before the end in which a request may wait for its answer."""


def broken_rules(world: World) -> Iterator[str]:
    """Yield the rules that a world has broken."""
    yield from _unanswered(world)
    yield from _loops(world)
    yield from _not_cleared(world)
    yield from _ends(world)
    yield from _places(world)
    yield from _registration(world)


def _unanswered(world: World) -> Iterator[str]:
    """Each request has one final response, and each final response to our INVITE has its ACK."""
    finals: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for _, message, _ in world.sent:
        if message.status >= 200:
            finals[message.call_id, message.branch, message.method].add(message.status)
    acks = {(one.call_id, one.to_tag) for _, one, _ in world.sent if one.method == "ACK" and not one.status}
    for at_ms, message, _ in world.came:
        if at_ms > HORIZON_MS - _LAST_WORD_MS:
            continue
        name = message.call_id, message.branch, message.method
        if not message.status and message.method != "ACK" and len(finals[name]) != 1:
            yield f"{message.method} of {message.call_id} at {at_ms} has the answers {sorted(finals[name])}"
        if message.status >= 200 and message.method == "INVITE" and (message.call_id, message.to_tag) not in acks:
            yield f"the answer {message.status} to {message.call_id} at {at_ms} has no ACK"


def _loops(world: World) -> Iterator[str]:
    """Only a call that came by another way, with the same CSeq, is a loop."""
    ways: dict[tuple[str, int], set[str]] = defaultdict(set)
    for _, message, _ in world.came:
        if message.method == "INVITE" and not message.status and not message.to_tag:
            ways[message.call_id, message.cseq].add(message.branch)
    for at_ms, message, _ in world.sent:
        if message.status == 482 and len(ways[message.call_id, message.cseq]) < 2:
            yield f"the attempt {message.cseq} of {message.call_id} counts as a loop at {at_ms}"


def _not_cleared(world: World) -> Iterator[str]:
    """Each dialog that one side has accepted is ended by a BYE of one side."""
    byes = {_dialog(one) for _, one, _ in (*world.sent, *world.came) if one.method == "BYE" and not one.status}
    accepted = [(at, one) for at, one, _ in world.came if one.method == "INVITE" and one.status // 100 == 2]
    accepted += [(at, one) for at, one, _ in world.sent if one.method == "INVITE" and one.status // 100 == 2]
    for at_ms, answer in accepted:
        if _dialog(answer) not in byes:
            yield f"the dialog of {answer.call_id} that was accepted at {at_ms} is never ended"


def _dialog(message: Received) -> tuple[str, frozenset[str]]:
    return message.call_id, frozenset({message.from_tag, message.to_tag})


def _ends(world: World) -> Iterator[str]:
    """Each leg ends once, and its cause says what happened."""
    over = [one for one in world.told if isinstance(one, LegOver)]
    arrived = [one.key for one in world.told if isinstance(one, LegArrived)]
    if sorted(one.key for one in over) != sorted([*world.dialled, *arrived]):
        yield f"not each leg is over once: {sorted(one.key for one in over)}"
    if len(world.agent):
        yield f"{len(world.agent)} legs are never forgotten"
    statuses: dict[str, set[int]] = defaultdict(set)
    for _, message, _ in world.came:
        statuses[message.call_id].add(message.status if message.method == "INVITE" else 0)
    for one in over:
        if one.key not in world.dialled or one.key in world.cleared:
            continue
        heard = statuses[one.key] - {0}
        if not heard and one.cause != 102:
            yield f"{one.key} has cause {one.cause}, though nothing was heard of the carrier"
        if one.cause == 19 and not any(180 <= status < 200 for status in heard):
            yield f"{one.key} has cause 19, though nothing has rung"


def _places(world: World) -> Iterator[str]:
    """Nothing is sent to this machine."""
    for at_ms, message, place in world.sent:
        if place[0].startswith("127.") or place == HERE:
            yield f"a message of {message.call_id} went to {place} at {at_ms}"


def _registration(world: World) -> Iterator[str]:
    """Check that no registration runs out, and that a registrar gets the rest that it wants."""
    asked: dict[int, int] = {}
    for at_ms, message, _ in world.sent:
        if message.method == "REGISTER" and not message.status:
            asked.setdefault(message.cseq, at_ms)
    for _, message, _ in world.came:
        if message.method != "REGISTER" or message.status < 200:
            continue
        first = min(
            at for at, one, _ in world.came if (one.method, one.cseq) == ("REGISTER", message.cseq) and one.status
        )
        following = asked.get(message.cseq + 1, HORIZON_MS + RETRY_AFTER_MS_MAX)
        rest_ms = 1_000 * (message.number_in("Retry-After") or 0)
        if following < first + rest_ms:
            yield f"REGISTER at {following}, though none was wanted from {first} for {rest_ms} ms"
        for granted_ms, until_ms in world.granted:
            if (
                message.status == 200
                and granted_ms <= first <= granted_ms + 3_001
                and until_ms < min(following, HORIZON_MS)
            ):
                yield f"the registration of {granted_ms} ran out at {until_ms}, and REGISTER came at {following}"


def signalling_findings(seed: int) -> str:
    """Run a seed, and return the first rule that it broke; empty if it broke none."""
    world = World(seed)
    try:
        world.run()
    except AssertionError as error:
        return str(error)
    return next(broken_rules(world), "")


# --- bugs that some seed has to find -------------------------------------------------------------------------------


def _deaf_before_the_answer(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(EarlyDialogs, "receive", lambda *_: None)


def _swallowed(patch: pytest.MonkeyPatch) -> None:
    before: Callable[..., object] = Outputs.way

    def way(self: Outputs, target: Target, key: str) -> object:
        found = before(self, target, key)
        return None if found != self.resolution.resolved(target) else found

    patch.setattr(Outputs, "way", way)


def _each_attempt_is_a_loop(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(InboundLeg, "has", lambda *_: True)


def _forgets_answers(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(RequestAnswers, "repeat", lambda *_: False)


def _nobody_answered(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SipLeg, "_not_answered", lambda _: (19, "it rang for as long as it may"))


def _restless(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(register_and_options, "retry_after_ms", lambda _: 0)


def _any_binding(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(register_and_options, "granted_s", lambda *_: 3_600)


def _one_telephone(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(leg, "FORKS_MAX", 0)


SIGNALLING_PLANTED: Final = {
    "requests before the answer get none": _deaf_before_the_answer,
    "a place that gets nothing swallows what is owed": _swallowed,
    "a call that is tried again counts as a loop": _each_attempt_is_a_loop,
    "a request that comes again gets another answer": _forgets_answers,
    "a silent carrier is a callee who does not answer": _nobody_answered,
    "Retry-After is not read": _restless,
    "the time of any binding is ours": _any_binding,
    "a second telephone that answers is left alone": _one_telephone,
}
"""Bugs that some seed has to find."""
