"""A campaign over a SIP trunk, whose other side is sipp: from an upload to the key that the callee pressed."""

import asyncio
import contextlib
import socket
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import pytest
from litestar.testing import TestClient
from sqlalchemy import Connection, insert

from dialer.api.app import create_app
from dialer.carriers.line_port import Exchange
from dialer.carriers.media.dtmf_inband import tone
from dialer.carriers.voice.line import SipLine
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.calls.plans import SIP
from dialer.runtime.steps.clock import RealClock
from dialer.runtime.steps.worker import Worker
from dialer.settings import Settings
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import Database
from dialer.store.media.files import Media
from dialer.store.media.folder import FolderMedia
from dialer.store.tables import User
from tests.api.harness import PASSWORD, PASSWORD_HASH, Caller
from tests.carriers.sip.sipp import ANSWERS, BRANCHES, CLEARED, HANGS_UP, RINGS, calling, own, receive, refuses, running
from tests.carriers.sip.test_sipp import free_port
from tests.carriers.voice.baresip import baresip
from tests.end_to_end.service import upload
from tests.new_database import new_database
from tests.optional_tools import find_tool

PRESSES_1: Final = (
    RINGS
    + ANSWERS
    + '<pause milliseconds="800"/>\n'
    + own("INFO", 91, "\nContent-Type: application/dtmf-relay", "Signal=1")
    + receive("200")
    + CLEARED
)
OWN: Final = '<pause milliseconds="300"/>\n' + HANGS_UP
RINGS_ON: Final = BRANCHES["1003"]
"""Rings until it is cancelled."""
TRANSFERS: Final = {
    "3545550101": RINGS + ANSWERS + CLEARED,
    "3545550102": PRESSES_1.replace("800", "2500"),
    "3545550201": RINGS + ANSWERS + OWN,
    "3545550202": refuses("486 Busy Here"),
    "3545550301": RINGS_ON,
    "3545550302": RINGS + ANSWERS + OWN,
}
"""Two callees; the telephones to which they are transferred: one answers and hangs up, the other is busy; and those of
two agents, one of whom answers."""
NO_TRANSFERS: Final[Mapping[str, str]] = MappingProxyType({})
ASKED_MAX: Final = 1_000
"""Requests for CDRs, the last of which is written a moment after the other side is done."""
DID: Final = "3545550199"
NUMBERS: Final = {"3545550101": PRESSES_1, "3545550102": PRESSES_1}


@pytest.fixture
def callers(tmp_path: Path) -> Iterator[tuple[Caller, Caller]]:
    """Run the service on the real clock, with lines in its own process, and return its admin and a user."""
    database = Database(new_database(tmp_path), synchronous="OFF")
    now_ms, media = RealClock().now_ms(), tmp_path / "media"

    def furnish(connection: Connection) -> None:
        stamps = {"created_date": now_ms, "updated_date": now_ms, "password_hash": PASSWORD_HASH}
        connection.execute(insert(User).values(username="admin", role="admin", **stamps))
        connection.execute(insert(User).values(username="ann", call_rate=2_000, **stamps))

    def new_line(_gateway_id: int, parameters: str, exchange: Exchange) -> SipLine:
        return SipLine(parameters, exchange, SoundRoom(), SoundFiles(FolderMedia(media)), t1_ms=100)

    database.write_now(furnish)
    settings = Settings(media_dir=media, calling_hours="off")
    worker = Worker(
        database,
        RealClock(),
        seed=1,
        service_zone="UTC",
        new_carrier=SimulatedCarrier,
        hours=read_calling_hours("off"),
        recordings=Media(FolderMedia(media)),
        new_lines={SIP: new_line},
    )
    app = create_app(settings, database=database, worker=worker)
    with TestClient(app) as client:
        callers = [Caller(client, name, PASSWORD) for name in ("admin", "ann")]
        callers[0].create("payment", user="/rest-api/users/2/", amount="10")
        yield callers[0], callers[1]
    database.close()


def make_campaign(
    admin: Caller,
    ann: Caller,
    numbers: Iterable[str],
    transfers: Mapping[str, str] = NO_TRANSFERS,
    **gateway_fields: object,
) -> dict[str, Any]:
    """Create a campaign of one question over a gateway.

    With `transfers`, callees are first transferred to these numbers. Those who are not connected hear the question.
    """
    gateway = admin.create("gateway", name="trunk", removeprefix="+", **gateway_fields)
    phonebook = ann.create("phonebook", name="patients")
    for number in numbers:
        variables = {"transfer_phonenumber": f"+{transfers[number]}"} if transfers else {}
        ann.create("contact", phonebook=phonebook["url"], contact=f"+{number}", additional_vars=variables)
    template = ann.create("survey-template", name="appointment")
    sound = upload(ann, "question", 0.2)["url"]
    section = {"survey": template["url"], "audiofile": sound}
    if transfers:
        ann.create("section-template", **section, order=1, type=6, question="One moment", phonenumber="+3545550200")
    ann.create(
        "section-template",
        **section,
        order=2,
        type=2,
        question="Will you come?",
        key_1="yes",
        timeout=20,
    )
    if transfers:
        first, second = ann.get("section-template/")["results"]
        ann.create("branching-template", section=first["url"], keys="timeout", goto=second["url"])
        ann.create("branching-template", section=first["url"], keys="0", goto=None)
    return dict(
        ann.create(
            "campaigns",
            name="appointments",
            aleg_gateway=gateway["url"],
            object_id=str(template["id"]),
            phonebook=[phonebook["url"]],
            callerid="+3545550199",
            frequency=60,
            maxretry=0,
        )
    )


def test_the_keys_of_the_other_side_are_answers(callers: tuple[Caller, Caller], tmp_path: Path) -> None:
    admin, ann = callers
    port = free_port()
    parameters = {"server": f"127.0.0.1:{port}", "session_expires": 0}
    made = make_campaign(admin, ann, NUMBERS, protocol="sip", parameters=parameters)
    cdrs: list[dict[str, Any]] = []
    with running(find_tool("sipp"), tmp_path, port, NUMBERS, calls=len(NUMBERS) + 1) as process:
        ann.change(made["url"], status=1)
        assert process.wait(40) == 0
    for _ in range(ASKED_MAX):
        cdrs = ann.get("cdr/")["results"]
        if len(cdrs) == len(NUMBERS):
            break
    found = sorted((one["phone_number"], one["hangup_cause_q850"], one["call_cost"]) for one in cdrs)
    assert found == [(f"+{number}", 16, "0.02000") for number in NUMBERS]
    answers = ann.get("survey-result/")["results"]
    assert [(one["question"], one["response"]) for one in answers] == [("Will you come?", "yes")] * len(NUMBERS)


def wait_for_line(port: int) -> None:
    """Wait until the service hears what its carrier says to a port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        probe.settimeout(0.1)
        for place in range(ASKED_MAX):
            via = f"Via: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK{place};rport"
            rest = f"From: <sip:a@b>;tag=1\r\nTo: <sip:c@d>\r\nCall-ID: {place}\r\nCSeq: 1 OPTIONS\r\n\r\n"
            probe.sendto(f"OPTIONS sip:dialer@127.0.0.1 SIP/2.0\r\n{via}\r\n{rest}".encode(), ("127.0.0.1", port))
            with contextlib.suppress(OSError):
                probe.recv(2_000)
                return
    raise AssertionError("nobody listens")


def answering_parameters(ours: int) -> dict[str, Any]:
    """Return the parameters of a gateway that takes calls at a port."""
    return {"server": f"127.0.0.1:{free_port()}", "local_port": ours, "session_expires": 0}


def let_answer(admin: Caller, ann: Caller, campaign: dict[str, Any], ours: int) -> None:
    """Let a campaign dial nobody, and answer the calls to a DID that arrive at a port."""
    ann.change(campaign["url"], startingdate="2037-01-01 00:00:00", expirationdate="2037-01-02 00:00:00")
    ann.change(campaign["url"], status=1)
    did = ann.create("did", did_number=f"+{DID}", campaign=campaign["url"])
    admin.change(did["url"], is_assigned=True)
    wait_for_line(ours)


def test_callers_answer_the_question_whether_they_are_known_or_not(
    callers: tuple[Caller, Caller], tmp_path: Path
) -> None:
    admin, ann = callers
    known, stranger, ours = "3545550101", "3545559999", free_port()
    made = make_campaign(admin, ann, [known], protocol="sip", parameters=answering_parameters(ours))
    let_answer(admin, ann, made, ours)
    with calling(find_tool("sipp"), tmp_path, ours, DID, [known, stranger]) as process:
        assert process.wait(40) == 0
    answers: list[dict[str, Any]] = []
    for _ in range(ASKED_MAX):
        answers = ann.get("survey-result/")["results"]
        if len(answers) == 2:
            break
    assert [(one["question"], one["response"]) for one in answers] == [("Will you come?", "yes")] * 2
    names = ("callerid", "phone_number", "hangup_cause_q850", "call_cost", "subscriber_id")
    cdrs = sorted(tuple(one[name] for name in names) for one in ann.get("cdr/")["results"])
    assert cdrs == [
        (f"+{known}", "+3545550199", 16, "0.00000", 1),
        (f"+{stranger}", "+3545550199", 16, "0.00000", 0),
    ]
    requests = ann.get("callrequest/")["results"]
    assert sorted(one["subscriber"] is None for one in requests) == [False, True]


def prompt(ann: Caller, folder: Path, hz: int) -> str:
    """Upload a tone of ten seconds, and return its URL."""
    SoundFiles(FolderMedia(folder)).write("tone.wav", tone((hz,), 10_000))
    sound = (folder / "tone.wav").read_bytes()
    answer = ann.request("POST", "audio-files/", data={"name": f"{hz}"}, files={"audio_file": ("a.wav", sound)})
    return str(answer.json()["url"])


async def call_and_listen(folder: Path, number: str, ours: int) -> None:
    """Call the DID with baresip, press 1 in the question, and hang up in the prompt after it."""
    async with baresip(folder, number, free_port()) as buttons:
        await buttons.press("dial", f"sip:{DID}@127.0.0.1:{ours}")
        await buttons.hears(440)
        await buttons.press("sndcode", "1")
        await buttons.hears(880)
        await buttons.press("hangup")


def test_a_telephone_that_calls_hears_the_survey_and_hangs_up(callers: tuple[Caller, Caller], tmp_path: Path) -> None:
    admin, ann = callers
    known, ours = "3545550101", free_port()
    made = make_campaign(admin, ann, [known], protocol="sip", parameters=answering_parameters(ours))
    (question,) = ann.get("section-template/")["results"]
    ann.change(question["url"], audiofile=prompt(ann, tmp_path, 440))
    fields = {"survey": question["survey"], "audiofile": prompt(ann, tmp_path, 880)}
    thanks = ann.create("section-template", **fields, order=3, type=1, question="Thank you")
    ann.create("branching-template", section=question["url"], keys="1", goto=thanks["url"])
    let_answer(admin, ann, made, ours)
    asyncio.run(call_and_listen(tmp_path, known, ours))
    cdrs: list[dict[str, Any]] = []
    for _ in range(ASKED_MAX):
        cdrs = ann.get("cdr/")["results"]
        if cdrs:
            break
    names = ("callerid", "phone_number", "hangup_cause_q850", "call_cost", "subscriber_id")
    assert [tuple(one[name] for name in names) for one in cdrs] == [(f"+{known}", f"+{DID}", 16, "0.00000", 1)]
    heard = cdrs[0]["sound"]["heard"]
    assert heard["packets"] > 0
    assert 1 <= heard["mos"] <= 4.42
    answers = ann.get("survey-result/")["results"]
    assert [(one["question"], one["response"]) for one in answers] == [("Will you come?", "yes")]


def put_agents_before_the_question(ann: Caller, contacts: Iterable[str]) -> None:
    """Let callees who were not connected talk to an agent first. All telephones of agents ring at once."""
    queue = ann.create("queue", name="desk", strategy=1)
    for contact in contacts:
        agent = ann.create("agent", name=contact, contact=f"+{contact}", status=2)
        ann.create("tier", queue=queue["url"], agent=agent["url"])
    (missed,) = [one for one in ann.get("branching-template/")["results"] if one["keys"] == "timeout"]
    fields = {"survey": ann.get("survey-template/")["results"][0]["url"], "script": ""}
    desk = ann.create("section-template", **fields, order=3, type=6, question="Our desk", queue=queue["url"])
    ann.create("branching-template", section=desk["url"], keys="0", goto=missed["goto"])
    ann.change(missed["url"], goto=desk["url"])


def test_callees_are_connected_with_other_telephones(callers: tuple[Caller, Caller], tmp_path: Path) -> None:
    admin, ann = callers
    port = free_port()
    parameters = {"server": f"127.0.0.1:{port}", "session_expires": 0}
    first, second, *others = TRANSFERS
    transfers = dict(zip((first, second), others, strict=False))
    made = make_campaign(admin, ann, transfers, transfers, protocol="sip", parameters=parameters)
    put_agents_before_the_question(ann, others[2:])
    with running(find_tool("sipp"), tmp_path, port, TRANSFERS, calls=len(TRANSFERS) + 1) as process:
        ann.change(made["url"], status=1)
        assert process.wait(40) == 0
    cdrs: list[dict[str, Any]] = []
    for _ in range(ASKED_MAX):
        cdrs = ann.get("cdr/")["results"]
        if len(cdrs) == len(TRANSFERS) - 1:
            break
    names = ("leg_type", "phone_number", "hangup_cause_q850", "call_cost")
    found = sorted(tuple(one[name] for name in names) for one in cdrs)
    transfer = ann.get("transfer/")["results"][0]
    assert (len(ann.get("transfer/")["results"]), transfer["is_abandoned"]) == (3, False)
    assert found == [
        (1, f"+{first}", 16, "0.02000"),
        (1, f"+{second}", 16, "0.02000"),
        (2, f"+{others[0]}", 27, "0.02000"),
        (2, f"+{others[1]}", 17, "0.00000"),
        (2, f"+{others[3]}", 27, "0.02000"),
    ]
    answers = {one["response"] for one in ann.get("survey-result/")["results"]}
    assert answers == {f"phonenumber: +{number}" for number in others[:2]} | {"queue: 1", "yes"}
