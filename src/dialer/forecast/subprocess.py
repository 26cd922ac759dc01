"""Forecasts in a process of their own, so that whoever waits for one holds up nobody else.

The process is told on its standard input what to do, answers on its standard output, and ends. It lives no longer than
the one that started it: where its standard input ends, so does it. It leaves nothing behind, however it ends.
"""

import os
import sys
from collections.abc import Mapping
from subprocess import PIPE
from typing import Final

import anyio
import msgspec

from dialer.app.errors import CampaignNotReadyError, RefusedError
from dialer.domain.states import IllegalMoveError
from dialer.forecast.forecast import NoCampaignError, forecast_campaign
from dialer.forecast.order import Order
from dialer.forecast.summary import Forecast
from dialer.logs import configure_logs
from dialer.store.database import Database, StorageUnavailableError

NICENESS: Final = 10
"""By how much the process stands back when others want the processor."""
_COMMAND: Final = (sys.executable, "-P", "-m", "dialer.forecast")
_END: Final = b"\n"
_KNOWN: Final[Mapping[str, type[Exception]]] = {
    kind.__name__: kind for kind in (NoCampaignError, IllegalMoveError, RefusedError, StorageUnavailableError)
}
"""What the process may tell us that it met, and is raised here as it was there."""


class ForecastFailedError(Exception):
    """Raised when the process came to an end without an answer; its standard error says why."""


class _Task(msgspec.Struct, frozen=True):
    """What the process is told."""

    database_url: str
    order: Order


class _Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """What it answers: a forecast, what a campaign lacks, or what else it met."""

    forecast: Forecast | None = None
    errors: dict[str, list[str]] = {}
    met: str = ""
    message: str = ""


async def forecast_apart(database: Database, order: Order) -> Forecast:
    """What `forecast_campaign` gives and raises, from a process of its own. Cancelled, it ends the process.

    Raises:
        ForecastFailedError: the process failed.
    """
    task = _Task(database.url.render_as_string(hide_password=False), order)
    # Who gives up while it starts would leave a process that nobody ends. It has a session of its own, as who presses
    # Ctrl+C means the service, which then ends it.
    with anyio.CancelScope(shield=True):
        process = await anyio.open_process(_COMMAND, stdin=PIPE, stdout=PIPE, stderr=None, start_new_session=True)
    async with process:
        if process.stdin is None or process.stdout is None:
            raise ForecastFailedError("the process has no pipes")
        await process.stdin.send(msgspec.json.encode(task) + _END)
        line = b"".join([piece async for piece in process.stdout])
    # Not the exit code: who has answered may find its input at an end before it has come to its own.
    if not line.endswith(_END):
        raise ForecastFailedError(f"the process ended with {process.returncode}")
    return _read(msgspec.json.decode(line, type=_Reply))


def _read(reply: _Reply) -> Forecast:
    if reply.forecast is not None:
        return reply.forecast
    if reply.met in _KNOWN:
        raise _KNOWN[reply.met](reply.message)
    raise CampaignNotReadyError(reply.errors)


def answer(task: bytes) -> bytes:
    """What the process does: the answer to one line of its input."""
    told = msgspec.json.decode(task, type=_Task)
    os.nice(NICENESS)
    configure_logs()
    database = Database(told.database_url)
    try:
        reply = _Reply(anyio.run(forecast_campaign, database, told.order))
    except CampaignNotReadyError as error:
        reply = _Reply(errors=error.errors)
    except tuple(_KNOWN.values()) as error:
        reply = _Reply(met=type(error).__name__, message=str(error))
    finally:
        database.close()
    return msgspec.json.encode(reply) + _END
