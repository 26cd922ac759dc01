"""Tests of the wait for a server that starts: it lasts as long as there is progress, and ends with the truth."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.local_service.errors import DemoError
from dialer.local_service.starting import Patience, Progress, first_line, seen_of

IDLE = "import signal; signal.pause()"


@contextmanager
def program(folder: Path, source: str, *, stdin: int | None = None) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    log, pipe = folder / "server.log", subprocess.PIPE
    command = [sys.executable, "-c", source]
    with (
        log.open("wb") as errors,
        subprocess.Popen(command, stdin=stdin, stdout=pipe, stderr=errors, text=True) as process,
    ):
        try:
            yield process, log
        finally:
            process.kill()


@given(st.lists(st.floats(0.1, 59), max_size=50))
def test_progress_is_waited_for_until_the_whole_time_is_over(pauses: list[float]) -> None:
    patience, now = Patience(0, silence_s=60, total_s=900), 0.0
    for number, pause in enumerate(pauses):
        now += pause
        reason = patience.why_over(now, (number,))
        assert reason == ("it was not ready after 900 seconds" if now >= 900 else "")


@given(st.lists(st.floats(0.1, 30), min_size=1, max_size=50), st.integers(0, 49))
def test_silence_is_over_when_its_own_time_is(pauses: list[float], moved: int) -> None:
    patience, now, moved_at = Patience(0, silence_s=60, total_s=10_000), 0.0, 0.0
    for number, pause in enumerate(pauses):
        now += pause
        moved_at = now if number in {0, moved} else moved_at
        reason = patience.why_over(now, (number >= moved,))
        assert reason == ("it did nothing for 60 seconds" if now - moved_at >= 60 else "")


def test_whoever_waits_is_told_every_ten_seconds_what_for() -> None:
    patience, told = Patience(0, silence_s=60), list[str]()
    for now_s in range(0, 32, 2):
        assert patience.why_over(now_s, (min(now_s, 20),)) == ""
        told.append(patience.news(now_s))
    limit = "this command ends it after 60 seconds without progress."
    assert [message for message in told if message] == [
        f"Waiting for the server to start, since 10 seconds. It makes progress: {limit}",
        f"Waiting for the server to start, since 20 seconds. It makes progress: {limit}",
        f"Waiting for the server to start, since 30 seconds. It has done nothing for 10 seconds: {limit}",
    ]


def test_a_wait_is_told_before_the_first_line_comes(tmp_path: Path) -> None:
    told: list[str] = []
    with program(tmp_path, "import sys; sys.stdin.readline(); print('ready')", stdin=subprocess.PIPE) as (process, log):

        def tell(message: str) -> None:
            told.append(message)
            assert process.stdin is not None
            process.stdin.close()

        waiting = Patience(time.monotonic() - 10)
        assert first_line(process, tmp_path, log, patience=waiting, tell=tell) == "ready\n"
    assert [message.partition(",")[0] for message in told] == ["Waiting for the server to start"]


def test_a_program_that_computes_is_waited_for(tmp_path: Path) -> None:
    with program(tmp_path, "print('ready')") as (process, log):
        seen = count()
        impatient = Patience(time.monotonic(), silence_s=0.001)
        assert first_line(process, tmp_path, log, patience=impatient, look=lambda *_: (next(seen),)) == "ready\n"


def test_a_program_that_does_nothing_is_ended_by_the_command_which_says_so(tmp_path: Path) -> None:
    with program(tmp_path, IDLE) as (process, log):
        log.write_text("starting\n")
        with pytest.raises(DemoError) as caught:
            first_line(process, tmp_path, log, patience=Patience(time.monotonic(), silence_s=0.01), look=nothing)
    assert str(caught.value) == (
        "the server did not start: it did nothing for 0.01 seconds, so this command ended it\nstarting"
    )


@pytest.mark.parametrize(
    ("source", "how"),
    [
        ("raise SystemExit(3)", "it ended by itself, with exit status 3"),
        ("import os; os.kill(os.getpid(), 9)", "SIGKILL ended it, which did not come from this command"),
    ],
)
def test_a_program_that_ended_is_not_said_to_print_nothing(tmp_path: Path, source: str, how: str) -> None:
    said = f"import sys; print('no disk', file=sys.stderr, flush=True); {source}"
    with program(tmp_path, said) as (process, log), pytest.raises(DemoError) as caught:
        first_line(process, tmp_path, log)
    assert str(caught.value) == f"the server did not start: {how}\nno disk"


def test_progress_is_time_that_a_program_computed_or_what_it_wrote(tmp_path: Path) -> None:
    busy = "import sys, time\nwhile time.process_time() < 0.1: pass\nprint('done', flush=True)\n" + IDLE
    with program(tmp_path, busy) as (process, log):
        before = Progress(seen_of(process.pid, tmp_path))
        assert process.stdout is not None
        process.stdout.readline()
        after = seen_of(process.pid, tmp_path)
        assert after != before
        log.write_text("one more line\n")
        assert seen_of(process.pid, tmp_path) != after


def nothing(_pid: int, _folder: Path) -> Progress:
    return ()
