"""Tests of changes of a survey on its page: sections, branches, their order, and changes that are undone."""

import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.console.words.survey_keys import WAYS_MAX, keys_of, ways_of
from dialer.domain.survey.sections.appearance import Colour
from dialer.domain.survey.sections.table import SECTION_TYPES, definition_of, section_fields
from dialer.domain.survey.survey import Prompt, Section
from dialer.domain.words.enums import SectionType
from tests.api.harness import Caller
from tests.console import translations
from tests.console.building import HOSTILE
from tests.console.survey_building import branches, build, change, order, rows, sections
from tests.console.visitor import Visitor, words


@pytest.fixture
def survey(api: Caller) -> int:
    """Create a survey with a message, a question and an end, without branches, and return its id."""
    return build(api)[0]


def test_keys_are_led_to_a_section_and_elsewhere_and_to_the_end(alice: Visitor, api: Caller, survey: int) -> None:
    alice.get(f"surveys/{survey}/")
    assert "<script>alert" not in alice.page
    for section, keys, goto in (("1", "0", "2"), ("2", "1", "3"), ("2", "any,timeout", ""), ("2", "1", "1")):
        assert change(alice, survey, "branches/", section=section, keys=keys, goto=goto) == f"?section={section}"
    assert branches(api) == {("1", "0"): "2", ("2", "1"): "1", ("2", "any"): None, ("2", "timeout"): None}
    text = alice.text(f"surveys/{survey}/")
    assert "1: yes → leads to Hello" in text
    assert "no input → leads to the end of the call" in text
    change(alice, survey, "branches/", section="2", keys="1", goto="unset")
    change(alice, survey, "branches/", section="2", keys="1", goto="unset")  # Somebody else may be faster.
    assert branches(api) == {("1", "0"): "2", ("2", "any"): None, ("2", "timeout"): None}


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"section": "1", "keys": "soon", "goto": "2"}, 400),
        ({"section": "1", "keys": "0", "goto": "99"}, 400),
        ({"section": "1", "keys": "0", "goto": "x"}, 400),
        ({"section": "1", "keys": "0,x", "goto": "2"}, 400),
        ({"section": "1", "keys": "0", "goto": "9" * 30}, 400),
        ({"section": "1"}, 400),
        ({"section": "9", "keys": "0"}, 404),
        ({}, 404),
    ],
)
def test_a_wrong_branch_changes_nothing(
    alice: Visitor, api: Caller, survey: int, fields: dict[str, str], status: int
) -> None:
    alice.get(f"surveys/{survey}/")
    answer = alice.send(f"surveys/{survey}/branches/", **fields)
    assert (answer.status_code, branches(api)) == (status, {})
    assert (status == 404) or 'role="alert"' in answer.text


def test_sections_change_places(alice: Visitor, api: Caller, survey: int) -> None:
    alice.get(f"surveys/{survey}/")
    assert 'name="order" value="1,3,2" title="One place later"' in alice.page
    change(alice, survey, "order/", order="3,1,2")
    assert order(api, survey) == ["Goodbye", "Hello", "Tea?"]
    for wrong in ("", "1,2", "1,2,2", "1,2,3,4", "1,2,x", "1,2,3," + "9" * 30):
        answer = alice.send(f"surveys/{survey}/order/", order=wrong)
        assert (answer.status_code, "repeat your change" in words(answer.text)) == (400, True)
    assert order(api, survey) == ["Goodbye", "Hello", "Tea?"]


def test_a_section_is_inserted_between_two_others_and_connected(alice: Visitor, api: Caller, survey: int) -> None:
    alice.get(f"surveys/{survey}/")
    change(alice, survey, "branches/", section="1", keys="0", goto="3")
    text = alice.text(f"surveys/{survey}/?after=1&keys=0")
    assert "What comes here? After “Hello”. Before “Goodbye”." in text
    assert "Rating Asks for a mark, such as 1 to 5." in text
    assert change(alice, survey, "sections/", after="1", keys="0", type="3") == "?section=4"
    expected = {("1", "0"): "4", **{("4", key): "3" for key in ("any", "invalid", "timeout")}}
    assert (branches(api), order(api, survey)) == (expected, ["Hello", "Rating", "Tea?", "Goodbye"])
    change(alice, survey, "sections/", after="2", keys="1", type="2")
    assert branches(api) == {**expected, ("2", "1"): "5"}
    assert sections(api, survey)[3]["key_1"] == "Yes"


def test_a_survey_grows_from_nothing_at_its_start(alice: Visitor, api: Caller) -> None:
    survey = int(api.create("survey-template", name="Survey")["id"])
    assert "There is no section yet. What comes here? The first section of the survey." in alice.text(
        f"surveys/{survey}/"
    )
    change(alice, survey, "sections/", after="start", type="7")
    change(alice, survey, "sections/", after="start", type="6")
    assert (order(api, survey), branches(api)) == (["Transfer", "Hang up"], {("2", "0"): "1", ("2", "timeout"): "1"})


def test_a_queue_is_made_where_a_section_needs_it(alice: Visitor, api: Caller, survey: int) -> None:
    alice.get(f"surveys/{survey}/")
    change(alice, survey, "sections/", after="1", keys="0", type="6")
    path = f"surveys/{survey}/sections/4/"
    alice.get(f"surveys/{survey}/?section=4")
    assert alice.send(path, to="queue", new_queue="x" * 256, question="To sales").status_code == 400
    assert api.get("queue/")["count"] == 0
    assert change(alice, survey, "sections/4/", to="queue", new_queue=" Sales ", question="To sales") == (
        "?section=4&saved=1"
    )
    (queue,) = api.get("queue/")["results"]
    assert (queue["name"], api.get("section-template/4/")["queue"]) == ("Sales", queue["url"])
    change(alice, survey, "sections/4/", to="number", new_queue="None", phonenumber="+12025550100", question="Out")
    assert api.get("queue/")["count"] == 1


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"after": "1", "keys": "0", "type": "11"}, 400),
        ({"after": "1", "keys": "0"}, 400),
        ({"after": "1", "keys": "x", "type": "1"}, 400),
        ({"after": "9", "keys": "0", "type": "1"}, 404),
        ({"type": "1"}, 404),
    ],
)
def test_a_wrong_insertion_changes_nothing(
    alice: Visitor, api: Caller, survey: int, fields: dict[str, str], status: int
) -> None:
    alice.get(f"surveys/{survey}/")
    before = rows(api, survey)
    assert alice.send(f"surveys/{survey}/sections/", **fields).status_code == status
    assert rows(api, survey) == before


def test_a_choice_shows_its_keys_first_and_saves_them_with_where_each_leads(
    alice: Visitor, api: Caller, survey: int
) -> None:
    text = alice.text(f"surveys/{survey}/?section=2")
    assert "Keys, and where each leads 1 → as any other answer the end of the call Hello Tea? Goodbye 2 →" in text
    form = {"question": "Tea now?", "key_1": "yes", "goto_1": "3", "key_2": "", "goto_2": "1", "goto_any": "end"}
    form |= {"key_9": HOSTILE, "goto_9": "2", "sound": "text", "script": "Tea? Press 1.", "retries": "2"}
    version = re.findall(r'name="version" value="([^"]+)"', alice.page)[0]
    assert change(alice, survey, "sections/2/", version=version, **form) == "?section=2&saved=1"
    assert branches(api) == {("2", "1"): "3", ("2", "9"): "2", ("2", "any"): None}
    saved = sections(api, survey)[1]
    assert (saved["question"], saved["script"], saved["key_2"], saved["retries"]) == (
        "Tea now?",
        "Tea? Press 1.",
        None,
        2,
    )
    assert "Saved." in alice.text(f"surveys/{survey}/?section=2&saved=1")
    assert "<script>alert" not in alice.page
    stale = alice.send(f"surveys/{survey}/sections/2/", version=version, **form)
    assert (stale.status_code, "Somebody has changed this record" in words(stale.text)) == (409, True)


def test_a_form_that_is_refused_loses_nothing(alice: Visitor, api: Caller, survey: int) -> None:
    alice.get(f"surveys/{survey}/?section=2")
    before = rows(api, survey)
    answer = alice.send(
        f"surveys/{survey}/sections/2/",
        question=" ",
        script="Kept",
        key_1="also",
        goto_1="99",
        retries="x",
        sound="text",
    )
    assert answer.status_code == 400
    assert all(one in answer.text for one in ("Kept", 'value="also"', 'aria-invalid="true"'))
    assert alice.send(f"surveys/{survey}/sections/2/", question="Tea?", goto_1="99").status_code == 400
    assert rows(api, survey) == before


def test_one_of_text_and_recording_and_one_of_queue_and_number_are_chosen(
    alice: Visitor, api: Caller, survey: int
) -> None:
    queue = api.create("queue", name="Sales & more")
    change_type = {"question": "Goodbye", "type": "6", "sound": "text"}
    alice.get(f"surveys/{survey}/?section=3")
    change(alice, survey, "sections/3/", **change_type)
    text = alice.text(f"surveys/{survey}/?section=3")
    assert "agents of a queue" in text
    assert "Sales & more" in text
    form = {"question": "To us", "queue": str(queue["id"]), "phonenumber": "+12025550100"}
    change(alice, survey, "sections/3/", to="queue", **form)
    saved = sections(api, survey)[2]
    assert (saved["queue"], saved["phonenumber"]) == (queue["url"], None)
    change(alice, survey, "sections/3/", to="number", **form)
    saved = sections(api, survey)[2]
    assert (saved["queue"], saved["phonenumber"]) == (None, "+12025550100")


def test_a_section_that_ends_the_call_asks_for_no_way_on(alice: Visitor, api: Caller, survey: int) -> None:
    message, _choice, goodbye = (str(one["id"]) for one in sections(api, survey))
    assert "Where it leads" in alice.text(f"surveys/{survey}/?section={message}")
    assert "Where it leads" not in alice.text(f"surveys/{survey}/?section={goodbye}")


def test_digits_get_a_section_of_their_own(alice: Visitor, api: Caller, survey: int) -> None:
    alice.get(f"surveys/{survey}/?section=2")
    change(alice, survey, "sections/2/", question="Year?", type="4")
    alice.get(f"surveys/{survey}/?section=2")
    change(alice, survey, "sections/2/", question="Year?", new_key="42", goto_new_key="3")
    assert branches(api) == {("2", "42"): "3"}
    alice.get(f"surveys/{survey}/?section=2")
    for wrong in ("42", "x", "1" * 16):
        answer = alice.send(f"surveys/{survey}/sections/2/", question="Year?", new_key=wrong, goto_new_key="1")
        assert answer.status_code == 400, wrong
    change(alice, survey, "sections/2/", question="Year?", goto_42="")
    assert branches(api) == {}


def test_another_type_keeps_the_way_on(alice: Visitor, api: Caller, survey: int) -> None:
    alice.get(f"surveys/{survey}/")
    change(alice, survey, "branches/", section="2", keys="1", goto="3")
    for number, keys in (("1", ["0"]), ("4", ["any", "invalid", "timeout"]), ("7", [])):
        change(alice, survey, "sections/2/", question="Tea?", type=number)
        assert branches(api) == {("2", key): "3" for key in keys}


def test_a_deleted_section_leaves_no_branch_behind(alice: Visitor, api: Caller, survey: int) -> None:
    alice.get(f"surveys/{survey}/")
    for section, keys, goto in (("1", "0", "2"), ("2", "1", "3"), ("2", "2", "2"), ("2", "timeout", "1")):
        change(alice, survey, "branches/", section=section, keys=keys, goto=goto)
    text = alice.text(f"surveys/{survey}/?remove=2")
    assert "Delete “Tea?”? These lead to it: Hello They will lead to “Goodbye”, as it does." in text
    assert change(alice, survey, "sections/2/delete/") == ""
    assert (branches(api), order(api, survey)) == ({("1", "0"): "3"}, ["Hello", "Goodbye"])
    assert "They will lead to the end of the call, because it leads nowhere." in alice.text(
        f"surveys/{survey}/?remove=3"
    )
    change(alice, survey, "sections/3/delete/")
    assert branches(api) == {("1", "0"): None}


def test_a_call_begins_where_the_deleted_first_section_led(alice: Visitor, api: Caller, survey: int) -> None:
    alice.get(f"surveys/{survey}/")
    change(alice, survey, "branches/", section="1", keys="0", goto="3")
    change(alice, survey, "sections/1/delete/")
    assert order(api, survey) == ["Goodbye", "Tea?"]


def test_a_survey_is_changed_by_its_owner_only(
    alice: Visitor, bob: Visitor, visitor: Visitor, api: Caller, survey: int
) -> None:
    alice.get(f"surveys/{survey}/")
    change(alice, survey, "branches/", section="2", keys="1", goto="3")
    before = rows(api, survey)
    visitor.sign_in("vera")
    for query in ("", "?section=2", "?remove=2", "?after=1&keys=0"):
        shown = visitor.get(f"surveys/{survey}/{query}")
        assert "/sections/" not in shown
        assert "/undo/" not in shown
        assert bob.request("GET", f"surveys/{survey}/{query}").status_code == 404
    assert "<fieldset disabled" in visitor.get(f"surveys/{survey}/?section=2")
    for other, status in ((bob, 404), (visitor, 403)):
        other.get("account/")
        for path, fields in (
            ("branches/", {"section": "1", "keys": "0", "goto": "2"}),
            ("order/", {"order": "3,2,1"}),
            ("sections/", {"after": "start", "type": "1"}),
            ("sections/1/", {"question": "Mine"}),
            ("sections/1/delete/", {}),
            ("undo/", {}),
            ("redo/", {}),
        ):
            assert other.send(f"surveys/{survey}/{path}", **fields).status_code == status
            assert (
                alice.request("POST", f"surveys/{survey}/{path}", data={"csrf": "0" * 64, **fields}).status_code == 403
            )
    assert rows(api, survey) == before


def test_a_section_of_another_survey_is_not_changed_through_this_one(alice: Visitor, api: Caller, survey: int) -> None:
    other, (first, second, _) = build(api)
    alice.get(f"surveys/{survey}/")
    before = rows(api, other)
    for path, fields in (
        (f"sections/{first}/", {"question": "Mine"}),
        (f"sections/{first}/delete/", {}),
        ("branches/", {"section": str(first), "keys": "0", "goto": "1"}),
        ("sections/", {"after": str(first), "keys": "0", "type": "1"}),
    ):
        assert alice.send(f"surveys/{survey}/{path}", **fields).status_code == 404
    wrong = alice.send(f"surveys/{survey}/branches/", section="1", keys="0", goto=str(second))
    assert (wrong.status_code, rows(api, other), branches(api)) == (400, before, {})


def test_every_type_and_field_has_words() -> None:
    assert SECTION_TYPES.keys() == set(SectionType)
    shown = [one.appearance for one in SECTION_TYPES.values()]
    assert len({one.name for one in shown}) == len({one.icon for one in shown}) == len(shown)
    names = [field.name for field in section_fields()]
    assert len(set(names)) == len(names)
    untitled = {field.name for field in section_fields() if not field.title}
    assert untitled == {f"key_{digit}" for digit in range(10)}  # Their rows have the keys.


def test_the_hints_of_a_type_are_for_its_fields_and_translated() -> None:
    for definition in SECTION_TYPES.values():
        assert definition.hints.keys() <= {field.name for field in definition.fields}
    texts = translations.template()
    words = [text for one in SECTION_TYPES.values() for text in (one.appearance.name, one.appearance.sentence)]
    of_fields = [text for field in section_fields() for text in (field.title, field.hint) if text]
    of_types = [hint for one in SECTION_TYPES.values() for hint in one.hints.values()]
    assert [text for text in (*words, *of_fields, *of_types) if text not in texts] == []


def test_every_colour_is_in_the_style_sheet() -> None:
    style = (files("dialer.console") / "static" / "survey.css").read_text("utf-8")
    assert [one for one in Colour if one is not Colour.PLAIN and f".kind-icon.kind-{one} " not in style] == []


@given(st.integers(1, 10), st.integers(-5, 10**6), st.dictionaries(st.sampled_from("0123456789"), st.text(max_size=5)))
def test_the_keys_that_are_offered_are_few_and_different(section_type: int, laps: int, labels: dict[str, str]) -> None:
    section = Section(1, section_type, "", Prompt(), rating_laps=laps, key_labels=labels)
    keys = keys_of(section)
    assert len(keys) == len(set(keys)) <= 14
    assert bool(keys) is not definition_of(section).ends


@given(
    st.integers(1, 10),
    st.dictionaries(st.sampled_from("0123456789"), st.text(max_size=5)),
    st.dictionaries(
        st.sampled_from(["any", "timeout", "invalid", *map(str, range(20))]), st.none() | st.integers(1, 4)
    ),
)
def test_every_branch_is_in_exactly_one_way(
    section_type: int, labels: dict[str, str], branches: dict[str, int | None]
) -> None:
    section = Section(1, section_type, "", Prompt(), key_labels=labels, branches=branches)
    ways = ways_of(section)
    keys = [key for way in ways for key in way.keys]
    assert len(keys) == len(set(keys))
    assert branches.keys() <= set(keys)
    assert all(branches.get(key) == way.target for way in ways for key in way.keys)
    assert len(ways) <= max(WAYS_MAX, 9)


def test_the_address_of_a_program_is_checked_as_everywhere(alice: Visitor, api: Caller, survey: int) -> None:
    alice.get(f"surveys/{survey}/?section=1")
    change(alice, survey, "sections/1/", question="Talk", type="12", sound="text")
    alice.get(f"surveys/{survey}/?section=1")
    text = alice.send(f"surveys/{survey}/sections/1/", question="Talk", agent_url="wss://10.0.0.1/").text
    assert "10.0.0.1 leads to no public address of another machine." in text
    assert sections(api, survey)[0]["agent_url"] in {None, ""}


def test_a_section_for_a_program_has_its_fields_ways_and_the_values_for_the_program(
    alice: Visitor, api: Caller, survey: int
) -> None:
    alice.get(f"surveys/{survey}/?section=1")
    change(alice, survey, "sections/1/", question="Talk", type="12", sound="text")
    alice.get(f"surveys/{survey}/?section=1")
    form = {"agent_url": "ws://127.0.0.1:8765/", "agent_secret": "made-up", "agent_parameters": "order_id, first_name"}
    change(alice, survey, "sections/1/", question="Talk", **form, on_completed="hangup", goto_0="3", goto_invalid="end")
    saved = sections(api, survey)[0]
    assert (saved["agent_url"], saved["agent_parameters"]) == (form["agent_url"], ["order_id", "first_name"])
    assert (saved["on_completed"], saved["timeout"]) == ("hangup", 600)
    text = alice.text(f"surveys/{survey}/?section=1")
    shown = ("REST base URL", "the program is done", "If no program answers, callees hear", "Longest conversation")
    assert [one for one in shown if one not in text] == []
    assert "made-up" not in alice.get(f"surveys/{survey}/?section=1")
