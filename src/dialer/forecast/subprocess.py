"""Forecasts in a process of their own, which do not slow down the service.

The process reads one task from standard input, writes a line for each seed that is done and then one reply to standard
output, and exits. It also exits when its standard input ends, so it does not outlive its parent. It writes no files.
"""

import os
import pickle
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from subprocess import PIPE
from typing import Final

import anyio
import msgspec
from anyio.abc import ByteReceiveStream

from dialer.app.work.errors import CampaignNotReadyError, InvalidFieldsError, RefusedError
from dialer.domain.credentials.environment import clean_environment
from dialer.domain.words.sentences import Sentence, message_of
from dialer.domain.words.states import IllegalMoveError
from dialer.forecast.forecast import (
    CampaignOverError,
    NoCampaignError,
    forecast_campaign,
    ignore_progress,
)
from dialer.forecast.parameters import Order
from dialer.forecast.processes import NICENESS, ForecastFailedError, Progress
from dialer.forecast.summary import Forecast
from dialer.forecast.what_if import NamedSetting, WhatIf, compare_settings
from dialer.logs import configure_logs
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.tables.key_ring import RING, GivenKeys

_COMMAND: Final = (sys.executable, "-P", "-m", "dialer.forecast")
_END: Final = b"\n"
_KNOWN: Final[Mapping[str, type[Exception]]] = {
    kind.__name__: kind
    for kind in (
        *(NoCampaignError, CampaignOverError, IllegalMoveError, RefusedError),
        *(StorageUnavailableError, ForecastFailedError),
    )
}
"""Errors that the process reports by name, and that are raised again by the caller."""


class _Task(msgspec.Struct, frozen=True):
    """The input of the process."""

    database_url: str
    order: Order
    settings: tuple[NamedSetting, ...] | None
    """The settings to compare with the present one; None for a forecast of that alone."""
    secrets_key: str
    """The keys of stored secrets. Only pipes carry them, as other processes can read arguments."""


class _Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the process: the runs that are done; or else the outcome, a campaign's wrong fields, or an error."""

    done: int = 0
    forecast: Forecast | None = None
    what_if: WhatIf | None = None
    error: str = ""
    messages: bytes = b""
    """The message of the error, or the messages by field: pickled, as JSON has no sentences with their templates."""


async def forecast_in_subprocess(database: Database, order: Order, progress: Progress = ignore_progress) -> Forecast:
    """Forecast a campaign in a process of its own, which is killed if this is cancelled.

    After each seed, `progress` is called with the number of seeds that are done. The errors of
    `dialer.forecast.forecast.forecast_campaign` are raised here as they were there.

    Raises:
        ForecastFailedError: the process failed.
    """
    reply = await _in_subprocess(_task(database, order, None), progress)
    if reply.forecast is None:
        raise _error_of(reply)
    return reply.forecast


async def what_if_in_subprocess(
    database: Database, order: Order, settings: Sequence[NamedSetting], progress: Progress = ignore_progress
) -> WhatIf:
    """Compare settings of a campaign in a process of its own, which is killed if this is cancelled.

    After each run, `progress` is called with the number of runs that are done. The errors of
    `dialer.forecast.what_if.compare_settings` are raised here as they were there.

    Raises:
        ForecastFailedError: the process failed.
    """
    reply = await _in_subprocess(_task(database, order, tuple(settings)), progress)
    if reply.what_if is None:
        raise _error_of(reply)
    return reply.what_if


def _task(database: Database, order: Order, settings: tuple[NamedSetting, ...] | None) -> _Task:
    return _Task(database.url.render_as_string(hide_password=False), order, settings, RING.keys())


async def _in_subprocess(task: _Task, progress: Progress) -> _Reply:
    """Return the last line of a process that does a task."""
    # Shielded: a cancellation during the start would leave a process that nobody kills. In a session of its own:
    # Ctrl+C is for the service alone, which then kills the process.
    with anyio.CancelScope(shield=True):
        environment = clean_environment(os.environ, uses_database=True)
        process = await anyio.open_process(
            _COMMAND, stdin=PIPE, stdout=PIPE, stderr=None, start_new_session=True, env=environment
        )
    async with process:
        if process.stdin is None or process.stdout is None:
            raise ForecastFailedError("the process has no pipes")
        try:
            await process.stdin.send(msgspec.json.encode(task) + _END)
            reply = await _last_reply(process.stdout, progress)
        except BaseException:
            # With its children, also those that hang. The group is the session that it leads.
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
            raise
    # The exit code says nothing: a process that has replied may still see its input end, and exit with 1.
    if reply is None:
        raise ForecastFailedError(Sentence("the process exited with %(code)s", code=process.returncode))
    return reply


async def _last_reply(output: ByteReceiveStream, progress: Progress) -> _Reply | None:
    """Return the reply that is no progress; None if the output ends without one."""
    line = b""
    async for piece in output:
        *lines, line = (line + piece).split(_END)
        for whole in lines:
            reply = msgspec.json.decode(whole, type=_Reply)
            if not reply.done:
                return reply
            progress(reply.done)
    return None


def _error_of(reply: _Reply) -> Exception:
    messages = pickle.loads(reply.messages)  # noqa: S301 - of a child of this process
    return _KNOWN.get(reply.error, CampaignNotReadyError)(messages)


def reply_to(task: bytes, write: Callable[[bytes], object]) -> bytes:
    """Compute the reply to one line of input, and write the progress; this runs in the process."""

    def tell(done: int) -> None:
        write(msgspec.json.encode(_Reply(done=done)) + _END)

    forecast_task = msgspec.json.decode(task, type=_Task)
    os.nice(NICENESS)
    configure_logs()
    RING.hold(GivenKeys(forecast_task.secrets_key))
    database = Database(forecast_task.database_url)
    try:
        if forecast_task.settings is None:
            reply = _Reply(forecast=anyio.run(forecast_campaign, database, forecast_task.order, tell))
        else:
            what_if = anyio.run(compare_settings, database, forecast_task.order, forecast_task.settings, tell)
            reply = _Reply(what_if=what_if)
    except InvalidFieldsError as error:
        reply = _Reply(messages=pickle.dumps(error.errors))
    except tuple(_KNOWN.values()) as error:
        reply = _Reply(error=type(error).__name__, messages=pickle.dumps(message_of(error)))
    finally:
        database.close()
    return msgspec.json.encode(reply) + _END
