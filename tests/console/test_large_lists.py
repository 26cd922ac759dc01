"""Tests of large lists, which are checked and imported in the background while a page shows how far they are."""

import re
import threading
from collections.abc import Awaitable, Callable, Iterator

import anyio
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.app.imports.imports import CHUNK_ROWS
from dialer.console.app import Console
from dialer.console.lists import list_tasks
from dialer.console.lists.list_choices import ListChoices
from dialer.console.lists.list_tasks import KEPT_MAX, TASKS_MAX, ListTask, ListTasks
from dialer.resources.words.errors import AnsweredError
from tests.api.harness import Caller
from tests.console.test_importing import BOOK, look, press, token_in, upload
from tests.console.visitor import Visitor, words

ROWS = 3 * CHUNK_ROWS
FILE = b"Phone,full_name\n" + b"".join(
    b"+12025%06d,Ann Example of the town of Springfield, where the names of people are long enough\n".replace(
        b", where", b" where"
    )
    % number
    for number in range(100_000, 100_000 + ROWS)
)


class Gate:
    """Holds the thread that reads a file before its first word of progress, and at each; `now` is the tasks' time."""

    def __init__(self) -> None:
        self.now = 0.0
        self._steps = threading.Semaphore(0)
        self._reached = threading.Semaphore(0)
        self._is_open = False

    def time(self) -> float:
        """Return the time, once the reader may go on if it is the one who asks."""
        if threading.current_thread().name.startswith("AnyIO worker thread"):
            self.wait()
        return self.now

    def wait(self) -> None:
        """Hold the thread, unless the gate is open."""
        if not self._is_open:
            self._reached.release()
            self._steps.acquire()

    def pass_rows(self, rows: int) -> None:
        """Let the reader go on until it has told that many rows, and wait until it has."""
        for _ in range(rows // 200):
            self._reached.acquire()
            self._steps.release()
        self._reached.acquire()

    def open(self) -> None:
        """Let the reader go on to the end."""
        self._is_open = True
        self._steps.release(100)


@pytest.fixture
def tasks(client: TestClient[Litestar], console_of_session: Console) -> ListTasks:  # noqa: ARG001 - it runs them
    return console_of_session._list_tasks  # noqa: SLF001 - the tests' own application


@pytest.fixture
def gate(tasks: ListTasks, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """Hold all large files at their first progress."""
    gate = Gate()
    tell = tasks._hear  # noqa: SLF001 - see above

    def hear(task: ListTask, rows: int, share: float) -> None:
        if not task.rows:
            gate.wait()
        tell(task, rows, share)

    monkeypatch.setattr(tasks, "_now_s", gate.time)
    monkeypatch.setattr(tasks, "_hear", hear)
    monkeypatch.setattr(list_tasks, "WAIT_S", 0)
    yield gate
    gate.open()
    while tasks._under_way:  # noqa: SLF001 - the next test begins without
        pass


def shown(visitor: Visitor) -> str:
    """Return the words of the live part of the page that was loaded last."""
    found = re.search(r'data-live="/console/([^"]+)"', visitor.page)
    assert found is not None
    return words(visitor.request("GET", found[1].replace("&amp;", "&")).text)


def begin(visitor: Visitor, path: str = BOOK, **fields: str) -> str:
    """Upload the large file, whose check begins by itself, and return the words of the page of its progress."""
    answer = upload(visitor, path, FILE, **fields)
    listed = visitor.request("GET", answer.headers["location"].removeprefix("/console/"))
    assert listed.status_code == 303, words(listed.text)
    return visitor.text(listed.headers["location"].removeprefix("/console/"))


def stop(visitor: Visitor) -> str:
    """Press Stop, and return the address of the page that follows."""
    found = re.search(r'action="/console/(lists/[^"]+)" id="stop"', visitor.page)
    assert found is not None
    answer = visitor.send(found[1].replace("&amp;", "&"))
    assert answer.status_code == 303
    return answer.headers["location"].removeprefix("/console/")


def end_of(visitor: Visitor, address: str) -> str:
    """Return the words of the page of a task once it has ended."""
    while "reads just now" in (text := visitor.text(address)) or "read just now" in text:
        pass
    return text


def stopped_import_for_a_new_campaign(
    visitor: Visitor, gate: Gate, monkeypatch: pytest.MonkeyPatch, *, after_rows: int
) -> str:
    """Import the large file for a new campaign, stop after that many rows, and return the words of the page."""
    with monkeypatch.context() as ordinary:
        ordinary.setattr("dialer.console.pages.imports.IN_REQUEST_BYTES_MAX", 2 * len(FILE))
        look(visitor, "new-campaign/", FILE, name="Spring")
    answer = press(visitor, **{"import": "1"})
    visitor.get(answer.headers["location"].removeprefix("/console/"))
    gate.pass_rows(after_rows)
    address = stop(visitor)
    gate.open()
    return end_of(visitor, address)


def test_a_check_shows_its_progress_and_then_its_outcome(alice: Visitor, api: Caller, gate: Gate) -> None:
    api.create("phonebook", name="Book")
    assert "The file is being checked Stop The first lines are being read." in begin(alice)
    gate.pass_rows(6_000)
    assert "The first lines" not in shown(alice)
    assert re.search(r"6,000 of about 1[45],\d00 rows", shown(alice)), shown(alice)
    page = re.search(r'action="/console/(lists/[^"]+)" id="stop"', alice.page)
    assert page is not None
    gate.open()
    while (answer := alice.request("GET", page[1].replace("&amp;", "&"))).status_code == 200:
        pass
    alice.page = alice.get(answer.headers["location"].removeprefix("/console/"))
    assert f"Will be stored {ROWS:,}" in words(alice.page)
    assert "Show the result" in words(alice.request("GET", f"lists/{token_in(alice.page)}/task/live/?id=1").text)
    assert api.get("contact/")["count"] == 0


def test_a_check_that_is_stopped_says_how_far_it_was_and_can_begin_again(
    alice: Visitor,
    api: Caller,
    gate: Gate,
) -> None:
    api.create("phonebook", name="Book")
    begin(alice)
    gate.pass_rows(1_000)
    address = stop(alice)
    gate.open()
    assert "The check was stopped 1,000 rows were read. Nothing is stored." in end_of(alice, address)
    back = alice.text(address.replace("/task/", "/"))
    assert "The file is large, so only its first lines were read." in back
    assert "Import the file Check the whole file" in back
    again = press(alice)
    begun = alice.request("GET", again.headers["location"].removeprefix("/console/"))
    assert begun.status_code in {200, 303}
    assert api.get("contact/")["count"] == 0


def test_a_check_ends_when_nobody_has_asked_for_its_progress_for_a_minute(
    alice: Visitor, api: Caller, gate: Gate, tasks: ListTasks
) -> None:
    api.create("phonebook", name="Book")
    begin(alice)
    gate.pass_rows(400)
    (task,) = tasks._under_way  # noqa: SLF001 - it must not be asked for
    gate.now += list_tasks.UNWATCHED_S_MAX + 1
    gate.open()
    while task.is_under_way:
        pass
    text = shown(alice)
    assert "The check was stopped Nobody has looked at its progress for a minute." in text
    assert task.rows < ROWS


def test_a_stopped_import_keeps_its_chunks_and_goes_on_without_doubles(
    alice: Visitor, api: Caller, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.create("phonebook", name="Book")
    with monkeypatch.context() as ordinary:
        ordinary.setattr("dialer.console.pages.imports.IN_REQUEST_BYTES_MAX", 2 * len(FILE))
        look(alice, BOOK, b"Phone,full_name\nabc,Nobody\n" + FILE.partition(b"\n")[2])
    answer = press(alice, **{"import": "1"})
    assert answer.status_code == 303, words(answer.text)
    text = alice.text(answer.headers["location"].removeprefix("/console/"))
    assert "The file is being imported Stop" in text
    assert "You may leave this page: the import goes on." in text
    gate.now += list_tasks.UNWATCHED_S_MAX * 10  # An import goes on without its browser.
    gate.pass_rows(CHUNK_ROWS + 2_000)
    address = stop(alice)
    gate.open()
    text = end_of(alice, address)
    assert "The import was stopped 5,000 rows are stored, and stay." in text
    assert "Refused 1" in text
    assert api.get("contact/")["count"] == CHUNK_ROWS
    rejected = re.search(r'href="/console/(lists/[^"]+format=csv)"', alice.page)
    assert rejected is not None
    assert b"abc,Nobody" in alice.request("GET", rejected[1].replace("&amp;", "&")).content
    rest = re.search(r'href="/console/(lists/[^"]+)">Import the rest', alice.page)
    assert rest is not None
    with monkeypatch.context() as ordinary:
        ordinary.setattr("dialer.console.pages.imports.IN_REQUEST_BYTES_MAX", 2 * len(FILE))
        assert "Will be stored 10,000 There already, or twice in the file 5,000 Refused 1" in alice.text(
            rest[1].replace("&amp;", "&")
        )
    answer = press(alice, **{"import": "1"})
    while answer.status_code == 303 or "Show the result" in words(answer.text) or "is being" in words(answer.text):
        address = answer.headers.get("location", address).removeprefix("/console/")
        answer = alice.request("GET", address)
    assert "Stored 10,000 There already, or twice in the file 5,000 Refused 1" in words(answer.text)
    assert api.get("contact/")["count"] == ROWS


def test_a_stopped_import_for_a_new_campaign_goes_on_into_the_same_phonebook(
    alice: Visitor, api: Caller, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = stopped_import_for_a_new_campaign(alice, gate, monkeypatch, after_rows=CHUNK_ROWS + 2_000)
    assert "5,000 rows are stored, and stay." in text
    assert "Go on with these people Import the rest" in text
    assert "/console/new-campaign/survey/?phonebook=1&amp;imported=5000&amp;rejected=0" in alice.page
    rest = re.search(r'href="/console/(lists/[^"]+)">Import the rest', alice.page)
    assert rest is not None
    assert "id=1" in rest[1]
    assert api.get("phonebook/")["count"] == 1


def test_an_import_that_is_stopped_before_its_first_chunk_makes_no_phonebook(
    alice: Visitor, api: Caller, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = stopped_import_for_a_new_campaign(alice, gate, monkeypatch, after_rows=1_000)
    assert "0 rows are stored, and stay." in text
    assert api.get("phonebook/")["count"] == 0


def test_after_a_restart_the_page_says_that_the_work_was_cut_off(alice: Visitor, api: Caller, tasks: ListTasks) -> None:
    api.create("phonebook", name="Book")
    look(alice, BOOK, b"Phone\n+12025550111\n")
    token = token_in(alice.page)
    assert tasks.find(2, token) is None
    text = alice.text(f"lists/{token}/task/?id=1")
    assert "It was cut off The service has restarted" in text
    assert "Stop" not in words(alice.request("GET", f"lists/{token}/task/live/?id=1").text)


def test_a_file_that_cannot_be_read_to_its_end_says_so(alice: Visitor, api: Caller, gate: Gate) -> None:
    api.create("phonebook", name="Book")
    gate.open()
    answer = upload(alice, BOOK, FILE + b"+12025550111,J\x81rg\n")
    address = answer.headers["location"].removeprefix("/console/") + "&charset=windows-1252"
    while (shown := alice.request("GET", address)).status_code == 303 or "is being checked" in words(shown.text):
        address = shown.headers.get("location", address).removeprefix("/console/")
    assert (
        f"The file could not be read to its end Line {ROWS + 2:,} is not windows-1252: it has the bytes 81. Lines that"
        " were read before it may be imported. Name the charset of the file, and send it again. Back to the list"
    ) in words(shown.text)
    assert api.get("contact/")["count"] == 0


def test_a_user_has_two_large_lists_under_way_and_nobody_sees_those_of_another(
    alice: Visitor,
    bob: Visitor,
    api: Caller,
    gate: Gate,  # noqa: ARG001 - it holds both
) -> None:
    api.create("phonebook", name="Book")
    begin(alice)
    first = token_in(alice.page)
    begin(alice)
    answer = upload(alice, BOOK, FILE)
    third = alice.request("GET", answer.headers["location"].removeprefix("/console/"))
    assert "You have 2 large lists under way. Wait for the end of one, or stop it." in words(third.text)
    other = bob.request("GET", f"lists/{first}/task/live/?into=phonebook")
    assert "It was cut off The file is not here any more" in words(other.text)


async def begun(tasks: ListTasks, user_id: int, work: Callable[[], Awaitable[None]]) -> ListTask:
    """Begin a task of a user with a list of their own."""

    async def waiting(_: ListTask, __: Callable[[int, float], None]) -> None:
        await work()

    return await tasks.begin(user_id, "list", ListChoices(), waiting, is_import=False)


async def done() -> None:
    """Do nothing."""


@pytest.mark.anyio
async def test_the_tasks_of_all_users_have_a_limit_and_room_again_when_one_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(list_tasks, "WAIT_S", 0)
    tasks, ends = ListTasks(), [anyio.Event() for _ in range(TASKS_MAX)]
    async with tasks.running():
        first, *others = [await begun(tasks, user_id, end.wait) for user_id, end in enumerate(ends)]
        with pytest.raises(AnsweredError) as refused:
            await begun(tasks, TASKS_MAX, done)
        assert (refused.value.status, refused.value.headers) == (503, {"Retry-After": "30"})
        assert str(refused.value.detail) == "Large lists of other users are being read. Try again in 30 s."
        ends[0].set()
        await first.over.wait()
        last = await begun(tasks, TASKS_MAX, done)
        await last.over.wait()
        assert [one.state for one in (first, *others, last)] == ["done", *["running"] * (TASKS_MAX - 1), "done"]


@pytest.mark.anyio
async def test_the_oldest_tasks_that_are_over_make_room_and_those_under_way_do_not() -> None:
    tasks, end = ListTasks(), anyio.Event()
    async with tasks.running():
        with pytest.MonkeyPatch.context() as quick:
            quick.setattr(list_tasks, "WAIT_S", 0)
            await begun(tasks, 0, end.wait)
        for user_id in range(1, KEPT_MAX + 4):
            await (await begun(tasks, user_id, done)).over.wait()
        kept = [user_id for user_id in range(KEPT_MAX + 4) if tasks.find(user_id, "list") is not None]
        assert kept == [0, *range(5, KEPT_MAX + 4)]
        end.set()


def test_a_program_cannot_tell_a_small_list_from_one_that_is_read_in_the_background(
    alice: Visitor, api: Caller, tasks: ListTasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dialer.console.pages.imports.IN_REQUEST_BYTES_MAX", 1)
    monkeypatch.setattr("dialer.console.lists.list_reading.IN_REQUEST_BYTES_MAX", 1)
    monkeypatch.setattr(list_tasks, "WAIT_S", 600)
    api.create("phonebook", name="Book")
    assert "Will be stored 1 There already, or twice in the file 1" in look(
        alice, BOOK, b"Phone\n+12025550111\n+12025550111\n"
    )
    found = tasks.find(2, token_in(alice.page))
    assert found is not None
    assert found.outcome is not None
    assert "Stored 1 There already, or twice in the file 1" in words(press(alice, **{"import": "1"}).text)
