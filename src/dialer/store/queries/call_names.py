"""Names and numbers beside the ids of CDRs and answers, for exports.

They are read from the rows as they are now, so the data of an erased person stays erased.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, FromClause, Select, and_, bindparam, func, join, select

from dialer.domain.enums import LegType
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

_cdrs = Cdr.__table__
_results = SurveyResult.__table__
_requests = CallRequest.__table__
_dispositions = CallDisposition.__table__
_campaigns = Campaign.__table__
_subscribers = Subscriber.__table__
_contacts = Contact.__table__
_phonebooks = Phonebook.__table__
_owned_contacts: Final = join(_contacts, _phonebooks, _phonebooks.c.id == _contacts.c.phonebook_id)
_given = func.nullif(_subscribers.c.full_name, "")
_NUMBER: Final = func.coalesce(_subscribers.c.duplicate_contact, _contacts.c.contact, "")
_NAME: Final = func.coalesce(_given, _contacts.c.full_name, "")
_CAMPAIGN: Final = func.coalesce(_campaigns.c.name, "")
_ids: Any = bindparam("ids", expanding=True)


class CdrNames(NamedTuple):
    """The names beside the ids of a CDR, and the agent's disposition of an A-leg; empty where the record is gone."""

    campaign_name: str
    contact_number: str
    contact_name: str
    disposition: str
    disposition_note: str


class AnswerNames(NamedTuple):
    """The names and the number beside the ids of an answer; empty where the record is gone."""

    campaign_name: str
    phone_number: str
    contact_number: str
    contact_name: str


def _of_cdrs() -> Select[Any]:
    """Return the query of CDRs. A contact that has got another owner since is left out."""
    is_own = and_(_contacts.c.id == _cdrs.c.contact_id, _phonebooks.c.user_id == _cdrs.c.user_id)
    is_of_leg = and_(_dispositions.c.callrequest_id == _cdrs.c.callrequest_id, _cdrs.c.leg_type == LegType.A_LEG)
    rows: FromClause = (
        _cdrs.outerjoin(_campaigns, _campaigns.c.id == _cdrs.c.campaign_id)
        .outerjoin(_subscribers, _subscribers.c.id == _cdrs.c.subscriber_id)
        .outerjoin(_owned_contacts, is_own)
        .outerjoin(_dispositions, is_of_leg)
    )
    said = [func.coalesce(_dispositions.c[name], "") for name in ("disposition", "note")]
    return select(_cdrs.c.id, _CAMPAIGN, _NUMBER, _NAME, *said).select_from(rows).where(_cdrs.c.id.in_(_ids))


def _of_answers() -> Select[Any]:
    """Return the query of answers. The CDR tells the callee; until it is written, the call request does."""
    is_call = and_(_cdrs.c.callid == _results.c.callid, _cdrs.c.leg_type == LegType.A_LEG)
    subscriber_id = func.coalesce(_cdrs.c.subscriber_id, _requests.c.subscriber_id)
    contact_id = func.coalesce(_cdrs.c.contact_id, _requests.c.contact_id)
    is_own = and_(_contacts.c.id == contact_id, _phonebooks.c.user_id == _results.c.user_id)
    rows: FromClause = (
        _results.outerjoin(_campaigns, _campaigns.c.id == _results.c.campaign_id)
        .outerjoin(_requests, _requests.c.id == _results.c.callrequest_id)
        .outerjoin(_cdrs, is_call)
        .outerjoin(_subscribers, _subscribers.c.id == subscriber_id)
        .outerjoin(_owned_contacts, is_own)
    )
    phone_number = func.coalesce(_cdrs.c.phone_number, _requests.c.phone_number, "")
    columns = (_results.c.id, _CAMPAIGN, phone_number, _NUMBER, _NAME)
    return select(*columns).select_from(rows).where(_results.c.id.in_(_ids))


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
