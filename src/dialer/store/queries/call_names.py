"""Names and numbers beside the ids of CDRs and answers, for exports.

They are read from the rows as they are now, so the data of an erased person stays erased.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, FromClause, Select, and_, bindparam, func, join, select

from dialer.domain.words.enums import LegType
from dialer.store.tables import (
    CallDisposition,
    CallRequest,
    Campaign,
    Cdr,
    Contact,
    Phonebook,
    Subscriber,
    SurveyResult,
)

_owned_contacts: Final = join(Contact.__table__, Phonebook.__table__, Phonebook.id == Contact.phonebook_id)
_given = func.nullif(Subscriber.full_name, "")
_NUMBER: Final = func.coalesce(Subscriber.duplicate_contact, Contact.contact, "")
_NAME: Final = func.coalesce(_given, Contact.full_name, "")
_CAMPAIGN: Final = func.coalesce(Campaign.name, "")
_ids: Any = bindparam("ids", expanding=True)


class CdrNames(NamedTuple):
    """The names beside the ids of a CDR, and the agent's disposition of an A-leg; empty where the record is gone."""

    campaign_name: str
    contact_number: str
    contact_name: str
    disposition: str
    disposition_note: str
    disposition_word: str


class AnswerNames(NamedTuple):
    """The names and the number beside the ids of an answer; empty where the record is gone."""

    campaign_name: str
    phone_number: str
    contact_number: str
    contact_name: str


def _of_cdrs() -> Select[*tuple[Any, ...]]:
    """Return the query of CDRs. A contact that has got another owner since is left out."""
    is_own = and_(Contact.id == Cdr.contact_id, Phonebook.user_id == Cdr.user_id)
    is_of_leg = and_(CallDisposition.callrequest_id == Cdr.callrequest_id, Cdr.leg_type == LegType.A_LEG)
    rows: FromClause = (
        Cdr.__table__.outerjoin(Campaign, Campaign.id == Cdr.campaign_id)
        .outerjoin(Subscriber, Subscriber.id == Cdr.subscriber_id)
        .outerjoin(_owned_contacts, is_own)
        .outerjoin(CallDisposition, is_of_leg)
    )
    said = [func.coalesce(CallDisposition.__table__.c[name], "") for name in ("disposition", "note", "word")]
    return select(Cdr.id, _CAMPAIGN, _NUMBER, _NAME, *said).select_from(rows).where(Cdr.id.in_(_ids))


def _of_answers() -> Select[*tuple[Any, ...]]:
    """Return the query of answers. The CDR tells the callee; until it is written, the call request does."""
    is_call = and_(Cdr.callid == SurveyResult.callid, Cdr.leg_type == LegType.A_LEG)
    subscriber_id = func.coalesce(Cdr.subscriber_id, CallRequest.subscriber_id)
    contact_id = func.coalesce(Cdr.contact_id, CallRequest.contact_id)
    is_own = and_(Contact.id == contact_id, Phonebook.user_id == SurveyResult.user_id)
    rows: FromClause = (
        SurveyResult.__table__.outerjoin(Campaign, Campaign.id == SurveyResult.campaign_id)
        .outerjoin(CallRequest, CallRequest.id == SurveyResult.callrequest_id)
        .outerjoin(Cdr, is_call)
        .outerjoin(Subscriber, Subscriber.id == subscriber_id)
        .outerjoin(_owned_contacts, is_own)
    )
    phone_number = func.coalesce(Cdr.phone_number, CallRequest.phone_number, "")
    columns = (SurveyResult.id, _CAMPAIGN, phone_number, _NUMBER, _NAME)
    return select(*columns).select_from(rows).where(SurveyResult.id.in_(_ids))


_CDRS: Final = _of_cdrs()
_ANSWERS: Final = _of_answers()


def names_of_cdrs(connection: Connection, ids: Sequence[int]) -> list[CdrNames]:
    """Return the names of CDRs, in the order of their ids."""
    found = {row_id: CdrNames(*names) for row_id, *names in connection.execute(_CDRS, {"ids": ids})}
    return [found[row_id] for row_id in ids]


def names_of_answers(connection: Connection, ids: Sequence[int]) -> list[AnswerNames]:
    """Return the names and numbers of answers, in the order of their ids."""
    found = {row_id: AnswerNames(*names) for row_id, *names in connection.execute(_ANSWERS, {"ids": ids})}
    return [found[row_id] for row_id in ids]
