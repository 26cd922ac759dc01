"""What went in: everything that was made before the campaign started."""

from typing import Final

import msgspec
from rich.console import Console
from rich.text import Text

from dialer.demo import phonebook
from dialer.demo.checks import Checks
from dialer.demo.display import heading, indented, table
from dialer.demo.evidence import Counting
from dialer.demo.preparation import CALL_RATE, CAMPAIGN, OWNER, PAID_IN, POPULATION, STARTS, WINDOW, Prepared
from dialer.demo.recordings import RECORDINGS
from dialer.demo.survey import STEPS

LINE_SHOWN: Final = 30
"""Characters of a refused line."""


class Inputs(msgspec.Struct, frozen=True):
    """How much was made, as the API counts it."""

    recordings: int
    contacts: int
    duplicates: int
    unreadable: tuple[tuple[int, str], ...]
    """Lines that were refused: their number in the file, and the reason."""
    called_off: int
    sections: int
    branches: int


def figures(api: Counting, prepared: Prepared, checks: Checks) -> Inputs:
    """The counts, checked against what was sent; of the phonebook, every line of the file must be accounted for."""
    report, called_off = prepared.contacts, prepared.called_off
    lines = phonebook.count_lines(phonebook.PHONEBOOK)
    contacts = api.count("contact", phonebook_id=prepared.phonebook_id)
    checks.same("contacts imported", report["imported"], contacts)
    checks.same("lines of the phonebook", report["imported"] + report["duplicates"] + report["rejected"], lines)
    checks.same("lines refused", report["rejected"], len(report["errors"]))
    checks.same("numbers listed by the import", called_off["imported"], len(phonebook.numbers(phonebook.DO_NOT_CALL)))
    return Inputs(
        recordings=checks.same("recordings", api.count("audio-files"), len(RECORDINGS)),
        contacts=checks.same("contacts", contacts, len(phonebook.numbers(phonebook.PHONEBOOK))),
        duplicates=checks.same("duplicates", report["duplicates"], lines - contacts - len(report["errors"])),
        unreadable=tuple((error["line"], error["reason"]) for error in report["errors"]),
        called_off=checks.same(
            "numbers on the do-not-call list",
            api.count("dnc-contact", dnc_id=prepared.dnc_id),
            len(phonebook.numbers(phonebook.DO_NOT_CALL)),
        ),
        sections=checks.same("sections", api.count("section-template", survey_id=prepared.survey.id), len(STEPS)),
        branches=checks.same("branches", api.count("branching-template"), sum(len(step.branches) for step in STEPS)),
    )


def show(console: Console, inputs: Inputs) -> None:
    """What was made, and the lines that were refused."""
    window = f"{WINDOW[0][:5]} to {WINDOW[1][:5]} where the phone rings, Monday to Friday"
    done = Text("✓", "green")
    rows = [
        ("server", f"dialer serve on an empty SQLite file, its clock at {STARTS}"),
        ("account", f"{OWNER}, {CALL_RATE} a minute; made with dialer users create, as the API makes none"),
        ("payment", f"{PAID_IN}, booked by the admin"),
        (
            "gateway",
            f"simulated: {_percent('answer')} answer, {_percent('machine')} of these are machines",
        ),
        ("audio", f"{inputs.recordings} recordings, WAV, 8 kHz"),
        ("phonebook", f"{inputs.contacts:,} contacts from phonebook.csv, {inputs.duplicates} numbers of it twice"),
        ("do not call", f"{inputs.called_off} numbers from do-not-call.csv"),
        ("survey", f"{inputs.sections} sections, {inputs.branches} branches"),
        ("campaign", f"{CAMPAIGN['frequency']} calls a minute, {window}"),
        ("", f"up to {CAMPAIGN['maxretry']} more attempts when nobody answers, 1 when somebody hangs up half-way"),
    ]
    heading(console, "What goes in", "over the REST API, as any client would send it")
    indented(console, table(["", "", ""], ((done if name else "", name, what) for name, what in rows), left=(0, 1, 2)))
    heading(console, f"{len(inputs.unreadable)} lines of phonebook.csv that cannot be read", "reported, not swallowed")
    lines = phonebook.PHONEBOOK.read_bytes().splitlines()
    refused = (
        (str(line), _start_of(lines[line - 1]), reason.removeprefix("contact: ")) for line, reason in inputs.unreadable
    )
    indented(console, table(["line", "begins with", "reason"], refused, left=(1, 2)))


def _percent(chance: str) -> str:
    return f"{100 * POPULATION[chance]:.0f} %"


def _start_of(line: bytes) -> str:
    text = line.decode(errors="replace")
    return text if len(text) <= LINE_SHOWN else f"{text[:LINE_SHOWN]}…"
