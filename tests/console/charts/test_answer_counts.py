"""Tests of the answers that pages count as they come: they equal a count of all, whatever comes and goes."""

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, create_engine, delete, insert

from dialer.console.charts.answer_counts import RECOUNT_S, AnswerCounts
from dialer.domain.calls.plan_parts import SectionResult
from dialer.store.queries.survey_results import count_answers, counted_name
from dialer.store.tables import Row, SurveyResult
from tests.sizes import examples

ANSWER = {"user_id": 1, "section_type": 2, "question": "", "created_date": 1}


def add(connection: Connection, campaign_id: int, section_id: int, response: str, callid: str) -> None:
    values = {"campaign_id": campaign_id, "section_id": section_id, "response": response, "callid": callid}
    connection.execute(insert(SurveyResult).values(**ANSWER, **values))


steps = st.one_of(
    st.tuples(st.just("add"), st.integers(1, 2), st.integers(1, 3), st.sampled_from(["1", "2", "yes"])),
    st.tuples(st.just("read"), st.integers(1, 2), st.just(0), st.just("")),
    st.tuples(st.just("erase"), st.integers(1, 2), st.just(0), st.just("")),
    st.tuples(st.just("wait"), st.just(0), st.just(0), st.just("")),
)


@settings(max_examples=examples(60))
@given(st.lists(steps, max_size=30))
def test_answers_equal_a_count_of_all(steps: list[tuple[str, int, int, str]]) -> None:
    engine = create_engine("sqlite://")
    now_s = [0.0]
    counts = AnswerCounts(lambda: now_s[0])
    with engine.connect() as connection:
        Row.metadata.tables["survey_result"].create(connection)
        for place, (what, campaign_id, section_id, response) in enumerate(steps):
            if what == "add":
                add(connection, campaign_id, section_id, response, str(place))
            elif what == "erase":  # All answers of an account, or of one callee, and the page is loaded again.
                connection.execute(delete(SurveyResult).where(SurveyResult.campaign_id == campaign_id))
            elif what == "wait":
                now_s[0] += RECOUNT_S
            for of_campaign in (1, 2):
                if what != "add" or of_campaign == campaign_id:
                    assert counts.read(connection, of_campaign) == count_answers(connection, of_campaign)
    engine.dispose()


def test_only_new_answers_are_read_and_old_ones_are_counted_again_after_a_while() -> None:
    engine = create_engine("sqlite://")
    now_s = [0.0]
    counts = AnswerCounts(lambda: now_s[0])
    with engine.connect() as connection:
        Row.metadata.tables["survey_result"].create(connection)
        for place, response in enumerate(("1", "1", "2")):
            add(connection, 1, 1, response, str(place))
        assert (counts.is_counted(1), counts.read(connection, 1)[1].total, counts.is_counted(1)) == (False, 3, True)
        connection.execute(delete(SurveyResult).where(SurveyResult.callid == "0"))
        add(connection, 1, 1, "2", "9")
        assert counts.read(connection, 1)[1].total == 4
        assert counts.read(connection, 1, anew=True)[1].total == 3
        now_s[0] += RECOUNT_S
        assert not counts.is_counted(1)
    engine.dispose()


def test_long_results_of_programs_are_counted_by_their_beginning() -> None:
    """A result may have 16 KiB, and a page lists a hundred answers of each section."""
    engine = create_engine("sqlite://")
    begin = '{"said":"' + "é" * 191
    answer = SectionResult(1, 12, "Talk", begin + "rest", 0)
    with engine.connect() as connection:
        Row.metadata.tables["survey_result"].create(connection)
        for place, response in enumerate((begin + "a" * 16_000, begin + "b", begin, "2")):
            add(connection, 1, 1, response, str(place))
        counted = [(one.response, one.count) for one in count_answers(connection, 1)[1].answers]
    assert counted == [(f"{begin}…", 2), ("2", 1), (begin, 1)]
    assert counted_name(answer) == f"{begin}…"
    engine.dispose()
