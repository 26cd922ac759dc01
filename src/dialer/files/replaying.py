"""A survey of a file in place of a stored one: the same ids as in the store, so that a replay knows its sections."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select

from dialer.files.nodes import FileError, Node
from dialer.files.surveys import numbers_of, rows_of
from dialer.store.tables import Campaign, Queue

_NO_QUEUE = 0
"""Stands for a queue that is not there."""


def survey_in(document: Node, name: str) -> dict[str, Any]:
    """Return the survey of a file: the one called `name`, or the only one, or the `survey` part of a scenario.

    Raises:
        FileError: the file has no survey, or several of which none has the name.
    """
    members = document.members()
    if "sections" in members:
        return dict(document.plain())
    surveys = members["surveys"].items(1_000) if "surveys" in members else []
    found = [one.plain() for one in surveys if isinstance(one.value, dict)]
    named = [one for one in found if one.get("name") == name]
    if len(named or found) != 1:
        raise FileError.at(document.place, f"has {len(found)} surveys. Give a file with the survey {name!r}")
    return dict((named or found)[0])


def as_stored(connection: Connection, survey: Mapping[str, Any], campaign_id: int) -> dict[str, Any]:
    """Return the `survey` part of a scenario, with the ids of the store for sections and queues that are known."""
    campaign = connection.execute(select(Campaign.object_id, Campaign.user_id).where(Campaign.id == campaign_id)).one()
    ids = {number: row_id for row_id, number in numbers_of(rows_of(connection, campaign.object_id)).items()}
    queues = select(Queue.name, Queue.id).where(Queue.user_id == campaign.user_id).order_by(Queue.id.desc())
    named = {row.name: row.id for row in connection.execute(queues)}
    sections = survey.get("sections")
    if not isinstance(sections, list):
        return {"sections": sections}
    return {"sections": [_section(one, ids, named, place) for place, one in enumerate(sections, 1)]}


def _section(section: Any, ids: Mapping[int, int], queues: Mapping[str, int], place: int) -> Any:  # noqa: ANN401 - JSON
    if not isinstance(section, dict):
        return section
    number, branches = section.get("id", place), section.get("branches", {})
    shown = {**section, "id": _known(ids, number)}
    if isinstance(section.get("queue"), str):
        shown["queue"] = queues.get(section["queue"], _NO_QUEUE)
    if isinstance(branches, dict) and branches:
        shown["branches"] = {str(keys): _known(ids, target) for keys, target in branches.items()}
    return shown


def _known(ids: Mapping[int, int], number: Any) -> Any:  # noqa: ANN401 - JSON
    """Return the stored id of a section; the negative id of one that is new, which no stored one has."""
    if not isinstance(number, int) or not ids:
        return number
    return ids.get(number, -number)
