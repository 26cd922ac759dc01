"""Tests of the names by which a queue finds its music among the audio files of its owner."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import update

from dialer.store.queries.hold_sounds import hold_sounds
from dialer.store.tables import AudioFile, Queue, User
from tests.runtime.house import House


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path)
    yield house
    house.database.close()


def audio_file(house: House, user_id: int, name: str, file: str) -> int:
    facts = {"format": "pcm_s16le", "size": 1, "duration_ms": 1}
    return house.add(AudioFile, user_id=user_id, name=name, audio_file=file, **facts)


def test_a_queue_finds_its_music_by_id_url_and_name_among_the_files_of_its_owner(house: House) -> None:
    other_id = house.add(User, username="other", password_hash="-")
    first = audio_file(house, house.user_id, "Music", "a.wav")
    audio_file(house, house.user_id, "Music", "b.wav")
    audio_file(house, house.user_id, str(first), "named-as-an-id.wav")
    audio_file(house, house.user_id, "7000", "digits.wav")
    theirs = audio_file(house, other_id, "Theirs", "theirs.wav")
    queue_id = house.queue()

    def found(text: str) -> str:
        house.database.write_now(
            lambda connection: connection.execute(update(Queue).where(Queue.id == queue_id).values(moh_sound=text))
        )
        sounds = house.database.read_now(partial(hold_sounds, user_id=house.user_id))
        assert {sound.queue_id for sound in sounds} <= {queue_id}
        return sounds[0].file if sounds else ""

    texts = (
        "Music",
        f" {first} ",
        f"/rest-api/audio-files/{first}/",
        f"https://example.com/rest-api/audio-files/{first}",
        "7000",
    )
    assert [found(text) for text in texts] == ["b.wav", "a.wav", "a.wav", "a.wav", "digits.wav"]
    none = ("", " ", "local_stream://moh", "music", str(theirs), "Theirs", f"/rest-api/audio-files/{theirs}/", "9" * 30)
    assert [found(text) for text in none] == [""] * len(none)
    assert house.database.read_now(partial(hold_sounds, user_id=other_id)) == ()
