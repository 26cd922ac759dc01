"""Tests of surveys as documents."""

import msgspec
from hypothesis import given
from msgspec.structs import replace

from dialer.domain.survey.survey import Section, Survey
from dialer.sim.scenario import parse_survey
from dialer.sim.survey_document import document_of, survey_of, with_recordings
from tests.domain.survey.surveys import any_sections


def possible(sections: tuple[Section, ...]) -> Survey:
    """Return a survey that the API would take: its branches lead to sections, and its numbers are within bounds."""
    ids = {None, *(one.id for one in sections)}
    return Survey(
        tuple(
            replace(
                one,
                retries=max(0, one.retries),
                rating_laps=max(1, one.rating_laps),
                min_number=min(one.min_number, one.max_number),
                max_number=max(one.min_number, one.max_number),
                branches={keys: target for keys, target in one.branches.items() if target in ids},
            )
            for one in sections
        )
    )


@given(any_sections.map(possible))
def test_a_survey_is_the_same_after_a_round_trip(survey: Survey) -> None:
    document = msgspec.json.encode(document_of(survey))
    assert survey_of(parse_survey(document)) == survey


@given(any_sections.map(possible))
def test_recordings_of_the_same_length_are_the_same(survey: Survey) -> None:
    recorded = Survey(tuple(replace(one, prompt=replace(one.prompt, file=f"{one.id}.wav")) for one in survey.sections))
    again = survey_of(parse_survey(msgspec.json.encode(document_of(recorded))))
    assert with_recordings(again, recorded) == recorded
