"""Recordings of calls, their folder and who looks after them, for tests."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, insert, select, update

from dialer.carriers.voice.sealed_spool import SealedSpool
from dialer.domain.calls.call_recording import SoundStore
from dialer.domain.formats.sealed_sound import BLOCK_BYTES, HEADER_BYTES
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.kept_recordings import KeptRecordings
from dialer.store.database.database import Database
from dialer.store.database.service_state import open_state
from dialer.store.database.touched import NOTHING, touch
from dialer.store.media.folder import FolderMedia
from dialer.store.tables import CallRecording, User
from dialer.store.tables.key_ring import RING, GivenKeys
from tests import SECRETS_KEY
from tests.new_database import new_database

NOW_MS: Final = 1_760_000_000_000
KEY: Final = "5a" * 32
WHOLE: Final = HEADER_BYTES + BLOCK_BYTES
GUESSED: Final = 100
OWN: Final = "{:032x}.call"


class Archive:
    """Recordings of an account, their folder, and who looks after them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "recordings"
        self.clock: Final = VirtualClock(NOW_MS)
        self.database: Final = Database(new_database(folder), synchronous="OFF")
        stamps = {"created_date": 0, "updated_date": 0}
        self.write(lambda connection: open_state(connection, NOW_MS))
        self._execute(insert(User).values(id=1, username="ann", password_hash="", **stamps))
        self.keeper = KeptRecordings(self.database, self.clock, FolderMedia(self.folder))

    def add(self, recording_id: int, **values: object) -> None:
        """Add a recording of one block that waits to be measured, and its file."""
        file = f"{recording_id}.call"
        spool = SealedSpool(SoundStore(str(self.folder / file), KEY))
        spool.open()
        spool.write([b"\1" * BLOCK_BYTES])
        row = {"user_id": 1, "callid": file, "phone_number": "+12025550100", "start_date": NOW_MS, "seconds": 1}
        row |= {"size": GUESSED, "file": file, "sound_key": KEY, "state": "waiting"}
        self._execute(insert(CallRecording).values(id=recording_id, **row | values))

    def change(self, recording_id: int, **values: object) -> None:
        self._execute(update(CallRecording).where(CallRecording.id == recording_id).values(**values))

    def rows(self) -> list[tuple[Any, ...]]:
        """Return the id, the state, the size and the name of the file of each recording."""
        columns = CallRecording.id, CallRecording.state, CallRecording.size, CallRecording.file
        query = select(*columns).order_by(CallRecording.id)
        return [tuple(row) for row in self.database.read_now(lambda connection: connection.execute(query).all())]

    def names(self) -> list[str]:
        """Return the names of the files in the folder."""
        return sorted(path.name for path in self.folder.iterdir())

    def numbers(self) -> list[str]:
        query = select(CallRecording.phone_number).order_by(CallRecording.id)
        return list(self.database.read_now(lambda connection: connection.scalars(query).all()))

    async def keep(self, after_ms: int = 0) -> None:
        """Look after all that is due."""
        self.clock.set(self.clock.now_ms() + after_ms)
        while await self.keeper.keep():
            pass

    def write(self, work: Callable[[Connection], object]) -> None:
        """Do work in a transaction."""

        def run(connection: Connection) -> None:
            touch(connection, NOTHING)
            work(connection)

        self.database.write_now(run)

    def _execute(self, statement: Any) -> None:  # noqa: ANN401 - statements of all kinds
        self.write(lambda connection: connection.execute(statement))


@contextmanager
def opened_archive(folder: Path) -> Iterator[Archive]:
    """Open an archive in a folder, with a database of its own."""
    folder.mkdir(exist_ok=True)
    made = Archive(folder)
    with closing(made.database):
        yield made
    RING.hold(GivenKeys(SECRETS_KEY))
