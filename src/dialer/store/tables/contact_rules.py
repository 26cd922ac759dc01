"""Rules about how often people may be contacted: those of accounts, and rows of law, which belong to no account."""

from sqlalchemy import Boolean, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from dialer.domain.words.contact_words import CALL, NUMBER, ContactKind, RuleScope
from dialer.store.tables._base import (
    BIG,
    LongText,
    Milliseconds,
    Name,
    Row,
    account_of,
    belongs_to,
    belongs_with_account,
)


class ContactRule(Row):
    """A rule of an account about how often people may be contacted (`dialer.domain.calls.contact_rules`).

    Rows of law are here as well, for lists. Only whether and by whom they were switched is read of them: what they say
    stands in their file (`dialer.store.queries.contact_law`), from which each start of the service writes them again.
    """

    __tablename__ = "contact_rule"

    user_id: Mapped[int | None] = belongs_to("user_account")
    """Null for a row of law."""
    row: Mapped[str] = mapped_column(String(40), default="", server_default="")
    """The id of a row of law; empty for a rule of an account."""
    name: Mapped[Name]
    source: Mapped[LongText]
    enabled: Mapped[bool] = mapped_column(Boolean, default=True, server_default="1")
    from_date: Mapped[str | None] = mapped_column(String(10), default=None)
    until_date: Mapped[str | None] = mapped_column(String(10), default=None)
    country: Mapped[str] = mapped_column(String(2), default="", server_default="")
    state: Mapped[str] = mapped_column(String(8), default="", server_default="")
    purposes: Mapped[LongText]
    """Purposes with blanks between them; empty for all."""
    media: Mapped[str] = mapped_column(String(20), default=CALL, server_default=CALL)
    """Media with blanks between them."""
    counts: Mapped[str] = mapped_column(
        String(20), default=ContactKind.ATTEMPTS, server_default=ContactKind.ATTEMPTS.value
    )
    after: Mapped[str] = mapped_column(String(20), default="", server_default="")
    seconds: Mapped[int] = mapped_column(default=1, server_default="1")
    most: Mapped[int]
    """The contacts that are allowed in the period."""
    period: Mapped[int]
    unit: Mapped[str] = mapped_column(String(20))
    per: Mapped[str] = mapped_column(String(100), default=NUMBER, server_default=NUMBER)
    scope: Mapped[str] = mapped_column(String(10), default=RuleScope.ACCOUNT, server_default=RuleScope.ACCOUNT.value)
    switched_by: Mapped[str] = mapped_column(String(150), default="", server_default="")
    """The admin who last switched a row of law on or off; empty if it is as its file says."""
    switched_date: Mapped[int | None] = mapped_column(BIG, default=None)
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]


class ContactWait(Row):
    """A wait for a rule that was decided at a dial's turn. Of several rules that hold somebody back, each has a row.

    Rows are added, and removed when they are as old as the calls that are.
    """

    __tablename__ = "contact_wait"

    user_id: Mapped[int] = account_of("campaign", "campaign_id")
    campaign_id: Mapped[int] = mapped_column(BIG)
    subscriber_id: Mapped[int] = mapped_column(BIG)
    """No foreign key: of people who are deleted, nobody knows any more who waited."""
    number: Mapped[str] = mapped_column(String(64), default="", server_default="")
    """The number with which they waited; empty if it is the one that they have now."""
    at_ms: Mapped[Milliseconds]
    until_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    """The first moment that the rule allows; null if that was for a call in progress to decide."""
    rule_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The rule of the account, which may be deleted since; null for a row of law."""
    row: Mapped[str] = mapped_column(String(40), default="", server_default="")
    """The id of a row of law; empty for a rule of an account."""

    __table_args__ = (
        belongs_with_account("campaign", "campaign_id"),
        Index("ix_contact_wait_campaign_id", "campaign_id", "id"),
        Index("ix_contact_wait_at_ms", "at_ms", "id"),
        Index("ix_contact_wait_subscriber_id", "subscriber_id"),
        {"sqlite_autoincrement": True},
    )
