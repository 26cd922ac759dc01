"""The verdicts of the dial rules on people whose turn has come."""

from typing import Final

from dialer.domain.calling_times.zones import is_zone_key
from dialer.domain.calls.consents import good_at
from dialer.domain.calls.contact_rules import first_free_ms
from dialer.domain.calls.plans import SIMULATED, Subscriber
from dialer.domain.engine.credit import message_to
from dialer.domain.engine.state import EngineState, OpenCampaign
from dialer.domain.numbers.destinations import EVERYWHERE
from dialer.domain.numbers.ordinary_numbers import is_ordinary
from dialer.domain.rules.dial_rules import ALLOWED, ORDINARY, PERSON_RULES, PersonFacts, Verdict, verdict_on
from dialer.domain.words.moments import NEVER_MS

LOOKS_AGAIN_MS: Final = 60_000
"""The time after which somebody is looked at again who is in a call that decides whether they may be contacted."""


class PersonVerdicts:
    """The judge of people by what the engine knows: their accounts, gateways, lists and texts."""

    def __init__(self, engine_state: EngineState) -> None:
        self._gateways: Final = engine_state.gateways
        self._accounts: Final = engine_state.accounts
        self._called_off: Final = engine_state.called_off

    def of(self, campaign: OpenCampaign, subscriber: Subscriber, now_ms: int, closed_until_ms: int = 0) -> Verdict:
        """Return the verdict of the dial rules on a subscriber whose turn has come.

        `closed_until_ms` is not 0 if the calling window has closed since, which the hopper looks at otherwise.
        """
        plan, number = campaign.plan, subscriber.number
        account, gateway, called_off = self._accounts[plan.user_id], self._gateways[plan.gateway_id], self._called_off
        # Nearly everybody has no fact that the rules look at, which costs a look-up. The others are judged.
        is_allowed = (
            is_ordinary(number)
            and not subscriber.is_on_dnc
            and not (called_off.numbers and called_off.has(plan, number, campaign.called_off_before))
            and account.destinations is EVERYWHERE
            and plan.text_message is None
            and not closed_until_ms
            and not subscriber.held
            and subscriber.consents is None
            and is_zone_key(subscriber.zone)
            and not (gateway.plan.removeprefix and gateway.dials_emergency(number))
            and (gateway.plan.protocol == SIMULATED or not gateway.refuses(number))
        )
        return ALLOWED if is_allowed else self.judged(campaign, subscriber, now_ms, closed_until_ms)

    def judged(self, campaign: OpenCampaign, subscriber: Subscriber, now_ms: int, closed_until_ms: int = 0) -> Verdict:
        """Return the verdict of the dial rules by all facts."""
        plan, number = campaign.plan, subscriber.number
        account, gateway = self._accounts[plan.user_id], self._gateways[plan.gateway_id]
        called_off, since = self._called_off, campaign.called_off_before
        is_on_dnc = subscriber.is_on_dnc or (bool(called_off.numbers) and called_off.has(plan, number, since))
        text_message = plan.text_message
        held_until_ms = _held_until_ms(subscriber, now_ms) if subscriber.held else 0
        person = PersonFacts(
            is_emergency=gateway.dials_emergency(number),
            is_impossible=gateway.refuses(number),
            is_forbidden=account.refuses(number, gateway.plan),
            has_unknown_zone=not is_zone_key(subscriber.zone),
            is_on_dnc=is_on_dnc,
            is_held=is_on_dnc and called_off.is_held(plan, subscriber, since),
            lacks_consent=subscriber.consents is not None and not good_at(subscriber.consents, now_ms),
            is_without_text=text_message is not None and not message_to(subscriber, text_message).strip(),
            held_until_ms=held_until_ms,
            closed_until_ms=closed_until_ms,
            ready_ms=max(closed_until_ms, held_until_ms),
        )
        return ALLOWED if person == ORDINARY else verdict_on(person, PERSON_RULES)


def _held_until_ms(subscriber: Subscriber, now_ms: int) -> int:
    """Return the time until which contact rules hold somebody back; 0 if they do not."""
    free_ms = first_free_ms(subscriber.held, now_ms)
    if free_ms >= NEVER_MS:
        return now_ms + LOOKS_AGAIN_MS
    return free_ms if free_ms > now_ms else 0
