"""Recordings of whole calls: of a simulated callee, and of one over SIP, whose other side is sipp."""

import io
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from litestar.testing import TestClient
from sqlalchemy import Connection, insert

from dialer.api.app import create_app
from dialer.commands.lines import new_lines
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.words.voices import NO_VOICE
from dialer.runtime.steps.clock import RealClock
from dialer.runtime.steps.worker import Worker
from dialer.settings import Settings
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import Database
from dialer.store.media.files import Media
from dialer.store.media.folder import FolderMedia
from dialer.store.tables import User
from tests.api.harness import PASSWORD, PASSWORD_HASH, Caller
from tests.carriers.sip.sipp import ANSWERS, CLEARED, RINGS, running
from tests.carriers.sip.test_sipp import free_port
from tests.end_to_end.killed_calls import presses_1
from tests.end_to_end.service import upload
from tests.end_to_end.test_sip_campaign import OWN, PRESSES_1, make_campaign
from tests.new_database import new_database
from tests.optional_tools import find_tool

NUMBER: Final = "3545550101"
HANGS_UP_LATER: Final = '<pause milliseconds="1500"/>\n' + OWN
ASKED_MAX: Final = 600
CALL_S_MAX: Final = 120
"""Seconds of a call with a person who presses a key again and again, on a busy machine."""
SIMULATED: Final = {
    "answer": 1,
    "busy": 0,
    "rejected": 0,
    "invalid": 0,
    "congestion": 0,
    "ring": [1, 1],
    "talk": [5, 5],
}


@pytest.fixture
def callers(tmp_path: Path) -> Iterator[tuple[Caller, Caller]]:
    """Run the service on the real clock, with lines in a process of their own, and return its admin and a user."""
    database = Database(new_database(tmp_path), synchronous="OFF")
    now_ms, media = RealClock().now_ms(), tmp_path / "media"

    def furnish(connection: Connection) -> None:
        stamps = {"created_date": now_ms, "updated_date": now_ms, "password_hash": PASSWORD_HASH}
        connection.execute(insert(User).values(username="admin", role="admin", **stamps))
        connection.execute(insert(User).values(username="ann", call_rate=0, **stamps))

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
        new_lines=new_lines(media, "", NO_VOICE),
    )
    with TestClient(create_app(settings, database=database, worker=worker)) as client:
        callers = [Caller(client, name, PASSWORD) for name in ("admin", "ann")]
        callers[0].create("payment", user="/rest-api/users/2/", amount="10")
        yield callers[0], callers[1]
    database.close()


def stored(ann: Caller) -> dict[str, Any]:
    """Return the first recording as soon as it is stored."""
    return recorded(ann, "stored")


def recorded(ann: Caller, state: str) -> dict[str, Any]:
    """Return the first recording as soon as it has a state."""
    for _ in range(ASKED_MAX):
        found = ann.get("call-recording/")["results"]
        if found and found[0]["state"] == state:
            return dict(found[0])
        time.sleep(0.1)
    raise AssertionError("nothing is recorded")


def test_a_call_over_sip_is_heard_afterwards(callers: tuple[Caller, Caller], tmp_path: Path) -> None:
    admin, ann = callers
    port = free_port()
    parameters = {"server": f"127.0.0.1:{port}", "session_expires": 0}
    made = make_campaign(admin, ann, [NUMBER], protocol="sip", parameters=parameters)
    ann.change(made["url"], record="all", record_days=30)
    presses = {NUMBER: RINGS + ANSWERS + presses_1(NUMBER)}
    with running(find_tool("sipp"), tmp_path, port, presses, calls=2, seconds=CALL_S_MAX) as process:
        ann.change(made["url"], status=1)
        assert process.wait(CALL_S_MAX) == 0
    recording = stored(ann)
    answer = ann.request("GET", f"call-recording/{recording['id']}/download/")
    sound = answer.content
    assert (answer.status_code, len(sound)) == (200, recording["size"])
    assert sound[:4] + sound[8:12] + sound[20:28] == b"RIFFWAVE" + bytes([7, 0, 2, 0]) + (8_000).to_bytes(4, "little")
    assert recording["seconds"] == pytest.approx((len(sound) - 58) / 16_000, abs=0.001)
    assert 0.5 < recording["seconds"] < CALL_S_MAX
    files = list((tmp_path / "media" / "recordings").glob("*.call"))
    assert len(files) == 1
    deleted = ann.request("DELETE", f"call-recording/{recording['id']}/")
    assert deleted.status_code == 204
    assert ann.request("GET", f"call-recording/{recording['id']}/download/").status_code == 404


def test_nothing_is_kept_of_a_call_over_sip_whose_callee_refuses(
    callers: tuple[Caller, Caller], tmp_path: Path
) -> None:
    admin, ann = callers
    port = free_port()
    parameters = {"server": f"127.0.0.1:{port}", "session_expires": 0}
    made = make_campaign(admin, ann, [NUMBER], protocol="sip", parameters=parameters)
    notice = upload(ann, "notice", 2)["url"]
    ann.change(made["url"], record="all", record_notice=notice, record_refuse_key="1")
    refuses = PRESSES_1.replace(CLEARED, HANGS_UP_LATER)
    with running(find_tool("sipp"), tmp_path, port, {NUMBER: refuses}, calls=2) as process:
        ann.change(made["url"], status=1)
        assert process.wait(40) == 0
    recording = recorded(ann, "removed")
    told = ("refused", "seconds", "size", "stored_where")
    assert {name: recording[name] for name in told} == {"refused": True, "seconds": 0, "size": 0, "stored_where": ""}
    assert ann.request("GET", f"call-recording/{recording['id']}/download/").status_code == 404
    assert list((tmp_path / "media" / "recordings").glob("*.call")) == []
    assert ann.get("survey-result/")["count"] == 0


def test_nothing_is_kept_of_a_call_over_sip_whose_notice_cannot_be_read(
    callers: tuple[Caller, Caller], tmp_path: Path
) -> None:
    admin, ann = callers
    port = free_port()
    parameters = {"server": f"127.0.0.1:{port}", "session_expires": 0}
    made = make_campaign(admin, ann, [NUMBER], protocol="sip", parameters=parameters)
    before = set((tmp_path / "media").iterdir())
    ann.change(made["url"], record="all", record_notice=upload(ann, "notice", 2)["url"])
    (notice,) = (path for path in set((tmp_path / "media").iterdir()) - before if path.is_file())
    notice.unlink()
    with running(find_tool("sipp"), tmp_path, port, {NUMBER: PRESSES_1}, calls=2):
        ann.change(made["url"], status=1)
        recording = recorded(ann, "removed")
    assert (recording["refused"], recording["seconds"], recording["size"]) == (True, 0, 0)
    assert list((tmp_path / "media" / "recordings").glob("*.call")) == []


def test_a_simulated_callee_is_silent_for_as_long_as_the_call(callers: tuple[Caller, Caller]) -> None:
    admin, ann = callers
    made = make_campaign(admin, ann, [NUMBER], protocol="sim", parameters=SIMULATED)
    ann.change(made["url"], record="all")
    ann.change(made["url"], status=1)
    recording = stored(ann)
    assert io.BytesIO(ann.request("GET", f"call-recording/{recording['id']}/download/").content).getvalue()[58:] == (
        b"\xff" * (recording["size"] - 58)
    )
    assert (recording["phone_number"], recording["stored_where"]) == (f"+{NUMBER}", "")
