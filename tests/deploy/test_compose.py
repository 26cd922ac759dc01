"""Tests of the compose file as data: its commands, settings, addresses and files exist."""

import re
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
import rich_click as click
import yaml

from dialer.cli import cli
from dialer.settings import SETTINGS, load_settings
from tests.optional_tools import find_tool

FOLDER: Final = Path(__file__).parents[2] / "deploy" / "compose"
FILE: Final[dict[str, Any]] = yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8"))
OURS: Final = {name: one for name, one in FILE["services"].items() if one["image"] == "dialer"}
LISTENS: Final = {"api": "8000", "worker": "8001"}


def test_the_processes_are_those_of_the_documentation() -> None:
    assert sorted(FILE["services"]) == ["api-1", "api-2", "migrate", "postgres", "proxy", "worker-1", "worker-2"]
    assert {name for name, one in OURS.items() if "restart" not in one} == {"migrate"}
    waits = {name: one["depends_on"] for name, one in OURS.items()}
    after = {"migrate": {"condition": "service_completed_successfully"}}
    assert waits.pop("migrate") == {"postgres": {"condition": "service_healthy"}}
    assert list(waits.values()) == [after] * 4


@pytest.mark.parametrize("name", OURS)
def test_every_command_exists_and_takes_its_options(name: str) -> None:
    group: click.Command = cli
    words = list(OURS[name]["command"])
    with click.Context(cli) as context:
        while isinstance(group, click.Group):
            found = group.get_command(context, words.pop(0))
            assert found is not None
            group = found
        assert not group.make_context(name, words, parent=context).args


@pytest.mark.parametrize("name", OURS)
def test_every_variable_is_a_setting_with_a_value_that_it_may_hold(name: str) -> None:
    given = {
        key: value.replace("${POSTGRES_PASSWORD:?set it to a password of letters and digits}", "secret")
        for key, value in OURS[name]["environment"].items()
        if key != "FORWARDED_ALLOW_IPS"
    }
    given["DIALER_TIMEZONE"] = given["DIALER_TIMEZONE"].removeprefix("${DIALER_TIMEZONE:-").removesuffix("}")
    assert given.keys() <= {setting.variable for setting in SETTINGS}
    assert load_settings(given).database_url == "postgresql://dialer:secret@postgres/dialer"


def test_addresses_belong_to_the_processes_that_are_asked() -> None:
    for name, one in OURS.items():
        if name != "migrate":
            port = LISTENS[one["command"][0]]
            assert one["command"][-1].rpartition(":")[2] == port
            assert f"http://127.0.0.1:{port}/health/ready" in one["healthcheck"]["test"][-1]
    proxy = (FOLDER / "Caddyfile").read_text("utf-8")
    assert "reverse_proxy api-1:8000 api-2:8000" in proxy
    subnet = FILE["networks"]["service"]["ipam"]["config"][0]["subnet"]
    assert {one["environment"].get("FORWARDED_ALLOW_IPS") for one in OURS.values()} == {None, subnet}
    named = {volume.partition(":")[0] for one in FILE["services"].values() for volume in one.get("volumes", [])}
    assert named == {*FILE["volumes"], "./Caddyfile"}


def test_images_have_exact_versions_and_dependencies_are_locked() -> None:
    lines = (FOLDER / "Dockerfile").read_text("utf-8").splitlines()
    images = [line.split()[1] for line in lines if line.startswith("FROM ")]
    images += [one["image"] for one in FILE["services"].values() if one["image"] != "dialer"]
    assert [image for image in images if not re.fullmatch(r"[a-z]+:\d+\.\d+(\.\d+)?(-[a-z-]+)?", image)] == []
    assert any(line.startswith("RUN uv sync --frozen --no-dev ") for line in lines)
    makefile = (FOLDER.parents[1] / "Makefile").read_text("utf-8")
    (version,) = re.findall(r"^UV_VERSION := (\S+)$", makefile, re.MULTILINE)
    assert any(line.endswith(f" uv=={version}") for line in lines)


def test_processes_write_to_their_volume_only_and_get_no_more_rights() -> None:
    rights = ("read_only", "tmpfs", "cap_drop", "security_opt", "volumes")
    expected = [True, ["/tmp"], ["ALL"], ["no-new-privileges:true"], ["media:/var/lib/dialer"]]  # noqa: S108 - a mount
    assert [[one[right] for right in rights] for one in OURS.values()] == [expected] * len(OURS)


def test_an_image_runs_as_a_user_of_its_own_and_serves_with_a_health_check() -> None:
    image = (FOLDER / "Dockerfile").read_text("utf-8").rpartition("\nFROM ")[2]
    user, folder, port = (
        re.findall(rf"^{word} (\S+)$", image, re.MULTILINE)[-1] for word in ("USER", "VOLUME", "EXPOSE")
    )
    assert (user, folder) == ("dialer", "/var/lib/dialer")
    assert f"http://127.0.0.1:{port}/health/ready" in image.partition("HEALTHCHECK")[2]
    command = yaml.safe_load(image.partition("\nCMD ")[2])
    with click.Context(cli) as context:
        serve = cli.get_command(context, command[0])
        assert serve is not None
        assert serve.make_context("serve", command[1:], parent=context).params["port"] == int(port)


def test_an_image_gets_what_it_copies_and_nothing_beside_it() -> None:
    root = FOLDER.parents[1]
    sent = {line[1:] for line in (root / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    copies = re.findall(r"^COPY (?!--)(.+) \S+$", (FOLDER / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert {name for line in copies for name in line.split()} == sent


def test_an_image_has_the_pages_of_help_where_the_console_looks() -> None:
    image = (FOLDER / "Dockerfile").read_text("utf-8").splitlines()
    assert image.index("COPY src src") < image.index("COPY docs/*.md src/dialer/help/")
    assert image.index("COPY docs/*.md src/dialer/help/") < next(n for n, one in enumerate(image) if "uv sync" in one)


def test_only_this_machine_reaches_the_proxy_which_has_no_tls() -> None:
    ports = [port for one in FILE["services"].values() for port in one.get("ports", [])]
    assert ports == ["127.0.0.1:${PORT:-8080}:8080"]


def test_caddy_finds_nothing_wrong() -> None:
    command = [find_tool("caddy"), "validate", "--adapter", "caddyfile", "--config", str(FOLDER / "Caddyfile")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
