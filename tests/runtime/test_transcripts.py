"""Tests of recordings that are written down: which, whose first, and what is kept of removed ones."""

from collections.abc import Callable, Iterator
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Final

import anyio
import anyio.lowlevel
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy import Connection, insert, select, update

from dialer.carriers.voice import ears as ears_module
from dialer.carriers.voice.ears import EarsAwayError, EarsError, EarsUnsureError
from dialer.domain.formats.sealed_sound import BLOCK_BYTES, CHANNELS, HEADER_BYTES, RATE_HZ, wav_header
from dialer.domain.words.transcripts import Ears, Transcript
from dialer.runtime.steps import transcripts
from dialer.runtime.steps.recording_figures import RecordingFigures
from dialer.runtime.steps.transcripts import (
    AWAY_S,
    CLAIM_MS,
    FAILS_AFTER_MS,
    LEAST_RUN_S,
    LOOKS_EVERY_S,
    PIECE_S,
    PIECES_MAX,
    STORE_AWAY_S,
    TAIL_S,
    TRIES_MAX,
    Transcripts,
)
from dialer.store.database.database import StorageUnavailableError
from dialer.store.media.folder import FolderMedia
from dialer.store.rows.call_recordings import erase_recordings
from dialer.store.tables import CallRecording, Campaign, User
from tests.runtime.recordings_archive import KEY, NOW_MS, WHOLE, Archive, opened_archive

SOUND = b"\1" * BLOCK_BYTES
DUE = {"state": "stored", "size": WHOLE, "text_state": "waiting", "kept_until_ms": None}
PIECE_BYTES: Final = PIECE_S * RATE_HZ * CHANNELS
TAIL_BYTES: Final = TAIL_S * RATE_HZ * CHANNELS


class Writer:
    """A writer that gives answers, and notes what it was asked."""

    def __init__(self, archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
        self.archive = archive
        self.figures = RecordingFigures()
        self.answers: dict[int, Transcript | Exception] = {}
        self.asked: list[tuple[bytes, str]] = []
        self.run_s: list[float] = []
        self.meanwhile: Callable[[], None] = lambda: None
        monkeypatch.setattr(ears_module, "transcript_of", self.write)
        self.transcripts = Transcripts(
            archive.database,
            archive.clock,
            FolderMedia(archive.folder),
            Ears("http://ears/v1"),
            self.figures,
            sleep=self.sleep,
        )

    async def sleep(self, _s: float) -> None:
        await anyio.lowlevel.checkpoint()

    async def write(self, _ears: Ears, sound: bytes, language: str, run_s: float) -> Transcript:
        self.run_s.append(run_s)
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
    _cut(monkeypatch)
    archive.add(1, **DUE)
    writer.answers = {1: Transcript("One", "fr"), 2: Transcript("")}
    await writer.transcripts.work()
    assert [sound for sound, _ in writer.asked] == [wav_header(len(SOUND) // 2) + SOUND[: len(SOUND) // 2]] * 2
    assert writer.texts() == [("done", "One", "fr")]


@given(st.integers(0, HEADER_BYTES + 7 * PIECE_BYTES))
@example(HEADER_BYTES + PIECE_BYTES + TAIL_BYTES - 1)
@example(HEADER_BYTES + PIECE_BYTES + TAIL_BYTES)
def test_pieces_follow_each_other_and_none_but_the_first_is_a_tail(size: int) -> None:
    spans = transcripts._spans(size)  # noqa: SLF001 - the sizes are too large to be written
    most = HEADER_BYTES + PIECES_MAX * PIECE_BYTES
    covered = list(chain.from_iterable((span.start, span.stop) for span in spans))
    assert covered == sorted(covered)
    assert all(one.stop == two.start for one, two in pairwise(spans))
    assert sum(map(len, spans)) == (size if size < most + TAIL_BYTES else most) - HEADER_BYTES if spans else not spans
    assert bool(spans) == (size > HEADER_BYTES)
    assert all(len(span) >= TAIL_BYTES for span in spans[1:])
    assert all(len(span) < PIECE_BYTES + TAIL_BYTES for span in spans)


async def test_a_piece_has_time_by_its_length(archive: Archive, writer: Writer) -> None:
    archive.add(1, **DUE)
    await writer.transcripts.work()
    assert writer.run_s == [LEAST_RUN_S]


async def test_what_is_written_down_is_kept_if_the_next_piece_is_refused(
    archive: Archive, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _cut(monkeypatch)
    archive.add(1, **DUE)
    writer.answers = {2: EarsError("no")}
    await writer.transcripts.work()
    assert (writer.texts(), writer.figures.texts_failed) == ([("done", "Hello.", "en")], 0)


async def test_each_account_has_its_turn(archive: Archive, writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "TAKEN", 3)
    _add_user(archive, 2)
    for number in range(1, 6):
        archive.add(number, **DUE)
    archive.add(6, **DUE, user_id=2)
    await writer.transcripts.work()
    assert [state for state, _, _ in writer.texts()] == ["done", "done", "waiting", "waiting", "waiting", "done"]
    assert writer.figures.texts_waiting == 3


async def test_no_account_is_left_out_however_many_there_are(
    archive: Archive, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcripts, "TAKEN", 2)
    for number in range(1, 9):
        archive.add(number, **DUE)
    for user_id in (2, 3):
        _add_user(archive, user_id)
        for number in range(4):
            archive.add(user_id * 10 + number, **DUE, user_id=user_id)
    for _ in range(3):
        await writer.transcripts.work()
    query = select(CallRecording.user_id).where(CallRecording.text_state == "done").order_by(CallRecording.user_id)
    assert archive.database.read_now(lambda one: one.scalars(query).all()) == [1, 1, 2, 2, 3, 3]


async def test_nobody_there_to_write_is_tried_again(archive: Archive, writer: Writer) -> None:
    archive.add(1, **DUE)
    writer.answers = {1: EarsAwayError("away")}
    assert await writer.transcripts.work() == AWAY_S
    assert (await writer.transcripts.work(), len(writer.asked)) == (LOOKS_EVERY_S, 1)
    archive.clock.set(NOW_MS + CLAIM_MS)
    await writer.transcripts.work()
    assert writer.texts() == [("done", "Hello.", "en")]


async def test_what_is_refused_fails_and_holds_up_no_other(archive: Archive, writer: Writer) -> None:
    archive.add(1, **DUE)
    archive.add(2, **DUE)
    archive.add(3, **DUE)
    writer.answers = {1: EarsError("no")}
    while await writer.transcripts.work() == 0:
        pass
    assert sorted(writer.texts()) == [("done", "Hello.", "en"), ("done", "Hello.", "en"), ("failed", "", "")]
    assert writer.figures.texts_failed == 1


@pytest.mark.parametrize("is_readable", [True, False])
async def test_what_does_not_work_is_tried_some_times_and_holds_up_no_other(
    archive: Archive, writer: Writer, *, is_readable: bool
) -> None:
    archive.add(1, **DUE)
    archive.add(2, **DUE | {"text_state": "off"})
    if not is_readable:
        (archive.folder / "1.call").unlink()
    writer.answers = dict.fromkeys(range(1, 100), EarsUnsureError("exit code 1"))
    seen = []
    for number in range(TRIES_MAX):
        assert await writer.transcripts.work() == LOOKS_EVERY_S
        seen.append(writer.texts()[0][0])
        archive.clock.set(archive.clock.now_ms() + CLAIM_MS * 2**number - 1)
        assert await writer.transcripts.work() == LOOKS_EVERY_S
        archive.clock.set(archive.clock.now_ms() + 1)
    assert seen == ["waiting"] * (TRIES_MAX - 1) + ["failed"]
    assert (len(writer.asked), writer.figures.texts_failed) == (TRIES_MAX if is_readable else 0, 1)


async def test_the_others_are_written_down_after_one_that_does_not_work(archive: Archive, writer: Writer) -> None:
    archive.add(1, **DUE)
    archive.add(2, **DUE)
    writer.answers = {1: EarsUnsureError("it takes too long")}
    assert await writer.transcripts.work() == 0
    assert sorted(writer.texts()) == [("done", "Hello.", "en"), ("waiting", "", "")]


async def test_nothing_is_done_while_the_folder_is_not_in_place(archive: Archive, writer: Writer) -> None:
    archive.add(1, **DUE)
    writer.figures.is_in_place = False
    assert await writer.transcripts.work() == LOOKS_EVERY_S
    assert (writer.asked, writer.texts()) == ([], [("waiting", "", "")])
    writer.figures.is_in_place = True
    assert await writer.transcripts.work() == 0
    assert writer.texts() == [("done", "Hello.", "en")]


async def test_a_campaign_that_wants_no_texts_any_more_stops_those_that_wait(
    archive: Archive, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def switch_off() -> None:
        archive.write(lambda one: one.execute(update(Campaign).values(transcribe=False)))

    _cut(monkeypatch)
    _add_campaign(archive, 1, transcribe=True)
    archive.add(1, **DUE, campaign_id=1)
    archive.add(2, **DUE, campaign_id=1)
    writer.meanwhile = switch_off
    due = archive.database.read_now(writer.transcripts._due)  # noqa: SLF001 - what it has read before
    await writer.transcripts._write_one(due[0])  # noqa: SLF001 - as above
    await writer.transcripts._write_one(due[1])  # noqa: SLF001 - as above
    assert await writer.transcripts.work() == LOOKS_EVERY_S
    assert (len(writer.asked), writer.texts()) == (1, [("waiting", "", "")] * 2)
    assert (writer.figures.texts_waiting, writer.figures.texts_failed) == (0, 0)


async def test_a_recording_that_is_erased_meanwhile_is_sent_no_further(
    archive: Archive, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither its next piece goes out, nor is it counted that it failed."""

    def erase() -> None:
        archive.write(lambda one: erase_recordings(one, CallRecording.id == len(writer.asked), NOW_MS))

    _cut(monkeypatch)
    monkeypatch.setattr(transcripts, "AT_ONCE", 1)
    archive.add(1, **DUE)
    archive.add(2, **DUE)
    writer.meanwhile = erase
    writer.answers = {2: EarsError("no")}
    await writer.transcripts.work()
    assert (len(writer.asked), writer.texts()) == (2, [("off", "", "")] * 2)
    assert writer.figures.texts_failed == 0


async def test_a_text_is_stored_after_the_store_was_away(
    archive: Archive, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The recording beside it is not disturbed. If the store stays away, both are tried again later."""
    write, fails = archive.database.write, 0

    async def write_or_fail(work: Callable[[Connection], bool]) -> bool:
        nonlocal fails
        if writer.asked and fails:
            fails -= 1
            raise StorageUnavailableError("away")
        return await write(work)

    archive.add(1, **DUE)
    archive.add(2, **DUE)
    monkeypatch.setattr(archive.database, "write", write_or_fail)
    fails = len(STORE_AWAY_S)
    assert await writer.transcripts.work() == 0
    assert writer.texts() == [("done", "Hello.", "en")] * 2
    archive.add(3, **DUE)
    fails = 100
    assert await writer.transcripts.work() == AWAY_S
    assert writer.texts()[2] == ("waiting", "", "")


async def test_a_recording_is_given_back_when_the_service_ends(
    archive: Archive, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_asked = anyio.Event()

    async def never(*_: object) -> Transcript:
        is_asked.set()
        await anyio.sleep_forever()
        raise AssertionError

    monkeypatch.setattr(ears_module, "transcript_of", never)
    archive.add(1, **DUE)
    async with writer.transcripts.writing():
        await is_asked.wait()
    query = select(CallRecording.text_claimed_ms, CallRecording.text_state, CallRecording.text_tries)
    assert archive.database.read_now(lambda one: [tuple(row) for row in one.execute(query)]) == [(None, "waiting", 0)]


async def test_after_a_week_it_fails(archive: Archive, writer: Writer) -> None:
    archive.add(1, **DUE)
    archive.clock.set(NOW_MS + 2 * FAILS_AFTER_MS)
    writer.answers = {1: EarsAwayError("away")}
    await writer.transcripts.work()
    assert writer.texts() == [("failed", "", "")]


async def test_the_week_begins_anew_when_somebody_asks(archive: Archive, writer: Writer) -> None:
    archive.add(1, **DUE, text_asked_ms=NOW_MS + FAILS_AFTER_MS)
    writer.answers = dict.fromkeys((1, 2, 3), EarsAwayError("away"))
    said = []
    for after_ms in (FAILS_AFTER_MS, 2 * FAILS_AFTER_MS - 1, 2 * FAILS_AFTER_MS):
        archive.clock.set(NOW_MS + after_ms)
        archive.write(lambda one: one.execute(update(CallRecording).values(text_claimed_ms=None)))
        await writer.transcripts.work()
        said += writer.texts()
    assert said == [("waiting", "", "")] * 2 + [("failed", "", "")]


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
    await other._write_one(due[0])  # noqa: SLF001 - as above
    assert len(writer.asked) == 1


async def test_recordings_wait_for_their_text_if_their_campaign_wants_one(archive: Archive) -> None:
    _add_campaign(archive, 1, transcribe=True)
    _add_campaign(archive, 2, transcribe=False)
    archive.add(1, campaign_id=1)
    archive.add(2, campaign_id=2)
    archive.add(3, campaign_id=1, file="", size=WHOLE)
    archive.keeper.has_ears = True
    await archive.keep()
    query = select(CallRecording.text_state).order_by(CallRecording.id)
    states = archive.database.read_now(lambda one: one.scalars(query).all())
    assert (states, KEY) == (["waiting", "off", "off"], KEY)


def _cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a block of sound two pieces."""
    monkeypatch.setattr(transcripts, "RATE_HZ", BLOCK_BYTES // 16)
    monkeypatch.setattr(transcripts, "PIECE_S", 4)


def _add_user(archive: Archive, user_id: int) -> None:
    values = {"id": user_id, "username": f"user{user_id}", "password_hash": "", "created_date": 0, "updated_date": 0}
    archive.write(lambda one: one.execute(insert(User).values(**values)))


def _add_campaign(archive: Archive, campaign_id: int, *, transcribe: bool) -> None:
    values: dict[str, object] = {"user_id": 1, "created_date": 0, "updated_date": 0, "object_id": 0}
    values |= {"startingdate": 0, "expirationdate": 0, "id": campaign_id, "transcribe": transcribe}
    names = {"name": f"c{campaign_id}", "campaign_code": f"c{campaign_id}"}
    archive.write(lambda one: one.execute(insert(Campaign).values(**values, **names)))
