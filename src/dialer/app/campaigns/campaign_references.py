"""The protection of campaigns: records that they need cannot be deleted."""

from typing import Final

from sqlalchemy import ColumnElement, Connection, select

from dialer.app.work.errors import USERS_NAMED_MAX, StillUsedError
from dialer.domain.words.enums import CampaignStatus
from dialer.store.tables import SMS, VOICE, Campaign

_UNFINISHED: Final = (CampaignStatus.NEW, CampaignStatus.START, CampaignStatus.PAUSE)
_KINDS: Final = {VOICE: "campaigns", SMS: "sms-campaigns"}


def refuse_while_unfinished(connection: Connection, condition: ColumnElement[bool]) -> None:
    """Raise `StillUsedError` if campaigns that are not over meet a condition; the error names them."""
    refuse_while_named(connection, condition & Campaign.status.in_(_UNFINISHED))


def refuse_while_named(connection: Connection, condition: ColumnElement[bool]) -> None:
    """Raise `StillUsedError` if campaigns meet a condition, even if they are over; the error names them.

    Trials, which are hidden, are left out.
    """
    references: dict[str, list[int]] = {}
    for medium, kind in _KINDS.items():
        query = select(Campaign.id).where(condition, Campaign.medium == medium, Campaign.trial_of_id.is_(None))
        if ids := connection.scalars(query.limit(USERS_NAMED_MAX + 1)).all():
            references[kind] = list(ids)
    if references:
        raise StillUsedError(references)
