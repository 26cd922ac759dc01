"""Changes of survey templates that are kept, so that they can be undone and made again."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from sqlalchemy import (
    Connection,
    RowMapping,
    Select,
    Table,
    bindparam,
    delete,
    insert,
    select,
    union_all,
    update,
)

from dialer.app.work.errors import ErrorCode, RefusedError
from dialer.app.work.unit import RecordWritten, UnitOfWork
from dialer.store.database.touched import NOTHING
from dialer.store.tables import AudioFile, BranchingTemplate, Queue, SectionTemplate, SurveyChange, SurveyTemplate

CHANGES_MAX: Final = 30
"""Changes of a survey that can be undone."""
SECTIONS_MAX: Final = 200
"""Sections of a survey whose changes are kept. A change of a larger survey cannot be undone."""
_NOT_KEPT: Final = frozenset({"survey_id", "updated_date", "agent_secret"})
"""The columns that no change keeps. A section keeps its secret, and one that was deleted comes back without."""
_REFERENCES: Final[Mapping[str, Table]] = {
    "audiofile_id": AudioFile.__table__,
    "invalid_audiofile_id": AudioFile.__table__,
    "disclosure_audiofile_id": AudioFile.__table__,
    "queue_id": Queue.__table__,
}
Result = TypeVar("Result")
_OWNER: Final = select(SurveyTemplate.user_id).where(SurveyTemplate.id == bindparam("survey_id"))
_IS_OWN: Final = (SurveyChange.survey_id == bindparam("survey_id")) & (SurveyChange.user_id == _OWNER.scalar_subquery())
"""The condition of changes that the present owner of a survey has made."""


class ChangeName(NamedTuple):
    """The name of a change: its action, such as `added`, and the section that it concerns, if it is one."""

    action: str
    section: str = ""


class ChangesOffered(NamedTuple):
    """The changes that can be undone and made again next, if any."""

    undo: ChangeName | None
    redo: ChangeName | None


class SurveyState(msgspec.Struct, frozen=True):
    """The sections and branches of a survey, each with those of its columns that are not null."""

    sections: list[dict[str, Any]]
    branches: list[dict[str, Any]]


def read_state(connection: Connection, survey_id: int) -> SurveyState:
    """Return the sections and branches of a survey, by id."""
    sections = select(SectionTemplate.__table__).where(SectionTemplate.survey_id == survey_id)
    branches = (
        select(BranchingTemplate.__table__)
        .join(SectionTemplate, SectionTemplate.id == BranchingTemplate.section_id)
        .where(SectionTemplate.survey_id == survey_id)
    )
    return SurveyState(
        [_kept(row) for row in connection.execute(sections.order_by(SectionTemplate.id)).mappings()],
        [_kept(row) for row in connection.execute(branches.order_by(BranchingTemplate.id)).mappings()],
    )


def change_survey(unit: UnitOfWork, survey_id: int, name: ChangeName, change: Callable[[], Result]) -> Result:
    """Change a survey, keep its state before, and return the result of the change.

    Undone changes cannot be made again afterwards. A survey of more than `SECTIONS_MAX` sections keeps nothing.
    """
    connection = unit.connection
    before = read_state(connection, survey_id)
    result = change()
    if read_state(connection, survey_id) == before:
        return result
    own = {"survey_id": survey_id}
    connection.execute(delete(SurveyChange).where(_IS_OWN, SurveyChange.is_undone), own)
    if len(before.sections) > SECTIONS_MAX:
        connection.execute(delete(SurveyChange).where(_IS_OWN), own)
        return result
    values = {
        "survey_id": survey_id,
        "user_id": connection.execute(_OWNER, {"survey_id": survey_id}).scalar_one(),
        "action": name.action,
        "section": name.section,
        "state": _encoded(before),
        "is_undone": False,
        "created_date": unit.now_ms,
    }
    connection.execute(insert(SurveyChange).values(values))
    old = select(SurveyChange.id).where(_IS_OWN).order_by(SurveyChange.id.desc()).offset(CHANGES_MAX).limit(1)
    last = connection.scalar(old, own)
    if last is not None:
        connection.execute(delete(SurveyChange).where(_IS_OWN, SurveyChange.id <= last), own)
    return result


def changes_offered(connection: Connection, survey_id: int) -> ChangesOffered:
    """Return the changes of a survey that can be undone and made again next."""
    rows = connection.execute(_OFFERED, {"survey_id": survey_id})
    found = {is_undone: ChangeName(*name) for is_undone, *name in rows}
    return ChangesOffered(found.get(False), found.get(True))


def undo_change(unit: UnitOfWork, survey_id: int) -> None:
    """Give a survey the state before its last change.

    Raises:
        RefusedError: there is nothing to undo.
    """
    _turn(unit, survey_id, is_undone=False)


def redo_change(unit: UnitOfWork, survey_id: int) -> None:
    """Repeat the change of a survey that was undone last.

    Raises:
        RefusedError: there is nothing to make again.
    """
    _turn(unit, survey_id, is_undone=True)


def _turn(unit: UnitOfWork, survey_id: int, *, is_undone: bool) -> None:
    """Exchange the state of a survey with the one that a change keeps."""
    connection = unit.connection
    row = connection.execute(_next(SurveyChange.__table__, is_undone=is_undone), {"survey_id": survey_id}).first()
    if row is None:
        raise RefusedError(
            "There is nothing to redo." if is_undone else "There is nothing to undo.", code=ErrorCode.NOTHING_TO_DO
        )
    present = read_state(connection, survey_id)
    _restore(unit, survey_id, present, msgspec.json.decode(row.state, type=SurveyState))
    turned = {"state": _encoded(present), "is_undone": not is_undone}
    connection.execute(update(SurveyChange).where(SurveyChange.id == row.id).values(turned))
    written = {"redone" if is_undone else "undone": row.action}
    unit.written.append(RecordWritten("change", "survey-template", survey_id, row.user_id, {}, written))
    unit.note(NOTHING)


def _restore(unit: UnitOfWork, survey_id: int, present: SurveyState, wanted: SurveyState) -> None:
    """Write the rows of a state. Sections and branches keep their ids, and rows that are equal stay as they are."""
    connection = unit.connection
    stamp = {"updated_date": unit.now_ms}
    sections, wanted_sections = _by_id(present.sections), _by_id(wanted.sections)
    branches, wanted_branches = _by_id(present.branches), _by_id(wanted.branches)
    gone = [one for one, row in branches.items() if wanted_branches.get(one) != row]
    connection.execute(delete(BranchingTemplate).where(BranchingTemplate.id.in_(gone)))
    connection.execute(delete(SectionTemplate).where(SectionTemplate.id.in_(sections.keys() - wanted_sections.keys())))
    known = _known_references(connection, survey_id, wanted)
    for one, row in wanted_sections.items():
        if sections.get(one) != row:
            values = {**_without_lost(_whole(SectionTemplate.__table__, row), known), **stamp}
            if one in sections:
                values.pop("agent_secret")
                connection.execute(update(SectionTemplate).where(SectionTemplate.id == one).values(values))
            else:
                connection.execute(insert(SectionTemplate).values({**values, "survey_id": survey_id}))
    for one, row in wanted_branches.items():
        if branches.get(one) != row:
            connection.execute(insert(BranchingTemplate).values({**_whole(BranchingTemplate.__table__, row), **stamp}))


def _known_references(connection: Connection, survey_id: int, state: SurveyState) -> dict[str, set[int]]:
    """Return those of the recordings and queues that a state names which still belong to the owner of the survey."""
    owner = connection.execute(_OWNER, {"survey_id": survey_id}).scalar_one()
    return {
        name: set(
            connection.scalars(
                select(table.c.id).where(
                    table.c.id.in_({row[name] for row in state.sections if name in row}), table.c.user_id == owner
                )
            )
        )
        for name, table in _REFERENCES.items()
    }


def _without_lost(row: dict[str, Any], known: Mapping[str, set[int]]) -> dict[str, Any]:
    return {name: None if name in known and value not in known[name] else value for name, value in row.items()}


def _whole(table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a kept row, with null in those columns that may be null and are not kept."""
    nulls = {column.name: None for column in table.c if column.nullable}
    return nulls | {name: value for name, value in row.items() if name in table.c}


def _kept(row: RowMapping) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None and name not in _NOT_KEPT}


def _by_id(rows: list[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    return {row["id"]: row for row in rows}


def _encoded(state: SurveyState) -> str:
    return msgspec.json.encode(state).decode()


def _next(*columns: Any, is_undone: bool) -> Select[Any]:  # noqa: ANN401 - columns of any kind
    """Select the change that can be undone, the last one, or made again, the first of those that are undone."""
    order = SurveyChange.id if is_undone else SurveyChange.id.desc()
    return select(*columns).where(_IS_OWN, SurveyChange.is_undone.is_(is_undone)).order_by(order).limit(1)


_OFFERED: Final = union_all(
    *(
        select(_next(SurveyChange.is_undone, SurveyChange.action, SurveyChange.section, is_undone=is_undone).subquery())
        for is_undone in (False, True)
    )
)
"""The names of the changes that can be undone and made again next."""
