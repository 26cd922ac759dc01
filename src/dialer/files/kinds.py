"""The kinds of records that files hold, in the order in which they are written: what is named comes first."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Final, NamedTuple

from dialer.domain.survey.sections.table import default_timeout, pauses_recordings
from dialer.files.nodes import FileError, FilePlace, Members, Node
from dialer.resources.crud.resource import Resource, Values
from dialer.resources.crud.shapes import Field, Shape, fields_of
from dialer.resources.records.table import RESOURCES

RECORDS_MAX: Final = 1_000
"""Records of one kind in one file."""
NEAR: Final = 0.5
"""Likeness to a known name, from 0 to 1, from which another name is taken for a typing error."""
NAMES_SHOWN_MAX: Final = 30
"""Names that an error lists."""
BY_PATH: Final[Mapping[str, Resource]] = {resource.path: resource for resource in RESOURCES}
SECTIONS: Final = "sections"
CONTACTS: Final = "contacts"
NUMBERS: Final = "numbers"
AGENTS: Final = "agents"
RECORDINGS: Final = "recordings"


class RecordKind(NamedTuple):
    """A kind of records in files: where it stands, and how its fields differ from those of the API."""

    key: str
    """The member of the document that lists the records."""
    one: str
    path: str
    renamed: Mapping[str, str] = {}
    """The fields whose names differ, by their names in files."""
    without: frozenset[str] = frozenset({"user"})
    """The fields that files do not have."""
    kept: frozenset[str] = frozenset()
    """The fields that keep their value where a file does not give them. All others get their default.

    Those of campaigns have a default in the API that depends on the moment, or on a setting of the service.
    """
    part: str = ""
    """The member that lists the parts of a record, if it has any."""
    called: str = "name"
    """The field by which a record is known."""
    file: str = ""
    """The member that names a file beside this one: the sound of a recording, or the people of a list."""
    following: Callable[[Values], Values] | None = None
    """Returns the defaults that follow from other values of a record."""

    @property
    def resource(self) -> Resource:
        """Return the resource of the API."""
        return BY_PATH[self.path]

    def defaults(self, values: Values) -> Values:
        """Return the default of each field of a record with some values, by the names of the API."""
        found = {field.name: field.default for field in file_fields(self).values()}
        return found if self.following is None else {**found, **self.following({**found, **values})}


def _of_type(section: Values) -> Values:
    """Return the defaults of a section that its type has."""
    return {"record_pause": pauses_recordings(section["type"]), "timeout": default_timeout(section["type"])}


_DATES: Final = frozenset({"startingdate", "expirationdate"})
_LISTS: Final = {"phonebooks": "phonebook"}
_OF_CAMPAIGNS: Final = frozenset({"user", "status"})
KINDS: Final = (
    RecordKind(RECORDINGS, "recording", "audio-files", file="file"),
    RecordKind("dnc_lists", "do-not-call list", "dnc-list", part=NUMBERS, file="numbers_file"),
    RecordKind("phonebooks", "phonebook", "phonebook", part=CONTACTS, file="contacts_file"),
    RecordKind(
        "agents",
        "agent",
        "agent",
        without=frozenset({"user", "login", "break_reason"}),
        kept=frozenset({"status"}),
    ),
    RecordKind("queues", "queue", "queue", without=frozenset({"manager"}), part=AGENTS),
    RecordKind("surveys", "survey", "survey-template", part=SECTIONS),
    RecordKind(
        "campaigns",
        "campaign",
        "campaigns",
        renamed={**_LISTS, "survey": "object_id", "gateway": "aleg_gateway"},
        without=_OF_CAMPAIGNS,
        kept=_DATES | {"abandon_hours"},
    ),
    RecordKind("sms_campaigns", "campaign of texts", "sms-campaigns", _LISTS, _OF_CAMPAIGNS, _DATES),
    RecordKind(
        "dids",
        "number for callers",
        "did",
        without=frozenset({"user", "is_assigned"}),
        called="did_number",
    ),
)
CAMPAIGNS: Final = frozenset({"campaigns", "sms_campaigns"})
"""The lists of campaigns."""
SECTION: Final = RecordKind(
    "sections",
    "section",
    "section-template",
    without=frozenset({"survey", "order"}),
    following=_of_type,
    kept=frozenset({"agent_secret"}),
)
TIER: Final = RecordKind("agents", "agent", "tier", without=frozenset({"queue", "agent"}))
CONTACT: Final = RecordKind("contacts", "contact", "contact", without=frozenset({"phonebook"}), called="contact")


def file_fields(kind: RecordKind) -> dict[str, Field]:
    """Return the fields that a file can give, by their names in files, in the order of the API."""
    names = {api: own for own, api in kind.renamed.items()}
    fields = fields_of(kind.resource.write or Shape)
    return {names.get(field.name, field.name): field for field in fields if field.name not in kind.without}


class Wanted(NamedTuple):
    """A record as a file has it: the values that it gives, and its parts."""

    kind: RecordKind
    name: str
    place: FilePlace
    given: Members
    parts: Node | None
    file: Node | None = None


def read_wanted(node: Node, kind: RecordKind) -> Wanted:
    """Return a record of a file, whose values are not yet read.

    Raises:
        FileError: it is no object, has no name, or has a field that no such record has.
    """
    members = dict(node.members())
    beside = [name for name in (kind.part, kind.file) if name]
    refuse_unknown(members, (*file_fields(kind), *beside), f"a {kind.one}")
    parts, file = (members.pop(name, None) for name in (kind.part, kind.file))
    if kind.called not in members:
        raise FileError.at(node.place, f"a {kind.one} needs a {kind.called}, by which it is found again")
    return Wanted(kind, members[kind.called].text(), node.place, members, parts, file)


def read_document(document: Node, beside: frozenset[str] = frozenset()) -> list[Wanted]:
    """Return the records of a document. `beside` names members that hold no records.

    Raises:
        FileError: all errors of the document's form, each with its place.
    """
    if document.value is None:
        return []
    members = document.members()
    known = {kind.key: kind for kind in KINDS}
    refuse_unknown({name: node for name, node in members.items() if name not in beside}, known, "a file")
    found: list[Wanted] = []
    errors: list[str] = []
    for kind in KINDS:
        if kind.key in members:
            for node in members[kind.key].items(RECORDS_MAX):
                try:
                    found.append(read_wanted(node, kind))
                except FileError as error:
                    errors += error.messages
    if errors:
        raise FileError(errors)
    return found


def refuse_unknown(members: Members, known: Mapping[str, object] | tuple[str, ...], what: str) -> None:
    """Raise FileError for each member that is not known, with the name that was probably meant."""
    errors = [f"{node.place}: {did_you_mean(name, known, what)}" for name, node in members.items() if name not in known]
    if errors:
        raise FileError(errors)


def did_you_mean(name: str, known: Mapping[str, object] | tuple[str, ...], what: str) -> str:
    """Return the message about a name that is not known."""
    near = get_close_matches(name, list(known), n=1, cutoff=NEAR)
    right = f"did you mean {near[0]}?" if near else f"{what} has: {', '.join(list(known)[:NAMES_SHOWN_MAX])}"
    return f"unknown field {name[:NAMES_SHOWN_MAX]!r}; {right}"
