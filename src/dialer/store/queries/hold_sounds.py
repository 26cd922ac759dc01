"""The music of queues: audio files of the account, named by id, URL or name."""

import re
from typing import Final

from sqlalchemy import Connection, or_, select

from dialer.domain.queueing.plans import HoldSound
from dialer.store.tables import AudioFile, Queue

_ID: Final = re.compile(r"(?:\S*/audio-files/)?0*([1-9][0-9]{0,17})/?", re.ASCII)
"""An id, or a URL that ends with one."""


def hold_sounds(connection: Connection, user_id: int) -> tuple[HoldSound, ...]:
    """Return the music of an account's queues, in the order of their ids.

    A text that names no audio file of the account, such as a stream of a switch, is no music.
    """
    named = select(Queue.id, Queue.moh_sound).where(Queue.user_id == user_id, Queue.moh_sound != "").order_by(Queue.id)
    texts = {row.id: row.moh_sound.strip() for row in connection.execute(named)}
    files = _files(connection, user_id, {*texts.values()}) if texts else {}
    return tuple(HoldSound(queue_id, files[text]) for queue_id, text in texts.items() if text in files)


def names_file(text: str, file_id: int, name: str) -> bool:
    """Return whether the text of a queue names an audio file with this id or name, or would if it were newer."""
    return text.strip() == name or _id_of(text.strip()) == file_id


def _files(connection: Connection, user_id: int, texts: set[str]) -> dict[str, str]:
    """Return the file that each text names; of several with one name, the newest. An id goes before a name."""
    ids = {text: found for text in texts if (found := _id_of(text)) is not None}
    asked = or_(AudioFile.id.in_({*ids.values()}), AudioFile.name.in_(texts))
    own = select(AudioFile.id, AudioFile.name, AudioFile.audio_file).where(AudioFile.user_id == user_id, asked)
    rows = connection.execute(own.order_by(AudioFile.id)).all()
    by_name = {row.name: row.audio_file for row in rows if row.name in texts}
    by_number = {row.id: row.audio_file for row in rows}
    return by_name | {text: by_number[found] for text, found in ids.items() if found in by_number}


def _id_of(text: str) -> int | None:
    match = _ID.fullmatch(text)
    return int(match[1]) if match else None
