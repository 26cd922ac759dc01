"""Tests that ids of existing rows are never given again, even if the stored counters are too low."""

from typing import Any

import pytest
from sqlalchemy import update

from dialer.store.tables import CallRequest, Cdr, ServiceState, SmsMessage
from tests.runtime.house import House

PEOPLE = [f"+1202555{number:04d}" for number in range(1_000, 1_006)]


@pytest.mark.parametrize("forgotten", [{"last_cdr_id": 1}, {"last_callrequest_id": 2}])
async def test_a_service_that_has_forgotten_ids_dials_on_all_the_same(
    sociable: House, forgotten: dict[str, Any]
) -> None:
    """As after two servers wrote into one database: the row of one of them came last."""
    survey_id = sociable.survey({"type": 1, "script": "word " * 150})
    await sociable.started(survey_id, sociable.phonebook(*PEOPLE), frequency=2)
    await sociable.advance(130)
    before = len(sociable.rows(Cdr))
    sociable.database.write_now(lambda c: c.execute(update(ServiceState).values(forgotten)))
    sociable.restart()
    await sociable.advance(1_000)
    assert (1 < before < len(PEOPLE), sociable.worker.problem()) == (True, None)
    for model in (CallRequest, Cdr):
        assert [row["id"] for row in sociable.rows(model)] == list(range(1, len(PEOPLE) + 1))
    assert sociable.rows(SmsMessage) == []
