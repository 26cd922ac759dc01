"""Tests that nobody forgets the country of numbers without one: each reader asks for it, and "none" needs a reason."""

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dialer.domain import numbers

SOURCE: Final = Path(__file__).resolve().parents[3] / "src" / "dialer"
NO_COUNTRY: Final = {
    "app/imports/file_country.py": "counts numbers that name their country, to guess that of the others",
    "app/imports/number_cells.py": "reads a number with the plus that it has lost",
    "commands/gateway.py": "calls over a gateway without a database, with the digits as given",
    "demo/phonebook.py": "reads the numbers of the demonstration, which all name their country",
    "demo/sections/fates.py": "reads the numbers of the demonstration, which all name their country",
    "domain/engine/credit.py": "reads contacts that begin with a plus",
    "domain/numbers/agent_contacts.py": "reads numbers of a switch, which may have no country",
    "domain/numbers/normal_form.py": "asks whether a text can be a number of any country",
    "domain/numbers/prefixes.py": "reads numbers as a carrier writes them",
    "domain/survey/sections/call_transfer.py": "asks whether a number is an emergency number of any country",
    "runtime/lines/incoming_texts.py": "reads numbers as a carrier writes them",
    "runtime/lines/report_checks.py": "reads numbers as a carrier writes them",
    "scenarios/document.py": "reads files that name no account, whose settings stay those of a new one",
    "scenarios/world.py": "reads files that name no account, whose settings stay those of a new one",
    "sim/callee_profile.py": "reads numbers of gateways, which belong to no account; they are found without a country",
    "sim/population.py": "asks whether a pattern is in normal form",
    "sim/simulation.py": "reads files that name no account",
    "store/timeline/reading.py": "reads a number with the plus that it has lost",
}
"""Modules that read some numbers without the country of an account, each with its reason."""


def readers() -> Iterator[tuple[str, inspect.Parameter]]:
    """Yield the functions that read numbers, each with its parameter for the country."""
    for module in pkgutil.iter_modules(numbers.__path__, "dialer.domain.numbers."):
        for name, found in vars(importlib.import_module(module.name)).items():
            if inspect.isfunction(found) and found.__module__ == module.name and name[0] != "_":
                parameter = inspect.signature(found).parameters.get("region")
                if parameter is not None:
                    yield name, parameter


def test_whoever_reads_a_number_says_of_which_country() -> None:
    found = dict(readers())
    assert {"normalise", "read_kindly", "entries_in", "spells_emergency", "target_number", "shown_number"} <= set(found)
    assert [name for name, parameter in found.items() if parameter.default is not inspect.Parameter.empty] == []


def test_numbers_without_a_country_are_read_where_there_is_a_reason() -> None:
    names = {name for name, _ in readers()} | {"read"}
    without = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in names
        and any(isinstance(one, ast.Constant) and one.value is None for one in call.args)
    }
    assert without == set(NO_COUNTRY)
