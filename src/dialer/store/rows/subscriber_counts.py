"""The counters of subscribers by state: triggers write down every move, and each step of the worker counts them."""

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    delete,
    func,
    select,
    true,
    union_all,
)

from dialer.domain.figures.statistics import SubscriberState
from dialer.store.backends.expressions import insert_or
from dialer.store.database.bulk import Bulk
from dialer.store.queries.selection import Shards, in_shards, of_shards
from dialer.store.tables import Campaign, SubscriberCount, SubscriberMove

_KEY: Final = ("campaign_id", "phonebook_id", "status", "status_reason")
_COUNTED: Final = (*_KEY, "subscribers", "attempted")


def _moved() -> Select[Any]:
    """Return a query of the moves as growths of the counters: one subscriber less here, one more there."""
    left = select(
        SubscriberMove.user_id,
        SubscriberMove.campaign_id,
        SubscriberMove.phonebook_id,
        SubscriberMove.was_status.label("status"),
        SubscriberMove.was_reason.label("status_reason"),
        (-SubscriberMove.subscribers).label("subscribers"),
        (-SubscriberMove.subscribers * SubscriberMove.was_attempted).label("attempted"),
    ).where(SubscriberMove.was_status.is_not(None))
    joined = select(
        SubscriberMove.user_id,
        SubscriberMove.campaign_id,
        SubscriberMove.phonebook_id,
        SubscriberMove.status,
        SubscriberMove.status_reason,
        SubscriberMove.subscribers,
        SubscriberMove.subscribers * SubscriberMove.attempted,
    ).where(SubscriberMove.status.is_not(None))
    moved = union_all(left, joined).subquery()
    return select(moved)


def _fold(*, is_own: bool) -> Any:  # noqa: ANN401 - the dialect's own INSERT
    moved = _moved().subquery()
    grown = (
        select(*[moved.c[name] for name in _KEY], func.sum(moved.c.subscribers), func.sum(moved.c.attempted))
        .where(moved.c.campaign_id.in_(select(Campaign.id)))  # Without those in deleted campaigns.
        .group_by(*[moved.c[name] for name in _KEY])
        .order_by(*[moved.c[name] for name in _KEY])
    )
    if is_own:
        grown = of_shards(grown, moved.c.user_id)
    added = insert_or(SubscriberCount.__table__).from_select(_COUNTED, grown, include_defaults=False)
    return added.on_conflict_do_update(
        index_elements=_KEY,
        set_={name: SubscriberCount.__table__.c[name] + added.excluded[name] for name in ("subscribers", "attempted")},
    )


_HAS_MOVES: Final = select(SubscriberMove.id).limit(1)
_FOLD: Final = Bulk(_fold(is_own=False), ())
_FORGET: Final = Bulk(delete(SubscriberMove), ())
_HAS_OWN_MOVES: Final = of_shards(_HAS_MOVES, SubscriberMove.user_id)
_FOLD_OWN: Final = _fold(is_own=True)
_FORGET_OWN: Final = delete(SubscriberMove).where(in_shards(SubscriberMove.user_id))


def count_moves(connection: Connection, shards: Shards, *, has_moves: bool = False) -> None:
    """Add the moves in the campaigns of the accounts in `shards` to the counters, of which the caller may know some."""
    if shards is None:
        if has_moves or connection.scalar(_HAS_MOVES) is not None:
            _FOLD.put(connection, [()])
            _FORGET.put(connection, [()])
        return
    own = {"shards": sorted(shards)}
    if has_moves or connection.scalar(_HAS_OWN_MOVES, own) is not None:
        connection.execute(_FOLD_OWN, own)
        connection.execute(_FORGET_OWN, own)


def subscribers_by_state(
    connection: Connection, campaign_id: int | None, user_id: int | None, purpose: str | None = None
) -> list[SubscriberState]:
    """Return the number of subscribers, and of those with an attempt, by status and reason.

    They are those of a campaign, else of a user, else of everybody; of campaigns with one purpose only if it is given.
    States without subscribers are left out.
    """
    if campaign_id is None and purpose is not None:
        is_meant = Campaign.purpose == bindparam("purpose")
        query = _by_state(is_meant if user_id is None else is_meant & (Campaign.user_id == bindparam("owner")))
        rows = connection.execute(query, {"owner": user_id, "purpose": purpose})
        return [SubscriberState(*row) for row in map(tuple, rows)]
    by_owner, owner = (_OF_CAMPAIGN, campaign_id) if campaign_id is not None else (_OF_USER, user_id)
    query = _OF_EVERYBODY if owner is None else by_owner
    return [SubscriberState(*row) for row in map(tuple, connection.execute(query, {"owner": owner}))]


def subscribers_of_campaigns(connection: Connection, campaign_ids: Collection[int]) -> dict[int, list[SubscriberState]]:
    """Return, of each campaign, the number of subscribers, and of those with an attempt, by status and reason."""
    found: dict[int, list[SubscriberState]] = {one: [] for one in campaign_ids}
    for campaign_id, *state in map(tuple, connection.execute(_OF_CAMPAIGNS, {"ids": list(campaign_ids)})):
        found[campaign_id].append(SubscriberState(*state))
    return found


def has_subscribers_without_phonebook(connection: Connection, campaign_id: int) -> bool:
    """Return whether a campaign has subscribers who came from no phonebook."""
    return bool(connection.execute(_WITHOUT_PHONEBOOK, {"owner": campaign_id}).all())


_stored = select(*[SubscriberCount.__table__.c[name] for name in _COUNTED])
_uncounted = _moved().subquery()
_every = union_all(_stored, select(*[_uncounted.c[name] for name in _COUNTED])).subquery()
_STATE: Final = (_every.c.status, _every.c.status_reason)


def _by(keys: Sequence[ColumnElement[Any]], is_meant: ColumnElement[bool]) -> Select[Any]:
    """Return a query of the numbers of subscribers by the given keys, in their order."""
    subscribers = func.sum(_every.c.subscribers)
    found = select(*keys, subscribers, func.sum(_every.c.attempted)).where(is_meant)
    return found.group_by(*keys).having(subscribers != 0).order_by(*keys)


def _by_state(of_campaigns: ColumnElement[bool]) -> Select[Any]:
    return _by(_STATE, _every.c.campaign_id.in_(select(Campaign.id).where(of_campaigns)))


_OF_CAMPAIGN: Final = _by_state(Campaign.id == bindparam("owner"))
_OF_CAMPAIGNS: Final = _by((_every.c.campaign_id, *_STATE), _every.c.campaign_id.in_(bindparam("ids", expanding=True)))
_OF_USER: Final = _by_state(Campaign.user_id == bindparam("owner"))
_OF_EVERYBODY: Final = _by_state(true())
_WITHOUT_PHONEBOOK: Final = _by(
    (_every.c.phonebook_id,), (_every.c.campaign_id == bindparam("owner")) & (_every.c.phonebook_id == 0)
)
