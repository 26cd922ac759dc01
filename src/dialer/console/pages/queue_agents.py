"""The agents of a queue, who are ticked on its page."""

from collections.abc import Iterable
from typing import Any, Final

from litestar import Response, post
from litestar.params import FromPath
from sqlalchemy import select

from dialer.api.service import ApiRequest
from dialer.console.parts.record_addresses import identity_in, record_url
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import go_to
from dialer.console.words.catalogue import PAGES
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given, Shape, parse_given
from dialer.resources.records.queues import QUEUES, TIERS
from dialer.store.tables import Tier

TICK: Final = "agent."
SHOWN: Final = "shown."
"""The beginnings of the names of inputs: an agent who is ticked, and one whom the page has shown."""
_DIGITS_MAX: Final = 19


@post("/queues/{record_id:str}/agents", media_type="text/html")
async def place_agents(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Let the agents who are ticked serve the queue, and no others of those whom the page showed."""
    identity, filled = identity_in(record_id), await read_fields(request)
    ticked, shown = _ids(filled, TICK), _ids(filled, SHOWN)
    await request.service.write(request, lambda unit: _place(unit, identity, ticked, shown))
    return go_to(f"{record_url(PAGES[QUEUES.path], identity, is_form=True)}?saved=1")


def _ids(filled: Iterable[str], start: str) -> set[int]:
    found = (name.removeprefix(start) for name in filled if name.startswith(start))
    return {int(text) for text in found if text.isascii() and text.isdecimal() and len(text) < _DIGITS_MAX}


def _place(unit: Unit, queue_id: int, ticked: set[int], shown: set[int]) -> None:
    """Add and remove tiers. Agents whom somebody else has placed meanwhile, and all levels, stay as they are."""
    records.load(unit, QUEUES, queue_id)
    rows = unit.connection.execute(select(Tier.agent_id, Tier.id).where(Tier.queue_id == queue_id))
    tiers = {row.agent_id: row.id for row in rows}
    for agent_id in sorted((shown - ticked) & tiers.keys()):
        records.delete_record(unit, TIERS, tiers[agent_id])
    for agent_id in sorted(ticked - tiers.keys()):
        given = Given({"queue": str(queue_id), "agent": str(agent_id)})
        records.create_record(unit, TIERS, parse_given(TIERS.write or Shape, given, unit.conventions))
