"""`dialer dev` from beginning to end."""

import shutil
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from dialer.dev.example_data import has_example_data, make_example_data
from dialer.dev.program_key import program_key
from dialer.dev.reloading import Reloading
from dialer.dev.sign_in_link import sign_in_link
from dialer.dev.terminal import HELP, Terminal
from dialer.domain.words.enums import LegType
from dialer.files.applying import files_beside, names_given, read_files
from dialer.files.kinds import Wanted
from dialer.files.nodes import FileError
from dialer.local_service.clock_client import LOCAL, DevClient
from dialer.local_service.errors import DemoError
from dialer.local_service.hand_clock import HandClock
from dialer.local_service.server import DemoAccount, Server, new_account, running_server

MARK: Final = "made-by-dialer-dev"
"""The file by which a folder is known as one that may be emptied. It holds the password of the admin."""
FIRST_S: Final = 120
"""The time by which a new service is advanced, so that there are calls to look at."""
STARTS_AT: Final = "T15:00:00Z"
"""Ten o'clock in Washington, where the example people are."""
_ADMIN: Final = "admin"


def run(
    folder: Path, files: Sequence[Path], *, port: int, fresh: bool, lines: Iterable[str], say: Callable[[str], None]
) -> None:
    """Run a service with example data in a folder, and obey lines, until one of them or Ctrl+C ends it.

    `files` of records are applied at the beginning, and whenever they, or files that they name, are saved.

    Raises:
        DemoError: the folder holds something else, the server does not start, or it answers as nobody expects.
    """
    admin = _open_folder(folder, fresh=fresh)
    starts = f"{datetime.now(UTC):%Y-%m-%d}{STARTS_AT}"
    with (
        running_server(folder, seed=0, clock_start=starts, port=port, admin=admin, settings=LOCAL) as server,
        DevClient(server.url, admin) as service,
    ):
        clock = HandClock(service)
        service.keep_events()
        if not has_example_data(service):
            make_example_data(service)
            clock.move(seconds=FIRST_S)
        key = program_key(service, folder)
        with sign_in_link(server.url, admin) as link:
            _greet(server, link, key, folder, say)
            with _reloaded(server, service, files, say):
                _obey(service, clock, lines, say)


@contextmanager
def _reloaded(server: Server, service: DevClient, files: Sequence[Path], say: Callable[[str], None]) -> Iterator[None]:
    """Apply files now, and in a thread whenever they, or files that they name, are saved."""

    def apply() -> list[Path]:
        paths = [path.absolute() for path in files]
        beside: list[Path] = []
        try:
            wanted = read_files(paths)
            beside = files_beside(wanted)
            _make_gateways(service, wanted)
        except FileError:
            pass  # The command that applies the files says what is wrong.
        except DemoError as error:
            say(str(error))
        done = server.command("apply", *map(str, paths), "--user", _ADMIN, "--yes")
        say((done.stdout if done.returncode == 0 else done.stderr).rstrip())
        return beside

    reloading = Reloading(files, apply)
    reloading.look()
    looking = threading.Thread(target=reloading.run, daemon=True)
    looking.start()
    try:
        yield
    finally:
        reloading.end()
        looking.join()


def _make_gateways(service: DevClient, wanted: Sequence[Wanted]) -> None:
    """Make a simulated gateway for each name that files give and that no gateway has."""
    for field, path in (("gateway", "gateway"), ("sms_gateway", "sms-gateway")):
        known = {record["name"] for record in service.every_page(path)}
        for name in names_given(wanted, field):
            if name not in known:
                service.create(path, name=name)


def _open_folder(folder: Path, *, fresh: bool) -> DemoAccount:
    """Make the folder if it is missing, or empty it, and return the account of its admin."""
    mark = folder / MARK
    if folder.exists() and any(folder.iterdir()) and not mark.exists():
        raise DemoError(f"{folder} was not made by dialer dev: name another folder with --folder")
    if fresh and folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if not mark.exists():
        mark.touch(mode=0o600)
        mark.write_text(new_account(_ADMIN).password, encoding="utf-8")
    return DemoAccount(_ADMIN, mark.read_text(encoding="utf-8").strip())


def _greet(server: Server, link: str, key: str, folder: Path, say: Callable[[str], None]) -> None:
    say(f"The console, signed in (for one use): {link}")
    say(f"The API: {server.url}/rest-api/   user {server.admin.username}, password {server.admin.password}")
    say(f"For programs: export DIALER_URL={server.url} DIALER_API_KEY={key}")
    say(f"Everything is in {folder}. Calls are simulated, and the clock stands still until you move it:\n{HELP}")


def _obey(service: DevClient, clock: HandClock, lines: Iterable[str], say: Callable[[str], None]) -> None:
    def status() -> str:
        now = service.now()
        running = clock.problem or (f"runs {clock.speed} times as fast" if clock.speed else "stands still")
        over, all_calls = service.count("cdr", leg_type=int(LegType.A_LEG)), service.count("callrequest")
        return f"{now}  the clock {running}; calls placed: {all_calls}, calls over: {over}"

    ticking = threading.Thread(target=clock.run, daemon=True)
    ticking.start()
    try:
        say(status())
        if not Terminal(clock, status, say).obey(lines) and not sys.stdin.isatty():
            threading.Event().wait()  # Nobody is at the keyboard: serve until a signal ends it.
    finally:
        clock.end()
        ticking.join()
