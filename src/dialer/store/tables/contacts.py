"""Phonebooks and do-not-call lists."""

from typing import Any, Final

from sqlalchemy import Boolean, Index, String, Text, column, text
from sqlalchemy.engine.default import DefaultExecutionContext
from sqlalchemy.orm import Mapped, mapped_column

from dialer.domain.numbers.search_keys import name_key
from dialer.store.backends.expressions import last_digits
from dialer.store.tables._base import (
    BIG,
    UPDATED_OFTEN,
    Count,
    LongText,
    Milliseconds,
    Name,
    Row,
    ZoneKey,
    account_of,
    belongs_to,
    belongs_with_account,
    mentions,
    where_known,
)

ACCOUNT: Final = "account"
SERVICE: Final = "service"
HELD: Final = "held"
OF_SIMULATED: Final = "simulated"


def _only(keeper: str) -> dict[str, Any]:
    """Return the arguments that limit an index to lists that keep the wishes of `keeper`."""
    condition = text(f"keeps_wishes_of = '{keeper}'")
    return {"sqlite_where": condition, "postgresql_where": condition}


def _key_of_name(context: DefaultExecutionContext) -> str:
    return name_key(context.get_current_parameters().get("full_name", ""))  # type: ignore[no-untyped-call]


class Phonebook(Row):
    """A named list of contacts."""

    __tablename__ = "phonebook"

    user_id: Mapped[int] = belongs_to("user_account")
    name: Mapped[Name]
    description: Mapped[LongText]
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (Index("uq_phonebook_id_user_id", "id", "user_id", unique=True), {"sqlite_autoincrement": True})


class Contact(Row):
    """An entry of a phonebook: a number as it was given, and in normal form."""

    __tablename__ = "contact"

    phonebook_id: Mapped[int] = mapped_column(BIG)
    user_id: Mapped[int] = account_of("phonebook", "phonebook_id")
    contact: Mapped[str] = mapped_column(String(64))
    number: Mapped[str] = mapped_column(String(16))
    """The number in normal form, in which numbers are compared."""
    zone: Mapped[ZoneKey]
    """Zone key (`dialer.domain.calling_times.zones`) of `tz_code`, else of the number; empty if unknown."""
    tz_code: Mapped[ZoneKey] = mapped_column(default="", server_default="")
    """The person's own zones (`dialer.domain.calling_times.own_zones`); empty if they are those of the number."""
    full_name: Mapped[Name] = mapped_column(default="")
    full_name_key: Mapped[str] = mapped_column(Text, default=_key_of_name, server_default="")
    """The `dialer.domain.numbers.search_keys.name_key` of the name, by which contacts are searched and ordered."""
    additional_vars: Mapped[LongText] = mapped_column(default="{}", server_default="{}")
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        belongs_with_account("phonebook", "phonebook_id"),
        Index("ix_contact_phonebook_id_id", "phonebook_id", "id"),
        Index("ix_contact_phonebook_id_number", "phonebook_id", "number"),
        Index("ix_contact_full_name_key", "full_name_key", "id", "phonebook_id"),
        Index("ix_contact_user_id_id", "user_id", "id"),
        Index("ix_contact_last_digits", "user_id", last_digits(column("number", String)), "number"),
        Index("ix_contact_number", "number", "id", "phonebook_id"),
        Index("ix_contact_created_date", "created_date", "id", "phonebook_id"),
        {"sqlite_autoincrement": True},
    )


class ContactWord(Row):
    """A word of a contact's name, by which the contact is found; written and deleted by triggers.

    `id` is that of the contact. The key begins with the account, so no account reads through the people of another.
    """

    __tablename__ = "contact_word"

    user_id: Mapped[int] = mapped_column(BIG, primary_key=True, autoincrement=False)
    word: Mapped[str] = mapped_column(Text, primary_key=True)
    """The `full_name_key` of the contact, turned until it begins with the word."""
    id: Mapped[int] = mapped_column(BIG, primary_key=True, autoincrement=False)

    __table_args__ = {"sqlite_with_rowid": False}  # noqa: RUF012 - not a default value but a declaration


class NumberNote(Row):
    """A note of an account on the person who has a number; at most one for each number."""

    __tablename__ = "number_note"

    user_id: Mapped[int] = belongs_to("user_account", index=False)
    number: Mapped[str] = mapped_column(String(16))
    """The number in normal form."""
    text: Mapped[str] = mapped_column(Text)
    author_id: Mapped[int | None] = mentions("user_account")
    """The user who wrote it last."""
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        Index("uq_number_note_user_id_number", "user_id", "number", unique=True),
        Index("ix_number_note_number", "number"),
        {"sqlite_autoincrement": True},
    )


class ContactName(Row):
    """A name that placeholders in texts to the contacts of a phonebook can have, and how many contacts have it.

    The empty name counts all contacts of the phonebook.
    """

    __tablename__ = "contact_name"

    phonebook_id: Mapped[int] = belongs_to("phonebook", index=False)
    name: Mapped[str] = mapped_column(String(64))
    contacts: Mapped[Count]
    filled: Mapped[Count]
    """Contacts whose value of it is not empty."""

    __table_args__ = (Index("uq_contact_name_phonebook_id_name", "phonebook_id", "name", unique=True), UPDATED_OFTEN)


class DncList(Row):
    """A do-not-call list: numbers that must not be called."""

    __tablename__ = "dnc_list"

    user_id: Mapped[int] = belongs_to("user_account")
    name: Mapped[Name]
    is_global: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if the list holds for every campaign of every user."""
    keeps_wishes_of: Mapped[str] = mapped_column(String(16), default="", server_default="")
    """`ACCOUNT` for an account's own list, `HELD` for its list of numbers that wait until somebody has looked at a text
    message, `OF_SIMULATED` for its list of wishes of simulated people, `SERVICE` for the service's; empty for lists
    that people made."""
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        Index(
            "ix_dnc_list_is_global",
            "is_global",
            sqlite_where=text("is_global = 1"),
            postgresql_where=text("is_global"),
        ),
        Index("uq_dnc_list_id_user_id", "id", "user_id", unique=True),
        Index("uq_dnc_list_own", "user_id", unique=True, **_only(ACCOUNT)),
        Index("uq_dnc_list_held", "user_id", unique=True, **_only(HELD)),
        Index("uq_dnc_list_simulated", "user_id", unique=True, **_only(OF_SIMULATED)),
        Index("uq_dnc_list_of_service", "keeps_wishes_of", unique=True, **_only(SERVICE)),
        {"sqlite_autoincrement": True},
    )


class DncContact(Row):
    """A number on a do-not-call list."""

    __tablename__ = "dnc_contact"

    dnc_id: Mapped[int] = mapped_column(BIG)
    user_id: Mapped[int] = account_of("dnc_list", "dnc_id")
    phone_number: Mapped[str] = mapped_column(String(64))
    number: Mapped[str] = mapped_column(String(16))
    source: Mapped[str] = mapped_column(String(8), default="api", server_default="api")
    """Where the wish comes from: a `WishSource`."""
    # The proof outlives the rows that it names, so these are no foreign keys.
    campaign_id: Mapped[int | None] = mapped_column(BIG, default=None)
    callrequest_id: Mapped[int | None] = mapped_column(BIG, default=None)
    sms_message_id: Mapped[int | None] = mapped_column(BIG, default=None)
    section_id: Mapped[int | None] = mapped_column(BIG, default=None)
    said: Mapped[LongText]
    """The keys that were pressed, or the words."""
    doubt: Mapped[str] = mapped_column(String(20), default="", server_default="")
    """Why the entry may stop no calls: an `EntryDoubt`. Wishes have none, as their people were reached."""
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        belongs_with_account("dnc_list", "dnc_id"),
        where_known("ix_dnc_contact_campaign_id", "campaign_id"),
        Index(
            "ix_dnc_contact_doubt",
            "dnc_id",
            "doubt",
            "id",
            sqlite_where=text("doubt <> ''"),
            postgresql_where=text("doubt <> ''"),
        ),
        Index("uq_dnc_contact_dnc_id_number", "dnc_id", "number", "user_id", unique=True),
        Index("ix_dnc_contact_number", "number", "id", "dnc_id"),
        Index("ix_dnc_contact_last_digits", "user_id", last_digits(column("number", String)), "number"),
        Index("ix_dnc_contact_created_date", "created_date", "id", "dnc_id"),
        {"sqlite_autoincrement": True},
    )
