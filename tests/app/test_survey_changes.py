"""Changes of surveys are kept, undone and made again, whatever they do to the rows."""

from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, delete, insert, select, update

from dialer.app.campaigns.survey_changes import (
    CHANGES_MAX,
    SECTIONS_MAX,
    ChangeName,
    ChangesOffered,
    SurveyState,
    change_survey,
    changes_offered,
    read_state,
    redo_change,
    undo_change,
)
from dialer.app.work.errors import RefusedError
from dialer.app.work.unit import UnitOfWork
from dialer.store.database.touched import NOTHING
from dialer.store.tables import BranchingTemplate, SectionTemplate, SurveyTemplate, User
from tests.app.using import use
from tests.runtime.house import House

KEYS: Final = ("0", "1", "any", "timeout")
STAMPS: Final = {"created_date": 5, "updated_date": 5}
Edit = tuple[str, int, int]


def edit(connection: Connection, survey_id: int, one: Edit) -> None:
    """Change rows of a survey in any way that the database allows."""
    what, which, other = one
    own = SectionTemplate.survey_id == survey_id
    ids = list(connection.scalars(select(SectionTemplate.id).where(own).order_by(SectionTemplate.id)))
    if what == "add" or not ids:
        values = {"survey_id": survey_id, "type": which % 10 + 1, "question": f"No. {other}", "order": other, **STAMPS}
        connection.execute(insert(SectionTemplate).values(values))
        return
    section, target, key = ids[which % len(ids)], ids[other % len(ids)], KEYS[other % len(KEYS)]
    if what == "delete":
        connection.execute(delete(SectionTemplate).where(SectionTemplate.id == section))
    elif what == "change":
        values = {"script": "x" * other, "key_1": None if other % 2 else "yes", "order": which, "updated_date": 9}
        connection.execute(update(SectionTemplate).where(SectionTemplate.id == section).values(values))
    else:
        connection.execute(
            delete(BranchingTemplate).where(BranchingTemplate.section_id == section, BranchingTemplate.keys == key)
        )
        if what == "lead":
            goto = None if other == which else target
            values = {"section_id": section, "keys": key, "goto_id": goto, **STAMPS}
            connection.execute(insert(BranchingTemplate).values(values))


def state(house: House, survey_id: int) -> SurveyState:
    return house.perform(lambda unit: read_state(unit.connection, survey_id))


def change(house: House, survey_id: int, one: Edit) -> None:
    def write(unit: UnitOfWork) -> None:
        unit.note(NOTHING)
        change_survey(unit, survey_id, ChangeName(one[0]), lambda: edit(unit.connection, survey_id, one))

    house.perform(write)


def offered(house: House, survey_id: int) -> ChangesOffered:
    return house.perform(lambda unit: changes_offered(unit.connection, survey_id))


EDITS: Final = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "delete", "change", "lead", "lead", "cut"]), st.integers(0, 7), st.integers(0, 7)
    ),
    max_size=CHANGES_MAX,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(edits=EDITS)
def test_as_many_undos_as_changes_give_the_first_survey_back(house: House, edits: list[Edit]) -> None:
    survey_id = house.survey({"type": 1, "script": "Hello"}, {"type": 2, "key_1": "yes"}, branches={0: {"0": 1}})
    beside = house.survey({"type": 1, "script": "Beside"})
    states = [state(house, survey_id)]
    of_beside = state(house, beside)
    for one in edits:
        change(house, survey_id, one)
        now = state(house, survey_id)
        states += [now] if now != states[-1] else []
    for before in reversed(states[:-1]):
        use(house, lambda unit: undo_change(unit, survey_id))
        assert state(house, survey_id) == before
    assert offered(house, survey_id).undo is None
    for after in states[1:]:
        use(house, lambda unit: redo_change(unit, survey_id))
        assert state(house, survey_id) == after
    assert (offered(house, survey_id).redo, state(house, beside)) == (None, of_beside)


def test_nothing_is_undone_or_made_again_where_nothing_is_kept(house: House) -> None:
    survey_id = house.survey({"type": 1, "script": "Hello"})
    for turn, message in ((undo_change, "There is nothing to undo."), (redo_change, "There is nothing to redo.")):
        with pytest.raises(RefusedError, match=message):
            use(house, lambda unit, turn=turn: turn(unit, survey_id))  # type: ignore[misc]
    assert offered(house, survey_id) == ChangesOffered(None, None)


def test_a_survey_of_another_owner_shows_none_of_the_changes(house: House) -> None:
    survey_id = house.survey({"type": 1, "script": "Hello"})
    change(house, survey_id, ("add", 1, 1))
    assert offered(house, survey_id).undo == ChangeName("add")
    other = house.add(User, username="other", password_hash="", role="manager")
    house.change(SurveyTemplate, survey_id, user_id=other)
    assert offered(house, survey_id) == ChangesOffered(None, None)


def test_a_very_large_survey_keeps_no_changes(house: House) -> None:
    survey_id = house.survey({"type": 1, "script": "Hello"})
    change(house, survey_id, ("add", 1, 1))

    def fill(unit: UnitOfWork) -> None:
        rows = [{"survey_id": survey_id, "question": "?", **STAMPS} for _ in range(SECTIONS_MAX)]
        unit.connection.execute(insert(SectionTemplate), rows)
        unit.note(NOTHING)

    house.perform(fill)
    change(house, survey_id, ("add", 1, 1))
    assert offered(house, survey_id) == ChangesOffered(None, None)
