"""Lists that keep wishes not to be called: one of each account, and one of the service.

Wishes that campaigns have heard before are put on the lists of their accounts. Where a campaign names lists, only
wishes that are still on one of them count, because somebody may have taken back the others.
"""

import sqlalchemy as sa
from alembic import op

revision = "0039_0039"
down_revision = "0038_0036"
branch_labels = None
depends_on = None

DNC_SECTION = 9
NAME = "Asked not to be called"
_HEARD = f"""
    SELECT c.id AS campaign_id, c.user_id AS user_id, COALESCE(s.number, r.callerid) AS number
    FROM callrequest r
    JOIN campaign c ON c.id = r.campaign_id
    LEFT JOIN subscriber s ON s.id = r.subscriber_id
    WHERE COALESCE(s.duplicate_contact, r.callerid) NOT IN ('', 'erased')
    AND (
        EXISTS (SELECT 1 FROM survey_result a WHERE a.callrequest_id = r.id AND a.section_type = {DNC_SECTION})
        OR EXISTS (SELECT 1 FROM call_disposition d WHERE d.callrequest_id = r.id AND d.disposition = 'do_not_call')
    )"""  # noqa: S608 - a number of ours
_WISHES = f"""
    SELECT DISTINCT h.user_id, h.number FROM ({_HEARD}) h
    WHERE EXISTS (
        SELECT 1 FROM dnc_contact e WHERE e.number = h.number AND (
            e.dnc_id IN (SELECT dnc_id FROM campaign WHERE id = h.campaign_id)
            OR e.dnc_id IN (SELECT dnc_id FROM campaign_dnc_list WHERE campaign_id = h.campaign_id)
        )
    ) OR (
        NOT EXISTS (SELECT 1 FROM campaign WHERE id = h.campaign_id AND dnc_id IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM campaign_dnc_list WHERE campaign_id = h.campaign_id)
    )"""  # noqa: S608 - texts of ours


def upgrade() -> None:
    column = sa.Column("keeps_wishes_of", sa.String(length=8), server_default="", nullable=False)
    op.add_column("dnc_list", column)
    for name, indexed, keeper in (
        ("uq_dnc_list_own", "user_id", "account"),
        ("uq_dnc_list_of_service", "keeps_wishes_of", "service"),
    ):
        condition = sa.text(f"keeps_wishes_of = '{keeper}'")
        op.create_index(name, "dnc_list", [indexed], unique=True, sqlite_where=condition, postgresql_where=condition)
    was_completed: sa.Column[bool] = sa.Column("was_completed", sa.Boolean(), server_default=sa.false(), nullable=False)
    op.add_column("call_disposition", was_completed)
    _keep_wishes_of_the_past()


def _keep_wishes_of_the_past() -> None:
    """Put wishes that are on record on the lists of their accounts. The lists bear the time of the newest call."""
    newest = "(SELECT COALESCE(MAX(started_ms), 0) FROM callrequest)"
    op.execute(
        "INSERT INTO dnc_list (user_id, name, is_global, keeps_wishes_of, created_date, updated_date)"  # noqa: S608 - texts of ours
        f" SELECT w.user_id, '{NAME}', {sa.false().compile(dialect=op.get_bind().dialect)}, 'account', {newest},"
        f" {newest} FROM (SELECT DISTINCT user_id FROM ({_WISHES}) x) w ORDER BY w.user_id"
    )
    op.execute(
        "INSERT INTO dnc_contact (dnc_id, phone_number, number, created_date, updated_date)"  # noqa: S608 - texts of ours
        f" SELECT l.id, w.number, w.number, l.created_date, l.created_date FROM ({_WISHES}) w"
        " JOIN dnc_list l ON l.user_id = w.user_id AND l.keeps_wishes_of = 'account' ORDER BY l.id, w.number"
    )
