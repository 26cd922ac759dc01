"""The sections of a survey in files, and their branches.

A section has an `id` in its file, by which branches name it and by which it is found again. The service keeps it beside
its own id. A section that was made without a file has its own id in files.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import RowMapping, select, update

from dialer.app.campaigns.survey_changes import ChangeName, change_survey
from dialer.files.kinds import SECTION, RecordKind, Wanted, file_fields, refuse_unknown
from dialer.files.nodes import FileError, FilePlace, Members, Node
from dialer.files.writing import RecordWriter, Written
from dialer.resources.crud.fields import FieldError, whole_number
from dialer.store.tables import BranchingTemplate, SectionTemplate

SECTIONS_MAX: Final = 1_000
LENGTHS: Final = {
    "audio_seconds": "audiofile",
    "invalid_audio_seconds": "invalid_audiofile",
    "disclosure_audio_seconds": "disclosure_audiofile",
}
"""The lengths of recordings, which replays and simulations read, and the fields that name the recordings."""
_BESIDE: Final = ("id", "branches", *LENGTHS)
_NUMBER_MAX: Final = 2**31 - 1
_BRANCH: Final = RecordKind("branches", "branch", "branching-template", without=frozenset({"section", "goto"}))


class SectionWanted(NamedTuple):
    """A section in a file, with its branches."""

    number: int
    """Its id in the file."""
    given: Members
    branches: Mapping[str, int | None]
    place: FilePlace


def read_sections(wanted: Wanted) -> list[SectionWanted]:
    """Return the sections of a survey of a file.

    Raises:
        FileError: a section has a field that no section has, or an id twice, or a branch leads to no section.
    """
    if wanted.parts is None:
        return []
    found = [_read(node, place) for place, node in enumerate(wanted.parts.items(SECTIONS_MAX), 1)]
    numbers = [one.number for one in found]
    for place, one in enumerate(found):
        if one.number in numbers[:place]:
            raise FileError.at(one.place, f"another section has the id {one.number}")
    for one in found:
        for keys, target in one.branches.items():
            if target is not None and target not in numbers:
                known = ", ".join(map(str, numbers))
                raise FileError.at(one.place, f"the branch {keys} leads to section {target}. There are: {known}")
    return found


def _read(node: Node, place: int) -> SectionWanted:
    members = dict(node.members())
    refuse_unknown(members, (*_BESIDE, *file_fields(SECTION)), "a section")
    number = _number(members.pop("id")) if "id" in members else place
    branches = _branches(members.pop("branches")) if "branches" in members else {}
    for name, recording in LENGTHS.items():
        if members.pop(name, None) is not None and recording not in members:
            raise FileError.at(
                node.place, f"{name} is only the length of a recording: name the recording by {recording}"
            )
    return SectionWanted(number, members, branches, node.place)


def _branches(node: Node) -> dict[str, int | None]:
    return {keys.strip().lower(): None if one.value is None else _number(one) for keys, one in node.members().items()}


def _number(node: Node) -> int:
    try:
        number = whole_number(node.value)
    except FieldError:
        raise FileError.at(node.place, f"expected the id of a section, a number, got {node.kind()}") from None
    if not 0 < number <= _NUMBER_MAX:
        raise FileError.at(node.place, f"the id of a section is from 1 to {_NUMBER_MAX}")
    return number


def rows_of(connection: Any, survey_id: int) -> Sequence[RowMapping]:  # noqa: ANN401 - a connection
    """Return the sections of a survey in their order."""
    query = select(SectionTemplate.__table__).where(SectionTemplate.survey_id == survey_id)
    ordered = query.order_by(SectionTemplate.order, SectionTemplate.id)
    return list(connection.execute(ordered).mappings())


def numbers_of(rows: Sequence[RowMapping]) -> dict[int, int]:
    """Return the ids of sections in files, by the ids of their rows. No two sections of a survey have the same."""
    found: dict[int, int] = {}
    for row in sorted(rows, key=lambda row: (row["file_id"] is None, row["id"])):
        number = row["id"] if row["file_id"] is None else row["file_id"]
        found[row["id"]] = number if number not in found.values() else max(found.values()) + 1
    return found


def write_sections(writer: RecordWriter, survey_id: int, wanted: Wanted, *, is_new: bool) -> list[str]:
    """Give a survey the sections of a file, and return the changes as lines; none for a new survey.

    Raises:
        FileError: a section or a branch is wrong.
    """
    if wanted.parts is None:
        return []
    sections = read_sections(wanted)

    def change() -> list[str]:
        return list(_Sections(writer, survey_id).write(sections))

    if is_new:
        change()
        return []
    return change_survey(writer.unit, survey_id, ChangeName("applied"), change)


class _Sections:
    """The sections of one survey, while a file changes them."""

    def __init__(self, writer: RecordWriter, survey_id: int) -> None:
        self._writer: Final = writer
        self._connection: Final = writer.unit.connection
        self._survey_id: Final = survey_id
        rows = rows_of(self._connection, survey_id)
        self._names: Final = {row["id"]: row["question"] for row in rows}
        self._ids: Final = {number: row_id for row_id, number in numbers_of(rows).items()}
        self._order: Final = [row["id"] for row in rows]
        self._last: Final = max((row["order"] for row in rows), default=0)

    def write(self, sections: Sequence[SectionWanted]) -> Iterator[str]:
        """Write the sections and branches of a file, delete all others, and yield the changes."""
        before = set(self._ids)
        for place, one in enumerate(sections, 1):
            written = self._write_one(one, place)
            title = f"section {one.number}"
            yield from [f"{title}: new"] if written.is_new else [f"{title}: {line}" for line in written.lines]
        for one in sections:
            lines = list(self._write_branches(one))
            yield from lines if one.number in before else ()
        for number in sorted(before - {one.number for one in sections}):
            row_id = self._ids.pop(number)
            self._writer.delete(SECTION, sections[0].place if sections else FilePlace(""), row_id)
            self._order.remove(row_id)
            yield f"section {number}: deleted ({self._names[row_id]})"
        yield from self._put_in_order([self._ids[one.number] for one in sections])

    def _write_one(self, one: SectionWanted, place: int) -> Written:
        known = self._ids.get(one.number)
        if known is not None:
            return self._writer.change(SECTION, one.given, one.place, known)
        own = {"survey": self._survey_id, "order": self._last + place}
        written = self._writer.create(SECTION, one.given, one.place, own)
        is_it = SectionTemplate.id == written.record_id
        self._connection.execute(update(SectionTemplate).where(is_it).values(file_id=one.number))
        self._ids[one.number] = written.record_id
        self._order.append(written.record_id)
        return written

    def _write_branches(self, one: SectionWanted) -> Iterator[str]:
        section_id = self._ids[one.number]
        query = select(BranchingTemplate.keys, BranchingTemplate.id, BranchingTemplate.goto_id)
        rows = self._connection.execute(query.where(BranchingTemplate.section_id == section_id))
        stored = {keys.strip().lower(): (row_id, goto) for keys, row_id, goto in rows}
        numbers: dict[int | None, int] = {row_id: number for number, row_id in self._ids.items()}
        for keys, (row_id, goto) in stored.items():
            if keys not in one.branches:
                self._writer.delete(_BRANCH, one.place, row_id)
                yield f"section {one.number}: branch {keys}: {numbers.get(goto, 'the end')} → none"
        for keys, target in one.branches.items():
            goto = None if target is None else self._ids[target]
            new = "the end" if target is None else target
            if keys not in stored:
                self._create_branch(one, keys, section_id, goto)
                yield f"section {one.number}: branch {keys}: none → {new}"
            elif stored[keys][1] != goto:
                self._writer.put(_BRANCH, stored[keys][0], {"goto": goto}, one.place)
                yield f"section {one.number}: branch {keys}: {numbers.get(stored[keys][1], 'the end')} → {new}"

    def _create_branch(self, one: SectionWanted, keys: str, section_id: int, goto: int | None) -> None:
        given = {"keys": Node(keys, FilePlace(one.place.file, f"{one.place.path}.branches", one.place.line))}
        self._writer.create(_BRANCH, given, one.place, {"section": section_id, "goto": goto})

    def _put_in_order(self, ids: Sequence[int]) -> Iterator[str]:
        if list(ids) == self._order:
            return
        for place, row_id in enumerate(ids, 1):
            self._writer.put(SECTION, row_id, {"order": place}, FilePlace(""))
        yield "sections: in another order"
