"""Users and their money."""

from sqlalchemy import Boolean, ForeignKey, Index, LargeBinary, String, Text
from sqlalchemy.engine.default import DefaultExecutionContext
from sqlalchemy.orm import Mapped, mapped_column

from dialer.domain.credentials.usernames import username_key
from dialer.domain.words.roles import Role
from dialer.store.tables._base import (
    BIG,
    UPDATED_OFTEN,
    VACUUMED_OFTEN,
    LongText,
    Milliseconds,
    Money,
    Name,
    Row,
    belongs_to,
    in_account,
    needs,
)
from dialer.store.tables.key_ring import Secret


def _key_of_username(context: DefaultExecutionContext) -> str:
    return username_key(context.get_current_parameters()["username"])  # type: ignore[no-untyped-call]


class User(Row):
    """A user with their account: credentials, rates, and the balance that pays for calls and messages."""

    __tablename__ = "user_account"

    username: Mapped[str] = mapped_column(String(150), unique=True)
    """Spelling that was given at creation, and that is shown."""
    username_key: Mapped[str] = mapped_column(Text, default=_key_of_username, server_default="")
    """The `dialer.domain.credentials.usernames.username_key` of the username, by which users are looked up."""
    password_hash: Mapped[str] = mapped_column(String(255))
    role: Mapped[str] = mapped_column(String(8), default=Role.MANAGER, server_default=Role.MANAGER)
    """A `dialer.domain.words.roles.Role`."""
    enabled: Mapped[bool] = mapped_column(Boolean, default=True, server_default="1")
    """False if the user may not log in."""
    manager_id: Mapped[int | None] = mapped_column(
        BIG, ForeignKey("user_account.id", ondelete="RESTRICT"), index=True, default=None
    )
    """The user for whom this one works: a viewer sees the manager's records."""
    first_name: Mapped[Name] = mapped_column(default="")
    last_name: Mapped[Name] = mapped_column(default="")
    email: Mapped[Name] = mapped_column(default="")
    call_rate: Mapped[Money] = mapped_column(default=0)
    sms_rate: Mapped[Money] = mapped_column(default=0)
    balance: Mapped[Money] = mapped_column(default=0)
    """Always the sum of the user's ledger entries; moved only by `dialer.store.rows.ledger`."""
    held: Mapped[Money] = mapped_column(default=0)
    """Always the sum of the holds of the user's calls, transfers and messages in progress."""
    allowed_countries: Mapped[str] = mapped_column(default="", server_default="")
    """ISO 3166 codes of the countries that the account may call, separated by commas; empty for all."""
    allows_special: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if the account may call premium-rate, shared-cost and satellite numbers."""
    recordings: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if a viewer or an agent may hear recordings of whole calls."""
    default_region: Mapped[str] = mapped_column(String(2), default="", server_default="")
    """ISO 3166 code of the country of the account's numbers without one; empty for that of the service."""
    currency: Mapped[str] = mapped_column(String(3), default="", server_default="")
    """ISO 4217 code of the currency of the account's amounts; empty for that of the service."""
    language: Mapped[str] = mapped_column(String(8), default="", server_default="")
    """The language of the console for the user, of `dialer.domain.words.languages`; empty for that of the browser."""
    telephone: Mapped[Name] = mapped_column(default="", server_default="")
    """The telephone at which the user hears calls: an extension, or a number. Calls to it cost nothing."""
    keeps_events: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if the events of the account are kept for programs outside of the service."""
    low_balance: Mapped[Money] = mapped_column(default=0, server_default="0")
    """The balance at which the account is told that it gets low."""
    rate_card_version: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """Grows with every change of the user's rate card. Compare with an earlier value to detect changes."""
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        Index("uq_user_account_username_key", "username_key", unique=True),
        Index("ix_user_account_currency", "currency"),
        UPDATED_OFTEN,
    )


class ApiKey(Row):
    """An API key of a user. The secret itself is not stored."""

    __tablename__ = "api_key"

    user_id: Mapped[int] = belongs_to("user_account")
    name: Mapped[Name]
    prefix: Mapped[str] = mapped_column(String(16))
    """The first characters of the secret, by which people recognise the key."""
    secret_hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    """SHA-256 of the secret. A slow hash is for passwords that can be guessed; the secret has 256 random bits."""
    scopes: Mapped[str] = mapped_column(String(64))
    """Values of `dialer.domain.words.roles.Scope` with blanks between them."""
    enabled: Mapped[bool] = mapped_column(Boolean, default=True, server_default="1")
    expirationdate: Mapped[int | None] = mapped_column(BIG, default=None)
    """Null for a key that does not expire; milliseconds since the epoch, like `last_used_date`."""
    last_used_date: Mapped[int | None] = mapped_column(BIG, default=None)
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        Index("uq_api_key_secret_hash", "secret_hash", unique=True),
        {"sqlite_autoincrement": True},
    )


class ConsoleSession(Row):
    """A session of a user who signed in to the console. The token itself is not stored.

    All times are those of the machine, not of the service's clock, which may run faster or stand still.
    """

    __tablename__ = "console_session"

    user_id: Mapped[int] = belongs_to("user_account")
    token_hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    """SHA-256 of the token, which has 256 random bits."""
    address: Mapped[str] = mapped_column(String(45))
    """Network address of the client that signed in."""
    browser: Mapped[str] = mapped_column(String(200))
    """`User-Agent` of the client, by which people recognise the session."""
    created_date: Mapped[Milliseconds]
    used_date: Mapped[Milliseconds]
    """Last use, in steps of some minutes."""
    is_pending: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True while only the password was right, and a code is still to come. The row opens no page."""

    __table_args__ = (
        Index("uq_console_session_token_hash", "token_hash", unique=True),
        {"sqlite_autoincrement": True},
    )


class SecondFactor(Row):
    """The secret that a user's telephone turns into codes (RFC 6238)."""

    __tablename__ = "second_factor"

    user_id: Mapped[int] = mapped_column(BIG, ForeignKey("user_account.id", ondelete="CASCADE"))
    secret: Mapped[str | None] = mapped_column(Secret, default=None)
    """In base 32. Null if it was lost with the key of stored secrets: only recovery codes are accepted then."""
    last_step: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """Number of the time step of the last accepted code. No code of this or an earlier step is accepted."""
    confirmed_date: Mapped[int | None] = mapped_column(BIG, default=None)
    """Null until the user has typed a first code. Until then, no code is asked for."""
    created_date: Mapped[Milliseconds]

    __table_args__ = (
        Index("uq_second_factor_user_id", "user_id", unique=True),
        {"sqlite_autoincrement": True},
    )


class RecoveryCode(Row):
    """A code that a user may type once in place of one from the telephone. The code itself is not stored."""

    __tablename__ = "recovery_code"

    user_id: Mapped[int] = belongs_to("user_account")
    code_hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    """SHA-256 of the code, which has 80 random bits."""


class OwnTelephone(Row):
    """The telephone of a user that a code has reached, and the code that another one is to get. No code is stored."""

    __tablename__ = "own_telephone"

    user_id: Mapped[int] = mapped_column(BIG, ForeignKey("user_account.id", ondelete="CASCADE"))
    number: Mapped[Name] = mapped_column(default="", server_default="")
    """The number that is confirmed; empty for none."""
    asked_number: Mapped[Name] = mapped_column(default="", server_default="")
    """The number to which the last code went; empty once it is confirmed."""
    code_hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    """SHA-256 of the code, with the number before it."""
    code_until_ms: Mapped[int] = mapped_column(BIG)
    """The end of the life of the code."""
    tries_left: Mapped[int]
    """Tries that are left for the code."""

    __table_args__ = (
        Index("uq_own_telephone_user_id", "user_id", unique=True),
        {"sqlite_autoincrement": True},
    )


class RateCardLine(Row):
    """The price of a user's calls to numbers that begin with a prefix."""

    __tablename__ = "rate_card_line"

    user_id: Mapped[int] = mapped_column(BIG, ForeignKey("user_account.id", ondelete="CASCADE"))
    prefix: Mapped[str] = mapped_column(String(15))
    """Digits that begin with the country code. An empty prefix matches every number."""
    rate: Mapped[Money]
    """Price of a minute."""
    connection_fee: Mapped[Money]
    first_increment: Mapped[int]
    """Seconds, like `next_increment`."""
    next_increment: Mapped[int]
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        Index("uq_rate_card_line_user_id_prefix", "user_id", "prefix", unique=True),
        {"sqlite_autoincrement": True},
    )


class Payment(Row):
    """Money that a user paid in. A negative amount was paid back."""

    __tablename__ = "payment"

    user_id: Mapped[int] = needs("user_account")
    amount: Mapped[Money]
    description: Mapped[LongText]
    created_date: Mapped[Milliseconds]


class LedgerEntry(Row):
    """One change of one balance, never changed. Entries of old calls are summed up (`dialer.store.rows.old_calls`)."""

    __tablename__ = "ledger_entry"

    user_id: Mapped[int] = needs("user_account", index=False)
    kind: Mapped[str] = mapped_column(String(16))
    """One of `dialer.store.rows.ledger.KINDS`."""
    amount: Mapped[Money]
    """Positive for a credit to the account, negative for a debit."""
    reference: Mapped[str] = mapped_column(String(80))
    """Cause of the change, such as `payment:17`, `call:<callid>`, `refund:<callid>`, or `calls:2026-03` for the removed
    calls of a month. Each cause has one entry."""
    created_date: Mapped[Milliseconds]

    __table_args__ = (
        in_account("ledger_entry"),
        Index("uq_ledger_entry_reference", "reference", "user_id", unique=True),
        Index("ix_ledger_entry_created_date", "created_date", "id", "user_id"),
        {"sqlite_autoincrement": True, "postgresql_with": VACUUMED_OFTEN},
    )
