"""Audit of the index of names: each contact with a name is in it, and it has nobody else."""

from collections.abc import Iterator

from sqlalchemy import Connection, exists, select

from dialer.store.reconciliation.differences import MISSING, Difference
from dialer.store.tables import Contact, ContactWord


def audit_words(connection: Connection) -> Iterator[Difference]:
    """Yield the contacts whose name is not indexed, and the entries of contacts that are gone. No name is shown."""
    same = (ContactWord.user_id == Contact.user_id) & (ContactWord.id == Contact.id)
    is_indexed = exists().where(same, ContactWord.word == Contact.full_name_key)
    lacking = select(Contact.id).where(Contact.full_name_key != "", ~is_indexed).order_by(Contact.id)
    for contact_id in connection.scalars(lacking):
        yield Difference(f"contact {contact_id}", "the entry of its name", MISSING, "in the index of names")
    gone = select(ContactWord.id).where(~exists().where(same)).distinct().order_by(ContactWord.id)
    for contact_id in connection.scalars(gone):
        yield Difference(f"contact {contact_id}", "the contact", MISSING, "there, as the index of names has it")
