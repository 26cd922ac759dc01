"""The keys of recordings that go on, which are sealed within the rows of live legs: they follow a change of the key."""

from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, Row, select, update

from dialer.domain.sessions.leg_protocol import Leg, Texting
from dialer.store.media.call_recordings import resealed
from dialer.store.tables import LiveLeg

AT_ONCE: Final = 1_000


def rotate_live_keys(connection: Connection) -> int:
    """Seal the keys of recordings that go on with the first key of this process. Return their number.

    Those that cannot be read stay as they are.
    """
    count = 0
    for row in _legs(connection):
        if (dialling := _resealed(row.dialling)) is not None:
            connection.execute(update(LiveLeg).where(LiveLeg.key == row.key).values(dialling=dialling))
            count += 1
    return count


def _legs(connection: Connection) -> Iterator[Row[str, str]]:
    after = ""
    query = select(LiveLeg.key, LiveLeg.dialling).order_by(LiveLeg.key).limit(AT_ONCE)
    while rows := connection.execute(query.where(LiveLeg.key > after)).all():
        yield from rows
        after = rows[-1].key


def _resealed(dialling: str) -> str | None:
    """Return the order of a leg with its key sealed anew; None if it has none, or if it cannot be read."""
    try:
        leg: Leg = msgspec.json.decode(dialling, type=Leg)
    except msgspec.DecodeError:
        return None
    store = None if isinstance(leg, Texting) or leg.sound_store is None else resealed(leg.sound_store)
    return None if store is None else msgspec.json.encode(replace(leg, sound_store=store)).decode()
