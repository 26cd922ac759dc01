"""Tests of `dialer test`: scenarios in files."""

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Final

import pytest

from tests.commands.conftest import Outcome, Run
from tests.end_to_end.service import wav

RECORDS: Final = """\
agents: [{name: Ann, parameters: {answer: 1, talk: 60}}]
queues: [{name: Desk, agents: [Ann], max_wait_time: 20}]
dnc_lists: [{name: Never}]
surveys:
  - name: Coming
    sections:
      - id: 1
        type: multi_choice
        question: Will you come?
        audiofile: question
        key_1: yes
        key_2: talk
        branches: {1: 3, 2: 2, timeout: null, invalid: null}
      - {id: 2, type: call_transfer, question: The desk, queue: Desk, branches: {0: null, timeout: null}}
      - {id: 3, type: sms, question: A text, sms_text: "Thanks, {first_name}"}
campaigns:
  - {name: Spring, survey: Coming, gateway: calls, sms_gateway: texts, dnc: Never, maxretry: 1, intervalretry: 600}
sms_campaigns:
  - {name: News, text_message: "Hi {full_name}", sms_gateway: texts}
"""
SCENARIOS: Final = """\
apply: [records.yaml]
scenarios:
  - name: Everybody does something else
    campaign: Spring
    call_rate: 0.02
    sms_rate: 0.05
    on_dnc: ["+1 202 555 0175 ext. 5"]
    people:
      - contact: +12025550171
        full_name: Ada Byron
        does: {keys: ["1"]}
        expect:
          path: [1, A text]
          answers: {1: yes, The desk: null}
          texts: ["Thanks, Ada"]
          cost: 0.07
      - contact: +12025550172
        does: {keys: ["2"]}
        expect: {path: [1, The desk], agent: Ann, status: sent, attempts: 1}
      - contact: +12025550173
        does: [{outcome: busy}, {outcome: machine}]
        expect: {calls: [busy, answered], called_at: ["15:00", "2026-03-02T15:10:"], path: [1], agent: null}
      - contact: +12025550174
        does: {hang_up_after: 1}
        expect: {path: [1], answers: {1: null}, on_dnc: false}
      - contact: +12025550175
        expect: {not_called: dnc, on_dnc: true, attempts: 0, cost: 0, path: []}
      - contact: +12025550111
        expect: {status: fail, reason: busy, attempts: 2}
    expect:
      status: end
      reason: completed
      calls: 7
      answered: 4
      texts: 1
      events: {campaign.started: 1, message.delivered: 1, call.ended: 7}
  - name: Texts
    campaign: News
    sms_rate: 0.05
    people:
      - {contact: +12025550171, full_name: Ada, expect: {texts: [Hi Ada], attempts: 1, cost: 0.05}}
      - {contact: +12025550130, expect: {status: fail}}
    expect: {texts: 2, cost: 0.05}
"""


def play(run: Run, folder: Path, *options: str, records: str = RECORDS, scenarios: str = SCENARIOS) -> Outcome:
    (folder / "records.yaml").write_text(records, "utf-8")
    (folder / "test.yaml").write_text(scenarios, "utf-8")
    return run("test", "test.yaml", *options)


def test_scenarios_are_played(run: Run, tmp_path: Path) -> None:
    done = play(run, tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[:-1] == ["ok    Everybody does something else", "ok    Texts"]
    assert done.out.splitlines()[-1].startswith("2 scenarios, 0 failed, ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["records.yaml", "test.yaml"]


def test_a_changed_branch_fails_with_the_path_of_the_call(run: Run, tmp_path: Path) -> None:
    changed = RECORDS.replace("{1: 3, 2: 2,", "{1: 2, 2: 2,")
    done = play(run, tmp_path, "--junit", "results.xml", "--only", "EVERYBODY", records=changed)
    lines = done.out.splitlines()
    assert (done.code, done.err) == (1, "")
    assert lines[-1].startswith("1 scenario, 1 failed, ")
    assert lines[0] == "FAIL  Everybody does something else (test.yaml:3)"
    place = lines.index("      Ada Byron +12025550171: path")
    assert lines[place : place + 3] == [
        "      Ada Byron +12025550171: path",
        "        expected  1 Will you come? → A text",
        "        got       1 Will you come? → 2 The desk",
    ]
    assert [line.strip() for line in lines if "Ada Byron" in line] == [
        "Ada Byron +12025550171: texts",
        "Ada Byron +12025550171: cost",
        "Ada Byron +12025550171: path",
        "Ada Byron +12025550171: answer to The desk",
    ]
    suites = ET.parse(tmp_path / "results.xml").getroot()  # noqa: S314 - our own file
    (suite,) = suites
    (case,) = suite
    assert (suite.attrib["name"], suite.attrib["tests"], suite.attrib["failures"]) == ("test.yaml", "1", "1")
    assert case.attrib["name"] == "Everybody does something else"
    assert "expected  1 Will you come? → A text" in str(case[0].text)


def test_a_call_at_another_time_fails(run: Run, tmp_path: Path) -> None:
    later = play(run, tmp_path, records=RECORDS.replace("intervalretry: 600", "intervalretry: 660"))
    place = later.out.splitlines().index("      +12025550173: called_at")
    assert later.out.splitlines()[place + 1].split() == ["expected", "15:00,", "2026-03-02T15:10:"]
    assert later.out.splitlines()[place + 2].split()[2].startswith("2026-03-02T15:11:")


def test_a_result_is_json(run: Run, tmp_path: Path) -> None:
    wrong = SCENARIOS.replace("texts: [Hi Ada]", "texts: [Hi]")
    done = play(run, tmp_path, "--json", scenarios=wrong)
    assert (done.code, done.data[0]["failures"]) == (1, [])
    assert done.data[1] == {
        "file": "test.yaml",
        "name": "Texts",
        "failures": [{"subject": "Ada +12025550171", "field": "texts", "expected": "Hi", "got": "Hi Ada"}],
    }


def test_two_runs_are_alike(run: Run, tmp_path: Path) -> None:
    """Chance comes from the seed of a scenario only."""
    by_chance = SCENARIOS.replace(
        "    sms_rate: 0.05\n    on_dnc", "    gateway: {answer: 0.5, machine: 0.5}\n    on_dnc"
    )
    failed = [play(run, tmp_path, "--json", scenarios=by_chance).out for _ in range(2)]
    assert failed[0] == failed[1]


def test_a_campaign_that_cannot_start_says_why(run: Run, tmp_path: Path) -> None:
    failed = play(run, tmp_path, records=RECORDS.replace("{first_name}", "{day}"))
    assert failed.code == 1
    assert failed.out.splitlines()[1:4] == [
        "      the campaign: start",
        "        expected  it starts",
        "        got       Section “A text”: No contact has a value for {day}. There are values for {full_name}.",
    ]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            "path: [1, A text]",
            "paths: [1]",
            "test.yaml:13: scenarios[0].people[0].expect.paths: unknown field 'paths'; did",
        ),
        (
            "    on_dnc:",
            "    on_dnk:",
            "test.yaml:7: scenarios[0].on_dnk: unknown field 'on_dnk'; did you mean on_dnc?",
        ),
        ("attempts: 0", "attempts: none", "scenarios[0].people[4].expect.attempts: Expected `int"),
        (
            "does: {hang_up_after: 1}",
            "does: {hangup: 1}",
            "test.yaml:24: scenarios[0].people[3].does: ",
        ),
        (
            "{outcome: busy}",
            "{outcome: engaged}",
            "test.yaml:21: scenarios[0].people[2].does: attempts: outcome: Must be one of answer, machine, busy, ",
        ),
        ("call_rate: 0.02", "gateway: {answer: 2}", "test.yaml:5: scenarios[0].gateway: answer: "),
        (
            "status: end",
            "status: ended",
            "scenarios[0].expect.status: there is no status 'ended'; there are: new, start, pause, abort, end",
        ),
        (
            "status: sent",
            "status: reached",
            "test.yaml:19: scenarios[0].people[1].expect.status: there is no status 'reached'; there are: ",
        ),
        ("campaign: Spring", "campaign: Winter", "scenarios[0]: there is no campaign 'Winter' in these files"),
        ("call_rate: 0.02", "call_rate: much", "test.yaml:5: scenarios[0].call_rate: A valid number is required."),
        (
            "call_rate: 0.02",
            "lasts: 3 weeks",
            "test.yaml:5: scenarios[0].lasts: give seconds, or such as 90m, 8h or 2d",
        ),
        ('["+1 202 555 0175 ext. 5"]', "[nobody]", "test.yaml:7: scenarios[0].on_dnc[0]: 'nobody' has no digits"),
        ("contact: +12025550175", "contact: nobody", "scenarios[0].people[4].contact: 'nobody' has no digits"),
        (
            "contact: +12025550172",
            "contact: +1 202 555 0171",
            "people[1].contact: two people have the number +12025550171",
        ),
        ("call_rate: 0.02", "agents: {Bob: on_break}", "there is no agent 'Bob' in these files; there are: Ann"),
        ("call_rate: 0.02", "agents: {Ann: ill}", '"ill" is not a valid choice. Use one of: 1 (logged_out), '),
        ("call_rate: 0.02", "start: noon", "Datetime has wrong format"),
        ("[records.yaml]", "[recards.yaml]", "dialer: recards.yaml: cannot be read: No such file or directory"),
        ("scenarios:", "surveys:", "test.yaml:1: has no scenarios. A file of records is for dialer apply"),
        ("apply:", "apples:", "test.yaml:1: apples: unknown field 'apples'"),
    ],
)
def test_a_wrong_file_is_named(run: Run, tmp_path: Path, before: str, after: str, message: str) -> None:
    assert before in SCENARIOS
    wrong = play(run, tmp_path, scenarios=SCENARIOS.replace(before, after, 1))
    assert (wrong.code, wrong.out) == (2, "")
    assert message in wrong.err


def test_records_may_stand_beside_their_scenarios(run: Run, tmp_path: Path) -> None:
    done = play(run, tmp_path, scenarios=RECORDS + SCENARIOS.replace("apply: [records.yaml]\n", ""))
    assert done.code == 0
    none = play(run, tmp_path, "--only", "nobody")
    assert (none.code, "none of 2 scenarios has 'nobody' in its name" in none.err) == (2, True)


def test_files_that_records_name_are_read(run: Run, tmp_path: Path) -> None:
    """A recording has its own length, and a list its numbers. A file that is gone is named."""
    (tmp_path / "question.wav").write_bytes(wav(70))
    (tmp_path / "never.csv").write_text("phone_number\n+12025550175\n")
    (tmp_path / "all.yaml").write_text(
        """\
recordings: [{name: question, file: question.wav}]
dnc_lists: [{name: Never, numbers_file: never.csv}]
surveys: [{name: S, sections: [{question: Q, audiofile: question, completed: true}]}]
campaigns: [{name: C, survey: S, gateway: calls, dnc: Never}]
scenarios:
  - name: A long question
    campaign: C
    call_rate: 1
    people:
      - {contact: +12025550171, expect: {cost: 2}}
      - {contact: +12025550175, expect: {not_called: dnc, on_dnc: true}}
"""
    )
    done = run("test", "all.yaml")
    assert (done.code, done.err) == (0, ""), done.out
    (tmp_path / "question.wav").unlink()
    assert run("test", "all.yaml") == Outcome(
        2, "", "dialer: all.yaml:1: recordings[0].file: question.wav cannot be read: No such file or directory\n"
    )
