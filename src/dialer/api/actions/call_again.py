"""A campaign that calls people of another one again: its creation, slice by slice, for the API and the console."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import func, select

from dialer.api.service import ApiRequest
from dialer.app.campaigns.call_again import copy_chunk, judge_chunk, link, name_of_again, refuse_unless_over
from dialer.app.work.errors import ErrorCode
from dialer.app.work.unit import UnitOfWork
from dialer.domain.rules.call_again import AgainOutcome, NotAgain
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.shapes import Parsed
from dialer.resources.records.campaign_life import NAME_MAX, copy_record
from dialer.resources.words.errors import ConflictError
from dialer.store.rows.joining.call_again import Judged, copying_from
from dialer.store.tables import Campaign

NOBODY: Final = "Nobody with these outcomes can be called again."
TAKEN: Final = Sentence("Another campaign has called people of this one again meanwhile. Count them again.")


class Again(NamedTuple):
    """The people of an ended campaign: those to call again, by outcome, and the others, by reason."""

    by_outcome: Counter[AgainOutcome]
    kept: Counter[NotAgain]
    newest_id: int | None = 0
    """The newest campaign that called people of this one again when the count began; 0 for none.

    None if one was still copying them then, so that the count is of a moment in between.
    """

    def people(self, outcomes: Collection[AgainOutcome]) -> int:
        """Return the number of people with some outcomes."""
        return sum(count for outcome, count in self.by_outcome.items() if outcome in outcomes)


class AgainAsked(NamedTuple):
    """The order to call people of a campaign again."""

    outcomes: tuple[AgainOutcome, ...]
    fields: Mapping[str, Any]
    """The fields in which the new campaign differs from the other one."""
    late_contacts: bool
    confirm: int | None
    """The number of people that the client expects; None for any."""


async def finish_orders(request: ApiRequest, campaign_id: int, check: Callable[[Unit], None]) -> None:
    """Copy the people whom earlier orders left when the service stopped. `check` is called in the transaction."""

    def read(unit: Unit) -> list[int]:
        check(unit)
        return copying_from(unit.connection, campaign_id)

    for unfinished in await request.service.read(request, read):
        await copy_all(request, unfinished)


async def count_people(request: ApiRequest, campaign_id: int, check: Callable[[Unit], None]) -> Again:
    """Count the people of a campaign by outcome, slice by slice. `check` is called in each transaction.

    Raises:
        RefusedError: the campaign is not over.
    """
    newest = await request.service.read(request, lambda unit: _settled_newest(unit, campaign_id))
    found = Again(Counter(), Counter(), newest)
    after: str | None = ""
    while after is not None:
        begin = after

        def read(unit: Unit, begin: str = begin) -> Judged:
            check(unit)
            return judge_chunk(unit.connection, campaign_id, begin, now_ms=unit.now_ms)

        judged = await request.service.read(request, read, is_long=True)
        found.by_outcome.update(judged.people.values())
        found.kept.update(judged.kept)
        after = judged.after
    return found


def refuse_to_call(counted: Again, asked: AgainAsked) -> None:
    """Refuse to call again nobody, or another number of people than the client expects.

    Raises:
        ConflictError: the order is refused.
    """
    people = counted.people(asked.outcomes)
    if not people:
        raise ConflictError(NOBODY, code=ErrorCode.NOTHING_TO_DO)
    if asked.confirm is not None and asked.confirm != people:
        raise ConflictError(
            Sentence(
                "%(people)s people would be called again, not %(confirm)s. Count them again.",
                people=people,
                confirm=asked.confirm,
            ),
            code=ErrorCode.COUNT_CHANGED,
        )


def _settled_newest(unit: Unit, campaign_id: int) -> int | None:
    """Return the newest campaign that calls people of a campaign again; 0 for none, None if one still copies them."""
    if copying_from(unit.connection, campaign_id):
        return None
    query = select(func.max(Campaign.id)).where(Campaign.source_campaign_id == campaign_id)
    return unit.connection.scalar(query) or 0


def _refuse_stale(unit: Unit, campaign_id: int, counted: Again) -> None:
    """Refuse to call people again who may belong to another such order since they were counted."""
    newest = _settled_newest(unit, campaign_id)
    if newest is None or newest != counted.newest_id:
        raise ConflictError(TAKEN, code=ErrorCode.COUNT_CHANGED)


def create_again(unit: Unit, resource: Resource, campaign_id: int, asked: AgainAsked, counted: Again) -> int:
    """Create the new campaign, still without its people, and return its id. `counted` is what was counted before.

    Raises:
        ConflictError: another order has called people of the campaign again since the count.
        RecordNotFoundError: there is no such campaign, or the caller may not see it.
        RefusedError: the campaign is not over.
        InvalidError: a given field is wrong.
    """
    _refuse_stale(unit, campaign_id, counted)
    name = unit.connection.scalar(select(Campaign.name).where(Campaign.id == campaign_id)) or ""
    fields = {"name": name_of_again(name, NAME_MAX), "phonebook": (), **asked.fields}
    created = copy_record(unit, resource, campaign_id, Parsed(fields, {}, ()))
    refuse_unless_over(unit.connection, campaign_id)
    link(unit, created.record_id, campaign_id, asked.outcomes, late_contacts=asked.late_contacts)
    return created.record_id


async def copy_all(request: ApiRequest, campaign_id: int) -> None:
    """Copy the people of a new campaign, each slice in a transaction of its own."""

    def copy(unit: UnitOfWork) -> bool:
        return copy_chunk(unit, campaign_id)

    while await request.service.write(request, copy, is_long=True):
        pass
