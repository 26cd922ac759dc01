"""Tests of the worker's counters, which count committed work only."""

from collections import Counter

import pytest
from structlog.testing import capture_logs

from dialer.runtime.steps.dial_counters import DialCounters
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import StorageUnavailableError
from dialer.store.tables import SMS, CallRequest, Gateway, User
from tests.runtime.house import CENTS, House
from tests.runtime.test_worker import FullDisk

ANSWERS, BUSY, RINGS_OUT, CALLED_OFF = "+12025550100", "+12025550111", "+12025550112", "+12025550101"
SHORT = {"type": 1, "script": "word"}


async def test_calls_are_counted_while_and_after_they_last(house: House) -> None:
    """A ringing call holds the price of 30 minutes at 0.02, the longest talk. An ended call holds nothing."""
    book = house.phonebook(RINGS_OUT, CALLED_OFF, BUSY, ANSWERS)
    await house.started(house.survey(SHORT), book, dnc_id=house.dnc_list(CALLED_OFF), callmaxduration=1_800)
    assert house.worker.figures() == DialCounters(
        dialled=Counter(voice=1), in_progress=Counter(voice=1), held=60 * CENTS
    )
    await house.advance(600)
    assert house.worker.figures() == DialCounters(
        dialled=Counter(voice=3), answered=Counter(voice=1), refused=Counter(dnc=1), in_progress=Counter(voice=0)
    )


async def test_messages_are_counted_by_themselves(house: House) -> None:
    """Two messages are sent, and one is delivered."""
    house.change(User, house.user_id, sms_rate=5 * CENTS)
    gateway_id = house.add(Gateway, medium=SMS, name="texts", parameters='{"sms_delivered": 1}')
    message = {"medium": SMS, "sms_gateway_id": gateway_id, "aleg_gateway_id": None, "text_message": "hello"}
    await house.started(0, house.phonebook("+12025551000", "+12025550130"), **message)
    await house.advance(60)
    assert house.worker.figures() == DialCounters(
        dialled=Counter(sms=2), answered=Counter(sms=1), in_progress=Counter(sms=0)
    )


async def test_a_call_that_outlives_a_restart_is_in_progress_but_was_not_dialled_here(house: House) -> None:
    """A process counts only its own dials."""
    await house.started(house.survey(SHORT), house.phonebook(RINGS_OUT))
    held = house.worker.figures().held
    house.restart()
    assert house.worker.figures() == DialCounters()
    await house.worker.settle()
    assert house.worker.figures() == DialCounters(in_progress=Counter(voice=1), held=held)
    await house.advance(600)
    assert house.worker.figures() == DialCounters(in_progress=Counter(voice=0))


async def test_a_dial_that_could_not_be_committed_is_not_counted(house: House) -> None:
    """It is counted once, when it is repeated."""
    await house.started(house.survey(SHORT), house.phonebook(BUSY, ANSWERS))
    house.database.close()
    house.database = database = FullDisk(house.url)
    house.worker = Worker(database, house.worker.clock, seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
    database.is_full = True
    with capture_logs() as logs, pytest.raises(StorageUnavailableError):
        await house.advance(600)
    failed = [one for one in logs if one["event"] == "step_failed"]
    assert failed
    assert {(one["log_level"], one["problem"], "exc_info" in one) for one in failed} == {("warning", "storage", False)}
    assert house.worker.figures() == DialCounters()
    database.is_full = False
    await house.advance(600)
    assert house.worker.figures() == DialCounters(
        dialled=Counter(voice=1), answered=Counter(voice=1), in_progress=Counter(voice=0)
    )
    assert len(house.rows(CallRequest)) == 2
