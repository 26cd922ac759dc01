"""The waits for contact rules that were decided at the turns of people, as rows."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from sqlalchemy import BigInteger, Connection, String, bindparam, exists, insert, literal_column, or_, select

from dialer.domain.calls.contact_rules import HeldSpan, deciding_rules
from dialer.domain.words.moments import NEVER_MS
from dialer.store.database.bulk import Bulk
from dialer.store.queries.contact_law import row_of
from dialer.store.tables import CallInProgress, CallRequest, Campaign, ContactWait


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
        number=literal_column("''"),
        at_ms=bindparam("at_ms"),
        until_ms=bindparam("until_ms", type_=BigInteger()),
        rule_id=bindparam("rule_id", type_=BigInteger()),
        row=bindparam("row", type_=String()),
    ),
    WaitRow._fields,
)


def waits_of(campaign_id: int, subscriber_id: int, spans: Iterable[HeldSpan], now_ms: int) -> list[WaitRow]:
    """Return a row for each rule that holds a subscriber back, with the end of its hold."""
    whom = (campaign_id, subscriber_id, now_ms)
    return [
        WaitRow(*whom, until_ms if until_ms < NEVER_MS else None, rule_id if rule_id > 0 else None, row_of(rule_id))
        for rule_id, until_ms in deciding_rules(spans, now_ms).items()
    ]


def not_kept_yet(connection: Connection, waits: Sequence[WaitRow], number: str) -> list[WaitRow]:
    """Return those waits of a subscriber that are not kept yet.

    A wait is kept if a row has its rule and its end, or if it is for the end of a call that goes on since such a row.
    """
    whom = {wait.subscriber_id for wait in waits}
    goes_on = (
        exists()
        .where(CallInProgress.id == CallRequest.id, CallRequest.phone_number == number, CallRequest.attempt > 0)
        .where(CallRequest.user_id == ContactWait.user_id, CallRequest.started_ms <= ContactWait.at_ms)
    )
    kept = select(ContactWait.until_ms, ContactWait.rule_id, ContactWait.row).where(
        ContactWait.subscriber_id.in_(whom), or_(ContactWait.until_ms.is_not(None), goes_on)
    )
    known = {tuple(row) for row in connection.execute(kept)}
    return [wait for wait in waits if (wait.until_ms, wait.rule_id, wait.row) not in known]
