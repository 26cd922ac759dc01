"""Use cases of links to reports: creation, and the opening of a report by somebody without an account."""

import secrets
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Row, RowMapping, delete, func, insert, select, update

from dialer.app.accounts.api_keys import hash_secret
from dialer.app.work.errors import ErrorCode, RefusedError
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.roles import Role
from dialer.domain.words.sentences import Sentence
from dialer.store.database.touched import NOTHING
from dialer.store.tables import Campaign, ReportLink, User

LINKS_MAX: Final = 50
"""Links to the reports of one campaign."""
OPENED_A_MINUTE_MAX: Final = 30
"""Openings of one link in a minute, of the report and its files together."""
SENT_MAX: Final = 200
"""Links that one schedule has sent and that still open a report: 14 days with ten recipients, and some attempts."""
LINK_MS: Final = 14 * 86_400_000
"""The time for which a link that was sent holds."""
TOKEN_BYTES: Final = 32
TOKEN_LENGTH_MAX: Final = 64
_MINUTE_MS: Final = 60_000


class CreatedLink(NamedTuple):
    """The row of a new link, and its token, which is stored nowhere."""

    row: Row[Any]
    token: str


class OpenedLink(NamedTuple):
    """The report that a link opens."""

    id: int
    campaign_id: int
    campaign: str
    user_id: int
    """The account of the campaign."""
    report: str
    list_column: str
    expires_ms: int


def create_report_link(unit: UnitOfWork, maker_id: int, columns: Mapping[str, Any]) -> CreatedLink:
    """Create a link with a random token, which holds while the user who makes it is enabled.

    Raises:
        RefusedError: the campaign has `LINKS_MAX` links already.
    """
    count = select(func.count()).where(
        ReportLink.campaign_id == columns["campaign_id"], ReportLink.schedule_id.is_(None)
    )
    if unit.connection.execute(count).scalar_one() >= LINKS_MAX:
        raise RefusedError(
            Sentence("A campaign has at most %(most)s links to reports. Delete one first.", most=LINKS_MAX),
            code=ErrorCode.LIMIT_REACHED,
        )
    return _insert(unit, {**columns, "maker_id": maker_id})


def send_report_link(unit: UnitOfWork, schedule: Mapping[str, Any] | RowMapping) -> str:
    """Create a link for a report that is sent, and return its token. Those of the schedule that are over go."""
    connection, own = unit.connection, ReportLink.schedule_id == schedule["id"]
    newest = select(ReportLink.id).where(own).order_by(ReportLink.id.desc()).limit(SENT_MAX - 1)
    kept = connection.scalars(newest).all()
    is_over = (ReportLink.expirationdate <= unit.now_ms) | ReportLink.id.not_in(kept)
    connection.execute(delete(ReportLink).where(own, is_over))
    columns = {name: schedule[name] for name in ("campaign_id", "name", "report")}
    return _insert(unit, {**columns, "schedule_id": schedule["id"], "expirationdate": unit.now_ms + LINK_MS}).token


def _insert(unit: UnitOfWork, columns: Mapping[str, Any]) -> CreatedLink:
    token = secrets.token_urlsafe(TOKEN_BYTES)
    values = {
        **columns,
        "token_hash": hash_secret(token),
        "created_date": unit.now_ms,
        "updated_date": unit.now_ms,
    }
    row = unit.connection.execute(insert(ReportLink).values(values).returning(*ReportLink.__table__.c)).one()
    unit.note(NOTHING)
    return CreatedLink(row, token)


def find_report_link(connection: Connection, token: str, now_ms: int) -> OpenedLink | None:
    """Return the report of a token; None if it is unknown, revoked or over, or may be seen by its maker no more.

    The account and the maker are enabled. A maker who does not own the campaign is an admin.
    """
    if not 0 < len(token) <= TOKEN_LENGTH_MAX:
        return None
    columns = (
        ReportLink.id,
        ReportLink.campaign_id,
        Campaign.name,
        Campaign.user_id,
        ReportLink.report,
        ReportLink.list_column,
        ReportLink.expirationdate,
    )
    query = select(*columns).join(Campaign, Campaign.id == ReportLink.campaign_id)
    are_disabled = User.id.in_((Campaign.user_id, ReportLink.maker_id)) & User.enabled.is_(False)
    sees_no_more = (User.id == ReportLink.maker_id) & (User.id != Campaign.user_id) & (User.role != Role.ADMIN)
    ends_it = select(User.id).where(are_disabled | sees_no_more)
    query = query.where(
        ReportLink.token_hash == hash_secret(token), ReportLink.expirationdate > now_ms, ~ends_it.exists()
    )
    row = connection.execute(query).first()
    return None if row is None else OpenedLink(*row)


def count_opening(unit: UnitOfWork, link_id: int) -> bool:
    """Count an opening of a link; return whether it may be opened, or has been too often in this minute."""
    minute = unit.now_ms // _MINUTE_MS
    found = select(ReportLink.minute, ReportLink.opened_in_minute).where(ReportLink.id == link_id)
    row = unit.connection.execute(found).first()
    if row is None:
        return False
    opened = row.opened_in_minute if row.minute == minute else 0
    if opened >= OPENED_A_MINUTE_MAX:
        return False
    values = {
        "opened": ReportLink.opened + 1,
        "last_opened_date": unit.now_ms,
        "minute": minute,
        "opened_in_minute": opened + 1,
    }
    unit.connection.execute(update(ReportLink).where(ReportLink.id == link_id).values(values))
    unit.note(NOTHING)
    return True
