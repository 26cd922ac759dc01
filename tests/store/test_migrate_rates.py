"""Tests of a migration: earlier calls get the rate of their attempt, if it still exists."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, select, text
from sqlalchemy.pool import NullPool

from dialer.store import migrate
from dialer.store.queries.rates import RATE_COLUMNS
from dialer.store.tables import Cdr

BEFORE = "0010"
USER = (
    "INSERT INTO user_account (id, username, password_hash, is_admin, first_name, last_name, email, call_rate,"
    " sms_rate, balance, held, created_date, updated_date) VALUES (1, 'ann', '-', 0, '', '', '', 2000, 0, 0, 0, 0, 0)"
)
REQUEST = (
    "INSERT INTO callrequest (id, campaign_id, subscriber_id, user_id, gateway_id, attempt, callid, phone_number,"
    " callerid, status, status_reason, started_ms, ring_limit_ms, talk_limit_ms, hold, call_rate, amd)"
    " VALUES (1, 1, 1, 1, 1, 1, 'a', '+1', '', 4, '', 100, 1, 1, 0, 1500, 0)"
)
TRANSFER = (
    "INSERT INTO transfer (callrequest_id, place, section_id, gateway_id, phone_number, status, reason, joined_ms,"
    " score_from_ms, offers, started_ms, hold, call_rate, talk_limit_ms, is_abandoned)"
    " VALUES (1, 1, 1, 1, '+2', 3, '', 105, 0, '{}', 106, 0, 1700, 1, 0)"
)
CDR = (
    "INSERT INTO cdr (user_id, callid, callerid, phone_number, starting_date, duration, billsec, call_cost,"
    " billed_duration, hangup_cause_q850, leg_type, amd_status, callrequest_id, subscriber_id)"
    " VALUES (1, :callid, '', '+1', :starts, 1, 1, 1, 60, 16, :leg, 1, :request, 1)"
)
CDRS = [
    {"callid": "a", "starts": 100, "leg": 1, "request": 1},
    {"callid": "b", "starts": 106, "leg": 2, "request": 1},
    {"callid": "gone", "starts": 100, "leg": 1, "request": None},
]


def bring(connection: Connection, revision: str) -> None:
    """Migrate to a revision, without a check of foreign keys, because the test omits most referenced rows."""
    config = Config()
    config.set_main_option("script_location", str(migrate.MIGRATIONS))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def test_earlier_calls_get_their_rates_where_they_are_known(tmp_path: Path) -> None:
    """One call was transferred, and the attempt of another was deleted."""
    with create_engine(f"sqlite:///{tmp_path}/dialer.db", poolclass=NullPool).begin() as connection:
        bring(connection, BEFORE)
        for statement in (USER, REQUEST, TRANSFER):
            connection.execute(text(statement))
        connection.execute(text(CDR), CDRS)
        bring(connection, "head")
        found = connection.execute(select(Cdr.__table__).order_by(Cdr.id)).mappings().all()
    rates = [(row["callid"], *(row[column] for column in RATE_COLUMNS)) for row in found]
    assert rates == [("a", 1_500, 0, 60, 60), ("b", 1_700, 0, 60, 60), ("gone", None, 0, 60, 60)]
