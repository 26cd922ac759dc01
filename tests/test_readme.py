"""Tests that README.md, docs/tour.md and docs/reference are true: the tour works, and the tables match the code."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import pytest

from dialer import connections, passwords, settings_values
from dialer.api.actions import trial_calls, uploads, what_if
from dialer.api.actions.imports import IMPORTS_OF_A_USER_MAX
from dialer.api.answers import spreadsheets
from dialer.api.http import body, throttle
from dialer.api.http.refusals import REFUSALS_A_MINUTE_MAX
from dialer.api.routes import bulk, campaign_check, recordings, text_callbacks
from dialer.api.routes import recycle as recycling
from dialer.app.accounts import api_keys, second_factor, sessions
from dialer.app.call_centre import live_calls
from dialer.app.campaigns import survey_changes
from dialer.app.imports import (
    csv_records,
    first_rows,
    headers,
    imports,
    number_rows,
    preview,
    rejected_lines,
    sheet_parts,
    sheet_process,
    sheet_readers,
    vcard_lines,
    vcards,
    workbooks,
)
from dialer.app.imports import report as import_report
from dialer.carriers import calls_per_second
from dialer.carriers.freeswitch import connection, event_socket_frames
from dialer.carriers.freeswitch import parameters as switch_parameters
from dialer.carriers.media import rtp
from dialer.carriers.texts.http_line import IN_FLIGHT_MAX
from dialer.carriers.texts.smpp_line import MESSAGES_MAX
from dialer.carriers.voice import (
    call_trace,
    clock,
    kept_messages,
    shared_room,
    sound_process,
    speech,
)
from dialer.console.charts import survey_graph
from dialer.domain.billing import money
from dialer.domain.engine import calls_on_hold as holds
from dialer.domain.engine import desk_transfers, inbound
from dialer.domain.engine.call_messages import WAITING_MAX
from dialer.domain.forecast.process_limits import PROCESSES_MAX
from dialer.domain.numbers import by_the_library
from dialer.domain.numbers.shown import SHOWN_NUMBERS_MAX
from dialer.domain.queueing.agents import AGENT_RING_MS_MAX
from dialer.domain.survey import callflow, check
from dialer.domain.survey.heard import HEARD_MAX
from dialer.domain.survey.sections import fields as section_fields
from dialer.domain.words import phrases
from dialer.files import exchange, exporting, kinds, people, reading, request_size, yaml_text
from dialer.forecast import parameters as tried
from dialer.forecast import what_if_queue
from dialer.resources.crud import deleting, fields, ordering, pagination, references, searching
from dialer.resources.records import advancing, campaign_life, campaigns, contacts
from dialer.resources.records.bulk import PARENTS_MAX
from dialer.resources.words import preconditions, strict_json
from dialer.runtime.lines.line_rests import COST_MAX, COST_OF_FAILURE, COST_OF_FAULT
from dialer.runtime.lines.lines import HEARD_OF_GATEWAY_MAX
from dialer.runtime.lines.report_checks import TEXT_MAX as REPORT_TEXT_MAX
from dialer.server import KEEP_ALIVE_S
from dialer.settings import SETTINGS
from dialer.sim.callee_profile import ALWAYS_THE_SAME, parse_behaviour
from dialer.sim.spans import BehaviourError
from dialer.store.media import decoder_process, files, waiting_sounds
from dialer.store.queries import survey_results
from dialer.store.queries.area_codes import AREA_CODES_MAX
from dialer.store.rows.set_aside_reports import KEPT_MS, ROWS_MAX
from dialer.store.rows.texts import text_parts
from dialer.store.rows.texts.incoming_texts import NEWS_MAX, STOPS_MAX
from tests.limits_of_accounts import LIMITS_OF_ACCOUNTS
from tests.limits_of_large_lists import LIMITS_OF_LARGE_LISTS
from tests.limits_of_recordings import LIMITS_OF_RECORDINGS
from tests.limits_of_reports import LIMITS_OF_REPORTS
from tests.limits_of_sip import LIMITS_OF_SIP

ROOT: Final = Path(__file__).parents[1]
README: Final = ROOT / "README.md"
README_BYTES_MAX: Final = 6_000
TOUR: Final = ROOT / "docs" / "tour.md"
REFERENCE: Final = ROOT / "docs" / "reference"
STEP_S_MAX: Final = 120
READY: Final = re.compile(r"dialer is ready at http://(127\.0\.0\.1:[0-9]+)/rest-api/")
BASH: Final = shutil.which("bash") or ""
SHOWN_ADDRESS: Final = "127.0.0.1:8000"
MARK: Final = "=== that was it:"
TOUR_LEAVES: Final = ["dialer.db", "dialer.key", "hello.wav", "media", "patients.csv"]
MIB: Final = 1024 * 1024


class Step(NamedTuple):
    """A command of the tour, and its output."""

    command: str
    output: list[str]


def tour() -> str:
    """Return the commands and answers of docs/tour.md with the sentences between them."""
    return TOUR.read_text("utf-8").partition("\n## ")[0]


def blocks(text: str, language: str) -> list[str]:
    """Return the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def rows(page: str, title: str = "") -> list[list[str]]:
    """Return the rows of the first table of a reference page or section, without the header."""
    _, _, text = (REFERENCE / page).read_text("utf-8").partition(f"# {title}")
    lines = [line for line in text.partition("\n|")[2].partition("\n\n")[0].splitlines() if "|" in line]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def steps() -> list[Step]:
    """Return the commands of the tour in order."""
    found: list[Step] = []
    for line in "".join(blocks(tour(), "console")).splitlines():
        if line.startswith("$ "):
            found.append(Step(line[2:], []))
        elif line.startswith("> "):
            found[-1] = Step(f"{found[-1].command}\n{line[2:]}", [])
        else:
            found[-1].output.append(line)
    return found


def is_shown(shown: list[str], printed: list[str]) -> bool:
    """Return whether lines are as docs/tour.md shows them; `…` ends a shortened line."""
    return len(shown) == len(printed) and all(
        line.startswith(wanted[:-1]) if wanted.endswith("…") else line == wanted
        for wanted, line in zip(shown, printed, strict=True)
    )


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """Run the server of the tour on a free port, and yield its address."""
    (script,) = blocks(tour(), "sh")
    with subprocess.Popen(
        [BASH, "-eu", "-c", script.replace("dialer serve", "exec dialer serve --port 0")],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            match = READY.search(process.stdout.readline() if process.stdout else "")
            assert match, "the server did not start"
            yield match[1]
        finally:
            process.terminate()


def environment() -> dict[str, str]:
    """Return this environment without settings of the service, and with our `dialer` on the path."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("DIALER_")}
    return {**others, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def walk(folder: Path, address: str) -> list[str]:
    """Run the commands of the tour in one shell, and return their outputs."""
    script = "".join(f'{step.command}\necho "{MARK} $?"\n' for step in steps()).replace(SHOWN_ADDRESS, address)
    completed = subprocess.run(
        [BASH, "-u"],
        input=f"exec 2>&1\n{script}",
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
        timeout=STEP_S_MAX,
        check=True,
    )
    return completed.stdout.replace(address, SHOWN_ADDRESS).split(f"{MARK} 0\n")[:-1]


def git(folder: Path, *arguments: str) -> str:
    completed = subprocess.run(["git", *arguments], cwd=folder, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S607
    return completed.stdout


@pytest.mark.skipif(not all(map(shutil.which, ("bash", "curl", "git"))), reason="the tour needs bash, curl and git")
def test_the_tour_prints_what_it_shows_and_leaves_nothing_for_git(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    shutil.copy(ROOT / ".gitignore", tmp_path)
    with server(tmp_path) as address:
        printed = [text.rstrip("\n").splitlines() for text in walk(tmp_path, address)]
    walked = list(zip(steps(), printed, strict=True))
    assert [(step, lines) for step, lines in walked if not is_shown(step.output, lines)] == []
    assert len(walked) > 15
    assert git(tmp_path, "status", "--porcelain", "--untracked-files=all") == "?? .gitignore\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".git", ".gitignore", "tour"]
    assert sorted(path.name for path in (tmp_path / "tour").iterdir()) == TOUR_LEAVES


def test_a_newcomer_reads_a_short_page_whose_commands_come_before_their_output() -> None:
    text = README.read_text("utf-8")
    (commands,) = [block for block in blocks(text, "sh") if "make demo" in block]
    (output,) = blocks(text, "text")
    assert len(text.encode()) <= README_BYTES_MAX
    assert text.index(commands) < text.index(output)
    assert len(output.splitlines()) == 12
    assert {"make demo", "make test", "make console", "make quick", "make lint", ".ci/run"} <= set(
        re.findall(r"make \w+|\.ci/run", text)
    )


def test_every_setting_is_listed_with_its_default() -> None:
    listed = {name.strip("`"): default.strip("`") for name, default, _ in rows("settings.md")}
    assert listed == {setting.variable: setting.default for setting in SETTINGS}


LIMITS: Final = {
    **LIMITS_OF_ACCOUNTS,
    "A JSON body": f"{body.BODY_BYTES_MAX // MIB} MiB",
    "Depth of a JSON body": f"{strict_json.DEPTH_MAX} levels",
    "Objects, lists and commas in a JSON body": f"{strict_json.MEMBERS_MAX:,}",
    "A name (`name`, `full_name`, …)": f"{number_rows.FULL_NAME_MAX} characters (campaigns: {campaign_life.NAME_MAX})",
    "A description, or `additional_vars` as text": f"{fields.TEXT_MAX:,} characters",
    "A section's `script`": f"{section_fields.SCRIPT_MAX:,} characters",
    "References in one list": f"{references.REFERENCES_MAX:,}",
    "Do-not-call lists of a campaign besides its `dnc`": str(campaign_life.DNC_LISTS_MAX),
    "Do-not-call lists that hold for every campaign": str(contacts.GLOBAL_LISTS_MAX),
    "ETags in `If-Match` or `If-None-Match`": str(preconditions.TAGS_MAX),
    "Values in one list of a `recycle`": str(recycling.VALUES_MAX),
    "Caller IDs that a gateway allows (`allowed_callerids`)": f"{SHOWN_NUMBERS_MAX:,}",
    "Processes of one forecast": str(PROCESSES_MAX),
    "Settings of one comparison; its seeds": f"{tried.SETTINGS_MAX}; {tried.COMPARED_SEEDS_MAX}",
    "Product of people, seeds and settings of a comparison, the present setting included": f"{what_if.WORK_MAX:,}",
    "Comparisons of one user, or of one campaign, at the same time": "1",
    "Time for a comparison": f"{what_if_queue.SECONDS_MAX:,} s",
    "Comparisons that are kept in memory": str(what_if_queue.KEPT_MAX),
    "People of a campaign whose check has a forecast": f"{campaign_check.CHECK_PEOPLE_MAX:,}",
    "Time for the forecast of a check": f"{campaign_check.CHECK_FORECAST_SECONDS_MAX} s",
    "API keys of one user": str(api_keys.KEYS_MAX),
    "Refused requests a minute in the audit log": str(REFUSALS_A_MINUTE_MAX),
    "Sections of a survey that is started": f"{check.SECTIONS_MAX:,}",
    "Sections of a survey that the console draws, and to which it adds": f"{survey_graph.SECTIONS_MAX}",
    "Sections of one call one after another that do not wait for the callee": f"{callflow.NODES_PER_CALL_MAX}",
    "Sections of one call": f"{callflow.SECTIONS_PER_CALL_MAX:,}",
    "Sections of one call whose inputs are kept for a replay": f"{HEARD_MAX:,}",
    "A file of `dialer apply`": (
        f"{reading.FILE_BYTES_MAX // MIB} MiB, {yaml_text.NODES_MAX:,} values, {kinds.RECORDS_MAX:,} records of a kind,"
        f" {exchange.FILES_MAX} files"
    ),
    "People of one list in such a file": f"{people.PEOPLE_MAX:,}; a CSV file that it names is an import",
    "Files of one request to `POST /rest-api/apply/`": f"{exchange.REQUEST_BYTES_MAX // MIB} MiB together",
    "Texts, numbers, lists and objects in these files, besides people": f"{request_size.VALUES_MAX:,} together",
    "Contacts and numbers in these files": (
        f"{request_size.PEOPLE_SENT_MAX:,} together; a CSV file that they name is an import"
    ),
    "People of all lists in an exported file that has others beside it": f"{exporting.PEOPLE_TOGETHER_MAX:,}",
    "Records, sections and people in `GET /rest-api/export/`, without long lists": f"{exporting.LOADED_MAX:,}",
    "Area codes looked up to tell whether a campaign calls the United States or Canada": f"{AREA_CODES_MAX:,}",
    "Recordings that a user has sent for files, and that wait": (
        f"{files.USER_FILES_MAX:,}, {files.USER_BYTES_MAX // MIB} MiB, {waiting_sounds.KEPT_S // 3_600} hours"
    ),
    "Changes of a survey that the console can undo": (
        f"{survey_changes.CHANGES_MAX}, of at most {survey_changes.SECTIONS_MAX} sections"
    ),
    "Answers of a section in an aggregate": f"{survey_results.ANSWERS_MAX}",
    "An id": f"1 to {2**63 - 1}",
    "An amount": f"finite, {money.MONEY_PLACES} decimals, below {money.MONEY_LIMIT:,}",
    "A phone number": f"{by_the_library.NUMBER_DIGITS_MIN} to {by_the_library.NUMBER_DIGITS_MAX} digits",
    "Records on a page": f"{pagination.PAGE_SIZE_MAX:,}",
    "Text of a `search`": f"{searching.SEARCH_MAX} characters",
    "Records that one `DELETE` by filter deletes": f"{deleting.DELETED_AT_ONCE_MAX:,}",
    "Fields in `ordering`": f"{ordering.ORDERED_BY_MAX}; 1 for lists that can be long",
    "Request line and headers": f"{connections.HEAD_BYTES_MAX // 1024} KiB",
    "Time for the headers of a request": f"{connections.HEAD_S} s",
    "Time for a body, or for each further MiB": f"{connections.BODY_WINDOW_S} s",
    "Time between two requests of a connection": f"{KEEP_ALIVE_S} s",
    "Time without progress while a client reads an answer": f"{connections.STALLED_S} s",
    "A callback of a carrier of text messages": (
        f"{text_callbacks.CALLBACK_BYTES_MAX // 1024} KiB, {text_callbacks.FIELDS_MAX} fields"
    ),
    "Reports of one gateway that wait for a worker": f"{HEARD_OF_GATEWAY_MAX:,}",
    "A text in a report of a carrier": f"{REPORT_TEXT_MAX:,} characters",
    "Reports of one gateway within a minute that fail a step": f"{COST_MAX // COST_OF_FAILURE}",
    "Reports of one gateway within a minute with a field of nonsense": f"{COST_MAX // COST_OF_FAULT:,}",
    "Reports that are set aside": f"{ROWS_MAX:,} for {KEPT_MS // 86_400_000} days",
    "Callbacks that wait for a worker": f"{NEWS_MAX:,}; {STOPS_MAX:,} for a STOP",
    "Parts of long text messages that wait for the others, of a sender; of a gateway; of the service": (
        f"{text_parts.PARTS_OF_SENDER_MAX}; {text_parts.PARTS_OF_GATEWAY_MAX}; {text_parts.PARTS_MAX:,},"
        f" {'a minute' if text_parts.PARTS_WAIT_MS == 60_000 else ''}"
    ),
    "Messages over one gateway without an answer": f"HTTP: {IN_FLIGHT_MAX}, SMPP: {MESSAGES_MAX}",
    "Texts of surveys that wait for room on one gateway": f"{WAITING_MAX:,}",
    "An audio file": f"{files.AUDIO_BYTES_MAX // MIB} MiB",
    "The process that decodes a compressed recording": (
        f"{decoder_process.MEMORY_BYTES_MAX // MIB} MiB of memory, {decoder_process.CPU_S_MAX} s of CPU"
    ),
    "Uploaded recordings that are decoded at the same time": f"{uploads.DECODED_AT_ONCE_MAX}",
    "Audio of one user": f"{files.USER_BYTES_MAX // MIB} MiB in {files.USER_FILES_MAX:,} files",
    "A CSV file": f"{imports.IMPORT_BYTES_MAX // MIB} MiB",
    "A workbook (.xlsx)": f"{workbooks.WORKBOOK_BYTES_MAX // MIB} MiB packed, {sheet_parts.ROWS_MAX:,} rows",
    "A workbook: its parts together, unpacked; the texts that cells share": (
        f"{sheet_process.UNPACKED_BYTES_MAX // 1024**3} GiB;"
        f" {sheet_parts.TEXTS_BYTES_MAX // MIB} MiB and {sheet_parts.TEXTS_MAX:,}"
    ),
    "A row of a workbook; all its rows, shared texts as often as they are used": (
        f"{sheet_parts.ROW_MAX:,} characters; {sheet_parts.CHARACTERS_MAX:,}"
    ),
    "The first rows of a list by which its columns are told": (
        f"{preview.ROWS_SEEN_MAX}, or {first_rows.FIRST_CHARACTERS_MAX:,} characters"
    ),
    "The process that reads a workbook": (
        f"{sheet_process.MEMORY_BYTES_MAX // MIB} MiB of memory, {sheet_process.CPU_S_MAX} s of CPU"
    ),
    "Workbooks that are read at the same time; of one user": (
        f"{sheet_readers.READERS_MAX}; {sheet_readers.READERS_OF_A_USER_MAX},"
        f" each after a wait of up to {sheet_readers.WAIT_S} s"
    ),
    "A property of a vCard; properties of a card; its numbers": (
        f"{vcard_lines.PROPERTY_MAX:,} characters; {vcards.PROPERTIES_OF_A_CARD_MAX:,}; {vcards.NUMBERS_OF_A_CARD_MAX}"
    ),
    **LIMITS_OF_LARGE_LISTS,
    **LIMITS_OF_RECORDINGS,
    **LIMITS_OF_REPORTS,
    **LIMITS_OF_SIP,
    "A line of a CSV file": f"{csv_records.LINE_BYTES_MAX // 1024} KiB",
    "A body of `POST …/bulk/`": f"{bulk.BULK_BYTES_MAX // MIB} MiB, {bulk.BULK_COMMAS_MAX:,} commas",
    "Recordings in one ZIP file": f"{recordings.RECORDINGS_MAX:,}",
    "Records of one `POST …/bulk/`": f"{bulk.BULK_RECORDS_MAX:,}",
    "Phonebooks or do-not-call lists that one `POST …/bulk/` names": str(PARENTS_MAX),
    "CSV files that one user sends at the same time": str(IMPORTS_OF_A_USER_MAX),
    "Sheets of a workbook among which the console looks for the list": str(preview.SHEETS_TRIED_MAX),
    "Rejected lines in a file of the console": (
        f"{rejected_lines.REJECTED_BYTES_MAX // MIB} MiB of CSV; {spreadsheets.SPREADSHEET_ROWS_MAX:,} in a workbook"
    ),
    "Rejected lines in a report": f"{import_report.ERRORS_MAX:,}",
    "Rejected lines in a report that is a CSV": f"{import_report.CSV_ERRORS_MAX:,}",
    "Columns of a CSV file": str(headers.COLUMNS_MAX),
    "Wrong passwords for a user name from one address": (
        f"{throttle.PAIR_FAILURES_MAX} in {throttle.WINDOW_S / 60:.0f} minutes"
    ),
    "Wrong passwords from one address": f"{throttle.ADDRESS_FAILURES_MAX} in {throttle.WINDOW_S / 60:.0f} minutes",
    "Wrong passwords for a user name from all addresses": (
        f"{throttle.NAME_FAILURES_MAX} in {throttle.WINDOW_S / 60:.0f} minutes"
    ),
    "Wrong codes of a second factor, from all addresses": (
        f"{throttle.PAIR_FAILURES_MAX} in {throttle.WINDOW_S / 60:.0f} minutes"
    ),
    "Time from the password to the code": f"{sessions.SIGN_IN_MS // 60_000} minutes",
    "Time from the key of a second factor to its first code": f"{second_factor.SETUP_MS // 60_000} minutes",
    "Recovery codes of a user": f"{second_factor.RECOVERY_CODES}",
    "Bytes of a body that still arrive after its answer, and are thrown away": (
        f"{connections.LINGERING_BYTES_MAX // MIB} MiB"
    ),
    "Names in `DIALER_OTHER_HOSTS`": f"{settings_values.OTHER_HOSTS_MAX}",
    "Networks in `DIALER_WEBHOOK_NETWORKS`": f"{settings_values.NETWORKS_MAX}",
    "A password": f"{passwords.PASSWORD_LENGTH_MIN} to {passwords.PASSWORD_LENGTH_MAX:,} characters",
    "One advance of the clock": f"{advancing.ADVANCE_MS_MAX // 86_400_000} days",
    "A message of FreeSWITCH's event socket": (
        f"{event_socket_frames.HEAD_BYTES_MAX // 1024} KiB of headers, "
        f"{event_socket_frames.BODY_BYTES_MAX // MIB} MiB of body"
    ),
    "Commands to FreeSWITCH without a reply": f"{connection.REPLIES_MAX:,}, and {connection.REPLY_S:.0f} s for each",
    "Calls whose sound one process carries before the next one is started": f"{shared_room.CALLS_EACH}",
    "Processes that share the sound of a worker's calls over SIP": f"{PROCESSES_MAX}",
    "Orders and prompts that wait for a process that carries sound": f"{sound_process.UNSENT_BYTES_MAX // 1024**2} MiB",
    "Sound that is left out at once if the machine has no time": f"{clock.SKIPPED_MAX * rtp.FRAME_MS // 1_000} s",
    "Channel variables of a FreeSWITCH gateway": f"{switch_parameters.VARIABLES_MAX}",
    "Ringing of an agent's telephone": f"{AGENT_RING_MS_MAX // 1_000} s",
    "Ringing of a supervisor's telephone": f"{AGENT_RING_MS_MAX // 1_000} s",
    "Script of the agents of a campaign (`agent_script`)": f"{campaigns.SCRIPT_MAX:,} characters",
    "Page in another program of a campaign (`crm_url`)": f"{campaigns.CRM_URL_MAX:,} characters",
    "Outcomes among which the agents of a campaign choose (`dispositions`); one of them": (
        f"{phrases.PHRASES_MAX}; {phrases.PHRASE_LENGTH_MAX} characters"
    ),
    "Reasons of a break (`break_reasons` of a queue); one of them": (
        f"{phrases.PHRASES_MAX}; {phrases.PHRASE_LENGTH_MAX} characters"
    ),
    "Wait of a call-back for its agent (`call_back_wait`)": (
        f"{campaigns.CALL_BACK_SECONDS_MAX // 86_400} days; half of the time until the campaign ends"
    ),
    "Hold of a callee by an agent": f"{holds.HOLD_MS_MAX // 60_000} min",
    "Wait of a transferred call for its agent": f"{desk_transfers.FOR_AGENT_MS // 1_000} s",
    "Queues, and agents, that a desk offers for a transfer": f"{live_calls.NAMED_MAX}",
    "Test calls at the same time": f"{trial_calls.TRIALS_MAX} of a process, 1 of a gateway",
    "Messages of calls that are kept for `dialer explain`": (
        f"{kept_messages.LEG_BYTES_MAX // 1024} KiB of a leg, {call_trace.CAPTURE_BYTES_MAX // MIB} MiB in all,"
        f" {kept_messages.KEPT_S // 3_600} hours"
    ),
    "A text that is spoken": (
        f"{speech.TEXT_MAX:,} characters, {speech.SOUND_BYTES_MAX // MIB} MiB of sound,"
        f" {speech.RUN_S:.0f} s of espeak-ng"
    ),
    "Spoken texts that are kept": f"{speech.KEPT_BYTES_MAX // MIB} MiB",
    "Calls that come in over lines, in progress: to a DID, to an account": (
        f"{inbound.CALLS_OF_DID_MAX}, {inbound.CALLS_OF_ACCOUNT_MAX:,}"
    ),
    "Wait for a turn of `max_cps` over SIP and FreeSWITCH": f"about {calls_per_second.SECOND_MS // 1_000} s",
    "Time from the arrival of a call to the answer": f"{inbound.ARRIVAL_MS_MAX // 1_000} s",
}


def test_every_limit_is_the_one_of_the_code() -> None:
    assert {what: limit for what, limit, _ in rows("limits.md")} == LIMITS


def test_the_defaults_of_a_simulated_gateway_are_those_it_has() -> None:
    defaults = {
        name.strip("`"): msgspec.json.decode(default.strip("`"))
        for name, default, _ in rows("simulated-gateway.md", "Parameters\n")
    }
    assert parse_behaviour(defaults) == parse_behaviour({})
    for name, default in defaults.items():
        with pytest.raises(BehaviourError, match=name):
            parse_behaviour({name: f"not {default}"})


def test_every_number_with_a_fixed_behaviour_is_listed() -> None:
    listed = [re.findall(r"\+([0-9]+)", cell) for cell, _ in rows("simulated-gateway.md", "Numbers that always")]
    named = {str(number) for ends in listed for number in range(int(ends[0]), int(ends[-1]) + 1)}
    assert named == ALWAYS_THE_SAME.keys()


def pages() -> list[Path]:
    """Return every page of the documentation."""
    return [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    anchors = {f"#{title.lower().replace(' ', '-')}" for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}
    targets = [target for target in re.findall(r"\]\(([^)]+)\)", text) if "://" not in target]
    files = [page.parent / target.partition("#")[0] for target in targets if target not in anchors]
    assert [file for file in files if not file.exists()] == []
