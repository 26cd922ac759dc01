"""Wishes not to be called that were uttered after campaigns had claimed their subscribers."""

from typing import Final

from dialer.domain.calls.call_events import DncReached
from dialer.domain.calls.effects import KeepWish
from dialer.domain.calls.plans import Call, CallOutcome, CampaignPlan, Subscriber
from dialer.domain.numbers.listed_forms import has_no_country, listed_forms
from dialer.domain.survey.heard import last_keys
from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.domain.words.proof import Proof, WishSource

FORGETS_EVERY: Final = 1_000
"""The least number of wishes after which those are forgotten that all campaigns have read as rows."""
_HELD_FROM: Final = 2**63
"""More than any id."""
_SIMULATED_FROM: Final = 2 * _HELD_FROM
OF_SERVICE: Final = 0
"""Stands for the list of the service, which keeps wishes of people to whom no account is known to have written."""


def lists_over(plan: CampaignPlan) -> tuple[int, ...]:
    """Return the lists that hold for a campaign, as `lists_of_wish` names them."""
    own = -plan.user_id  # As `own_list_of` and `held_list_of` name them, without two calls for each dial.
    stored = (*plan.dnc_ids, own, own - _HELD_FROM, OF_SERVICE)
    return (*stored, own - _SIMULATED_FROM) if plan.is_simulated else stored


def lists_of_wish(wish: KeepWish) -> tuple[int, ...]:
    """Return the ids of the lists that keep a wish. Lists that may not exist yet have ids of no row."""
    if wish.is_held and wish.user_id is not None:
        return (held_list_of(wish.user_id),)
    if wish.is_simulated and wish.user_id is not None:
        return (simulated_list_of(wish.user_id),)
    own = OF_SERVICE if wish.user_id is None else own_list_of(wish.user_id)
    return (own,) if wish.dnc_id is None else (wish.dnc_id, own)


def wish_in(call: Call, plan: CampaignPlan, reached: DncReached) -> KeepWish:
    """Return the wish that was uttered in a call of a campaign, or in the answer to a text message of it."""
    is_simulated = call.is_simulated
    dnc_id, answered_id = None if is_simulated else plan.dnc_id, plan.id if call.parts else None
    proof = proof_of(call, reached)
    return KeepWish(plan.user_id, dnc_id, call.subscriber.number, proof, answered_id, is_simulated=is_simulated)


def wish_among_results(call: Call, outcome: CallOutcome) -> DncReached | None:
    """Return the wish that the results of a call hold; None if there is none."""
    for result in outcome.results:
        if SECTION_TYPES[result.section_type].keeps_wishes:
            said, section_id = last_keys(outcome.heard, result.section_id)
            return DncReached(call.id, said=said, section_id=section_id)
    return None


def proof_of(call: Call, reached: DncReached) -> Proof:
    """Return the proof of a wish that was uttered in a call, or in the answer to a text message."""
    campaign_id = call.plan.id
    if call.parts:
        return Proof(WishSource.TEXT, campaign_id, sms_message_id=call.id, said=reached.said)
    source = WishSource.CALLER if call.is_inbound else WishSource.KEY
    return Proof(source, campaign_id, call.id, section_id=reached.section_id, said=reached.said)


def own_list_of(user_id: int) -> int:
    """Return the number that stands for an account's own list."""
    return -user_id


def held_list_of(user_id: int) -> int:
    """Return the number that stands for the list of numbers that an account holds."""
    return -user_id - _HELD_FROM


def simulated_list_of(user_id: int) -> int:
    """Return the number that stands for an account's list of the wishes of simulated people."""
    return -user_id - _SIMULATED_FROM


class CalledOff:
    """The order in which numbers were added, so that each campaign can check those since it was last opened."""

    def __init__(self) -> None:
        self.numbers: Final[dict[int, dict[str, int]]] = {}
        """The place of each number in the order, by do-not-call list. Nearly always there is none."""
        self._has_national = False
        """True if one of them has no country. Only then the forms of numbers that have one matter."""
        self._last = 0
        self._forgets_at = FORGETS_EVERY

    @property
    def last(self) -> int:
        """The place of the number that was added last."""
        return self._last

    @property
    def is_forgetting_due(self) -> bool:
        """True if so many numbers were added that it pays to look for those that no campaign needs any more."""
        return self._last >= self._forgets_at

    def add(self, wish: KeepWish) -> None:
        """Add the number of a wish."""
        self._last += 1
        self._has_national = self._has_national or has_no_country(wish.number)
        for dnc_id in lists_of_wish(wish):
            self.numbers.setdefault(dnc_id, {})[wish.number] = self._last

    def has(self, plan: CampaignPlan, number: str, since: int) -> bool:
        """Return whether a number was put on a list of a campaign after the place `since`."""
        # Each dial asks this, and a loop costs less than a generator.
        for dnc_id in lists_over(plan):
            numbers = self.numbers.get(dnc_id)
            if numbers is not None and numbers.get(number, 0) > since:
                return True
        if not self._has_national and number[:1] == "+":
            return False
        return any(self._is_on(one, number, since) for one in lists_over(plan))

    def is_held(self, plan: CampaignPlan, subscriber: Subscriber, since: int) -> bool:
        """Return whether a subscriber who is on a list, or was put on one after the position `since`, is only held."""
        held, number = held_list_of(plan.user_id), subscriber.number
        is_now_held = not subscriber.is_on_dnc and self._is_on(held, number, since)
        is_off = any(self._is_on(one, number, since) for one in lists_over(plan) if one != held)
        return (subscriber.is_held or is_now_held) and not is_off

    def _is_on(self, dnc_id: int, number: str, since: int) -> bool:
        """Return whether a number was put on a list after the place `since`, with or without its country."""
        numbers = self.numbers.get(dnc_id)
        return numbers is not None and any(numbers.get(form, 0) > since for form in listed_forms(number))

    def forget(self, until: int) -> None:
        """Remove all numbers noted up to the position `until`."""
        for dnc_id, numbers in list(self.numbers.items()):
            kept = {number: place for number, place in numbers.items() if place > until}
            if kept:
                self.numbers[dnc_id] = kept
            else:
                del self.numbers[dnc_id]
        self._forgets_at = self._last + max(FORGETS_EVERY, *map(len, self.numbers.values()), 0)
