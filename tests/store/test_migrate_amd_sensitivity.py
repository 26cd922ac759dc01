"""Tests of a migration: earlier campaigns detect machines with the default sensitivity."""

from pathlib import Path

from sqlalchemy import create_engine, select, text
from sqlalchemy.pool import NullPool

from dialer.store.tables import Campaign
from tests.store.test_migrate_rates import bring

BEFORE = "0038_0036"
CAMPAIGN = (
    "INSERT INTO campaign (id, user_id, campaign_code, name, description, callerid, startingdate, expirationdate,"
    " daily_start_time, daily_stop_time, monday, tuesday, wednesday, thursday, friday, saturday, sunday, frequency,"
    " max_aleg, max_xfer, dial_method, agent_dial_rate, callmaxduration, maxretry, intervalretry, completion_maxretry,"
    " completion_intervalretry, calltimeout, object_id, extra_data, voicemail, amd_behavior, status, status_reason,"
    " totalcontact, completed, calls, answered, cost, next_dial_us, live_answered, abandoned, pacing_figures,"
    " callerid_turns, created_date, updated_date) VALUES (1, 1, 'ABCDE', 'Old', '', '', 0, 1, '00:00:00', '23:59:59',"
    " 1, 1, 1, 1, 1, 1, 1, 10, 0, 0, 1, 100000, 1800, 0, 300, 0, 900, 45, 1, '', 1, 2, 0, '', 0, 0, 0, 0, 0, 0, 0, 0,"
    " '', '', 0, 0)"
)


def test_an_earlier_campaign_keeps_its_fields_and_is_balanced(tmp_path: Path) -> None:
    with create_engine(f"sqlite:///{tmp_path}/dialer.db", poolclass=NullPool).begin() as connection:
        bring(connection, BEFORE)
        connection.execute(text(CAMPAIGN))
        bring(connection, "head")
        row = connection.execute(select(Campaign.__table__)).mappings().one()
    assert (row["name"], row["amd_behavior"], row["amd_sensitivity"]) == ("Old", 2, 2)
