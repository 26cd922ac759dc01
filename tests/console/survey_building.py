"""Surveys for tests of their pages: built over the API, read back, and changed by the forms of the page."""

from typing import Any

from tests.api.harness import Caller
from tests.console.building import HOSTILE
from tests.console.visitor import Visitor, words


def build(api: Caller) -> tuple[int, list[int]]:
    made = api.create("survey-template", name="Survey")
    sections = [
        api.create("section-template", survey=made["url"], order=1, type=1, question="Hello", script=HOSTILE),
        api.create("section-template", survey=made["url"], order=2, type=2, question="Tea?", key_1="yes", key_2="no"),
        api.create("section-template", survey=made["url"], order=3, type=7, question="Goodbye"),
    ]
    return int(made["id"]), [int(one["id"]) for one in sections]


def sections(api: Caller, survey: int) -> list[dict[str, Any]]:
    found = api.get("section-template/", survey_id=survey, ordering="order", page_size=100)["results"]
    return [{name: value for name, value in one.items() if name != "updated_date"} for one in found]


def rows(api: Caller, survey: int) -> tuple[Any, Any]:
    """Return all of a survey but the times of its last changes."""
    own = sections(api, survey)
    urls = {one["url"] for one in own}
    found = api.get("branching-template/", page_size=100)["results"]
    branches = [{name: value for name, value in one.items() if name != "updated_date"} for one in found]
    return own, [one for one in branches if one["section"] in urls]


def branches(api: Caller) -> dict[tuple[str, str], str | None]:
    found = api.get("branching-template/", page_size=100)["results"]
    ids = {one["url"]: str(one["id"]) for one in api.get("section-template/", page_size=100)["results"]}
    return {(ids[one["section"]], one["keys"]): one["goto"] and ids[one["goto"]] for one in found}


def order(api: Caller, survey: int) -> list[str]:
    return [one["question"] for one in sections(api, survey)]


def change(visitor: Visitor, survey: int, path: str, **fields: str) -> str:
    """Send a form of the page of a survey, which must be accepted, and return where it leads."""
    answer = visitor.send(f"surveys/{survey}/{path}", **fields)
    assert answer.status_code == 303, words(answer.text)
    return str(answer.headers["location"]).removeprefix(f"/console/surveys/{survey}/")
