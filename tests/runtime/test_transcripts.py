"""Tests of recordings that are written down: which, whose first, and what is kept of removed ones."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, insert, select

from dialer.carriers.voice import ears as ears_module
from dialer.carriers.voice.ears import EarsAwayError, EarsError
from dialer.domain.formats.sealed_sound import BLOCK_BYTES, wav_header
from dialer.domain.words.transcripts import Ears, Transcript
from dialer.runtime.steps import transcripts
from dialer.runtime.steps.recording_figures import RecordingFigures
from dialer.runtime.steps.transcripts import AWAY_S, CLAIM_MS, FAILS_AFTER_MS, LOOKS_EVERY_S, Transcripts
from dialer.store.media.folder import FolderMedia
from dialer.store.rows.call_recordings import erase_recordings
from dialer.store.tables import CallRecording, Campaign, User
from tests.runtime.recordings_archive import KEY, NOW_MS, WHOLE, Archive, opened_archive

SOUND = b"\1" * BLOCK_BYTES
DUE = {"state": "stored", "size": WHOLE, "text_state": "waiting", "kept_until_ms": None}


class Writer:
    """A writer that gives answers, and notes what it was asked."""

    def __init__(self, archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
        self.archive = archive
        self.figures = RecordingFigures()
        self.answers: dict[int, Transcript | Exception] = {}
        self.asked: list[tuple[bytes, str]] = []
        self.meanwhile: Callable[[], None] = lambda: None
        monkeypatch.setattr(ears_module, "transcript_of", self.write)
        self.transcripts = Transcripts(
            archive.database, archive.clock, FolderMedia(archive.folder), Ears("http://ears/v1"), self.figures
        )

    async def write(self, _ears: Ears, sound: bytes, language: str, _run_s: float) -> Transcript:
        self.asked.append((sound, language))
        self.meanwhile()
        answer = self.answers.get(len(self.asked), Transcript("Hello.", "en"))
        if isinstance(answer, Exception):
            raise answer
        return answer

    def texts(self) -> list[tuple[Any, ...]]:
        columns = CallRecording.text_state, CallRecording.text, CallRecording.text_language
        query = select(*columns).order_by(CallRecording.id)
        return [tuple(row) for row in self.archive.database.read_now(lambda one: one.execute(query).all())]


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened_archive(tmp_path) as made:
        yield made


@pytest.fixture
def writer(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> Writer:
    return Writer(archive, monkeypatch)


async def test_a_stored_recording_is_written_down_once(archive: Archive, writer: Writer) -> None:
    archive.add(1, **DUE)
    archive.add(2, **DUE | {"text_state": "off"})
    archive.add(3, **DUE | {"state": "waiting"})
    assert [await writer.transcripts.work() for _ in range(2)] == [0, LOOKS_EVERY_S]
    assert writer.asked == [(wav_header(len(SOUND)) + SOUND, "")]
    assert writer.texts() == [("done", "Hello.", "en"), ("off", "", ""), ("waiting", "", "")]
    assert (writer.figures.texts_waiting, writer.figures.texts_failed) == (0, 0)


async def test_a_long_recording_is_written_down_in_pieces(
    archive: Archive, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A piece is the whole number of seconds that servers take, and each is a file of its own."""
    monkeypatch.setattr(transcripts, "RATE_HZ", BLOCK_BYTES // 16)
    monkeypatch.setattr(transcripts, "PIECE_S", 4)
    archive.add(1, **DUE)
    writer.answers = {1: Transcript("One", "fr"), 2: Transcript("")}
    await writer.transcripts.work()
    assert [sound for sound, _ in writer.asked] == [wav_header(len(SOUND) // 2) + SOUND[: len(SOUND) // 2]] * 2
    assert writer.texts() == [("done", "One", "fr")]


async def test_each_account_has_its_turn(archive: Archive, writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "TAKEN", 3)
    stamps = {"created_date": 0, "updated_date": 0}
    archive.write(lambda one: one.execute(insert(User).values(id=2, username="bob", password_hash="", **stamps)))
    for number in range(1, 6):
        archive.add(number, **DUE)
    archive.add(6, **DUE, user_id=2)
    await writer.transcripts.work()
    assert [state for state, _, _ in writer.texts()] == ["done", "done", "waiting", "waiting", "waiting", "done"]
    assert writer.figures.texts_waiting == 3


async def test_nobody_there_to_write_is_tried_again(archive: Archive, writer: Writer) -> None:
    archive.add(1, **DUE)
    writer.answers = {1: EarsAwayError("away")}
    assert await writer.transcripts.work() == AWAY_S
    assert (await writer.transcripts.work(), len(writer.asked)) == (LOOKS_EVERY_S, 1)
    archive.clock.set(NOW_MS + CLAIM_MS)
    await writer.transcripts.work()
    assert writer.texts() == [("done", "Hello.", "en")]


async def test_what_cannot_be_written_down_fails_and_holds_up_no_other(archive: Archive, writer: Writer) -> None:
    archive.add(1, **DUE)
    archive.add(2, **DUE)
    archive.add(3, **DUE)
    (archive.folder / "1.call").unlink()
    writer.answers = {1: EarsError("no")}
    while await writer.transcripts.work() == 0:
        pass
    assert sorted(writer.texts()) == [("done", "Hello.", "en"), ("failed", "", ""), ("failed", "", "")]
    assert writer.figures.texts_failed == 2


async def test_after_a_week_it_fails(archive: Archive, writer: Writer) -> None:
    archive.add(1, **DUE)
    archive.clock.set(NOW_MS + 2 * FAILS_AFTER_MS)
    writer.answers = {1: EarsAwayError("away")}
    await writer.transcripts.work()
    assert writer.texts() == [("failed", "", "")]


async def test_nothing_is_kept_of_a_recording_that_is_erased(archive: Archive, writer: Writer) -> None:
    def erase() -> None:
        archive.write(lambda one: erase_recordings(one, CallRecording.id > 0, NOW_MS))

    archive.add(1, **DUE | {"text_state": "done", "text": "My name is Ada.", "text_language": "en"})
    archive.add(2, **DUE)
    writer.meanwhile = erase
    await writer.transcripts.work()
    assert writer.texts() == [("off", "", "")] * 2


async def test_a_recording_is_written_down_by_one_process(archive: Archive, writer: Writer) -> None:
    archive.add(1, **DUE)
    other = Transcripts(
        archive.database, archive.clock, FolderMedia(archive.folder), Ears("http://ears/v1"), RecordingFigures()
    )
    due = archive.database.read_now(other._due)  # noqa: SLF001 - what it has read before the other claims
    await writer.transcripts.work()
    assert await other._write_one(due[0])  # noqa: SLF001 - as above
    assert len(writer.asked) == 1


async def test_recordings_wait_for_their_text_if_their_campaign_wants_one(archive: Archive) -> None:
    values: dict[str, object] = {"user_id": 1, "created_date": 0, "updated_date": 0, "object_id": 0}
    values |= {"startingdate": 0, "expirationdate": 0}
    for number in (1, 2):
        campaign = {"id": number, "name": f"c{number}", "campaign_code": f"c{number}", "transcribe": number == 1}
        archive.write(partial(_insert, values | campaign))
    archive.add(1, campaign_id=1)
    archive.add(2, campaign_id=2)
    archive.add(3, campaign_id=1, file="", size=WHOLE)
    archive.keeper.has_ears = True
    await archive.keep()
    query = select(CallRecording.text_state).order_by(CallRecording.id)
    states = archive.database.read_now(lambda one: one.scalars(query).all())
    assert (states, KEY) == (["waiting", "off", "off"], KEY)


def _insert(values: dict[str, object], connection: Connection) -> None:
    connection.execute(insert(Campaign).values(**values))
