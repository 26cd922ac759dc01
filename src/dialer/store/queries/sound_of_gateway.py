"""The sound of the last calls over a gateway."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, select

from dialer.domain.calls.sound_quality import SoundQuality, read_quality
from dialer.store.tables import Cdr

LOOKED_AT: Final = 2_000
"""The newest call detail records that are looked at, those of other gateways and without sound included."""


def sound_of_gateway(connection: Connection, gateway_id: int, since_ms: int, user_id: int | None) -> list[SoundQuality]:
    """Return the sound of the newest calls over a gateway since a moment, of one account or of all (None)."""
    newest = select(Cdr.id, Cdr.gateway_id, Cdr.sound, Cdr.starting_date).order_by(Cdr.id.desc()).limit(LOOKED_AT)
    if user_id is not None:
        newest = newest.where(Cdr.user_id == user_id)
    last = newest.subquery()
    query = select(last.c.sound).where(
        last.c.gateway_id == gateway_id, last.c.starting_date >= since_ms, last.c.sound.is_not(None)
    )
    texts: Sequence[str] = connection.scalars(query).all()
    return [read_quality(text) for text in texts]
