"""The messages of each leg of the last day, for `dialer explain`.

A thread writes them, so that no call waits for the disk.
"""

import contextlib
import queue
import time
from pathlib import Path
from threading import Thread
from typing import Final, NamedTuple

import structlog

from dialer.carriers.sip.masking import kept_message
from dialer.carriers.voice.kept_messages import KEPT_S, LEG_BYTES_MAX, NAME

CAPTURE_BYTES_MAX: Final = 100 * 1024 * 1024
"""Bytes of all files together. The oldest are deleted first."""
WAITING_MAX: Final = 2_000
"""Messages that wait for the disk. While there are as many, others are not kept."""
SWEPT_EVERY_S: Final = 60.0
_BLOCK_BYTES: Final = 4_096
_log = structlog.get_logger(__name__)


class _Noted(NamedTuple):
    key: str
    at_s: float
    message: bytes | str
    """A message, or a line about the leg."""
    is_sent: bool


class Capture:
    """The folder of call traces: one file for each leg, made with its first message."""

    def __init__(self, folder: Path, bytes_max: int = CAPTURE_BYTES_MAX) -> None:
        self._folder: Final = folder
        self._bytes_max: Final = bytes_max
        self._waiting: queue.Queue[_Noted | None] = queue.Queue(WAITING_MAX)
        self._lost = 0
        self._is_failing = False
        self._thread: Thread | None = None

    def note(self, key: str, data: bytes, *, is_sent: bool) -> None:
        """Keep a message of a leg, unless too many wait for the disk."""
        self._keep(key, data, is_sent=is_sent)

    def remark(self, key: str, text: str) -> None:
        """Keep a line about a leg among its messages."""
        self._keep(key, text)

    def _keep(self, key: str, message: bytes | str, *, is_sent: bool = False) -> None:
        if not NAME.fullmatch(key):
            return
        if self._thread is None:
            self._thread = Thread(target=self._write_all, name="capture", daemon=True)
            self._thread.start()
        try:
            self._waiting.put_nowait(_Noted(key, time.time(), message, is_sent))
        except queue.Full:
            self._lost += 1

    def close(self) -> None:
        """Write the messages that wait, for a second at most."""
        if self._thread is not None:
            with contextlib.suppress(queue.Full):
                self._waiting.put(None, timeout=1)
            self._thread.join(timeout=1)

    def _write_all(self) -> None:
        swept_s = 0.0
        while True:
            with contextlib.suppress(queue.Empty):
                noted = self._waiting.get(timeout=SWEPT_EVERY_S)
                if noted is None:
                    return
                self._attempt(noted)
            if time.monotonic() - swept_s >= SWEPT_EVERY_S:
                swept_s = time.monotonic()
                with contextlib.suppress(OSError):
                    sweep(self._folder, time.time(), self._bytes_max)

    def _attempt(self, noted: _Noted) -> None:
        try:
            self._write(noted)
        except OSError as error:
            self._lost += 1
            if not self._is_failing:
                _log.warning("call_messages_not_kept", folder=str(self._folder), error=str(error))
            self._is_failing = True
        else:
            self._is_failing = False

    def _write(self, noted: _Noted) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        at = time.strftime("%H:%M:%S", time.gmtime(noted.at_s)) + f".{int(noted.at_s * 1_000) % 1_000:03d}Z"
        message = noted.message
        if isinstance(message, bytes):
            message = f"{'→' if noted.is_sent else '←'} {kept_message(message)}"
        text = f"{at}  {message}\n"
        lost, self._lost = self._lost, 0
        if lost:
            _log.warning("call_messages_lost", count=lost)
            text = f"{at}  up to {lost} messages before this one were not kept\n{text}"
        with (self._folder / f"{noted.key}.txt").open("a", encoding="utf-8") as file:
            if file.tell() < LEG_BYTES_MAX:
                file.write(text)


def sweep(folder: Path, now_s: float, bytes_max: int) -> None:
    """Delete files older than a day, and then the oldest files until the folder has at most `bytes_max`."""
    captures = sorted((capture.stat().st_mtime, capture.stat().st_size, capture) for capture in folder.glob("*.txt"))
    total = sum(_on_disk(size) for _, size, _ in captures)
    for at_s, size, path in captures:
        if now_s - at_s < KEPT_S and total <= bytes_max:
            break
        path.unlink(missing_ok=True)
        total -= _on_disk(size)


def _on_disk(size: int) -> int:
    return -(-size // _BLOCK_BYTES) * _BLOCK_BYTES
