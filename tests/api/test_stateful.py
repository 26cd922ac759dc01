"""Tests of random operations by two users, compared with a model in memory."""

from typing import Any, Final, NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule, run_state_machine_as_test
from litestar import Litestar
from litestar.testing import TestClient

from dialer.resources.crud.moments import show_timestamp
from dialer.resources.crud.references import NO_OBJECT
from dialer.store.database.database import Database
from tests.api.harness import BASE, NOW_MS, Caller, FakeWorker, Json
from tests.databases.choice import restore
from tests.sizes import STATEFUL_RUNS

STEPS_MAX: Final = 30
PAGE_SIZE: Final = 3
USERS: Final = {"alice": 2, "bob": 3}


class Kind(NamedTuple):
    """A resource in the model: its fields with their defaults, and its parent's kind."""

    path: str
    defaults: dict[str, Json]
    parent: str = ""
    field: str = ""
    """The reference to the parent."""
    shown_as: str = ""
    """The path in URLs, if it differs."""
    has_user: bool = True


KINDS: Final = {
    kind.path: kind
    for kind in (
        Kind("phonebook", {"description": ""}),
        Kind(
            "contact",
            {"full_name": "", "additional_vars": "{}", "tz_code": ""},
            "phonebook",
            "phonebook",
            has_user=False,
        ),
        Kind("dnc-list", {"is_global": False, "keeps_wishes_of": ""}, shown_as="dnc"),
        Kind("survey-template", {"description": None, "language": "", "voice": "", "voice_speed": 1.0}),
        Kind(
            "agent",
            {"contact": "", "status": 1, "wrap_up_time": 0, "parameters": {}, "break_reason": "", "login": None}
            | {"break_cause": "", "desk_watched": True, "skills": "", "telephone": "contact"},
        ),
    )
}
texts: Final = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20)
names: Final = texts.filter(str.strip)
numbers: Final = st.integers(10**6, 10**9).map(lambda number: f"+1{number}")
usernames: Final = st.sampled_from(sorted(USERS))


class Made(NamedTuple):
    """A record that was created once, and may have been deleted since."""

    path: str
    record_id: int


def url_of(path: str, record_id: int) -> str:
    """Return the URL of a record of a kind, or of a user."""
    shown = (KINDS[path].shown_as or path) if path in KINDS else path
    return f"{BASE}/{shown}/{record_id}/"


class Model:
    """The expected records by kind and id, and their owners."""

    def __init__(self) -> None:
        self.records: dict[Made, dict[str, Json]] = {}
        self.owners: dict[Made, str] = {}
        self.last_ids: dict[str, int] = {}

    def seen_by(self, username: str, path: str) -> list[dict[str, Json]]:
        """Return the records of a kind that a user can read, in the order of a list."""
        mine = [made for made in self.records if made.path == path and self.owners[made] == username]
        return [self.records[made] for made in sorted(mine, key=lambda made: made.record_id)]

    def is_seen(self, username: str, made: Made) -> bool:
        """Return whether a record exists and a user may read it."""
        return self.owners.get(made) == username

    def create(self, username: str, path: str, sent: dict[str, Json], now: str) -> Made:
        """Create a record with the next id, which was never used before."""
        kind = KINDS[path]
        record_id = self.last_ids.get(path, 0) + 1
        self.last_ids[path] = record_id
        stamps = {"created_date": now, "updated_date": now}
        record = {"id": record_id, "url": url_of(path, record_id), **kind.defaults, **sent, **stamps}
        if kind.has_user:
            record["user"] = url_of("users", USERS[username])
        made = Made(path, record_id)
        self.records[made] = record
        self.owners[made] = username
        return made

    def delete(self, made: Made) -> None:
        """Delete a record and its parts."""
        url = self.records[made]["url"]
        parts = [
            other
            for other, record in self.records.items()
            if KINDS[other.path].parent == made.path and record[KINDS[other.path].field] == url
        ]
        for gone in (made, *parts):
            del self.records[gone], self.owners[gone]


class TwoUsers(RuleBasedStateMachine):
    """A state machine of the operations of Alice and Bob."""

    made = Bundle("made")

    def __init__(self, client: TestClient[Litestar], worker: FakeWorker) -> None:
        super().__init__()
        self.callers = {username: Caller(client, username) for username in USERS}
        self.worker = worker
        self.model = Model()

    @property
    def now(self) -> str:
        return show_timestamp(self.worker.clock.now_ms())

    @rule(seconds=st.integers(1, 100_000))
    def time_passes(self, seconds: int) -> None:
        self.worker.virtual.set(self.worker.clock.now_ms() + seconds * 1_000)

    @rule(
        target=made,
        username=usernames,
        path=st.sampled_from([path for path, kind in KINDS.items() if not kind.parent]),
        name=names,
        description=texts,
    )
    def creates(self, username: str, path: str, name: str, description: str) -> Made:
        sent = {"name": name}
        if "description" in KINDS[path].defaults:
            sent["description"] = description
        made = self.model.create(username, path, sent, self.now)
        assert self.callers[username].create(path, **sent) == self.model.records[made]
        return made

    @rule(target=made, username=usernames, parent=made, number=numbers, full_name=texts, spelling=st.integers(0, 2))
    def creates_a_contact(self, username: str, parent: Made, number: str, full_name: str, spelling: int) -> Any:  # noqa: ANN401 - a record, or none for the bundle
        reference = self._spelt(parent, spelling)
        sent = {"contact": number, "full_name": full_name}
        if parent.path != "phonebook" or not self.model.is_seen(username, parent):
            # An id alone does not name a kind, so records of a wrong kind are sent as URLs.
            reference = reference if parent.path == "phonebook" else url_of(*parent)
            refusal = self.callers[username].refused("POST", "contact/", **sent, phonebook=reference)
            assert refusal == (400, {"phonebook": [NO_OBJECT]})
            return multiple()
        made = self.model.create(username, "contact", {**sent, "phonebook": url_of(*parent)}, self.now)
        answer = self.callers[username].create("contact", **sent, phonebook=reference)
        assert answer == self.model.records[made]
        return made

    @rule(username=usernames, made=made, name=names, description=texts, method=st.sampled_from(["PATCH", "PUT"]))
    def changes(self, username: str, made: Made, name: str, description: str, method: str) -> None:
        sent = {"full_name": description} if made.path == "contact" else {"name": name}
        if "description" in KINDS[made.path].defaults:
            sent["description"] = description
        answer = self.callers[username].request(method, self._path(made), json=sent)
        if self.model.is_seen(username, made):
            assert (answer.status_code, answer.content) == (202, b"")
            self.model.records[made].update(sent, updated_date=self.now)
        else:
            assert (answer.status_code, answer.json()) == (404, {"detail": "Not found."})

    @rule(username=usernames, made=made, wrong=st.sampled_from([None, "", [], {}, True]))
    def changes_it_wrongly(self, username: str, made: Made, wrong: Json) -> None:
        field = "contact" if made.path == "contact" else "name"
        status, body = self.callers[username].refused("PATCH", self._path(made), **{field: wrong, "full_name": "no"})
        if self.model.is_seen(username, made):
            assert (status, body.keys()) == (400, {field})
        else:
            assert (status, body) == (404, {"detail": "Not found."})

    @rule(username=usernames, made=made)
    def deletes(self, username: str, made: Made) -> None:
        answer = self.callers[username].request("DELETE", self._path(made))
        if self.model.is_seen(username, made):
            assert (answer.status_code, answer.content) == (204, b"")
            self.model.delete(made)
        else:
            assert (answer.status_code, answer.json()) == (404, {"detail": "Not found."})

    @rule(username=usernames, made=made)
    def reads(self, username: str, made: Made) -> None:
        answer = self.callers[username].request("GET", self._path(made))
        if self.model.is_seen(username, made):
            assert (answer.status_code, answer.json()) == (200, self.model.records[made])
        else:
            assert (answer.status_code, answer.json()) == (404, {"detail": "Not found."})

    @rule(username=usernames, path=st.sampled_from(sorted(KINDS)))
    def reads_page_after_page(self, username: str, path: str) -> None:
        wanted = self.model.seen_by(username, path)
        found: list[Any] = []
        page = self.callers[username].get(f"{path}/", page_size=PAGE_SIZE)
        while True:
            assert page["count"] == len(wanted)
            found += page["results"]
            if page["next"] is None:
                break
            page = self.callers[username].get(page["next"])
        assert found == wanted

    @rule(username=usernames, parent=made)
    def reads_the_contacts_of_a_phonebook(self, username: str, parent: Made) -> None:
        contacts = self.model.seen_by(username, "contact")
        wanted = [contact for contact in contacts if contact["phonebook"] == url_of("phonebook", parent.record_id)]
        found = self.callers[username].get("contact/", phonebook_id=parent.record_id, page_size=100)
        assert found == {"count": len(wanted), "next": None, "previous": None, "results": wanted}

    @invariant()
    def everybody_reads_how_many_they_have(self) -> None:
        for username, caller in self.callers.items():
            assert caller.get("phonebook/")["count"] == len(self.model.seen_by(username, "phonebook"))

    def _path(self, made: Made) -> str:
        return f"{made.path}/{made.record_id}/"

    def _spelt(self, made: Made, spelling: int) -> Json:
        return (f"/rest-api/{made.path}/{made.record_id}/", url_of(*made), made.record_id)[spelling]


def test_every_read_is_what_was_written(
    client: TestClient[Litestar],
    database: Database,
    worker: FakeWorker,
    users_only: Any,  # noqa: ANN401 - a saved database
) -> None:
    def as_new() -> TwoUsers:
        restore(database, users_only)
        worker.reset()
        return TwoUsers(client, worker)

    bounded = settings(max_examples=STATEFUL_RUNS, stateful_step_count=STEPS_MAX)
    run_state_machine_as_test(as_new, settings=bounded)  # type: ignore[arg-type] # a function that makes one will do
    assert worker.clock.now_ms() >= NOW_MS
