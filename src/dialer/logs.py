"""Logs: JSON lines on standard error, readable lines on a terminal. Phone numbers are masked, secrets left out.

A thread writes the lines from a bounded queue. A blocked terminal or a full pipe loses log lines, which are counted,
and never calls.
"""

import contextlib
import logging
import os
import queue
import re
import sys
import threading
from collections.abc import Callable, Mapping
from logging.handlers import QueueHandler, QueueListener
from typing import Any, Final

import structlog
from structlog.types import EventDict, Processor

QUEUE_LINES_MAX: Final = 10_000
"""Lines that wait to be written; further lines are dropped and counted."""
FLUSH_S: Final = 1.0
"""The time for which the end of the process waits for lines that are not written yet."""
DEPTH_MAX: Final = 8
"""Levels of nested data that are logged; deeper levels are left out."""

HIDDEN: Final = "[hidden]"
_SECRET_KEYS: Final = frozenset({"authorization", "password", "password_hash", "body", "headers", "content"})
_EXEMPT_KEYS: Final = frozenset({"timestamp", "request_id"})

# A number with a plus may contain blanks and dashes. Without a plus, only an unbroken run of digits counts as a number,
# unless it is part of a longer word, such as an identifier or a date.
_NUMBER: Final = re.compile(r"\+[0-9](?:[ .()\-]{0,2}[0-9]){6,14}|(?<![\w.:+-])[0-9]{7,15}(?![\w:-])")
_LONG_NUMBER_DIGITS: Final = 11

_lock: Final = threading.Lock()
_log: Final = structlog.get_logger(__name__)
_STDERR: Final = 2


def mask_number(number: str) -> str:
    """Replace the middle of a phone number: `+1202***0123`. A short number keeps fewer digits."""
    digits = "".join(filter(str.isdigit, number))
    ends = 4 if len(digits) >= _LONG_NUMBER_DIGITS else 2
    return f"{'+' if number.startswith('+') else ''}{digits[:ends]}***{digits[-ends:]}"


def mask_numbers(text: str) -> str:
    """Mask every phone number in a text."""
    return _NUMBER.sub(lambda match: mask_number(match[0]), text)


def hide_private_data(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Mask numbers and hide secrets in an event: the structlog processor that runs before the renderer."""
    return {key: _safe(key, value, DEPTH_MAX) for key, value in event.items()}


def _safe(key: str, value: object, depth: int) -> object:
    if key.lower() in _SECRET_KEYS or depth == 0:
        return HIDDEN
    if isinstance(value, Mapping):
        return {str(inner): _safe(str(inner), item, depth - 1) for inner, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_safe(key, item, depth - 1) for item in value]
    if value is None or isinstance(value, bool | int | float) or key in _EXEMPT_KEYS:
        return value
    return mask_numbers(str(value))


class _Writer(logging.Handler):
    """Writes lines that are formatted already."""

    def __init__(self, write: Callable[[str], object]) -> None:
        super().__init__()
        self._write: Final = write

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line; a closed sink takes none."""
        with contextlib.suppress(OSError):
            self._write(f"{record.getMessage()}\n")


class _Listener(QueueListener):
    """A thread that writes lines from a bounded queue."""

    def __init__(self, lines: "queue.Queue[Any]", write: Callable[[str], object]) -> None:
        super().__init__(lines, _Writer(write))
        self._lines: Final = lines
        self._is_over: Final = threading.Event()

    def dequeue(self, block: bool) -> Any:  # noqa: ANN401, FBT001 - as the library has it
        """Take the next line, or None at the end."""
        line: Any = super().dequeue(block)
        if line is None:
            self._is_over.set()
        return line

    def stop(self) -> None:
        """Wait for the lines that are queued, but not for a sink that takes nothing any more."""
        with contextlib.suppress(queue.Full):
            self._lines.put(None, timeout=FLUSH_S)
            self._is_over.wait(FLUSH_S)


class BackgroundHandler(QueueHandler):
    """A bounded queue of formatted lines, and a thread that gives them to `write`.

    A full queue drops lines, and the next line that it takes is followed by their number.
    """

    def __init__(self, write: Callable[[str], object]) -> None:
        lines: queue.Queue[Any] = queue.Queue(QUEUE_LINES_MAX)
        super().__init__(lines)
        self._dropped = 0
        self._listener: Final = _Listener(lines, write)
        self._listener.start()

    def enqueue(self, record: logging.LogRecord) -> None:
        """Queue one line, or drop and count it if the queue is full. The next queued line is followed by the count."""
        try:
            self.queue.put_nowait(record)
        except queue.Full:
            self._dropped += 1
            return
        if self._dropped:
            dropped, self._dropped = self._dropped, 0
            _log.warning("log_lines_dropped", lines=dropped)

    def close(self) -> None:
        """Write what is queued, as far as the sink takes it."""
        self._listener.stop()
        super().close()


def configure_logs(write: Callable[[str], object] | None = None, *, readable: bool | None = None) -> None:
    """Send the log lines of the service and of its libraries to `write`, by default to standard error.

    It may be called again, from any thread: the last call counts. `readable` gives lines for people instead of JSON, by
    default if standard error is a terminal.
    """
    with _lock:
        shared = _shared_processors()
        structlog.configure(
            processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
            wrapper_class=structlog.stdlib.BoundLogger,
            logger_factory=structlog.stdlib.LoggerFactory(),
        )
        handler = BackgroundHandler(write or _write_stderr)
        handler.setFormatter(_formatter(shared, readable=sys.stderr.isatty() if readable is None else readable))
        _replace_handlers(handler)


def _shared_processors() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso"),
        structlog.processors.StackInfoRenderer(),
        # The traceback has no local variables, because they hold passwords and phone numbers.
        structlog.processors.format_exc_info,
    ]


def _formatter(shared: list[Processor], *, readable: bool) -> logging.Formatter:
    renderer: Any = structlog.dev.ConsoleRenderer() if readable else structlog.processors.JSONRenderer()
    remove_meta = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared, processors=[remove_meta, hide_private_data, renderer]
    )


def _replace_handlers(handler: logging.Handler) -> None:
    root = logging.getLogger()
    for old in [old for old in root.handlers if isinstance(old, BackgroundHandler)]:
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
    root.setLevel(logging.INFO)


def log_unhandled() -> None:
    """Log the warnings of Python, and errors that end a thread, instead of printing them."""
    logging.captureWarnings(capture=True)
    threading.excepthook = _log_error_of_thread


def _log_error_of_thread(failed: threading.ExceptHookArgs) -> None:
    if failed.exc_value is not None and failed.exc_type is not SystemExit:
        _log.critical("uncaught_error", thread=getattr(failed.thread, "name", ""), exc_info=failed.exc_value)


def _write_stderr(line: str) -> None:
    # A blocked write through sys.stderr would hold its lock, and the process could not end.
    os.write(_STDERR, line.encode("utf-8", "backslashreplace"))
