"""Tests that a default stands in one place: the column. The API takes it from there, and the others are held to it."""

from datetime import time
from enum import Enum
from typing import Any

import msgspec
import pytest
from msgspec import NODEFAULT

from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.calls.plan_settings import settings_by_name
from dialer.domain.calls.plans import CampaignPlan, amd_of
from dialer.domain.queueing.plans import AgentPlan, QueuePlan, TierPlan
from dialer.domain.survey.sections.table import settings_of
from dialer.domain.survey.survey import Section
from dialer.resources.crud.declaration import own, shapes, writable
from dialer.resources.crud.fields import Amount, Integer
from dialer.resources.crud.shapes import fields_of
from dialer.resources.records.table import RESOURCES
from dialer.sim.scenario import CampaignPart, SectionPart
from dialer.sim.scenario_floor import QueuePart, TierPart
from dialer.store.tables import Agent, Campaign, Queue, Row, SectionTemplate, Tier

OF_SCENARIOS: dict[str, Any] = {
    "daily_start_time": time.fromisoformat,
    "daily_stop_time": time.fromisoformat,
    "timeout": lambda _: None,  # As for the type of the section.
}
"""The functions that make values of scenarios of those of columns."""


def defaults_of(model: type[Row]) -> dict[str, Any]:
    """Return the defaults of a table's columns; a column without one that may be null has null."""
    columns = [column for column in model.__table__.c if column.default is not None or column.nullable]
    return {column.name: None if column.default is None else column.default.arg for column in columns}  # type: ignore[attr-defined]


def stated(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the defaults of a struct."""
    return {field.name: field.default for field in msgspec.structs.fields(struct) if field.default is not NODEFAULT}


def test_a_field_whose_column_has_a_default_states_none() -> None:
    fields = {**own("tier"), "level": writable(Integer(1), default=2)}
    with pytest.raises(TypeError, match=r"Tier\.level has a default in its table\. Remove the one of the field\."):
        shapes("Tier", Tier, fields)


def test_a_database_and_a_row_have_the_same_default() -> None:
    for table in Row.metadata.sorted_tables:
        for column in table.c:
            if column.server_default is not None and column.default is not None and column.default.is_scalar:
                value = column.default.arg  # type: ignore[attr-defined]
                plain = int(value) if isinstance(value, bool) else value.value if isinstance(value, Enum) else value
                assert str(column.server_default.arg) == str(plain), f"{table.name}.{column.name}"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("part", "model"),
    [(CampaignPart, Campaign), (SectionPart, SectionTemplate), (QueuePart, Queue), (TierPart, Tier)],
)
def test_a_scenario_has_the_defaults_of_the_tables(part: type[msgspec.Struct], model: type[Row]) -> None:
    columns = defaults_of(model)
    in_thousandths = {"agent_dial_rate", "abandon_rate_max"}
    for name, value in stated(part).items():
        if name in columns:
            found = columns[name] / MONEY_SCALE if name in in_thousandths else columns[name]
            wanted = OF_SCENARIOS[name](found) if name in OF_SCENARIOS else found
            assert (value or None) == (wanted or None), f"{part.__name__}.{name}"


@pytest.mark.parametrize(
    ("plan", "model"), [(CampaignPlan, Campaign), (QueuePlan, Queue), (AgentPlan, Agent), (TierPlan, Tier)]
)
def test_a_plan_has_the_defaults_of_the_tables(plan: type[msgspec.Struct], model: type[Row]) -> None:
    columns = {name: value for name, value in defaults_of(model).items() if value is not None}
    special: dict[str, Any] = {"text_message": None}
    if model is Campaign:
        special |= {
            "amd": amd_of(voicemail=columns["voicemail"], amd_behavior=columns["amd_behavior"]),
            "agent_dial_rate": columns["agent_dial_rate"] / MONEY_SCALE,
            "abandon_rate_max": columns["abandon_rate_max"] / (100 * MONEY_SCALE),
        }
    settings = {**settings_by_name(plan, columns), **special}
    assert {name: settings[name] for name in stated(plan) if name in settings} == {
        name: value for name, value in stated(plan).items() if name in settings
    }


def test_a_section_without_settings_has_the_defaults_of_the_tables() -> None:
    columns = defaults_of(SectionTemplate)
    settings = settings_of(1, lambda field: columns[field.column])
    section = Section(1, 1, "", None)  # type: ignore[arg-type] # without a prompt
    assert msgspec.structs.replace(section, **settings) == section


def test_a_description_with_a_number_as_the_default_has_the_right_one() -> None:
    for resource in RESOURCES:
        for field in fields_of(resource.write) if resource.write is not None else ():
            _, _, words = field.description.partition("Default: ")
            number = words.removesuffix(".")
            if number.isdecimal():
                value = field.default / MONEY_SCALE if isinstance(field.kind, Amount) else field.default
                assert float(number) == value, f"{resource.path}.{field.name}"
