"""Fixtures that run the command line as a shell does."""

import json
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dialer.cli import main
from tests.runtime.conftest import house

__all__ = ["house"]

PASSWORD = "correct horse battery"


class Outcome(NamedTuple):
    """The exit code and the output of a command."""

    code: object
    out: str
    err: str

    @property
    def told(self) -> list[str]:
        """The messages on standard error, whether they are text or lines of a log."""
        lines = self.err.splitlines()
        return [json.loads(line)["event"] if line[:1] == "{" else line.removeprefix("dialer: ") for line in lines]

    @property
    def data(self) -> Any:  # noqa: ANN401 - JSON
        return json.loads(self.out)


Run = Callable[..., Outcome]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Yield a function that runs `dialer` in an empty folder with an environment of its own."""
    monkeypatch.chdir(tmp_path)
    root = logging.getLogger()
    handlers, level, excepthook = root.handlers[:], root.level, threading.excepthook

    def run(*arguments: str, stdin: str = "", **environ: str) -> Outcome:
        with monkeypatch.context() as one_run:
            for name, value in environ.items():
                one_run.setenv(name, value)
            one_run.setattr(sys, "argv", ["dialer", *arguments])
            one_run.setattr(sys, "stdin", StringIO(stdin))
            with pytest.raises(SystemExit) as ended:
                main()
        printed = capsys.readouterr()
        return Outcome(ended.value.code, printed.out, printed.err)

    yield run
    # Some commands log as a service does.
    root.handlers[:], root.level, threading.excepthook = handlers, level, excepthook
    logging.captureWarnings(capture=False)
