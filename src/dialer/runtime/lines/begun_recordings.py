"""Recordings that begin, and those that their callees refuse: they are rows at once, as long as their calls go on."""

from collections.abc import Iterable

from sqlalchemy import Connection

from dialer.domain.calls.call_recording import TapeState
from dialer.domain.sessions.ivr_session import IvrSession
from dialer.domain.sessions.leg_protocol import Texting
from dialer.runtime.lines.line_leg import LineLeg
from dialer.store.journal.begun_recordings import begun_recording, note_begun, note_refused
from dialer.store.journal.call_recordings import RecordingRow


def note_recordings(connection: Connection, legs: Iterable[LineLeg], now_ms: int) -> None:
    """Write what has changed in the recordings of legs whose lines were told another state."""
    begun: list[RecordingRow] = []
    refused: list[str] = []
    for leg in legs:
        session, order = leg.session, leg.order
        if not isinstance(session, IvrSession) or isinstance(order, Texting) or order.sound_store is None:
            continue
        if session.answered_ms is None or leg.tape is TapeState.WAITING:
            continue
        if leg.tape is TapeState.REFUSED:
            refused.append(session.call.callid)
        elif leg.noted is None:
            begun.append(begun_recording(session.call, session.answered_ms, order.sound_store))
        leg.noted = leg.tape
    if begun:
        note_begun(connection, begun)
    note_refused(connection, refused, now_ms)
