"""The contacts with people that rules count in a run of a forecast, which has no rows, and the costs of the rules."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from msgspec.structs import replace
from sqlalchemy import Connection, select, union

from dialer.domain.calls.call_effects import FinishCall, FinishInbound
from dialer.domain.calls.campaign_effects import PutBack
from dialer.domain.calls.contact_rules import MadeContact, RuledCampaign, deciding_rules
from dialer.domain.calls.plans import Call, Subscriber
from dialer.domain.forecast.rehearsed_rules import RuleCost
from dialer.domain.words.contact_words import CALL, TEXT
from dialer.domain.words.enums import AmdBehavior, AmdStatus
from dialer.domain.words.moments import NEVER_MS
from dialer.forecast.campaign_copy import is_uncollected
from dialer.forecast.stage import History
from dialer.store.journal.agent_calls import for_agents
from dialer.store.queries.contact_rules import contacts_with, held_spans
from dialer.store.tables import Contact
from dialer.store.tables import Subscriber as SubscriberRow

NUMBERS_AT_ONCE: Final = 2_000
"""Numbers whose contacts one query reads."""


def history_of(connection: Connection, campaign: RuledCampaign, now_ms: int, own: Collection[str] = ()) -> History:
    """Return the contacts up to now with the people of a campaign, as far as its rules may count them.

    Nobody knows in a forecast when the calls of other campaigns end that are in progress: they count as over now. `own`
    are the `callid`s of those of the campaign.
    """
    found: dict[str, Sequence[MadeContact]] = {}
    for numbers in _numbers(connection, campaign):
        for number, made in contacts_with(connection, campaign, numbers, now_ms).items():
            found[number] = [_as_known(one, now_ms, own) for one in made if one.at_ms <= now_ms]
    return found


def _numbers(connection: Connection, campaign: RuledCampaign) -> Iterable[list[str]]:
    theirs = select(SubscriberRow.number).where(SubscriberRow.campaign_id == campaign.id)
    people = union(theirs, select(Contact.number).where(is_uncollected(campaign.id)))
    for part in connection.execute(people).scalars().partitions(NUMBERS_AT_ONCE):
        yield [number for number in part if campaign.may_hold(number)]


def _as_known(contact: MadeContact, now_ms: int, own: Collection[str]) -> MadeContact:
    is_others = contact.ended_ms is None and contact.callid not in own
    return replace(contact, ended_ms=now_ms) if is_others else contact


class ContactMemory:
    """The contacts of a run with the people of its campaign, after those that were made before it."""

    def __init__(self, campaign: RuledCampaign, history: History, expires_ms: int) -> None:
        self._campaign: Final = campaign
        self._history: Final = history
        self._expires_ms: Final = expires_ms
        self._made: Final[dict[str, dict[str, MadeContact]]] = {}
        """The contacts with a number, by `callid`, once one was made in the run."""
        self._held_until_ms: Final[dict[int, dict[int, int]]] = {}
        """The ends of the last waits of people, by rule."""
        self._waits: Final[dict[int, list[int]]] = {}
        """The number and the time of the waits for each rule."""

    def hold(self, people: Iterable[Subscriber]) -> None:
        """Note for claimed people when rules hold them back."""
        campaign = self._campaign
        for one in people:
            if campaign.may_hold(one.number):
                run = self._made.get(one.number)
                made = self._history.get(one.number, ()) if run is None else list(run.values())
                one.held = held_spans(campaign, one.number, one.zone, one.additional_vars, made)

    def dialled(self, call: Call) -> None:
        """Note a call that was dialled, or a text message that was sent."""
        medium = TEXT if call.parts else CALL
        ended_ms = call.started_ms if call.parts else None
        self._note(call.subscriber.number, self._contact(call, medium, ended_ms))

    def ended(self, effect: FinishCall | FinishInbound) -> None:
        """Note what became of a call."""
        call, outcome, bill = effect.call, effect.outcome, effect.bill
        if call.parts:
            return
        is_machine = outcome.amd_status is AmdStatus.MACHINE
        is_abandoned = bool(call.plan.flow.queue_ids) and for_agents(call, outcome)[1] == 1
        plain = self._contact(call, CALL, call.started_ms + 1_000 * bill.duration)
        contact = replace(
            plain,
            billsec=bill.billsec,
            is_person=not is_machine,
            is_abandoned=is_abandoned,
            is_machine=is_machine and call.amd == AmdBehavior.HUMAN_ONLY,
            is_inbound=call.attempt < 0,
        )
        self._note(call.callerid if call.attempt < 0 else call.subscriber.number, contact)

    def put_back(self, effect: PutBack, now_ms: int) -> None:
        """Count the wait of somebody whom rules hold back."""
        for rule_id, until_ms in deciding_rules(effect.subscriber.held, now_ms).items():
            before_ms = self._held_until_ms.setdefault(rule_id, {}).get(effect.subscriber.id, 0)
            if until_ms < NEVER_MS and until_ms != before_ms:
                self._held_until_ms[rule_id][effect.subscriber.id] = until_ms
                counted = self._waits.setdefault(rule_id, [0, 0])
                counted[0] += 1
                counted[1] += max(0, min(until_ms, self._expires_ms) - now_ms)

    def costs(self) -> tuple[RuleCost, ...]:
        """Return what each rule cost that has held somebody back, in the order of their ids."""
        found = []
        for rule_id, until in sorted(self._held_until_ms.items()):
            waits, waited_ms = self._waits.get(rule_id, (0, 0))
            too_late = sum(until_ms >= self._expires_ms for until_ms in until.values())
            found.append(RuleCost(rule_id, len(until), waits, waited_ms, too_late))
        return tuple(one for one in found if one.waits)

    def _contact(self, call: Call, medium: str, ended_ms: int | None) -> MadeContact:
        """Return a contact of the campaign; its purpose is one for which its rules are."""
        return MadeContact(
            at_ms=call.started_ms,
            ended_ms=ended_ms,
            medium=medium,
            callid=call.callid,
            campaign_id=call.plan.id,
            seller=self._campaign.seller,
            is_simulated=call.is_simulated,
        )

    def _note(self, number: str, contact: MadeContact) -> None:
        if not self._campaign.may_hold(number):
            return
        made = self._made.get(number)
        if made is None:
            made = self._made[number] = {one.callid: one for one in self._history.get(number, ())}
        made[contact.callid] = contact
