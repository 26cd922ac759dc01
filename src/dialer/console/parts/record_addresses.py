"""Addresses of records in the console: the id in an address, and the address of a record or of its form."""

from dialer.console.words.catalogue import RECORDS, RecordPage
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.urls import parse_id
from dialer.resources.words.errors import RecordNotFoundError


def record_url(found: RecordPage, identity: int, *, is_form: bool = False) -> str:
    """Return the address of a record, or that of its form."""
    return f"{RECORDS}{found.path}/{identity}/" if is_form else f"{found.record_url}{identity}/"


def identity_in(record_id: str, one: str = "record") -> int:
    """Return the id in an address; `one` is what the error calls a record.

    Raises:
        RecordNotFoundError: it is no id.
    """
    identity = parse_id(record_id)
    if identity is None:
        raise RecordNotFoundError(Sentence("There is no such %(record)s, or it is not yours.", record=one))
    return identity
