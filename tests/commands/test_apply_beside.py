"""Tests of `dialer apply` with files beside the file of records: recordings, and lists of people."""

from pathlib import Path
from typing import Final

import pytest

from dialer.app.telling.account_events import switch_events
from dialer.domain.words.enums import CampaignStatus
from dialer.files.applying import read_files
from dialer.files.sounds import LocalSounds
from dialer.store.media.files import AUDIO_BYTES_MAX
from dialer.store.media.folder import FolderMedia
from dialer.store.media.orphan_files import GRACE_S, orphans
from dialer.store.tables import AccountEvent, AudioFile, AuditLog, Contact, DncContact, Phonebook, SectionTemplate, User
from tests.api.routes.test_audio import SOUNDS
from tests.app.imports.hostile_workbooks import CASES, EVERYWHERE
from tests.commands.conftest import Outcome, Run
from tests.end_to_end.service import wav
from tests.runtime.house import House

VIRTUAL: Final = {"DIALER_CLOCK": "virtual"}
SURVEY: Final = """\
recordings:
  - {name: Hello, file: sounds/hello.wav}
  - {name: Bye, file: sounds/bye.wav}
surveys:
  - name: Greeting
    sections:
      - {question: Hello, audiofile: Hello}
      - {question: Bye, audiofile: Bye}
"""
DIGITS: Final = "Enter 3 to 15 digits with an optional leading +."
IMPOSSIBLE: Final = "is impossible in its country. Check the number of digits and the country code."
PEOPLE: Final = """\
phonebooks:
  - name: Patients
    contacts: [{contact: +12025550101, full_name: Ada}]
    contacts_file: lists/patients.csv
dnc_lists:
  - name: Never
    numbers_file: {file: lists/never.csv, separator: semicolon, columns: {Phone: phone_number}}
"""


def apply(run: Run, folder: Path, text: str, *options: str) -> Outcome:
    (folder / "records.yaml").write_text(text, "utf-8")
    return run("apply", "records.yaml", *(options or ("--yes",)), **VIRTUAL)


def write(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.fixture
def sounds(tmp_path: Path) -> Path:
    write(tmp_path, "sounds/hello.wav", wav(1.5))
    write(tmp_path, "sounds/bye.wav", wav(0.5))
    return tmp_path


def media(folder: Path) -> set[str]:
    return {path.name for path in (folder / "media").glob("*.wav")}


def test_recordings_are_uploaded_once(run: Run, house: House, sounds: Path) -> None:
    planned = apply(run, sounds, SURVEY, "--dry-run")
    assert planned.out.splitlines()[:4] == [
        "+ recording Hello: new",
        "    file: sounds/hello.wav",
        "+ recording Bye: new",
        "    file: sounds/bye.wav",
    ]
    assert (media(sounds), house.rows(AudioFile)) == (set(), [])
    done = apply(run, sounds, SURVEY)
    assert (done.code, done.err) == (0, "Done.\n")
    rows = house.rows(AudioFile)
    assert [(row["name"], row["format"], row["size"], row["duration_ms"]) for row in rows] == [
        ("Hello", "pcm_s16le", 24_044, 1_500),
        ("Bye", "pcm_s16le", 8_044, 500),
    ]
    assert {row["audio_file"] for row in rows} == media(sounds)
    assert (sounds / "media" / rows[0]["audio_file"]).read_bytes() == wav(1.5)
    assert [row["audiofile_id"] for row in house.rows(SectionTemplate)] == [row["id"] for row in rows]
    entries = len(house.rows(AuditLog))
    again = apply(run, sounds, SURVEY)
    assert (again.out.splitlines()[-1], again.err) == ("0 new, 0 changed, 3 unchanged", "")
    assert (house.rows(AudioFile), media(sounds), len(house.rows(AuditLog))) == (
        rows,
        {row["audio_file"] for row in rows},
        entries,
    )


def test_a_streamed_recording_is_kept_with_its_length_and_is_the_same_the_next_time(
    run: Run, house: House, sounds: Path
) -> None:
    told = wav(1.5)
    write(sounds, "sounds/hello.wav", told[:4] + b"\0\0\0\0" + told[8:40] + b"\0\0\0\0" + told[44:])
    assert apply(run, sounds, SURVEY).code == 0
    (row, _) = house.rows(AudioFile)
    assert (row["size"], row["duration_ms"]) == (len(told), 1_500)
    assert (sounds / "media" / row["audio_file"]).read_bytes() == told
    assert apply(run, sounds, SURVEY).out.splitlines()[-1] == "0 new, 0 changed, 3 unchanged"


def test_a_compressed_recording_is_stored_as_wav_and_is_the_same_the_next_time(
    run: Run, house: House, sounds: Path
) -> None:
    write(sounds, "sounds/hello.wav", (SOUNDS / "tone.mp3").read_bytes())
    assert apply(run, sounds, SURVEY).code == 0
    (row, _) = house.rows(AudioFile)
    assert (row["format"], row["size"], row["duration_ms"]) == ("pcm_s16le", 34_604, 1_080)
    assert (sounds / "media" / row["audio_file"]).stat().st_size == 34_604
    assert apply(run, sounds, SURVEY).out.splitlines()[-1] == "0 new, 0 changed, 3 unchanged"


async def test_another_sound_of_the_same_name_replaces_it_and_started_campaigns_play_the_old_one(
    run: Run, house: House, sounds: Path
) -> None:
    book = "phonebooks: [{name: P, contacts: [{contact: +12025550101}]}]\n"
    campaign = "campaigns: [{name: C, survey: Greeting, gateway: sim, phonebooks: [P]}]\n"
    apply(run, sounds, SURVEY + book + campaign)
    before = house.rows(AudioFile)
    await house.move(1, CampaignStatus.START)
    write(sounds, "sounds/hello.wav", wav(2))
    changed = apply(run, sounds, SURVEY)
    assert changed.out.splitlines()[:2] == [
        "~ recording Hello: changed",
        "    file: another sound, 24044 → 32044 bytes",
    ]
    after = house.rows(AudioFile)
    assert [(row["id"], row["duration_ms"]) for row in after] == [(1, 2_000), (2, 500)]
    assert after[0]["audio_file"] != before[0]["audio_file"]
    late_s = GRACE_S + max(path.stat().st_mtime for path in (sounds / "media").iterdir()) + 1
    swept = house.database.read_now(lambda found: list(orphans(found, FolderMedia(sounds / "media"), late_s)))
    assert swept == []
    assert before[0]["audio_file"] in media(sounds)


def test_recordings_with_the_same_sound_have_files_of_their_own(run: Run, house: House, sounds: Path) -> None:
    """A file is deleted with its recording."""
    two = "recordings: [{name: A, file: sounds/hello.wav}, {name: B, file: sounds/hello.wav}]"
    assert apply(run, sounds, two).code == 0
    names = [row["audio_file"] for row in house.rows(AudioFile)]
    assert (len(set(names)), set(names)) == (2, media(sounds))


def test_a_failed_apply_leaves_no_sound(run: Run, house: House, sounds: Path) -> None:
    wrong = apply(run, sounds, SURVEY + "campaigns: [{name: C, survey: Nothing, gateway: sim}]\n")
    assert wrong.code == 2
    assert "there is no survey 'Nothing'" in wrong.err
    assert (house.rows(AudioFile), media(sounds)) == ([], set())


def test_sounds_that_no_row_took_are_deleted(house: House, sounds: Path) -> None:
    (sounds / "records.yaml").write_text(SURVEY)
    (hello, _, _) = read_files([sounds / "records.yaml"])
    assert hello.file is not None
    local = LocalSounds(FolderMedia(sounds / "media"))
    local.keep(hello.file)

    def fail() -> None:
        assert hello.file is not None
        with local.saved():
            assert local.keep(hello.file).file_name in media(sounds)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert media(sounds) == set()
    assert house.rows(AudioFile) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{name: A, file: gone.wav}", "recordings[0].file: gone.wav cannot be read: No such file or directory"),
        ("{name: A, file: sounds}", "recordings[0].file: sounds is no regular file"),
        ("{name: A, file: /etc/passwd}", "recordings[0].file: '/etc/passwd' is absolute. Give the path from the fol"),
        (
            "{name: A, file: records.yaml}",
            "records.yaml: An MP3, WAV (PCM, A-law or μ-law), FLAC or Ogg Vorbis file is",
        ),
        ("{name: A, file: song.wav}", "recordings[0].file: song.wav: This is "),
        ("{name: A, file: huge.wav}", "recordings[0].file: huge.wav is larger than 20 MiB"),
        ("{name: A, file: ''}", "recordings[0].file: expected the path of a file, of 1000 characters at most"),
        ("{name: A, file: [a.wav]}", "recordings[0].file: expected a text, got a list"),
        ("{name: A}", "recordings[0]: there is no recording 'A' yet, so it needs the field file"),
        ("{file: sounds/hello.wav}", "recordings[0]: a recording needs a name, by which it is found again"),
        ("{name: '', file: sounds/hello.wav}", "recordings[0].name: "),
        ("{name: A, files: b.wav}", "recordings[0].files: unknown field 'files'; did you mean file?"),
    ],
)
def test_a_wrong_recording_is_named_with_its_line(
    run: Run, house: House, sounds: Path, line: str, message: str
) -> None:
    write(sounds, "song.wav", b"ID3" + bytes(100))
    with (sounds / "huge.wav").open("wb") as huge:
        huge.truncate(AUDIO_BYTES_MAX + 1)
    wrong = apply(run, sounds, f"recordings:\n  - {line}\n")
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err.startswith("dialer: records.yaml:2: ")
    assert message in wrong.err
    assert len(wrong.err.splitlines()) == 1
    assert (house.rows(AudioFile), media(sounds)) == ([], set())


def test_people_of_a_csv_file_are_imported_row_by_row(run: Run, house: House, tmp_path: Path) -> None:
    house.perform(lambda unit: switch_events(unit, house.user_id, keep=True))
    numbers = "".join(f"+1202556{place:04},Person {place},Monday\n" for place in range(3_000))
    content = f"contact,full_name,day\n+12025550101,Eve,Monday\n{numbers}none,Bad,x\n+1202556,Short,x\n"
    write(tmp_path, "lists/patients.csv", content.encode())
    write(tmp_path, "lists/never.csv", b"Phone;Note\n+12025550111;x\n12;y\n")
    planned = apply(run, tmp_path, PEOPLE, "--dry-run")
    assert planned.out.splitlines() == [
        "+ do-not-call list Never: new",
        "    lists/never.csv: 1 new, 0 there already, 1 refused",
        f"      lists/never.csv:3: refused: phone_number: '12' has fewer than 3 digits. {DIGITS}",
        "+ phonebook Patients: new",
        "    contacts: 1",
        "    lists/patients.csv: 3002 new, 0 there already, 1 refused",
        f"      lists/patients.csv:3003: refused: contact: 'none' has no digits. {DIGITS}",
        f"      lists/patients.csv:3004: imported, but '+1202556' {IMPOSSIBLE}",
        "2 new, 0 changed, 0 unchanged",
    ]
    assert (house.rows(Contact), house.rows(Phonebook)) == ([], [])
    done = apply(run, tmp_path, PEOPLE, "--yes", "--json")
    patients = done.data["people"][1]
    assert (patients["kind"], patients["name"], patients["file"]) == ("phonebook", "Patients", "lists/patients.csv")
    counts = {name: patients["result"][name] for name in ("imported", "duplicates", "rejected", "warned")}
    assert counts == {"imported": 3_001, "duplicates": 1, "rejected": 1, "warned": 1}
    assert [(one["line"], one["kind"]) for one in patients["result"]["errors"]] == [(3_003, "no_digits")]
    rows = house.rows(Contact)
    assert len(rows) == 3_002
    assert (rows[0]["full_name"], rows[1]["full_name"], rows[1]["additional_vars"]) == (
        "Ada",
        "Person 0",
        '{"day":"Monday"}',
    )
    assert [row["number"] for row in house.rows(DncContact)] == ["+12025550111"]
    told = [row["subject"] for row in house.rows(AccountEvent) if row["type"] == "import.finished"]
    assert told == ["dnc-list/1", "phonebook/1"]
    again = apply(run, tmp_path, PEOPLE)
    assert (again.code, again.err) == (0, "")
    assert again.out.splitlines()[-1] == "0 new, 0 changed, 2 unchanged"
    assert "lists/patients.csv:3003: refused: contact: 'none' has no digits." in again.out
    write(tmp_path, "lists/never.csv", b"Phone;Note\n+12025550112;x\n")
    more = apply(run, tmp_path, PEOPLE)
    assert more.out.splitlines()[:2] == [
        "~ do-not-call list Never: changed",
        "    lists/never.csv: 1 new, 0 there already, 0 refused",
    ]
    assert [row["number"] for row in house.rows(DncContact)] == ["+12025550111", "+12025550112"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("gone.csv", "records.yaml:3: phonebooks[0].contacts_file: gone.csv cannot be read: No such file or directory"),
        ("{separator: tab}", "records.yaml:3: phonebooks[0].contacts_file: needs the field file: the path of the list"),
        ("{file: a.csv, separater: tab}", "contacts_file.separater: unknown field 'separater'; did you mean separator"),
        ("{file: a.csv, separator: x}", "records.yaml:2: phonebooks[0]: separator: 'x' is not a separator. Use one of"),
        ("{file: a.csv, charset: [x]}", "records.yaml:3: phonebooks[0].contacts_file.charset: expected a text, got a"),
        ("a.csv", "a.csv: "),
        ("empty.csv", "empty.csv: The file is empty."),
    ],
)
def test_a_wrong_list_changes_nothing(run: Run, house: House, tmp_path: Path, value: str, message: str) -> None:
    write(tmp_path, "a.csv", b"name\nAda\n")
    write(tmp_path, "empty.csv", b"")
    wrong = apply(run, tmp_path, f"phonebooks:\n  - name: P\n    contacts_file: {value}\n")
    assert (wrong.code, wrong.out) == (2, "")
    assert message in wrong.err
    assert len(wrong.err.splitlines()) == 1
    assert house.rows(Phonebook) == []


@pytest.mark.parametrize(
    "field", ["phonebooks: [{name: P, contacts_file: a.dat}]", "dnc_lists: [{name: P, numbers_file: a.dat}]"]
)
@pytest.mark.parametrize("name", EVERYWHERE)
def test_a_workbook_that_becomes_much_changes_nothing(
    run: Run, house: House, tmp_path: Path, field: str, name: str
) -> None:
    write(tmp_path, "a.dat", CASES[name].make())
    for option in ("--dry-run", "--yes"):
        wrong = apply(run, tmp_path, field, option)
        assert (wrong.code, wrong.out, len(wrong.err.splitlines())) == (2, "", 1)
        assert f"a.dat: {CASES[name].words}" in wrong.err
    assert (house.rows(Phonebook), house.rows(DncContact)) == ([], [])


async def test_a_list_of_a_running_campaign_gets_nobody_from_a_file(run: Run, house: House, tmp_path: Path) -> None:
    write(tmp_path, "p.csv", b"contact\n+12025550101\n")
    text = (
        "phonebooks:\n  - {name: P, contacts_file: p.csv}\n"
        "surveys: [{name: S, sections: [{question: Hi, script: Hi}]}]\n"
        "campaigns: [{name: C, survey: S, gateway: sim, phonebooks: [P]}]\n"
    )
    assert apply(run, tmp_path, text).code == 0
    await house.move(1, CampaignStatus.START)
    assert apply(run, tmp_path, text).out.splitlines()[-1] == "0 new, 0 changed, 3 unchanged"
    write(tmp_path, "p.csv", b"contact\n+12025550101\n+12025550102\n")
    refused = apply(run, tmp_path, text)
    assert (refused.code, len(house.rows(Contact))) == (2, 1)
    assert "records.yaml:2: phonebooks[0]: the campaign 'C' runs and calls this list" in refused.err


def test_a_list_that_breaks_in_the_middle_says_what_is_done(run: Run, house: House, tmp_path: Path) -> None:
    """The second list is gone between the plan and its import: the records and the first list are there."""
    write(tmp_path, "a.csv", b"contact\n+12025550101\n")
    gone = write(tmp_path, "b.csv", b"contact\n+12025550102\n")
    text = "phonebooks:\n  - {name: A, contacts_file: a.csv}\n  - {name: B, contacts_file: b.csv}\n"
    (tmp_path / "records.yaml").write_text(text)

    def agree(_: str) -> bool:
        gone.unlink()
        return True

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dialer.commands.apply._agrees", agree)
        cut = run("apply", "records.yaml", **VIRTUAL)
    assert (cut.code, len(house.rows(Contact)), len(house.rows(Phonebook))) == (1, 1, 2)
    assert cut.err == (
        "dialer: The records are changed; a.csv: 1 imported; b.csv is not imported, or in part:"
        " records.yaml:3: phonebooks[1].contacts_file: b.csv cannot be read: No such file or directory\n"
        "Run the command again: what is done is not done twice.\n"
    )
    write(tmp_path, "b.csv", b"contact\n+12025550102\n")
    assert run("apply", "records.yaml", "--yes", **VIRTUAL).code == 0
    assert [row["number"] for row in house.rows(Contact)] == ["+12025550101", "+12025550102"]


def test_an_export_with_its_files_is_applied_elsewhere(run: Run, house: House, sounds: Path) -> None:
    """A survey comes with its recordings, and a long list with a CSV file; the copy is exported alike."""
    other = house.add(User, username="ben", password_hash="-")
    apply(run, sounds, SURVEY, "--yes", "--user", "ann")
    numbers = [f"+1202555{place:04}" for place in range(2_001)]
    write(
        sounds, "lists/patients.csv", "\n".join(["contact,full_name,day", *(f"{one},=A,x" for one in numbers)]).encode()
    )
    write(sounds, "lists/never.csv", b"Phone\n+12025550111\n")
    people = PEOPLE.replace("contacts: [{contact: +12025550101, full_name: Ada}]", "description: many")
    made = apply(run, sounds, people, "--yes", "--user", "ann")
    assert (made.code, made.err) == (0, "Done.\n")
    refused = run("export", "phonebook", "1", **VIRTUAL)
    assert refused == Outcome(1, "", refused.err)
    assert "a file holds at most 2000 people of a list: give --output" in refused.err
    for name in ("ann", "ben"):
        done = run("export", "account", name, "-o", f"out/{name}.yaml", **VIRTUAL)
        assert (done.code, done.out) == (0, "")
        if name == "ann":
            assert done.err == "out/ann.yaml is written, with 3 files beside it.\n"
            assert sorted(path.name for path in (sounds / "out" / "ann-files").iterdir()) == [
                "bye.wav",
                "hello.wav",
                "patients.csv",
            ]
            assert (sounds / "out/ann-files/hello.wav").read_bytes() == wav(1.5)
            copied = run("apply", "out/ann.yaml", "--yes", "--user", "ben", **VIRTUAL)
            assert (copied.code, copied.out.splitlines()[-1]) == (0, "5 new, 0 changed, 0 unchanged")
            assert (
                run("apply", "out/ann.yaml", "--yes", "--user", "ann", **VIRTUAL).out.splitlines()[-1]
                == "0 new, 0 changed, 5 unchanged"
            )
    texts = [(sounds / "out" / f"{name}.yaml").read_text().replace(f"{name}-files", "files") for name in ("ann", "ben")]
    assert texts[0] == texts[1]
    lists = [(sounds / "out" / f"{name}-files" / "patients.csv").read_text() for name in ("ann", "ben")]
    assert lists[0] == lists[1]
    copies = [row["full_name"] for row in house.rows(Contact) if row["user_id"] == other]
    assert copies == ["=A"] * 2_001
    survey = run("export", "survey", "1", "-o", "out/survey.json", **VIRTUAL)
    assert survey.err == "out/survey.json is written, with 2 files beside it.\n"
    assert "TOML is read only" in run("export", "survey", "1", "-o", "out/survey.toml", **VIRTUAL).err
    for path in (sounds / "media").glob("*.wav"):
        path.unlink()
    gone = run("export", "survey", "1", "-o", "out/survey.yaml", **VIRTUAL)
    assert (gone.code, "the media folder has no sound for survey-files/hello.wav" in gone.err) == (1, True)


def test_records_of_one_name_are_not_exported(run: Run, house: House, tmp_path: Path) -> None:
    for _ in range(2):
        house.survey({"type": 1, "script": "Hi"})
    assert tmp_path.exists()
    twice = run("export", "survey", "1", **VIRTUAL)
    assert (twice.code, twice.out) == (1, "")
    assert "the account has several records of the kind 'survey' called 'survey': rename all but one" in twice.err


def test_the_report_of_a_list_has_all_counts_in_words_and_as_json(run: Run, house: House, tmp_path: Path) -> None:
    write(tmp_path, "lists/never.csv", b"Phone\n+12025550112\n")
    write(tmp_path, "lists/patients.csv", b"contact,full_name\n+12025550111,Ann\n+12025550112,Ben\n,Total 2\n")
    assert apply(run, tmp_path, PEOPLE).code == 0
    write(tmp_path, "lists/patients.csv", b"contact,full_name\n+12025550112,Ben\n+12025550113,Cem\n,Total 2\n")
    text = PEOPLE.replace("Patients", "Guests").replace("    contacts: [{contact: +12025550101, full_name: Ada}]\n", "")
    planned = apply(run, tmp_path, text, "--dry-run")
    some = "    1 of the new ones are on another do-not-call list: campaigns that name it do not call them"
    counts = "    lists/patients.csv: 2 new, 0 there already, 0 refused, 1 totals and notes left out"
    assert planned.out.splitlines()[:4] == [
        "= do-not-call list Never: unchanged",
        "+ phonebook Guests: new",
        counts,
        f"  {some}",
    ]
    done = apply(run, tmp_path, text, "--yes", "--json")
    (_, guests) = done.data["people"]
    assert (guests["result"]["imported"], guests["result"]["totals"]) == (2, 1)
    assert (guests["result"]["on_dnc"], guests["result"]["on_other_dnc"]) == (0, 1)
    assert len(house.rows(Contact)) == 5
