"""Tests of a survey: its check, its answers, its counts and its recordings."""

import io
import wave
from typing import Any

from tests.api.harness import Caller
from tests.end_to_end.service import advance

NUMBERS = ["+12025550100", "+12025550101", "+12025550102", "+12025550103"]
"""The first callee presses nothing, the others press 1, 2 and 3."""


def section(ann: Caller, survey: dict[str, Any], order: int, section_type: int, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - any field
    common = {"survey": survey["url"], "question": f"Section {order}", "script": "Please"}
    made: dict[str, Any] = ann.create("section-template", order=order, type=section_type, **common | fields)
    return made


def branch(ann: Caller, origin: dict[str, Any], keys: str, goto: dict[str, Any]) -> None:
    ann.create("branching-template", section=origin["url"], keys=keys, goto=goto["url"])


def campaign(ann: Caller, admin: Caller, survey: dict[str, Any]) -> dict[str, Any]:
    """Create a campaign that dials every ten seconds, and do not start it."""
    phonebook = ann.create("phonebook", name="guests")
    for number in NUMBERS:
        ann.create("contact", phonebook=phonebook["url"], contact=number)
    gateway = admin.create("gateway", name="sim")
    fields = {"aleg_gateway": gateway["url"], "object_id": survey["id"], "phonebook": [phonebook["url"]]}
    made: dict[str, Any] = ann.create("campaigns", name="opinions", frequency=6, **fields)
    return made


def test_a_survey_is_checked_played_and_counted(ann: Caller, admin: Caller) -> None:
    """Three of four callees give the ratings 1 to 3, then record an answer of ten seconds."""
    survey = ann.create("survey-template", name="opinions")
    rating = section(ann, survey, 1, 3, rating_laps=5)
    speaks = section(ann, survey, 2, 5)
    goodbye = section(ann, survey, 3, 7)
    branch(ann, rating, "any", speaks)
    branch(ann, rating, "timeout", rating)
    transfer = section(ann, survey, 4, 6)
    branch(ann, speaks, "0", transfer)
    made = campaign(ann, admin, survey)
    check = ann.get(f"{survey['url']}check/")
    assert [(one["code"], one["section"], one["keys"]) for one in check["findings"]] == [
        ("loop", rating["url"], []),
        ("unreachable", goodbye["url"], []),
        ("no_destination", transfer["url"], ["any", "0"]),
        ("dead_end", transfer["url"], ["any", "0"]),
    ]
    assert ann.refused("PATCH", made["url"], status=1)[0] == 400

    ann.change(transfer["url"], type=7)
    ann.change(made["url"], status=1)
    advance(admin, 600)
    results = ann.get("survey-result/", section_type=5)["results"]
    assert [(one["recording_duration"], one["record_file"] == one["response"]) for one in results] == [(10, True)] * 3
    sections = ann.get(f"surveyaggregate/{made['id']}/")["sections"]
    assert [(one["section"], one["total"]) for one in sections] == [(rating["url"], 3), (speaks["url"], 3)]
    assert [(one["response"], one["count"], one["percent"]) for one in sections[0]["answers"]] == [
        ("1", 1, 33.33),
        ("2", 1, 33.33),
        ("3", 1, 33.33),
    ]
    assert sections[1]["answers"] == [{"response": "0 - 20 seconds", "count": 3, "percent": 100.0}]
    answer = ann.request("GET", f"{results[0]['url']}recording/")
    with wave.open(io.BytesIO(answer.content)) as recording:
        assert recording.getnframes() / recording.getframerate() == 10
