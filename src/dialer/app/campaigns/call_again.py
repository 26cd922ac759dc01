"""Calling again: a new campaign with the settings of one that is over, for people of it whom their outcomes select.

The people are copied in slices, each in a transaction of its own, because a campaign may have a million. A START
copies those who are left, so nobody is lost if the service stops before the last slice.
"""

from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection, func, insert, literal, select, update

from dialer.app.work.errors import ErrorCode, RefusedError, UnknownRecordError
from dialer.app.work.touched_records import touched_campaigns
from dialer.app.work.unit import UnitOfWork
from dialer.domain.rules.call_again import AgainOutcome
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.sentences import Sentence, StateName
from dialer.store.rows.joining.call_again import Judged, copy_people, judge_slice
from dialer.store.tables import Campaign, CampaignPhonebook, Contact, PeopleToCopy

AGAIN_SUFFIX: Final = " \N{EN DASH} again"
COPY_SLICE: Final = 500
"""People whom one transaction looks at: some milliseconds, in which nobody else writes."""
OVER: Final = frozenset({CampaignStatus.ABORT, CampaignStatus.END})
"""Statuses of campaigns whose people a new campaign can call again."""


def name_of_again(name: str, length_max: int) -> str:
    """Return the name of a campaign that calls people of another one again, at most `length_max` characters long."""
    kept = name.removesuffix(AGAIN_SUFFIX)
    return f"{kept[: length_max - len(AGAIN_SUFFIX)]}{AGAIN_SUFFIX}"


def judge_chunk(connection: Connection, campaign_id: int, after: str = "", *, now_ms: int) -> Judged:
    """Return the people of one slice of a campaign: those to call again, and the reasons against the others.

    Raises:
        UnknownRecordError: there is no such campaign.
        RefusedError: the campaign is not over.
    """
    refuse_unless_over(connection, campaign_id)
    return judge_slice(connection, campaign_id, after, now_ms=now_ms)


def refuse_unless_over(connection: Connection, campaign_id: int) -> None:
    """Refuse to call people of a campaign again while it may call them itself.

    Raises:
        UnknownRecordError: there is no such campaign.
        RefusedError: the campaign is not over.
    """
    status = connection.scalar(select(Campaign.status).where(Campaign.id == campaign_id))
    if status is None:
        raise UnknownRecordError(f"There is no campaign {campaign_id}.")
    if status not in OVER:
        raise RefusedError(
            Sentence(
                "The campaign is in %(state)s, so it is not over. Recycle its subscribers, or end it first.",
                state=StateName(CampaignStatus, status),
            ),
            code=ErrorCode.CAMPAIGN_NOT_OVER,
        )


def link(
    unit: UnitOfWork, campaign_id: int, source_id: int, outcomes: Collection[AgainOutcome], *, late_contacts: bool
) -> None:
    """Store that a new campaign calls people of `source_id` with these outcomes again.

    With `late_contacts`, contacts that are added to the phonebooks of `source_id` from now on join it, too. Nobody
    else does.
    """
    unit.connection.execute(update(Campaign).where(Campaign.id == campaign_id).values(source_campaign_id=source_id))
    unit.connection.execute(insert(PeopleToCopy).values(id=campaign_id, outcomes=",".join(sorted(outcomes))))
    if late_contacts:
        newest = select(func.coalesce(func.max(Contact.id), 0)).scalar_subquery()
        books = select(literal(campaign_id), CampaignPhonebook.phonebook_id, newest)
        books = books.where(CampaignPhonebook.campaign_id == source_id).order_by(CampaignPhonebook.id)
        names = ["campaign_id", "phonebook_id", "collected_contact_id"]
        unit.connection.execute(insert(CampaignPhonebook).from_select(names, books))
    unit.note(touched_campaigns(campaign_id))


def copy_chunk(unit: UnitOfWork, campaign_id: int) -> bool:
    """Copy one slice of the people whom a campaign calls again. Return whether some are left."""
    is_left = copy_people(unit.connection, campaign_id, unit.now_ms, COPY_SLICE) >= COPY_SLICE
    unit.note(touched_campaigns(campaign_id))
    return is_left
