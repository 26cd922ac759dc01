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
    found = ((queue.id, _file(connection, user_id, queue.moh_sound.strip())) for queue in connection.execute(named))
    return tuple(HoldSound(queue_id, file) for queue_id, file in found if file)


def _file(connection: Connection, user_id: int, text: str) -> str | None:
    """Return the file that a text names; of several with one name, the newest. An id goes before a name."""
    match = _ID.fullmatch(text)
    named = or_(AudioFile.id == int(match[1]), AudioFile.name == text) if match else AudioFile.name == text
    own = select(AudioFile.audio_file, AudioFile.id).where(AudioFile.user_id == user_id, named)
    rows = connection.execute(own.order_by(AudioFile.id.desc())).all()
    by_id = (row.audio_file for row in rows if match and row.id == int(match[1]))
    return next(by_id, rows[0].audio_file if rows else None)
