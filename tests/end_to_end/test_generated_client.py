"""Tests of a client that a public generator makes from the OpenAPI document."""

import importlib
import io
import json
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.openapi.document import served_document
from tests.end_to_end.service import wav
from tests.test_server import ADMIN, PASSWORD, VIRTUAL, serving

PACKAGE = "dialer_client"
STEP_S_MAX = 60
FILES = ("text/csv", "audio/wav", "application/x-ndjson", "application/zip", "text/event-stream")
OVERRIDES = dict.fromkeys(FILES, "application/octet-stream")
SETTINGS = {"post_hooks": [], "content_type_overrides": OVERRIDES}
"""The generator's settings: no formatting, and CSV, NDJSON and recordings as plain files."""


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
    generate(served_document(client.app), tmp_path)
    run("-m", "compileall", "-q", str(tmp_path / PACKAGE))
    monkeypatch.syspath_prepend(str(tmp_path))
    package = importlib.import_module(PACKAGE)
    names = [found.name for found in pkgutil.walk_packages(package.__path__, f"{PACKAGE}.")]
    yield {name.removeprefix(f"{PACKAGE}."): importlib.import_module(name) for name in names}
    for name in [PACKAGE, *names]:
        sys.modules.pop(name, None)


class Generated:
    """The generated client, logged in as the admin of a server."""

    def __init__(self, modules: dict[str, ModuleType], client: httpx.Client) -> None:
        self.modules = modules
        self.client = modules["client"].Client(base_url=str(client.base_url), raise_on_unexpected_status=True)
        self.client.set_httpx_client(client)

    def model(self, name: str, /, **fields: object) -> Any:  # noqa: ANN401 - a generated class
        """Build a request body."""
        return getattr(self.modules["models"], name)(**fields)

    def file(self, content: bytes) -> Any:  # noqa: ANN401 - a generated class
        """Build a file to upload."""
        return self.modules["types"].File(payload=io.BytesIO(content), file_name="file")

    def call(self, operation: str, status: int, *arguments: object, **named: object) -> Any:  # noqa: ANN401 - a generated class
        """Call an operation, named by its group and its id, expect a status, and return the response."""
        answer = self.modules[f"api.{operation}"].sync_detailed(*arguments, client=self.client, **named)
        assert answer.status_code == status, answer.content
        return answer.parsed


@pytest.fixture
def ours(generated: dict[str, ModuleType], tmp_path: Path) -> Iterator[Generated]:
    """Start a server with a virtual clock, and return the client of its admin."""
    folder = tmp_path / "server"
    folder.mkdir()
    with serving(folder, **ADMIN, **VIRTUAL) as served:
        address = served.base.removesuffix("/rest-api/")
        with httpx.Client(base_url=address, auth=("root", PASSWORD), timeout=60) as client:
            yield Generated(generated, client)


def test_the_guide_has_the_tested_settings() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "clients.md").read_text("utf-8")
    assert dict(re.findall(r"^  (\S+): (application/octet-stream)$", guide, re.MULTILINE)) == OVERRIDES


def test_the_five_steps_an_import_and_a_refusal(ours: Generated) -> None:
    names = ours.modules["models"]
    me = ours.call("users.list_users", 200).results[0]
    ours.call("payment.create_payment", 201, body=ours.model("PaymentWrite", amount="10.00000", user=me.url))
    gateway = ours.call("gateway.create_gateway", 201, body=ours.model("GatewayWrite", name="sim"))

    audio = ours.call(
        "audio_files.upload_audio", 201, body=ours.model("UploadAudioBody", name="hello", audio_file=ours.file(wav(2)))
    )
    survey = ours.call(
        "survey_template.create_survey_template", 201, body=ours.model("SurveyTemplateWrite", name="greeting")
    )
    section = ours.model(
        "SectionTemplateWrite",
        survey=survey.url,
        question="Will you come on Monday?",
        type_=names.SectionType.MULTI_CHOICE,
        audiofile=audio.url,
        key_1="yes",
        completed=True,
    )
    assert ours.call("section_template.create_section_template", 201, body=section).audiofile == audio.url

    book = ours.call("phonebook.create_phonebook", 201, body=ours.model("PhonebookWrite", name="friends"))
    contact = ours.model("ContactWrite", contact="+12025550101", phonebook=book.url)
    ours.call("contact.create_contact", 201, body=contact)
    rows = b"contact,full_name,city\n+12025550102,Ada Byron,Boston\n+12025550100,,\n12,too short,\n"
    form = ours.model("ImportContactsFilesBody", file=ours.file(rows))
    imported = ours.call("phonebook.import_contacts", 200, book.id, body=form)
    assert (imported.imported, imported.rejected, imported.errors[0].line) == (2, 1, 4)

    campaign = ours.call(
        "campaigns.create_campaigns",
        201,
        body=ours.model(
            "CampaignWrite",
            name="spring",
            aleg_gateway=gateway.url,
            object_id=str(survey.id),
            phonebook=[book.url],
            callerid="+12025550199",
            maxretry=3,
        ),
    )
    start = ours.model("CampaignChange", status=names.CampaignStatus.START)
    ours.call("campaigns.change_campaigns", 202, campaign.id, body=start)
    ours.call("clock.advance_clock", 200, body=ours.model("ClockAdvance", seconds=3_600))

    ended = ours.call("campaigns.read_campaigns", 200, campaign.id)
    assert (ended.status, ended.status_reason) == (names.CampaignStatus.END, "completed")
    assert (ended.calls, ended.answered, ended.maxretry, ended.callerid) == (3, 3, 3, "+12025550199")
    calls = ours.call("cdr.list_cdr", 200, campaign_id=campaign.id, leg_type=names.LegType.A_LEG).results
    assert sorted((one.phone_number, one.hangup_cause_q850, one.amd_status) for one in calls) == [
        (number, 16, names.AmdStatus.PERSON) for number in ("+12025550100", "+12025550101", "+12025550102")
    ]
    answers = ours.call("survey_result.list_survey_result", 200, campaign_id=campaign.id).results
    assert [one.response for one in answers] == ["yes"]

    missing = ours.model("ContactWrite", contact="+12025550100", phonebook=4_711)
    error = ours.call("contact.create_contact", 400, body=missing)
    assert isinstance(error, names.Error)
    assert error.additional_properties == {"phonebook": ["Invalid hyperlink - Object does not exist."]}
