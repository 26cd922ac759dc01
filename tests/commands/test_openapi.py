"""A test of `dialer openapi`, which prints the document without a service."""

from pathlib import Path

from tests.commands.conftest import Run


def test_the_document_is_printed_and_nothing_is_touched(run: Run, tmp_path: Path) -> None:
    printed = run("openapi")
    assert (printed.code, printed.err) == (0, "")
    assert printed.data["openapi"].startswith("3.1")
    upload = printed.data["paths"]["/rest-api/audio-files/"]["post"]["requestBody"]["content"]
    assert upload["multipart/form-data"]["schema"]["required"] == ["name", "audio_file"]
    assert list(tmp_path.iterdir()) == []
