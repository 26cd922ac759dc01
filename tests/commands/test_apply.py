"""Tests of `dialer apply` and `dialer export`: records in files."""

from pathlib import Path
from typing import Final

import pytest

from dialer.app.campaigns.survey_changes import ChangeName, changes_offered, undo_change
from dialer.domain.words.enums import CampaignStatus
from dialer.files.applying import read_files
from dialer.files.nodes import FileError
from dialer.files.reading import FILE_BYTES_MAX
from dialer.files.units import OtherChangeError, account_of
from dialer.files.yaml_text import read_yaml
from dialer.settings import Settings
from dialer.store.tables import (
    SMS,
    AudioFile,
    AuditLog,
    BranchingTemplate,
    Campaign,
    Contact,
    DncContact,
    FleetChange,
    Gateway,
    SectionTemplate,
    SurveyTemplate,
    Tier,
    User,
)
from tests.commands.conftest import Outcome, Run
from tests.runtime.house import House

VIRTUAL: Final = {"DIALER_CLOCK": "virtual"}
FILE: Final = """\
phonebooks:
  - name: Patients
    contacts:
      - contact: +12025550101
        full_name: Ada Byron
        additional_vars: {day: Monday}
      - contact: +12025550102
dnc_lists:
  - name: Never
    numbers: [+12025550111]
agents:
  - name: Ann
    contact: +12025550161
    status: available
    parameters: {answer: 1}
queues:
  - name: Front desk
    strategy: longest_idle_agent
    agents: [{name: Ann, level: 2}]
surveys:
  - name: Reminder
    sections:
      - id: 1
        type: multi_choice
        question: Will you come?
        script: Hello {first_name}. Press 1 to confirm, 2 to talk to us.
        key_1: yes
        key_2: talk
        branches: {1: 30, 2: 20, timeout: null}
      - id: 20
        type: call_transfer
        question: To the front desk
        queue: Front desk
        branches: {0: 30}
      - id: 30
        question: Thanks
        script: Thank you.
        completed: true
campaigns:
  - name: Spring
    survey: Reminder
    gateway: sim
    phonebooks: [Patients]
    dnc: Never
    dial_method: progressive
    daily_start_time: 09:00:00
    daily_stop_time: 20:00
    frequency: 30
"""
UNCHANGED: Final = "0 new, 0 changed, 6 unchanged"


def apply(run: Run, folder: Path, text: str, *options: str, name: str = "records.yaml") -> Outcome:
    (folder / name).write_text(text, "utf-8")
    return run("apply", name, *(options or ("--yes",)), **VIRTUAL)


def test_files_are_applied_and_a_second_time_change_nothing(run: Run, house: House, tmp_path: Path) -> None:
    first = apply(run, tmp_path, FILE)
    assert (first.code, first.err) == (0, "Done.\n")
    assert first.out.splitlines()[0] == "+ do-not-call list Never: new"
    assert first.out.splitlines()[-1] == "6 new, 0 changed, 0 unchanged"
    (campaign,) = house.rows(Campaign)
    assert {name: campaign[name] for name in ("status", "dial_method", "daily_stop_time", "frequency", "user_id")} == {
        "status": CampaignStatus.NEW,
        "dial_method": 2,
        "daily_stop_time": "20:00:00",
        "frequency": 30,
        "user_id": house.user_id,
    }
    assert [(row["number"], row["full_name"], row["additional_vars"]) for row in house.rows(Contact)] == [
        ("+12025550101", "Ada Byron", '{"day":"Monday"}'),
        ("+12025550102", "", "{}"),
    ]
    assert [(row["level"], row["position"]) for row in house.rows(Tier)] == [(2, 1)]
    assert [(row["keys"], row["goto_id"]) for row in house.rows(BranchingTemplate)] == [
        ("1", 3),
        ("2", 2),
        ("timeout", None),
        ("0", 3),
    ]
    entries, changes = len(house.rows(AuditLog)), len(house.rows(FleetChange))
    again = apply(run, tmp_path, FILE)
    assert (again.code, again.err, again.out.splitlines()[-1]) == (0, "", UNCHANGED)
    assert (len(house.rows(AuditLog)), len(house.rows(FleetChange))) == (entries, changes)


def test_a_change_is_shown_field_by_field_and_then_made(run: Run, house: House, tmp_path: Path) -> None:
    apply(run, tmp_path, FILE)
    changed = (
        FILE.replace("    frequency: 30\n", "    maxretry: 2\n")
        .replace("question: Thanks", "question: Thank you")
        .replace("{1: 30, 2: 20, timeout: null}", "{1: 20, 2: 20, any: 20}")
        .replace("strategy: longest_idle_agent", "strategy: random")
        .replace("Ada Byron", "Ada King")
    )
    changed = changed.replace("      - id: 20\n", "      - id: 25\n        question: A moment\n      - id: 20\n")
    rehearsed = apply(run, tmp_path, changed, "--dry-run")
    assert rehearsed.out.splitlines() == [
        "= do-not-call list Never: unchanged",
        "~ phonebook Patients: changed",
        "    contact +12025550101: full_name: Ada Byron → Ada King",
        "= agent Ann: unchanged",
        "~ queue Front desk: changed",
        "    strategy: longest_idle_agent → random",
        "~ survey Reminder: changed",
        "    section 25: new",
        "    section 30: question: Thanks → Thank you",
        "    section 1: branch timeout: the end → none",
        "    section 1: branch 1: 30 → 20",
        "    section 1: branch any: none → 20",
        "    sections: in another order",
        "~ campaign Spring: changed",
        "    frequency: 30 → 10",
        "    maxretry: 0 → 2",
        "0 new, 4 changed, 2 unchanged",
    ]
    assert house.rows(Campaign)[0]["frequency"] == 30
    assert apply(run, tmp_path, changed).out == rehearsed.out
    assert (house.rows(Campaign)[0]["frequency"], house.rows(Campaign)[0]["maxretry"]) == (10, 2)
    assert apply(run, tmp_path, changed).out.splitlines()[-1] == UNCHANGED
    without = changed.replace("      - id: 25\n        question: A moment\n", "")
    assert apply(run, tmp_path, without).out.splitlines()[4:7] == [
        "~ survey Reminder: changed",
        "    section 25: deleted (A moment)",
        "= campaign Spring: unchanged",
    ]


def test_a_file_that_says_no_length_of_periods_takes_that_of_the_service_and_keeps_it(
    run: Run, house: House, tmp_path: Path
) -> None:
    (tmp_path / "records.yaml").write_text(FILE, "utf-8")
    for said in (UNCHANGED.replace("0 new", "6 new").replace("6 unchanged", "0 unchanged"), UNCHANGED):
        done = run("apply", "records.yaml", "--yes", **VIRTUAL, DIALER_ABANDON_HOURS="24")
        assert (done.code, done.out.splitlines()[-1]) == (0, said)
        assert house.rows(Campaign)[0]["abandon_hours"] == 24
    assert run("apply", "records.yaml", "--yes", **VIRTUAL).out.splitlines()[-1] == UNCHANGED
    exported = run("export", "campaign", "1", **VIRTUAL, DIALER_ABANDON_HOURS="24").out
    assert "abandon_hours: 24" in exported
    house.change(Campaign, 1, abandon_hours=720)
    assert "abandon_hours: 720" in run("export", "campaign", "1", **VIRTUAL, DIALER_ABANDON_HOURS="24").out


def test_an_export_is_applied_to_another_account_and_exported_alike(run: Run, house: House, tmp_path: Path) -> None:
    apply(run, tmp_path, FILE)
    other = house.add(User, username="ben", password_hash="-")
    exported = run("export", "campaign", "1", **VIRTUAL)
    assert (exported.code, exported.err) == (0, "")
    assert "contacts" not in exported.out
    done = apply(run, tmp_path, exported.out, "--yes", "--user", "Ben", name="copy.yaml")
    assert (done.code, done.out.splitlines()[-1]) == (0, "6 new, 0 changed, 0 unchanged")
    assert {row["user_id"] for row in house.rows(SurveyTemplate)} == {house.user_id, other}
    assert run("export", "campaign", "2", **VIRTUAL).out == exported.out
    assert run("export", "campaign", "2", "--json", **VIRTUAL).data == read_yaml(exported.out, "").plain()
    (tmp_path / "copy.json").write_text(run("export", "campaign", "2", "--json", **VIRTUAL).out)
    assert run("apply", "copy.json", "--dry-run", "--user", "ben", **VIRTUAL).out.splitlines()[-1] == UNCHANGED


def test_each_kind_of_record_is_exported(run: Run, house: House, tmp_path: Path) -> None:
    apply(run, tmp_path, FILE)
    house.add(Gateway, medium=SMS, name="texts")
    sms = "{name: News, text_message: Hi, sms_gateway: texts, phonebooks: [Patients], dnc_lists: [Never]}"
    assert apply(run, tmp_path, f"sms_campaigns: [{sms}]", name="texts.yaml").code == 0
    whole = read_yaml(FILE, "").plain()
    documents = {
        name: run("export", name, number, "--json", **VIRTUAL).data
        for name, number in (("phonebook", "1"), ("dnc", "1"), ("queue", "1"), ("survey", "1"), ("sms-campaign", "2"))
    }
    assert documents["phonebook"] == {"phonebooks": whole["phonebooks"]}
    assert documents["dnc"] == {"dnc_lists": whole["dnc_lists"]}
    agent = {name: value for name, value in whole["agents"][0].items() if name != "status"}
    assert documents["queue"] == {"agents": [agent], "queues": whole["queues"]}
    assert documents["survey"]["surveys"][0]["sections"][0] == whole["surveys"][0]["sections"][0]
    assert list(documents["sms-campaign"]) == ["dnc_lists", "phonebooks", "sms_campaigns"]
    assert run("export", "queue", "9", **VIRTUAL) == Outcome(1, "", "dialer: there is no queue 9\n")


def test_toml_is_read(run: Run, house: House, tmp_path: Path) -> None:
    text = (
        '[[surveys]]\nname = "S"\n[[surveys.sections]]\nquestion = "Hi"\nbranches = {0 = 1}\n[[queues]]\nname = "Q"\n'
    )
    assert apply(run, tmp_path, text, name="s.toml").out.splitlines()[-1] == "2 new, 0 changed, 0 unchanged"
    assert [row["question"] for row in house.rows(SectionTemplate)] == ["Hi"]
    wrong = apply(run, tmp_path, text.replace("{0 = 1}", "{0 = 2}"), name="s.toml")
    assert wrong == Outcome(
        2, "", "dialer: s.toml:3: surveys[0].sections[0]: the branch 0 leads to section 2. There are: 1\n"
    )


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            "frequency: 30",
            "frequenzy: 30",
            "records.yaml:48: campaigns[0].frequenzy: unknown field 'frequenzy'; did you",
        ),
        ("frequency: 30", "frequency: 0", "records.yaml:48: campaigns[0].frequency: Ensure this value is greater than"),
        ("frequency: 30", "frequency: fast", "records.yaml:48: campaigns[0].frequency: A valid integer is required."),
        ("frequency: 30", "frequency: [1]", "records.yaml:48: campaigns[0].frequency: A valid integer is required."),
        ("frequency: 30", "frequency: null", "records.yaml:48: campaigns[0].frequency: This field may not be null."),
        (
            "survey: Rem",
            "survey: Ram",
            "records.yaml:41: campaigns[0].survey: there is no survey 'Raminder'; there are",
        ),
        ("gateway: sim", "gateway: {a: 1}", "records.yaml:42: campaigns[0].gateway: expected a text, got an object"),
        ("[Patients]", "Patients", "records.yaml:43: campaigns[0].phonebooks: expected a list, got a text, 'Patients'"),
        ("    gateway: sim\n", "", "records.yaml:40: campaigns[0]: a campaign needs the field gateway"),
        (
            "progressive",
            "fast",
            'campaigns[0].dial_method: "fast" is not a valid choice. Use one of: 1 (fixed_rate), 2 (p',
        ),
        ("2: 20, ", "x: 20, ", 'records.yaml:23: surveys[0].sections[0].branches: "x" is not an answer.'),
        ("id: 20", "id: 30", "records.yaml:35: surveys[0].sections[2]: another section has the id 30"),
        (
            "type: call_transfer",
            "type: 77",
            'records.yaml:31: surveys[0].sections[1].type: "77" is not a valid choice. Use one of: 1 (play_mess',
        ),
        ("{name: Ann, level: 2}", "Anne", "queues[0].agents[0]: there is no agent 'Anne'; there are: Ann"),
        (
            "additional_vars: {day: Monday}",
            "day: Monday",
            "contacts[0].day: unknown field 'day'; further values belong into additional_vars; a contact has: ",
        ),
        ("+12025550111", "none", "records.yaml:10: dnc_lists[0].numbers[0]: 'none' has no digits"),
        ("+12025550102", "+12025550101", "records.yaml:7: phonebooks[0].contacts[1]: the number +12025550101 is twice"),
        (
            "name: Spring\n    survey",
            "survey",
            "records.yaml:40: campaigns[0]: a campaign needs a name, by which it is found",
        ),
        ("dnc_lists:", "dnc:", "records.yaml:8: dnc: unknown field 'dnc'; did you mean"),
        ("script: Thank you.", "audio_seconds: 2", "name the recording by audiofile"),
        ("script: Thank you.", "audiofile: thanks", "there is no recording 'thanks'; there is none at all"),
        ("Reminder\n    sections:", "Reminder\n    sections: &a", "records.yaml:22: anchors and aliases"),
        (
            "frequency: 30",
            "frequency: !!python/object:os.system 1",
            "records.yaml:48: the tag tag:yaml.org,2002:python",
        ),
        ("frequency: 30", "frequency: 30\n    frequency: 31", "records.yaml:49: campaigns[0]: has 'frequency' twice"),
        ("frequency: 30", "frequency: 'x", "records.yaml:49: not valid YAML: found unexpected end of stream"),
        ("campaigns:", "---\ncampaigns:", "records.yaml:39: has a second document. Give one document a file"),
    ],
)
def test_a_wrong_file_changes_nothing(
    run: Run, house: House, tmp_path: Path, before: str, after: str, message: str
) -> None:
    assert before in FILE
    wrong = apply(
        run, tmp_path, FILE.replace(before, after, 1) if before != "[Patients]" else FILE.replace(before, after)
    )
    assert (wrong.code, wrong.out) == (2, "")
    assert message in wrong.err
    assert (house.rows(SurveyTemplate), house.rows(DncContact), house.rows(AuditLog)) == ([], [], [])


def test_a_hostile_file_is_refused(run: Run, house: House, tmp_path: Path) -> None:
    deep, deeper = ("surveys: " + "[" * levels for levels in (40, 100_000))
    bomb = "a: &a [1]\nb: [*a, *a]\n"
    huge = "x" * (FILE_BYTES_MAX + 1)
    messages = [apply(run, tmp_path, text).err for text in (deep, bomb, huge, "surveys: [\x00]", "- 1", "surveys: 1")]
    # The library has a limit of its own, too, in its own words.
    assert apply(run, tmp_path, deeper).err.startswith("dialer: records.yaml:1: ")
    assert house.rows(SurveyTemplate) == []
    assert [message.removeprefix("dialer: records.yaml:").strip() for message in messages] == [
        "1: surveys[0]" + "[0]" * 28 + ": has more than 30 levels",
        "1: anchors and aliases (& and *) are not accepted: write the value out",
        "is larger than 2 MiB. Put long lists into CSV files, and name them here",
        "not valid YAML: unacceptable character #x0000: control characters are not allowed",
        "1: expected an object with fields, got a list",
        "1: surveys: expected a list, got a number, '1'",
    ]
    (tmp_path / "a.json").write_text("[" * 100_000)
    (tmp_path / "b.json").write_bytes(b"\xff")
    assert [run("apply", name, "--yes", **VIRTUAL).code for name in ("a.json", "b.json")] == [2, 2]


async def test_the_people_of_a_running_campaign_are_left_alone(run: Run, house: House, tmp_path: Path) -> None:
    apply(run, tmp_path, FILE.replace("dial_method: progressive", "dial_method: fixed_rate"))
    file = (tmp_path / "records.yaml").read_text()
    await house.move(1, CampaignStatus.START)
    await house.advance(1)
    more = file.replace("      - contact: +12025550102\n", "      - contact: +12025550103\n")
    refused = apply(run, tmp_path, more)
    assert refused.code == 2
    assert "phonebooks[0]: the campaign 'Spring' runs and calls this list" in refused.err
    other = file.replace("phonebooks: [Patients]", "phonebooks: [Others]").replace(
        "dnc_lists:", "  - name: Others\ndnc_lists:"
    )
    refused = apply(run, tmp_path, other)
    assert (refused.code, "campaigns[0].phonebooks: the campaign runs" in refused.err) == (2, True)
    assert len(house.rows(Contact)) == 2
    faster = apply(
        run, tmp_path, file.replace("frequency: 30", "frequency: 60").replace("question: Thanks", "question: T")
    )
    assert (faster.code, house.rows(Campaign)[0]["frequency"]) == (0, 60)
    calling_off = apply(run, tmp_path, file.replace("[+12025550111]", "[+12025550111, +12025550102]"))
    assert (calling_off.code, len(house.rows(DncContact))) == (0, 2)
    survey = apply(
        run,
        tmp_path,
        file.replace("survey: Reminder", "survey: Other").replace("surveys:", "surveys:\n  - name: Other"),
    )
    assert (survey.code, "campaigns[0].survey: A started campaign plays the survey" in survey.err) == (2, True)


def test_nobody_is_removed_from_a_list(run: Run, house: House, tmp_path: Path) -> None:
    apply(run, tmp_path, FILE)
    less = FILE.replace("      - contact: +12025550102\n", "").replace("[+12025550111]", "[+12025550112]")
    assert apply(run, tmp_path, less).out.splitlines()[:2] == [
        "~ do-not-call list Never: changed",
        "    numbers: 1 new",
    ]
    assert (len(house.rows(Contact)), len(house.rows(DncContact))) == (2, 2)


def test_a_command_asks_and_knows_for_whom(run: Run, house: House, tmp_path: Path) -> None:
    asked = apply(run, tmp_path, FILE, "--user", "ann")
    assert asked.code == 2
    assert "give --yes, or --dry-run" in asked.err
    house.add(User, username="ben", password_hash="-")
    house.add(User, username="eve", password_hash="-", role="viewer", manager_id=house.user_id)
    assert "for whom? Name one by --user. There are: ann, ben, eve" in apply(run, tmp_path, FILE).err
    assert "there is no user bob" in apply(run, tmp_path, FILE, "--yes", "--user", "bob").err
    assert "the user eve is viewer" in apply(run, tmp_path, FILE, "--yes", "--user", "eve").err
    assert house.rows(SurveyTemplate) == []
    assert apply(run, tmp_path, FILE, "--yes", "--user", "ben", "--json").data["records"][0] == {
        "kind": "do-not-call list",
        "name": "Never",
        "action": "new",
        "lines": ["numbers: 1"],
    }
    # Records of another account cannot be named.
    own = "campaigns: [{name: Mine, survey: Reminder, gateway: sim}]"
    assert "there is no survey 'Reminder'" in apply(run, tmp_path, own, "--yes", "--user", "ann").err


def test_a_survey_that_a_file_changed_can_be_undone(run: Run, house: House, tmp_path: Path) -> None:
    """The console offers it, and deleted sections come back with their ids."""
    apply(run, tmp_path, FILE)
    before = run("export", "survey", "1", **VIRTUAL).out
    less = FILE.replace(", 2: 20, timeout: null", "")
    less = less.replace(less[less.index("      - id: 20") : less.index("      - id: 30")], "")
    assert "    section 20: deleted (To the front desk)" in apply(run, tmp_path, less).out.splitlines()
    assert house.database.read_now(lambda connection: changes_offered(connection, 1)).undo == ChangeName("applied")
    house.perform(lambda unit: undo_change(unit, 1))
    assert run("export", "survey", "1", **VIRTUAL).out == before
    assert apply(run, tmp_path, FILE).out.splitlines()[-1] == UNCHANGED


def test_a_plan_that_is_outdated_is_not_applied(house: House, tmp_path: Path) -> None:
    """Somebody else changes the survey while the question is on the screen: the answer was for other changes."""
    account = account_of(Settings(), house.database, house.now_ms(), None)
    file = tmp_path / "records.yaml"
    file.write_text("surveys: [{name: S, description: a}]", "utf-8")
    account.apply(read_files([file]))
    file.write_text("surveys: [{name: S, description: b}]", "utf-8")
    shown = account.plan(read_files([file]))
    house.change(SurveyTemplate, 1, description="c")
    with pytest.raises(OtherChangeError):
        account.apply(read_files([file]), shown)
    assert house.rows(SurveyTemplate)[0]["description"] == "c"
    with pytest.raises(FileError, match="101 files are too many"):
        read_files([file] * 101)


def test_names_must_be_known_once(run: Run, house: House, tmp_path: Path) -> None:
    for _ in range(2):
        house.survey({"type": 1, "script": "Hi"})
    twice = apply(run, tmp_path, "surveys: [{name: survey, description: x}]")
    assert "surveys[0]: the account has 2 records called 'survey': rename all but one" in twice.err
    double = apply(run, tmp_path, "surveys: [{name: A}, {name: A}]")
    assert "records.yaml:1: surveys[1]: the survey 'A' is also at records.yaml:1: surveys[0]" in double.err


def test_a_survey_of_the_console_keeps_its_sections(run: Run, house: House, tmp_path: Path) -> None:
    """Exported, changed and applied: the sections are the same rows, and recordings are named."""
    house.survey({"type": 1, "script": "before"})
    sound = house.add(
        AudioFile, user_id=house.user_id, name="hello", audio_file="x.wav", format="wav", size=9, duration_ms=2_500
    )
    survey_id = house.survey({"type": 2, "audiofile_id": sound, "key_1": "yes"}, {"type": 7}, branches={0: {"1": 1}})
    house.change(SurveyTemplate, survey_id, name="mine")
    exported = run("export", "survey", str(survey_id), **VIRTUAL).out
    sections = read_yaml(exported, "").plain()["surveys"][0]["sections"]
    assert sections[0] == {
        "id": 2,
        "type": "multi_choice",
        "question": "question 0",
        "audiofile": "hello",
        "key_1": "yes",
        "audio_seconds": 2.5,
        "branches": {"1": 3},
    }
    before = [row["id"] for row in house.rows(SectionTemplate)]
    assert apply(run, tmp_path, exported).out.splitlines()[-1] == "0 new, 0 changed, 1 unchanged"
    assert apply(run, tmp_path, exported.replace("question 0", "Hello")).code == 0
    assert [row["id"] for row in house.rows(SectionTemplate)] == before
    assert house.rows(SectionTemplate)[1]["question"] == "Hello"
