"""Tests of the round trip: a campaign that is exported and applied to an empty account is exported alike."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from dialer.files.applying import wanted_of
from dialer.files.exporting import Exporter
from dialer.files.kinds import KINDS
from dialer.files.names import Names
from dialer.files.nodes import FilePlace, nodes_of
from dialer.files.units import OpenAccount, account_of
from dialer.files.yaml_text import read_yaml, write_yaml
from dialer.resources.crud.resource import Unit
from dialer.settings import Settings
from dialer.store.tables import AudioFile, User
from tests.runtime.house import House
from tests.sizes import examples

# No NUL, which the API refuses, and no half of a surrogate pair, which is no text.
characters: Final = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
texts: Final = st.text(characters, max_size=20) | st.sampled_from(
    ["yes", "012", "+12", "1e5", "09:00:00", "~", " a: b #"]
)
names: Final = texts.filter(str.strip)
labels: Final = st.none() | texts.filter(bool)
QUEUES: Final = ("Desk", "yes")
RECORDING: Final = "hello"


@st.composite
def sections(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw the sections of a survey, with branches among them."""
    ids = draw(st.lists(st.integers(1, 2**31 - 1), min_size=1, max_size=4, unique=True))
    return [draw(section(ids)) | {"id": one} for one in ids]


def section(ids: list[int]) -> st.SearchStrategy[dict[str, Any]]:
    ways = st.sampled_from(["0", "1", "12", "any", "timeout", "invalid"])
    return st.fixed_dictionaries(
        {"question": names},
        optional={
            "type": st.sampled_from(
                ["play_message", "multi_choice", "rating", "capture_digits", "call_transfer", "sms"]
            ),
            "script": texts,
            "audiofile": st.just(RECORDING),
            "invalid_audiofile": st.just(RECORDING),
            "retries": st.none() | st.integers(0, 5),
            "timeout": st.integers(0, 60),
            "key_1": labels,
            "rating_laps": st.integers(1, 9),
            "validate_number": st.booleans(),
            "min_number": st.integers(0, 5),
            "completed": st.booleans(),
            "queue": st.none() | st.sampled_from(QUEUES),
            "sms_text": labels,
            "confirm_key": st.none() | st.sampled_from(["1", "#"]),
            "branches": st.dictionaries(ways, st.none() | st.sampled_from(ids), max_size=4),
        },
    )


campaigns: Final = st.fixed_dictionaries(
    {
        "name": names,
        "gateway": st.just("sim"),
        "survey": st.just("The survey"),
        "startingdate": st.just("2026-03-02T12:00:00Z"),
        "expirationdate": st.sampled_from(["2026-03-03T12:00:00Z", "2026-03-02T12:00:00.500000Z"]),
    },
    optional={
        "description": texts,
        "frequency": st.integers(1, 100),
        "dial_method": st.sampled_from(["fixed_rate", "progressive", "predictive"]),
        "agent_dial_rate": st.sampled_from([1, 1.5, 2.00001]),
        "daily_start_time": st.sampled_from(["09:00:00", "10:30:00", "10:30"]),
        "sunday": st.booleans(),
        "voicemail": st.booleans(),
        "amd_behavior": st.sampled_from(["always", "human_only"]),
        "voicemail_audiofile": st.none() | st.just(RECORDING),
        "phonebooks": st.lists(st.sampled_from(["People", "Others"]), unique=True),
        "dnc": st.none() | st.just("Never"),
        "dnc_lists": st.lists(st.sampled_from(["Never", "Not now"]), unique=True),
    },
)


@contextmanager
def house_of_two() -> Iterator[tuple[House, OpenAccount, OpenAccount]]:
    """Open a service with two accounts that have the same recording and nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder))
        try:
            other = house.add(User, username="ben", password_hash="-")
            for user_id in (house.user_id, other):
                sound = {"audio_file": f"{user_id}.wav", "format": "wav", "size": 9, "duration_ms": 2_345}
                house.add(AudioFile, user_id=user_id, name=RECORDING, **sound)
            ann, ben = (account_of(Settings(), house.database, house.now_ms(), name) for name in ("ann", "ben"))
            yield house, ann, ben
        finally:
            house.database.close()


def export(account: OpenAccount, key: str, name: str) -> dict[str, Any]:
    """Export a record of an account with its parts, through its text."""
    username = account.username
    (path,) = (kind.path for kind in KINDS if kind.key == key)

    def work(unit: Unit) -> dict[str, Any]:
        (found,) = Names(unit, unit.actor.id).ids(path, name)
        return Exporter(unit, unit.actor.id).with_its_parts(key, found)

    document = account.read(work)
    again = read_yaml(write_yaml(document), username).plain()
    assert again == document
    return document


@settings(max_examples=examples(12), deadline=None)
@given(rows=sections(), campaign=campaigns)
def test_what_is_exported_and_applied_elsewhere_is_exported_alike(
    rows: list[dict[str, Any]], campaign: dict[str, Any]
) -> None:
    people = [{"contact": "+12025550101", "full_name": "Ada", "additional_vars": {"a": [1, {"b": "c"}]}}]
    document = {
        "dnc_lists": [{"name": "Never", "numbers": ["+12025550102"]}, {"name": "Not now"}],
        "phonebooks": [{"name": "People", "contacts": people}, {"name": "Others"}],
        "agents": [{"name": "Ann", "wrap_up_time": 3}],
        "queues": [{"name": name, "agents": ["Ann"]} for name in QUEUES],
        "surveys": [{"name": "The survey", "sections": rows}],
        "campaigns": [campaign],
    }
    with house_of_two() as (_, ann, ben):
        wanted = wanted_of([nodes_of(document, FilePlace("made up"))])
        assert {one.action for one in ann.apply(wanted)} == {"new"}
        assert {one.action for one in ann.plan(wanted)} == {"unchanged"}
        exported = export(ann, "campaigns", campaign["name"])
        again = wanted_of([nodes_of(exported, FilePlace("exported"))])
        assert {one.action for one in ann.plan(again)} == {"unchanged"}
        assert {one.action for one in ben.apply(again)} == {"new"}
        assert export(ben, "campaigns", campaign["name"]) == exported


@settings(max_examples=examples(12), deadline=None)
@given(before=sections(), after=sections())
def test_a_survey_is_as_its_last_file_has_it(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> None:
    """Nothing is left of the survey before it, and ids that both have are no trouble."""
    queues = {"queues": [{"name": name} for name in QUEUES]}
    with house_of_two() as (_, ann, ben):
        for account, files in ((ann, (before, after)), (ben, (after,))):
            for rows in files:
                document = {**queues, "surveys": [{"name": "The survey", "sections": rows}]}
                wanted = wanted_of([nodes_of(document, FilePlace("made up"))])
                planned = account.plan(wanted)
                assert account.apply(wanted) == planned
                assert {one.action for one in account.plan(wanted)} == {"unchanged"}
        shown = [export(account, "surveys", "The survey")["surveys"][0] for account in (ann, ben)]
        for one in shown:
            for row in one["sections"]:
                row["branches"] = dict(sorted(row.get("branches", {}).items()))
        assert shown[0] == shown[1]


scalars: Final = (
    st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.integers(-(10**9), 10**9).map(lambda n: n / 1_000)
)
documents: Final[st.SearchStrategy[Any]] = st.recursive(
    scalars | texts, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
)


@given(documents)
def test_a_document_is_the_same_after_its_text(document: Any) -> None:  # noqa: ANN401 - JSON
    assert read_yaml(write_yaml(document), "x").plain() == document
