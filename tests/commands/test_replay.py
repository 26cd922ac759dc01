"""Tests of `dialer replay`: a call that is over, through the survey as it is now."""

import tempfile
from pathlib import Path
from typing import Any, Final

import anyio
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from sqlalchemy import delete, update

from dialer.app.work.errors import CampaignNotReadyError
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.replay import first_difference, is_its_own, replay
from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.domain.survey.survey import Survey
from dialer.files.exporting import Exporter
from dialer.files.replaying import as_stored, survey_in
from dialer.files.units import account_of
from dialer.files.yaml_text import read_yaml, write_yaml
from dialer.settings import Settings
from dialer.sim.scenario import parse_survey
from dialer.sim.survey_document import survey_of, with_recordings
from dialer.store.queries.finished_call import FinishedCall, finished_call
from dialer.store.tables import (
    SMS,
    BranchingTemplate,
    CallRequest,
    Gateway,
    SectionTemplate,
    SurveyResult,
    SurveyTemplate,
)
from tests.commands.conftest import Outcome, Run
from tests.runtime.house import House
from tests.sizes import examples

VIRTUAL: Final = {"DIALER_CLOCK": "virtual"}
ONE: Final = "+12025550123"
KEYS: Final = '{"numbers": {"+12025550123": {"outcome": "answer", "keys": ["8", "2"], "ring": 4, "key_delay": 1}}}'
"""A callee who presses a key without a meaning first, then 2."""
PEOPLE: Final = '{"answer": 0.9, "machine": 0.2, "ring": 4, "talk": 20, "patience": 20}'
QUESTION: Final = {"type": 2, "script": "Are you coming?", "key_1": "yes", "key_2": "no", "retries": 1}
GOODBYE: Final = {"type": 7, "script": "Goodbye."}

ways = st.dictionaries(
    st.sampled_from(["0", "1", "2", "any", "timeout", "invalid"]), st.none() | st.integers(0, 3), max_size=4
)
sections = st.fixed_dictionaries(
    {
        "type": st.sampled_from(sorted(SECTION_TYPES)),
        "script": st.sampled_from(["", "Hello", "One two three four five six seven eight"]),
        "retries": st.integers(0, 2),
        "key_1": st.just("yes"),
        "phonenumber": st.sampled_from(["+12025550103", "+12025550111"]),
        "sms_text": st.just("Thanks"),
    }
)


async def one_call(house: House) -> int:
    """Call somebody who presses a wrong key, then 2. Return the id of the survey."""
    house.change(Gateway, house.gateway_id, parameters=KEYS)
    survey_id = house.survey(
        QUESTION, {"type": 1, "script": "A pity."}, GOODBYE, branches={0: {"1": 2, "2": 1}, 1: {"0": 2}}
    )
    await house.started(survey_id, house.phonebook(ONE))
    await house.advance(120)
    return survey_id


async def test_an_unchanged_survey_plays_the_call_as_it_was(run: Run, house: House) -> None:
    await one_call(house)
    played = run("replay", "1", **VIRTUAL)
    assert (played.code, played.err) == (0, "")
    assert played.out.splitlines() == [
        "Call 1 of campaign 1 with +12025550123, 2026-03-02 12:00:00Z",
        "   1  question 0: pressed 8 after 2.2 s",
        "   2  question 0: pressed 2 after 4.4 s, answer no",
        "   3  question 1",
        "   4  question 2",
        "The survey survey plays all 4 steps as they were.",
    ]
    callid = house.row(CallRequest, 1)["callid"]
    assert run("replay", callid, "--json", **VIRTUAL).data["steps"][1] == {
        "section_id": 1,
        "section": "question 0",
        "at_seconds": 4.4,
        "heard": "2",
        "response": "no",
        "by_program": False,
    }


async def test_a_survey_of_one_step_plays_the_call_as_it_was(run: Run, house: House) -> None:
    await house.started(house.survey({"type": 1, "script": "Hello."}), house.phonebook(ONE))
    await house.advance(120)
    played = run("replay", "1", **VIRTUAL)
    assert (played.code, played.err) == (0, "")
    assert played.out.splitlines()[1:] == ["   1  question 0", "The survey survey plays its one step as it was."]


async def test_the_first_difference_is_shown(run: Run, house: House) -> None:
    """A branch that the call took, a retry that it needed, and a prompt that it heard."""
    await one_call(house)
    goodbye = house.rows(SectionTemplate)[2]["id"]
    is_two = BranchingTemplate.keys == "2"
    house.database.write_now(lambda c: c.execute(update(BranchingTemplate).where(is_two).values(goto_id=goodbye)))
    changed = run("replay", "1", **VIRTUAL)
    assert (changed.code, changed.out.splitlines()[-2:]) == (
        1,
        ["The survey survey differs at step 2, question 0:", "      next was question 1, is now question 2"],
    )
    house.database.write_now(lambda c: c.execute(delete(BranchingTemplate).where(is_two)))
    assert run("replay", "1", "--json", **VIRTUAL).data["difference"] == {
        "step": 2,
        "section": "question 0",
        "field": "next",
        "was": "question 1",
        "is_now": "the call ends",
    }
    house.change(SectionTemplate, 1, retries=0)
    assert run("replay", "1", "--json", **VIRTUAL).data["difference"]["step"] == 1
    house.change(SectionTemplate, 1, script="Will you be there?")
    assert run("replay", "1", "--json", **VIRTUAL).data["difference"] == {
        "step": 1,
        "section": "question 0",
        "field": "script",
        "was": "Are you coming?",
        "is_now": "Will you be there?",
    }


async def test_other_branches_make_no_difference(run: Run, house: House) -> None:
    await one_call(house)
    is_one = BranchingTemplate.keys == "1"
    house.database.write_now(lambda c: c.execute(delete(BranchingTemplate).where(is_one)))
    house.change(SectionTemplate, 1, question="Another name")
    assert run("replay", "1", **VIRTUAL).code == 0


async def test_a_changed_file_is_played_instead(run: Run, house: House, tmp_path: Path) -> None:
    """An exported survey plays the call as it was, until the file is changed. A bad file is named."""
    survey_id = await one_call(house)
    exported = run("export", "survey", str(survey_id), "--json", **VIRTUAL)
    assert (exported.code, exported.err) == (0, "")
    assert exported.data["surveys"][0]["sections"][0] == {
        "id": 1,
        "question": "question 0",
        "type": "multi_choice",
        "script": "Are you coming?",
        "retries": 1,
        "key_1": "yes",
        "key_2": "no",
        "branches": {"1": 3, "2": 2},
    }
    file = tmp_path / "survey.json"
    file.write_text(exported.out)
    house.database.write_now(lambda c: c.execute(delete(SurveyTemplate)))
    assert run("replay", "1", "--survey", "survey.json", **VIRTUAL).code == 0
    file.write_text(exported.out.replace('"2": 2', '"2": 3'))
    changed = run("replay", "1", "--survey", "survey.json", "--json", **VIRTUAL)
    assert (changed.code, changed.data["survey"], changed.data["difference"]["step"]) == (1, "survey.json", 2)
    file.write_text(exported.out.replace('"retries": 1', '"retries": -1'))
    refused = run("replay", "1", "--survey", "survey.json", **VIRTUAL)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("dialer: survey.json: sections[0].retries: ")
    assert run("export", "survey", "7", **VIRTUAL) == Outcome(1, "", "dialer: there is no survey 7\n")


async def test_a_file_that_was_applied_is_played_by_its_own_ids(run: Run, house: House, tmp_path: Path) -> None:
    """Sections of a file have ids of their own, and not those of the rows."""
    house.change(Gateway, house.gateway_id, parameters=KEYS)
    house.survey(GOODBYE)
    text = """\
queues: [{name: Desk}]
surveys:
  - name: Applied
    sections:
      - {id: 20, type: multi_choice, question: Q, script: Hi, key_1: a, key_2: b, retries: 1, branches: {2: 10, 1: 30}}
      - {id: 10, type: call_transfer, question: T, queue: Desk, branches: {timeout: 30}}
      - {id: 30, type: hang_up, question: Bye, script: Bye}
"""
    (tmp_path / "survey.yaml").write_text(text)
    assert run("apply", "survey.yaml", "--yes", **VIRTUAL).code == 0
    await house.started(2, house.phonebook(ONE))
    await house.advance(600)
    assert run("replay", "1", "--survey", "survey.yaml", **VIRTUAL).code == 0
    (tmp_path / "survey.yaml").write_text(text.replace("2: 10, 1: 30", "2: 30, 1: 30"))
    changed = run("replay", "1", "--survey", "survey.yaml", "--json", **VIRTUAL)
    assert (changed.code, changed.data["difference"]["is_now"]) == (1, "Bye")
    (tmp_path / "two.yaml").write_text("surveys: [{name: A, sections: []}, {name: B, sections: []}]")
    refused = run("replay", "1", "--survey", "two.yaml", **VIRTUAL)
    assert refused == Outcome(2, "", "dialer: two.yaml:1: has 2 surveys. Give a file with the survey 'Applied'\n")


async def test_calls_that_cannot_be_replayed_are_named(run: Run, house: House) -> None:
    survey_id = house.survey({"type": 1, "script": "word " * 100})
    await house.started(survey_id, house.phonebook("+12025550103", "+12025550111"))
    await house.advance(5)
    messages = [run("replay", named, **VIRTUAL).err for named in ("1", "2", "3", "no-such-call")]
    await house.advance(300)
    house.database.write_now(lambda c: c.execute(delete(SurveyTemplate)))
    messages.append(run("replay", "1", **VIRTUAL).err)
    house.database.write_now(lambda c: c.execute(update(CallRequest).values(heard="nonsense")))
    messages.append(run("replay", "1", **VIRTUAL).err)
    assert messages == [
        "dialer: call 1 is in progress: replay it when it is over\n",
        "dialer: no survey was played in call 2\n",
        "dialer: there is no call 3: give the id of a call request, or a call ID\n",
        "dialer: there is no call no-such-call: give the id of a call request, or a call ID\n",
        "dialer: the survey of call 1 was deleted: give another one by --survey\n",
        "dialer: the inputs of call 1 cannot be read: 'nonsense' is no input of a call.\n",
    ]


@settings(max_examples=examples(12), deadline=None)
@given(rows=st.lists(sections, min_size=4, max_size=4), branches=st.lists(ways, min_size=4, max_size=4))
def test_no_call_differs_from_itself(rows: list[dict[str, Any]], branches: list[dict[str, int | None]]) -> None:
    """Each made-up call plays its survey as it did, with the answers that were recorded."""
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder), seed=len(str(branches)))
        try:
            _call_eight(house, rows, branches)
            calls = [row["id"] for row in house.rows(CallRequest) if row["heard"]]
            for call_id in calls:
                _is_as_it_was(house, call_id)
        finally:
            house.database.close()


def _call_eight(house: House, rows: list[dict[str, Any]], branches: list[dict[str, int | None]]) -> None:
    house.change(Gateway, house.gateway_id, parameters=PEOPLE)
    queued = [row | {"queue_id": None} for row in rows]
    queued[0]["queue_id"] = house.queue(house.agent(), max_wait_time=10)
    survey_id = house.survey(*queued, branches=dict(enumerate(branches)))
    texts = house.add(Gateway, medium=SMS, name="texts", parameters='{"sms_delivered": 1}')
    people = house.phonebook(*(f"+1202555{number}" for number in range(1_000, 1_008)))

    async def play() -> None:
        try:
            await house.started(survey_id, people, sms_gateway_id=texts)
        except CampaignNotReadyError:
            reject()
        await house.advance(1_800)

    anyio.run(play)


def exported(house: House, call: FinishedCall) -> Survey:
    """Return the survey of a call as it comes out of a file."""
    account = account_of(Settings(), house.database, house.now_ms(), None)
    document = account.read(lambda unit: Exporter(unit, house.user_id).with_its_parts("surveys", 1))
    found = survey_in(read_yaml(write_yaml(document), "exported.yaml"), call.template_name)
    stored = house.database.read_now(lambda connection: as_stored(connection, found, call.campaign_id))
    return with_recordings(survey_of(parse_survey(stored)), call.survey)


def _is_as_it_was(house: House, call_id: int) -> None:
    call = house.database.read_now(lambda connection: finished_call(connection, str(call_id)))
    steps = replay(CallFlow(call.survey), call.heard)
    assert is_its_own(steps, call.heard)
    assert call.template is not None
    assert first_difference(steps, replay(CallFlow(call.template), call.heard)) is None
    assert first_difference(steps, replay(CallFlow(exported(house, call)), call.heard)) is None
    asked = {row["id"] for row in house.rows(SectionTemplate) if SECTION_TYPES[row["type"]].asks}
    recorded = {
        row["section_id"]: row["response"]
        for row in house.rows(SurveyResult)
        if row["callrequest_id"] == call_id and row["section_id"] in asked
    }
    assert {step.section.id: step.response for step in steps if step.response is not None} == recorded
