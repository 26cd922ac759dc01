"""The form by which the audit log is narrowed down: who, did what, to which record, and when."""

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Final, NamedTuple
from urllib.parse import urlencode

from dialer.console.parts.audit_words import ACTIONS, AUDIT_LOG, KINDS
from dialer.console.words.catalogue import PAGES, RECORDS
from dialer.console.words.language import gettext
from dialer.console.words.record_names import options_of
from dialer.console.words.state_words import capitalised
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import parse_id

FILTERS: Final = ("actor", "action", "resource", "record_id", "created_date_after", "created_date_before")
"""The parameters of the form, which are those of the API."""
_NOT_CHANGED: Final = frozenset({AUDIT_LOG, "ledger"})
"""The lists whose records nobody changes, so the log has no entries about them."""


class AuditFilters(NamedTuple):
    """The values of the form, and the choices of each field: pairs of a value and its words."""

    filled: Mapping[str, str]
    people: list[str]
    """The names of users; empty if they are too many to choose from."""
    actions: list[tuple[str, str]]
    kinds: list[tuple[str, str]]


def audit_filters(unit: Unit, given: Mapping[str, str], zone: tzinfo) -> AuditFilters:
    """Return the form with what an address gives."""
    filled = {name: given.get(name, "") for name in FILTERS}
    filled |= {name: _in_zone(filled[name], zone) for name in FILTERS if name.startswith("created_date")}
    people = [user.name for user in options_of(unit, "users") or ()]
    return AuditFilters(filled, people, _worded(ACTIONS), _worded(_kinds()))


def record_asked(given: Mapping[str, str]) -> tuple[str, int] | None:
    """Return the path and the id of the record whose changes alone an address asks for; None if it asks for more."""
    path, identity = given.get("resource", ""), parse_id(given.get("record_id", ""))
    return (path, identity) if path in PAGES and identity is not None else None


def changes_url(path: str, identity: int) -> str:
    """Return the address of the changes of a record."""
    return f"{RECORDS}{AUDIT_LOG}/?{urlencode({'resource': path, 'record_id': identity})}"


def _kinds() -> dict[str, str]:
    """Return the words for kinds of records by their paths: the title of the list where one record is no clear word."""
    pages = [page for path, page in PAGES.items() if path not in _NOT_CHANGED]
    ones = [page.one for page in pages]
    return {**KINDS, **{page.path: page.one if ones.count(page.one) == 1 else page.title for page in pages}}


def _worded(words: Mapping[str, str]) -> list[tuple[str, str]]:
    choices = [(value, capitalised(gettext(text))) for value, text in words.items()]
    return sorted(choices, key=lambda choice: choice[1].casefold())


def _in_zone(text: str, zone: tzinfo) -> str:
    """Return a moment as the input of a form shows it, in the zone of the viewer."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    local = moment.astimezone(zone) if moment.tzinfo else moment
    return local.strftime("%Y-%m-%dT%H:%M:%S" if local.second else "%Y-%m-%dT%H:%M")
