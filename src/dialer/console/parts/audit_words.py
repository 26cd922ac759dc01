"""The entries of the audit log in words: what happened, to which record, and each change as `Title: old → new`."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from typing import Any, Final, NamedTuple

import msgspec

from dialer.console.parts.cells import Cell, Names, cell_of, id_in, number_of
from dialer.console.parts.rendering import UNKNOWN
from dialer.console.words.catalogue import PAGES
from dialer.console.words.field_titles import title_of
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.record_names import names_of
from dialer.console.words.state_words import capitalised, words_of
from dialer.domain.billing.money import MoneyAmount, format_money
from dialer.domain.words.enums import AgentStatus
from dialer.resources.crud.audit_log import NOT_LOGGED
from dialer.resources.crud.references import Reference, ReferenceList
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Field, Shape, fields_of

AUDIT_LOG: Final = "audit-log"
SHOWN_MAX: Final = 2_000
"""Characters of the changes that a page shows."""
VALUE_MAX: Final = 120
"""Characters of an old or a new value that a page shows."""
ARROW: Final = "%s → %s"
ACTIONS: Final[Mapping[str, str]] = {
    "call_hung_up": gettext_noop("Hung up a call"),
    "person_called": gettext_noop("Called a person seen before"),
    "person_dialled": gettext_noop("Dialled a person by hand"),
    "person_skipped": gettext_noop("Skipped a person seen before"),
    "person_filled_in": gettext_noop("Filled in columns of a person in a call"),
    "call_held": gettext_noop("Put a callee on hold"),
    "call_consulted": gettext_noop("Consulted a third person in a call"),
    "call_swapped": gettext_noop("Changed who talks with an agent"),
    "call_handed_over": gettext_noop("Handed a callee over to a third person"),
    "call_consultation_ended": gettext_noop("Hung up a third person"),
    "call_resumed": gettext_noop("Resumed a call"),
    "call_listened": gettext_noop("Listened to a call"),
    "call_whispered": gettext_noop("Whispered to the agent of a call"),
    "call_joined": gettext_noop("Joined a call"),
    "call_left": gettext_noop("Stopped listening to a call"),
    "create": gettext_noop("Created"),
    "change": gettext_noop("Changed"),
    "delete": gettext_noop("Deleted"),
    "advance": gettext_noop("Advanced the clock"),
    "clock_started": gettext_noop("Let the clock run"),
    "clock_stopped": gettext_noop("Stopped the clock"),
    "refused": gettext_noop("A request was refused"),
    "agent_status_changed": gettext_noop("Changed the state of an agent"),
    "answers_erased": gettext_noop("Erased answers"),
    "api_key_created": gettext_noop("Made an API key"),
    "api_key_revoked": gettext_noop("Revoked an API key"),
    "webhook_secret_rotated": gettext_noop("Replaced the secret of a webhook"),
    "call_disposed": gettext_noop("Said the outcome of a call"),
    "call_refunded": gettext_noop("Refunded a call"),
    "campaign_aborted": gettext_noop("Aborted a campaign"),
    "campaign_ended": gettext_noop("Ended a campaign"),
    "campaign_paused": gettext_noop("Paused a campaign"),
    "campaign_started": gettext_noop("Started a campaign"),
    "campaign_tried": gettext_noop("Tried a campaign with a telephone"),
    "example_deleted": gettext_noop("Deleted an example that had called"),
    "contacts_imported": gettext_noop("Imported contacts"),
    "number_allowed": gettext_noop("Took a number off a do-not-call list"),
    "number_called_off": gettext_noop("Put a number on a do-not-call list"),
    "numbers_called_off": gettext_noop("Imported numbers into a do-not-call list"),
    "password_changed": gettext_noop("Changed a password"),
    "payment_recorded": gettext_noop("Recorded a payment"),
    "person_erased": gettext_noop("Erased a person"),
    "rate_card_changed": gettext_noop("Changed rates"),
    "recovery_code_used": gettext_noop("Signed in with a recovery code"),
    "second_factor_removed": gettext_noop("Turned a second factor off"),
    "second_factor_set": gettext_noop("Turned a second factor on"),
    "session_ended": gettext_noop("Ended a session"),
    "signed_in": gettext_noop("Signed in"),
    "subscribers_erased": gettext_noop("Erased people of campaigns"),
    "subscribers_recycled": gettext_noop("Set people back to be called again"),
    "telephone_code_sent": gettext_noop("Had a code sent to a telephone"),
    "telephone_confirmed": gettext_noop("Confirmed a telephone"),
    "trial_call_placed": gettext_noop("Made a test call"),
    "user_changed": gettext_noop("Changed a user"),
    "user_created": gettext_noop("Created a user"),
}
_VIAS: Final[Mapping[str, str]] = {
    "password": gettext_noop("Password"),
    "key": gettext_noop("API key"),
    "console": gettext_noop("Console"),
    "code": gettext_noop("One-time code"),
    "none": gettext_noop("Without credentials"),
    "command line": gettext_noop("Command line"),
}
KINDS: Final[Mapping[str, str]] = {
    "clock": gettext_noop("Clock"),
    "cdr": gettext_noop("Call"),
    "payment": gettext_noop("Payment"),
    "disposition": gettext_noop("Outcome of a call"),
}
"""The kinds of records that have no list in the console."""
_TITLES: Final[Mapping[str, str]] = {
    "amount": gettext_noop("Amount"),
    "answers": gettext_noop("Answers"),
    "callrequest_id": gettext_noop("Call"),
    "count": gettext_noop("Number of records"),
    "others": gettext_noop("Further refused requests"),
    "request": gettext_noop("Request"),
    "now": gettext_noop("Time"),
    "speed": gettext_noop("Times as fast as real time"),
    "subscribers": gettext_noop("People"),
    "user_id": gettext_noop("User"),
}
"""The titles of the values of events, which are no fields of records."""


class _Entry(NamedTuple):
    record: Any
    before: dict[str, Any]
    after: dict[str, Any]
    fields: Mapping[str, Field]
    """The fields of the record that the entry is about, by name."""


def with_audit_words(
    unit: Unit, records: Sequence[Shape], columns: Sequence[str], rows: list[list[Cell]], zone: tzinfo
) -> list[list[Cell]]:
    """Return rows of the audit log with words in place of codes, and each code behind its word."""
    entries = [_entry(unit, record) for record in records]
    names = _names(unit, entries)
    changed = []
    for entry, row in zip(entries, rows, strict=True):
        words = _words(entry, names, zone)
        changed.append([words.get(name, cell) for name, cell in zip(columns, row, strict=True)])
    return changed


def _entry(unit: Unit, record: Any) -> _Entry:  # noqa: ANN401 - an entry as the API answers with it
    resource = unit.resources.get(record.resource)
    shapes = () if resource is None else (resource.read, *([resource.write] if resource.write else []))
    fields = {field.name: field for shape in shapes for field in fields_of(shape)}
    return _Entry(record, _members(record.before), _members(record.after), fields)


def _members(value: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON, as text or raw
    try:
        return msgspec.json.decode(value or "{}", type=dict[str, Any])
    except msgspec.MsgspecError:
        return {}


def _names(unit: Unit, entries: Iterable[_Entry]) -> Names:
    """Return the names of all records that the entries name, of those that the viewer may see."""
    ids: defaultdict[str, set[int]] = defaultdict(set)
    for entry in entries:
        if entry.record.record_id is not None:
            ids[entry.record.resource].add(entry.record.record_id)
        for name, value in (*entry.before.items(), *entry.after.items()):
            kind = entry.fields[name].kind if name in entry.fields else None
            if isinstance(kind, Reference):
                ids[kind.path] |= {id_in(str(one)) for one in (value if isinstance(value, list) else [value])}
    return {path: names_of(unit, path, wanted - {0}) for path, wanted in ids.items()}


def _words(entry: _Entry, names: Names, zone: tzinfo) -> dict[str, Cell]:
    record, path = entry.record, entry.record.resource
    kind = gettext(PAGES[path].one if path in PAGES else KINDS.get(path, path))
    identity = record.record_id
    name = names.get(path, {}).get(identity)
    url = f"{PAGES[path].record_url}{identity}/" if name is not None and path in PAGES else ""
    shown = name or ("" if identity is None else number_of(identity))
    code = f"{path} {'' if identity is None else identity}".strip()
    fields = [field for field in sorted({**entry.before, **entry.after}) if not _is_record(entry, field)]
    changes = "; ".join(_change(entry, field, names, zone) for field in fields)
    return {
        "action": Cell(gettext(ACTIONS.get(record.action, record.action)), code=record.action),
        "via": Cell(gettext(_VIAS.get(record.via, record.via)), code=record.via),
        "resource": Cell(capitalised(kind) or UNKNOWN, code=path),
        "record_id": Cell(shown or UNKNOWN, url, code=code),
        "after": Cell(changes[:SHOWN_MAX] or UNKNOWN),
    }


def _is_record(entry: _Entry, name: str) -> bool:
    """Return whether a value of an event is the id of the record itself, which stands beside it."""
    return name not in entry.fields and name.endswith("_id") and entry.after.get(name) == entry.record.record_id


def _change(entry: _Entry, name: str, names: Names, zone: tzinfo) -> str:
    """Return the change of a field: `Title: old → new`, and one value alone if there is no other."""
    title = gettext(_TITLES.get(name) or title_of(entry.record.resource, name))
    shown = [_value(entry, name, values[name], names, zone) for values in (entry.before, entry.after) if name in values]
    return f"{title}: {ARROW % tuple(shown) if len(shown) > 1 else shown[0]}"


def _value(entry: _Entry, name: str, value: Any, names: Names, zone: tzinfo) -> str:  # noqa: ANN401 - JSON
    if value == NOT_LOGGED:
        return gettext("not logged")
    field = entry.fields.get(name)
    try:
        if entry.record.action == "agent_status_changed" and name == "status":
            return words_of(AgentStatus(value))
        if field is not None and isinstance(field.kind, ReferenceList) and isinstance(value, list):
            known = names.get(field.kind.path, {})
            shown = ", ".join(known.get(id_in(one)) or number_of(id_in(one)) for one in value) or UNKNOWN
        elif field is not None:
            shown = cell_of(field, value, names, zone).text
        elif name == "amount":
            shown = format_money(MoneyAmount(value))
        else:
            shown = UNKNOWN if value is None else str(value)
    except (LookupError, TypeError, ValueError, ArithmeticError):
        shown = str(value)  # An entry of an older version, which keeps its values as they were.
    return shown[:VALUE_MAX]
