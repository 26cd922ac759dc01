"""The server of the demonstration: `dialer serve` in a process of its own, on a database of its own."""

import contextlib
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from dialer.local_service.errors import DemoError
from dialer.local_service.starting import first_line

END_S_MAX: Final = 15
PASSWORD_BYTES: Final = 18
_DIALER: Final = (sys.executable, "-P", "-c", "from dialer.cli import main; main()")
_READY: Final = re.compile(r"dialer is ready at (http://[^\s/]+)/rest-api/")
_NOTHING: Final[Mapping[str, str]] = {}


class DemoAccount(msgspec.Struct, frozen=True):
    """A user of the server, with a random password."""

    username: str
    password: str


class Server:
    """A running server, whose commands run in `folder`."""

    def __init__(self, url: str, admin: DemoAccount, folder: Path, environment: dict[str, str]) -> None:
        self.url: Final = url
        """Its address, without a slash at the end."""
        self.admin: Final = admin
        self._folder: Final = folder
        self._environment: Final = environment

    def create_account(self, username: str, *, call_rate: str) -> DemoAccount:
        """Create a user with `dialer users create`."""
        account = new_account(username)
        arguments = ("users", "create", username, "--call-rate", call_rate, "--password-stdin")
        completed = self.command(*arguments, given=f"{account.password}\n")
        if completed.returncode:
            raise DemoError(f"dialer users create: {completed.stderr.strip()}")
        return account

    def command(self, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command of `dialer` beside the server, with `given` as its input, and return what it printed."""
        return subprocess.run(  # noqa: S603 - our own program, with arguments of ours
            [*_DIALER, *arguments],
            input=given,
            cwd=self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )


@contextlib.contextmanager
def running_server(
    folder: Path,
    *,
    seed: int,
    clock_start: str,
    clock: str = "virtual",
    port: int = 0,
    admin: DemoAccount | None = None,
    settings: Mapping[str, str] = _NOTHING,
) -> Iterator[Server]:
    """Run a server with all its files in `folder`, until this is left. Port 0 means any free one.

    `admin` is the first user, with a random password unless given; `settings` are further variables.

    Raises:
        DemoError: it does not start.
    """
    admin = admin or new_account("admin")
    environment = _environment(folder, admin, seed=seed, clock_start=clock_start, clock=clock) | dict(settings)
    log = folder / "server.log"
    with (
        log.open("wb") as errors,
        subprocess.Popen(  # noqa: S603 - our own program, with arguments of ours
            [*_DIALER, "serve", "--port", str(port)],
            cwd=folder,  # A settings file of the user's working directory does not concern the demonstration.
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        try:
            yield Server(_address(first_line(process, folder, log)), admin, folder, environment)
        finally:
            _end(process)


def new_account(username: str) -> DemoAccount:
    """Return an account with a random password."""
    return DemoAccount(username, secrets.token_urlsafe(PASSWORD_BYTES))


def _environment(folder: Path, admin: DemoAccount, *, seed: int, clock_start: str, clock: str) -> dict[str, str]:
    """Return this process's environment with the settings of the demonstration in place of all others."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("DIALER_")}
    return {
        **others,
        "DIALER_DATABASE_URL": f"sqlite+aiosqlite:///{folder.absolute() / 'dialer.db'}",
        "DIALER_MEDIA_DIR": str(folder.absolute() / "media"),
        "DIALER_ADMIN_USERNAME": admin.username,
        "DIALER_ADMIN_PASSWORD": admin.password,
        "DIALER_CLOCK": clock,
        "DIALER_CLOCK_START": clock_start,
        "DIALER_SEED": str(seed),
    }


def _address(line: str) -> str:
    """Return the server's address, from the only line that it prints, when it is ready."""
    found = _READY.search(line)
    if found is None:
        raise DemoError(f"the server did not start: it printed {line.strip()!r}")
    return found[1]


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(END_S_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
