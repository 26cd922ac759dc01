"""The contact rules in a story: those that are for a person, until when they hold, and the contacts that count."""

from collections.abc import Sequence

from sqlalchemy import Connection, RowMapping

from dialer.domain.calls.contact_rules import FrequencyRule, MadeContact, RuleHold, first_free_ms
from dialer.domain.rules.why_waiting import Circumstances
from dialer.domain.words.moments import NEVER_MS
from dialer.store.queries.contact_rules import contacts_with, judged_rules
from dialer.store.timeline.parts import CountedContact, RulePart, moment, moment_or_none


def rules_for_person(
    connection: Connection, person: RowMapping | None, campaign: Circumstances | None
) -> list[RulePart]:
    """Return the rules of a campaign that are for a subscriber, as they stand now; none without a subscriber."""
    if person is None or campaign is None or campaign.ruled is None:
        return []
    made = contacts_with(connection, campaign.ruled, [person["number"]], campaign.now_ms).get(person["number"], ())
    who = (person["number"], person["zone"], person["additional_vars"])
    return [_part(rule, holds, campaign.now_ms) for rule, holds in judged_rules(campaign.ruled, *who, made)]


def _part(rule: FrequencyRule, holds: Sequence[RuleHold], now_ms: int) -> RulePart:
    at_work = [hold for hold in holds if hold.span.from_ms <= now_ms < hold.span.until_ms]
    until_ms = first_free_ms([hold.span for hold in holds], now_ms) if at_work else NEVER_MS
    spared = [hold for hold in holds if now_ms < hold.spared_until_ms]
    return RulePart(
        rule="" if rule.row else f"/rest-api/contact-rule/{rule.id}/",
        row=rule.row,
        name=rule.name,
        holds=bool(at_work),
        until=moment_or_none(until_ms if until_ms < NEVER_MS else None),
        counted=[_counted(one) for hold in at_work or spared for one in hold.counted],
        call_back=moment_or_none(spared[0].span.until_ms if spared else None),
    )


def _counted(contact: MadeContact) -> CountedContact:
    return CountedContact(moment(contact.at_ms), contact.campaign_id, contact.medium, contact.callid)
