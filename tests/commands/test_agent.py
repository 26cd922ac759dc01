"""Tests of `dialer agent`: wrong arguments, and a place that is taken. The agents themselves: `tests/dev`."""

import socket
from pathlib import Path

import pytest

from tests.commands.conftest import Run


@pytest.mark.parametrize("arguments", [("script",), ("echo", "steps.txt"), ("script", "wrong.txt"), ("sing",)])
def test_wrong_arguments_are_refused_in_words(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "steps.txt").write_text("key\n", "utf-8")
    (tmp_path / "wrong.txt").write_text("sing a song\n", "utf-8")
    there = [str(tmp_path / one) if one.endswith(".txt") else one for one in arguments]
    refused = run("agent", *there)
    assert (refused.code, "Traceback" in refused.err) == (2, False)


def test_a_port_that_is_taken_is_told(run: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused = run("agent", "echo", "--port", str(taken.getsockname()[1]))
    assert refused.code == 1
    assert "it cannot listen on 127.0.0.1:" in refused.err
