"""Tests of a client that a public generator makes from the OpenAPI document."""

import importlib
import io
import json
import os
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.openapi.document import document
from tests.api.harness import PASSWORD, Caller
from tests.end_to_end.service import advance, wav

PACKAGE = "dialer_client"
STEP_S_MAX = 60
FILES = ("text/csv", "audio/wav")
SETTINGS = {"post_hooks": [], "content_type_overrides": dict.fromkeys(FILES, "application/octet-stream")}
"""The generator's settings: no formatting, and CSV and recordings as plain files."""


def run(*command: str) -> str:
    """Run a Python program that must succeed without warnings, and return its output."""
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, timeout=STEP_S_MAX, check=False, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def generate(described: dict[str, Any], folder: Path) -> None:
    """Generate the client, without a warning."""
    (folder / "openapi.json").write_text(json.dumps(described), "utf-8")
    (folder / "settings.json").write_text(json.dumps(SETTINGS), "utf-8")
    files = ["--path", str(folder / "openapi.json"), "--config", str(folder / "settings.json")]
    target = ["--meta", "none", "--output-path", str(folder / PACKAGE)]
    said = run(
        "-c", "from openapi_python_client.cli import app; app()", "generate", *files, *target, "--fail-on-warning"
    )
    assert "warning" not in said.lower()


@pytest.fixture
def generated(
    client: TestClient[Litestar], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, ModuleType]]:
    """Import all modules of the client, and return them by their name below the package."""
    generate(document(client.app), tmp_path)
    run("-m", "compileall", "-q", str(tmp_path / PACKAGE))
    monkeypatch.syspath_prepend(str(tmp_path))
    package = importlib.import_module(PACKAGE)
    names = [found.name for found in pkgutil.walk_packages(package.__path__, f"{PACKAGE}.")]
    yield {name.removeprefix(f"{PACKAGE}."): importlib.import_module(name) for name in names}
    for name in [PACKAGE, *names]:
        sys.modules.pop(name, None)


class Generated:
    """The generated client, logged in as one user."""

    def __init__(self, modules: dict[str, ModuleType], client: TestClient[Litestar], username: str) -> None:
        self.modules = modules
        client.auth = (username, PASSWORD)
        self.client = modules["client"].Client(base_url=str(client.base_url), raise_on_unexpected_status=True)
        self.client.set_httpx_client(client)

    def model(self, name: str, /, **fields: object) -> Any:  # noqa: ANN401 - a generated class
        """Build a request body."""
        return getattr(self.modules["models"], name)(**fields)

    def call(self, operation: str, status: int, *arguments: object, body: object) -> Any:  # noqa: ANN401 - a generated class
        """Call an operation, named by its group and its id, expect a status, and return the response."""
        answer = self.modules[f"api.{operation}"].sync_detailed(*arguments, client=self.client, body=body)
        assert answer.status_code == status, answer.content
        return answer.parsed


def test_the_five_steps(
    generated: dict[str, ModuleType], client: TestClient[Litestar], admin: Caller, ann: Caller
) -> None:
    gateway = admin.create("gateway", name="sim")
    mine = Generated(generated, client, ann.auth[0])
    book = mine.call("phonebook.create_phonebook", 201, body=mine.model("PhonebookWrite", name="friends"))
    contact = mine.model("ContactWrite", contact="+12025550100", phonebook=book.url)
    mine.call("contact.create_contact", 201, body=contact)

    recording = generated["types"].File(payload=io.BytesIO(wav(2)), file_name="hello.wav", mime_type="audio/wav")
    audio = mine.call(
        "audio_files.upload_audio", 201, body=mine.model("UploadAudioBody", name="hello", audio_file=recording)
    )
    survey = mine.call(
        "survey_template.create_survey_template", 201, body=mine.model("SurveyTemplateWrite", name="greeting")
    )
    section = mine.model("SectionTemplateWrite", survey=survey.url, question="Hello", audiofile=audio.url)
    assert mine.call("section_template.create_section_template", 201, body=section).audiofile == audio.url
    campaign = mine.call(
        "campaigns.create_campaigns",
        201,
        body=mine.model(
            "CampaignWrite",
            name="spring",
            aleg_gateway=gateway["url"],
            object_id=survey.id,
            phonebook=[book.url],
            callerid="+12025550199",
            maxretry=3,
        ),
    )
    start = mine.model("CampaignChange", status=generated["models"].CampaignStatus.START)
    mine.call("campaigns.change_campaigns", 202, campaign.id, body=start)

    advance(admin, 60)
    ended = ann.get(campaign.url)
    assert [ended[name] for name in ("status", "status_reason", "calls", "answered")] == [4, "completed", 1, 1]
    assert (ended["maxretry"], ended["callerid"]) == (3, "+12025550199")


def test_a_refusal_is_parsed_as_the_named_error(
    generated: dict[str, ModuleType], client: TestClient[Litestar], ann: Caller
) -> None:
    mine = Generated(generated, client, ann.auth[0])
    missing = mine.model("ContactWrite", contact="+12025550100", phonebook=4_711)
    error = mine.call("contact.create_contact", 400, body=missing)
    assert isinstance(error, generated["models"].Error)
    assert error.additional_properties == {"phonebook": ["Invalid hyperlink - Object does not exist."]}
