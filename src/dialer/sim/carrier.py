"""The simulated carrier: it places calls to simulated callees."""

from typing import Final

import msgspec

from dialer.domain.plans import Call, CallOutcome
from dialer.sim.behaviour import Behaviour, parse_behaviour
from dialer.sim.callee import Callee
from dialer.sim.chance import Chance
from dialer.sim.conversation import Conversation, Milestone
from dialer.sim.texting import Texting


class SimulatedCarrier:
    """Every simulated gateway. The same seed makes the same callees do the same."""

    def __init__(self, *, seed: int) -> None:
        self._seed: Final = seed
        self._behaviours: dict[int, Behaviour] = {}
        self._conversations: dict[int, Conversation | Texting] = {}

    def open_gateway(self, gateway_id: int, parameters: str) -> None:
        """How the callees behind a gateway behave from now on: JSON text of an object.

        Calls in progress stay as they are.

        Raises:
            BehaviourError: a key or value is not one that `parse_behaviour` knows.
        """
        self._behaviours[gateway_id] = _decode(parameters)

    def dial(self, call: Call) -> Milestone:
        """Place a call, and say what happens first that concerns anybody."""
        behaviour = self._behaviours[call.plan.gateway_id] if call.parameters is None else _decode(call.parameters)
        subscriber = call.subscriber
        chance = Chance(self._seed, call.plan.id, subscriber.id, call.attempt)
        conversation: Conversation | Texting
        if call.parts:
            conversation = Texting(call, behaviour, chance)
        else:
            conversation = Conversation(call, Callee(behaviour, subscriber.number, call.attempt, chance))
        self._conversations[call.id] = conversation
        return next(conversation.milestones)

    def proceed(self, call_id: int) -> Milestone | None:
        """What happens next in a call that was not over; None once it was hung up."""
        conversation = self._conversations.get(call_id)
        return None if conversation is None else next(conversation.milestones)

    def hang_up(self, call_id: int, now_ms: int) -> CallOutcome:
        """End a call in progress at `now_ms`."""
        return self._conversations.pop(call_id).hang_up(now_ms)

    def forget(self, call_id: int) -> None:
        """A call is over and was reported."""
        self._conversations.pop(call_id, None)


def _decode(parameters: str) -> Behaviour:
    return parse_behaviour(msgspec.json.decode(parameters, type=dict[str, object]))
