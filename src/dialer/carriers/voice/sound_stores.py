"""SoundStores: the places of the recordings of legs, until the recordings begin."""

from typing import Final

from msgspec.structs import replace

from dialer.carriers.voice.sound_room import SoundRoom
from dialer.domain.calls.call_recording import SoundStore, TapeState


class SoundStores:
    """The places of recordings that have not begun: their legs are not answered, or nobody has wanted them yet."""

    def __init__(self, room: SoundRoom) -> None:
        """Prepare it. `room` records legs."""
        self._room: Final = room
        self._waiting: Final[dict[str, SoundStore]] = {}
        self._answered: Final[set[str]] = set()
        """Legs among them that are answered."""

    def add(self, key: str, store: SoundStore) -> None:
        """Keep the place of the recording of a leg that is not answered yet."""
        self._waiting[key] = store
        if store.state is TapeState.REFUSED:
            self._perhaps_begin(key)

    def answered(self, key: str) -> None:
        """Begin the recording of a leg, unless it waits until somebody wants it."""
        if key in self._waiting:
            self._answered.add(key)
            self._perhaps_begin(key)

    def order(self, key: str, state: TapeState) -> None:
        """Change what becomes of the sound of a leg, whether its recording has begun or not."""
        store = self._waiting.get(key)
        if store is None and state is TapeState.REFUSED:
            self._room.discard(key)
        elif store is not None:
            self._waiting[key] = ordered(store, state)
            self._perhaps_begin(key)
        else:
            self._room.silence(key, is_silent=state is TapeState.SILENT)

    def forget(self, key: str) -> None:
        """Discard the place of a leg that is over."""
        self._waiting.pop(key, None)
        self._answered.discard(key)

    def _perhaps_begin(self, key: str) -> None:
        store = self._waiting[key]
        if store.state is TapeState.REFUSED:
            self.forget(key)
            self._room.discard(key, store)
        elif key in self._answered and store.state is not TapeState.WAITING:
            self.forget(key)
            self._room.record(key, store)


def ordered(store: SoundStore, state: TapeState) -> SoundStore:
    """Return the place of a recording that has not begun here, with the state that is ordered now."""
    age_ms = 0 if store.state is TapeState.WAITING else store.age_ms
    return replace(store, state=state, age_ms=age_ms)
