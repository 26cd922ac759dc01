"""Answers from before they outlived their campaigns: each learns the callid of its call, and no id is given again."""

from pathlib import Path

from sqlalchemy import create_engine, delete, insert, select, text
from sqlalchemy.pool import NullPool

from dialer.store.tables import SurveyResult
from tests.store.test_migrate_rates import REQUEST, USER, bring

BEFORE = "0013"
ANSWER = (
    "INSERT INTO survey_result (id, user_id, campaign_id, callrequest_id, section_id, section_type, question, response,"
    " record_file, created_date) VALUES (:id, 1, 1, 1, 1, 2, 'Well?', 'yes', '', 100)"
)


def test_earlier_answers_learn_their_calls(tmp_path: Path) -> None:
    with create_engine(f"sqlite:///{tmp_path}/dialer.db", poolclass=NullPool).begin() as connection:
        bring(connection, BEFORE)
        for statement in (USER, REQUEST):
            connection.execute(text(statement))
        connection.execute(text(ANSWER), [{"id": 1}, {"id": 9}])
        connection.execute(delete(SurveyResult).where(SurveyResult.id == 9))
        bring(connection, "head")
        connection.execute(
            insert(SurveyResult).values(
                user_id=1, section_id=1, section_type=2, question="", response="no", record_file="", created_date=0
            )
        )
        found = connection.execute(
            select(SurveyResult.id, SurveyResult.callid, SurveyResult.campaign_id, SurveyResult.response).order_by(
                SurveyResult.id
            )
        ).all()
    assert [tuple(row) for row in found] == [(1, "a", 1, "yes"), (10, "", None, "no")]


def test_a_database_without_answers_is_migrated_too(tmp_path: Path) -> None:
    with create_engine(f"sqlite:///{tmp_path}/dialer.db", poolclass=NullPool).begin() as connection:
        bring(connection, "head")
        assert connection.execute(select(SurveyResult.__table__)).all() == []
