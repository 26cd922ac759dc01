"""Forecasts in a process of their own, which do not slow down the service.

The process reads one task from standard input, writes one reply to standard output, and exits. It also exits when its
standard input ends, so it does not outlive its parent. It writes no files.
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
from dialer.forecast.forecast import CampaignOverError, NoCampaignError, forecast_campaign
from dialer.forecast.order import Order
from dialer.forecast.summary import Forecast
from dialer.logs import configure_logs
from dialer.store.database import Database, StorageUnavailableError

NICENESS: Final = 10
"""The niceness of the process: the service goes first."""
_COMMAND: Final = (sys.executable, "-P", "-m", "dialer.forecast")
_END: Final = b"\n"
_KNOWN: Final[Mapping[str, type[Exception]]] = {
    kind.__name__: kind
    for kind in (NoCampaignError, CampaignOverError, IllegalMoveError, RefusedError, StorageUnavailableError)
}
"""Errors that the process reports by name, and that are raised again by the caller."""


class ForecastFailedError(Exception):
    """Raised when the process exits without a reply; its standard error says why."""


class _Task(msgspec.Struct, frozen=True):
    """The input of the process."""

    database_url: str
    order: Order


class _Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """The output of the process: a forecast, the wrong fields of a campaign, or another error."""

    forecast: Forecast | None = None
    errors: dict[str, list[str]] = {}
    error: str = ""
    message: str = ""


async def forecast_in_subprocess(database: Database, order: Order) -> Forecast:
    """Forecast a campaign in a process of its own, which is killed if this is cancelled.

    The errors of `dialer.forecast.forecast.forecast_campaign` are raised here as they were there.

    Raises:
        ForecastFailedError: the process failed.
    """
    task = _Task(database.url.render_as_string(hide_password=False), order)
    # Shielded: a cancellation during the start would leave a process that nobody kills. In a session of its own:
    # Ctrl+C is for the service alone, which then kills the process.
    with anyio.CancelScope(shield=True):
        process = await anyio.open_process(_COMMAND, stdin=PIPE, stdout=PIPE, stderr=None, start_new_session=True)
    async with process:
        if process.stdin is None or process.stdout is None:
            raise ForecastFailedError("the process has no pipes")
        await process.stdin.send(msgspec.json.encode(task) + _END)
        line = b"".join([piece async for piece in process.stdout])
    # The exit code says nothing: a process that has replied may still see its input end, and exit with 1.
    if not line.endswith(_END):
        raise ForecastFailedError(f"the process exited with {process.returncode}")
    return _read(msgspec.json.decode(line, type=_Reply))


def _read(reply: _Reply) -> Forecast:
    if reply.forecast is not None:
        return reply.forecast
    if reply.error in _KNOWN:
        raise _KNOWN[reply.error](reply.message)
    raise CampaignNotReadyError(reply.errors)


def reply_to(task: bytes) -> bytes:
    """Compute the reply to one line of input; this runs in the process."""
    told = msgspec.json.decode(task, type=_Task)
    os.nice(NICENESS)
    configure_logs()
    database = Database(told.database_url)
    try:
        reply = _Reply(anyio.run(forecast_campaign, database, told.order))
    except CampaignNotReadyError as error:
        reply = _Reply(errors=error.errors)
    except tuple(_KNOWN.values()) as error:
        reply = _Reply(error=type(error).__name__, message=str(error))
    finally:
        database.close()
    return msgspec.json.encode(reply) + _END
