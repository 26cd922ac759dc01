"""The state of a gateway's line, in words: whether it works, why not, and since when."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec
from sqlalchemy import RowMapping, select

from dialer.console.parts.cells import TEXT_MAX, Cell
from dialer.console.parts.sound_words import SoundOfCalls, sound_of_calls
from dialer.console.words.language import gettext, gettext_noop
from dialer.domain.calls.plans import SIMULATED, SIP, GatewayKey
from dialer.resources.crud.resource import Unit
from dialer.store.queries.calls_in_progress import gateway_row
from dialer.store.queries.live_overview import gateways_in_use
from dialer.store.queries.sound_of_gateway import sound_of_gateway
from dialer.store.tables import Gateway

GATEWAYS_MAX: Final = 10_000
DAY_MS: Final = 86_400_000
UP: Final = gettext_noop("Up")
REGISTERED: Final = gettext_noop("Registered and up")
DOWN: Final = gettext_noop("Down")
RESTS: Final = gettext_noop("Rests")
SIMULATED_LINE: Final = gettext_noop("Simulated")
NOT_OPENED: Final = gettext_noop("Not opened yet")


class GatewayLine(NamedTuple):
    """The state of a line."""

    word: str
    tone: str
    """`good`, `fair`, `bad`, or empty."""
    why: str
    """Why it is down, in the words of the line; empty if it is not."""
    since_ms: int
    """When it went up or down; 0 if that is unknown."""
    rests_until_ms: int
    """The end of its rest; 0 if it does not rest."""
    is_rest_asked_for: bool
    """True if the carrier asked for the rest."""
    in_use: int
    """Calls or messages in progress."""
    calls_max: int
    """The most calls at once; 0 for any number."""
    asks_options: bool
    """True if the carrier is asked regularly whether it is there."""
    sound: SoundOfCalls | None = None
    """The sound of the last calls of a day; None without any."""


def line_of(unit: Unit, gateway: GatewayKey) -> GatewayLine | None:
    """Return the state of a gateway's line; None if there is no such gateway."""
    row = gateway_row(unit.connection, gateway)
    if row is None:
        return None
    user_id = None if unit.actor.is_admin else unit.actor.id
    uses = gateways_in_use(unit.connection, GATEWAYS_MAX, user_id)
    in_use = next((use.in_use for use in uses if (use.medium, use.id) == (gateway.medium, gateway.id)), 0)
    state = _state(row, unit.now_ms, in_use)
    if row["protocol"] != SIP:
        return state
    qualities = sound_of_gateway(unit.connection, gateway.id, unit.now_ms - DAY_MS, user_id)
    return state._replace(sound=sound_of_calls(qualities))


def cells_of_lines(unit: Unit, medium: str, ids: Sequence[int]) -> list[Cell]:
    """Return a cell for each gateway with the state of its line, and the reason if it is down."""
    query = select(Gateway.__table__).where(Gateway.medium == medium, Gateway.id.in_(ids))
    states = {row["id"]: _state(row, unit.now_ms, 0) for row in unit.connection.execute(query).mappings()}
    cells = []
    for state in (states[identity] for identity in ids):
        text = gettext("Down: %(why)s") % {"why": state.why} if state.why else state.word
        cells.append(Cell(text[:TEXT_MAX], tone=state.tone))
    return cells


def _state(row: RowMapping, now_ms: int, in_use: int) -> GatewayLine:
    is_simulated = row["protocol"] == SIMULATED
    rests_until_ms = row["rests_until_ms"] if row["rests_until_ms"] > now_ms else 0
    parameters = _members(row["parameters"]) if row["protocol"] == SIP else {}
    is_registered = bool(parameters.get("register"))
    why = "" if is_simulated else str(row["line_down"])
    word, tone = _word(row["protocol"], why, row["line_since_ms"], rests_until_ms, is_registered=is_registered)
    return GatewayLine(
        word=gettext(word),
        tone=tone,
        why=why,
        since_ms=0 if is_simulated else row["line_since_ms"],
        rests_until_ms=rests_until_ms,
        is_rest_asked_for=not row["rest_ms"],
        in_use=in_use,
        calls_max=row["max_channels"],
        asks_options=row["protocol"] == SIP and not is_registered and parameters.get("options", True) is True,
    )


def _word(protocol: str, why: str, since_ms: int, rests_until_ms: int, *, is_registered: bool) -> tuple[str, str]:
    if why:
        return DOWN, "bad"
    if rests_until_ms:
        return RESTS, "fair"
    if protocol == SIMULATED:
        return SIMULATED_LINE, "good"
    if not since_ms:
        return NOT_OPENED, ""
    return (REGISTERED if is_registered else UP), "good"


def _members(parameters: str) -> dict[str, object]:
    try:
        return msgspec.json.decode(parameters or "{}", type=dict[str, object])
    except msgspec.MsgspecError:
        return {}
