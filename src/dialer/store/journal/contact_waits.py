"""The waits for contact rules that were decided at the turns of people, as rows."""

from typing import Final, NamedTuple

from sqlalchemy import BigInteger, String, bindparam, insert, select

from dialer.domain.calls.campaign_effects import PutBack
from dialer.domain.calls.contact_rules import deciding_rules
from dialer.domain.words.moments import NEVER_MS
from dialer.store.database.bulk import Bulk
from dialer.store.queries.contact_law import row_of
from dialer.store.tables import Campaign, ContactWait


class WaitRow(NamedTuple):
    """The columns of a `ContactWait`, without its account, which is that of the campaign."""

    whose: int
    """The campaign."""
    subscriber_id: int
    at_ms: int
    until_ms: int | None
    rule_id: int | None
    row: str


_account: Final = select(Campaign.user_id).where(Campaign.id == bindparam("whose")).scalar_subquery()
KEEP_WAITS: Final = Bulk(
    insert(ContactWait).values(
        user_id=_account,
        campaign_id=bindparam("whose"),
        subscriber_id=bindparam("subscriber_id"),
        at_ms=bindparam("at_ms"),
        until_ms=bindparam("until_ms", type_=BigInteger()),
        rule_id=bindparam("rule_id", type_=BigInteger()),
        row=bindparam("row", type_=String()),
    ),
    WaitRow._fields,
)


def waits_of(effect: PutBack, now_ms: int) -> list[WaitRow]:
    """Return the rules that hold somebody back who was put back for their sake, each with the end of its hold."""
    whom = (effect.campaign_id, effect.subscriber.id, now_ms)
    return [
        WaitRow(*whom, until_ms if until_ms < NEVER_MS else None, rule_id if rule_id > 0 else None, row_of(rule_id))
        for rule_id, until_ms in deciding_rules(effect.subscriber.held, now_ms).items()
    ]
