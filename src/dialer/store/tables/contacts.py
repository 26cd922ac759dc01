"""Phonebooks and do-not-call lists."""

from sqlalchemy import Boolean, ForeignKey, Index, String, Text, text
from sqlalchemy.engine.default import DefaultExecutionContext
from sqlalchemy.orm import Mapped, mapped_column

from dialer.domain.search_keys import last_name_key, name_key
from dialer.store.tables._base import BIG, LongText, Milliseconds, Name, Row, ZoneKey, belongs_to


def _key_of_name(context: DefaultExecutionContext) -> str:
    return name_key(context.get_current_parameters().get("full_name", ""))  # type: ignore[no-untyped-call]


def _key_of_last_name(context: DefaultExecutionContext) -> str:
    return last_name_key(_key_of_name(context))


class Phonebook(Row):
    """A named list of contacts."""

    __tablename__ = "phonebook"

    user_id: Mapped[int] = belongs_to("user_account")
    name: Mapped[Name]
    description: Mapped[LongText]
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]


class Contact(Row):
    """An entry of a phonebook: a number as it was given, and in normal form."""

    __tablename__ = "contact"

    phonebook_id: Mapped[int] = mapped_column(BIG, ForeignKey("phonebook.id", ondelete="CASCADE"))
    contact: Mapped[str] = mapped_column(String(64))
    number: Mapped[str] = mapped_column(String(16))
    """The number in normal form, in which numbers are compared."""
    zone: Mapped[ZoneKey]
    """Zone key of the number's region (`dialer.domain.zones`); empty if unknown."""
    full_name: Mapped[Name] = mapped_column(default="")
    full_name_key: Mapped[str] = mapped_column(Text, default=_key_of_name, server_default="")
    """The `dialer.domain.search_keys.name_key` of the name, by which contacts are searched and ordered."""
    last_name_key: Mapped[str] = mapped_column(Text, default=_key_of_last_name, server_default="")
    """The key that begins with the last word of the name; empty if the name has fewer than two words."""
    additional_vars: Mapped[LongText]
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        Index("ix_contact_phonebook_id_id", "phonebook_id", "id"),
        Index("ix_contact_phonebook_id_number", "phonebook_id", "number"),
        Index("ix_contact_full_name_key", "full_name_key", "id", "phonebook_id"),
        Index("ix_contact_last_name_key", "last_name_key", "full_name_key", "phonebook_id"),
        Index("ix_contact_number", "number", "id", "phonebook_id"),
        Index("ix_contact_created_date", "created_date", "id", "phonebook_id"),
        {"sqlite_autoincrement": True},
    )


class DncList(Row):
    """A do-not-call list: numbers that must not be called."""

    __tablename__ = "dnc_list"

    user_id: Mapped[int] = belongs_to("user_account")
    name: Mapped[Name]
    is_global: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if the list holds for every campaign of every user."""
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        Index(
            "ix_dnc_list_is_global",
            "is_global",
            sqlite_where=text("is_global = 1"),
            postgresql_where=text("is_global"),
        ),
        {"sqlite_autoincrement": True},
    )


class DncContact(Row):
    """A number on a do-not-call list."""

    __tablename__ = "dnc_contact"

    dnc_id: Mapped[int] = belongs_to("dnc_list")
    phone_number: Mapped[str] = mapped_column(String(64))
    number: Mapped[str] = mapped_column(String(16))
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        Index("uq_dnc_contact_dnc_id_number", "dnc_id", "number", unique=True),
        Index("ix_dnc_contact_number", "number", "id", "dnc_id"),
        Index("ix_dnc_contact_created_date", "created_date", "id", "dnc_id"),
        {"sqlite_autoincrement": True},
    )
