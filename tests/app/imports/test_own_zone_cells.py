"""Tests of the column `tz_code` of imports: IANA names, names of Windows and offsets; unknown cells are remarks."""

import csv
import io
import json
from typing import Any

import pytest
from sqlalchemy import select

from dialer.app.imports.column_roles import NO_ROLES
from dialer.app.imports.guessed_columns import guess_columns
from dialer.app.imports.imports import ImportOptions, import_csv
from dialer.app.imports.number_rows import ContactRows
from dialer.domain.calling_times.zones import countries_of_key, zones_of_key
from dialer.store.database.database import Database
from dialer.store.tables import Contact
from tests.app.imports.test_imports import committing, database, load, rows

__all__ = ["database"]


ALL_ZONES = {
    "BRAZIL": "America/Maceio&America/Manaus&America/Noronha&America/Rio_Branco@BR",
    "PORTUGAL": "Atlantic/Azores&Atlantic/Madeira@PT",
}


def contacts(database: Database) -> list[tuple[str, str]]:
    """Return the stored zones and keys in the order of the rows."""
    query = select(Contact.tz_code, Contact.zone).order_by(Contact.id)
    return [(row.tz_code, row.zone) for row in database.read_now(lambda connection: connection.execute(query).all())]


def table(*rows: tuple[str, ...]) -> str:
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    return written.getvalue()


@pytest.mark.parametrize(
    ("cell", "zones"),
    [
        ("America/Vancouver", "America/Vancouver"),
        ("america/vancouver", "America/Vancouver"),
        ("Eastern Standard Time", "America/New_York"),
        ("W. Europe Standard Time", "Europe/Berlin"),
        ("British Columbia Standard Time", "America/Vancouver"),
        ("UTC-5", "UTC-05:00"),
        ("America/Chicago&America/Denver@US", "America/Chicago&America/Denver@US"),
        ("", ""),
    ],
)
def test_a_zone_of_the_file_is_that_of_the_person(database: Database, cell: str, zones: str) -> None:
    report = load(database, table(("contact", "tz_code"), ("+12025550100", cell)))
    ((tz_code, key),) = contacts(database)
    assert (report.imported, report.warned, tz_code) == (1, 0, zones)
    own = zones.partition("@")[0] or "America/New_York"
    assert "&".join(zones_of_key(key)) == own


def test_a_cell_that_is_no_zone_is_a_remark_and_the_numbers_zone_stays(database: Database) -> None:
    rows: list[Any] = [("contact", "tz_code"), ("+12025550100", "IST"), ("+12025550101", "Mars/Olympus")]
    report = load(database, table(*rows))
    assert contacts(database) == [("", "America/New_York")] * 2
    told = [(one.line, one.kind, one.value, str(one.reason)) for one in report.warnings]
    assert told == [(line, "unknown_zone", cell, reason_of(cell)) for line, cell in ((2, "IST"), (3, "Mars/Olympus"))]


def reason_of(cell: str) -> str:
    return (
        f"{cell!r} is no time zone that is known, so that of the number counts. Use a name such as America/New_York,"
        " or an offset such as UTC-5."
    )


@pytest.mark.parametrize(
    ("column", "cell", "number", "zones"),
    [
        ("State", "CA", "+12125550100", "America/Los_Angeles@US"),
        ("State", "Florida", "+12125550100", ""),
        ("Mailing State/Province", "TN", "+14155550100", "America/New_York&America/Chicago@US"),
        ("State", "OK", "+12125550100", "America/Chicago&America/New_York@US"),
        ("Province", "BC", "+14165550100", "America/Vancouver&America/Edmonton@CA"),
        ("ZIP code", "90210", "+12125550100", "America/Los_Angeles@US"),
        ("Postal Code", "V6B 1A1", "+14165550100", "America/Vancouver&America/Edmonton@CA"),
        ("UF", "AM", "+5511987654321", "America/Manaus&America/Eirunepe@BR"),
        ("Zeitzone", "America/Denver", "+12125550100", "America/Denver"),
        ("Bemerkung", "CA", "+12125550100", ""),
        ("State", "", "+12125550100", ""),
        ("State", "TX", "+442079460018", ""),
        ("Provincia", "Las Palmas", "+34612345678", "Atlantic/Canary@ES"),
        ("Region", "Sverdlovsk", "+79121234567", ""),
        ("State", "Свердловская область", "+79121234567", "Asia/Yekaterinburg@RU"),
        ("Province", "Krasnodar Krai", "+79121234567", "Europe/Moscow@RU"),
        ("Provincia", "Región de Magallanes", "+56961234567", "America/Punta_Arenas@CL"),
        ("Province", "Papua Barat", "+6281234567890", "Asia/Jayapura@ID"),
        ("Country", "Germany", "+493023007400", ""),
        ("Country", "US", "+12125550100", ""),
        ("Country", "Deutschland", "+12125550100", "Europe/Berlin@DE"),
        ("Pays", "Allemagne", "+33612345678", "Europe/Berlin@DE"),
        ("País", "Brasil", "+34612345678", "BRAZIL"),
        ("País", "PT", "+34612345678", "PORTUGAL"),
        ("Land", "Frankreich", "+493023007400", "Europe/Paris@FR"),
        ("Country", "44", "+12125550100", ""),
        ("Country", "", "+12125550100", ""),
        ("Código postal", "28013", "+34612345678", "Europe/Madrid@ES"),
        ("Código postal", "9500-321", "+351912345678", "Atlantic/Azores@PT"),
    ],
)
def test_a_state_or_postal_code_tells_where_the_person_is(
    database: Database,
    column: str,
    cell: str,
    number: str,
    zones: str,
) -> None:
    report = load(database, table(("contact", column), (number, cell)))
    ((tz_code, _),) = contacts(database)
    assert (report.imported, report.warned, tz_code) == (1, 0, ALL_ZONES.get(zones, zones))
    ((variables,),) = rows(database, "SELECT additional_vars FROM contact")
    assert json.loads(str(variables)) == {column: cell}


@pytest.mark.parametrize(
    ("column", "cell", "number"),
    [
        ("Provincia", "Sin datos", "+34612345678"),
        ("Código postal", "99999", "+351912345678"),
        ("State", "Atlantis", "+79121234567"),
    ],
)
def test_an_unknown_place_is_a_remark_in_every_country_of_the_table(
    database: Database, column: str, cell: str, number: str
) -> None:
    report = load(database, table(("contact", column), (number, cell)))
    assert [(one.kind, one.value) for one in report.warnings] == [("unknown_zone", cell)]


def test_an_unknown_country_is_a_remark(database: Database) -> None:
    report = load(database, table(("contact", "country"), ("+12125550100", "Narnia")))
    assert [(one.kind, one.value, str(one.reason)) for one in report.warnings] == [
        ("unknown_zone", "Narnia", "'Narnia' is no country that is known, so that of the number counts.")
    ]
    assert contacts(database) == [("", "America/New_York")]


def test_the_country_and_the_state_of_a_person_abroad_are_read_together(database: Database) -> None:
    rows: list[Any] = [("contact", "State", "Country"), ("+493023007400", "Texas", "USA"), ("+493023007401", "", "USA")]
    load(database, table(*rows))
    (in_texas, _), (anywhere, _) = contacts(database)
    assert in_texas == "America/Chicago&America/Denver@US"
    assert anywhere.endswith("@US")
    assert {"America/New_York", "Pacific/Honolulu"} < set(anywhere.removesuffix("@US").split("&"))


def test_the_column_with_the_country_of_the_number_is_that_of_the_person(database: Database) -> None:
    options = ImportOptions(roles=NO_ROLES.with_role("Land", "country_code"))
    content = b"contact,Land\n030 23007400,DE\n+12125550100,DE\n030 23007401,49\n"
    import_csv([content], ContactRows(1, region=None), committing(database), options)
    assert [tz_code for tz_code, _ in contacts(database)] == ["", "Europe/Berlin@DE", ""]


def test_both_countries_have_their_law(database: Database) -> None:
    load(database, table(("contact", "country"), ("+12125550100", "France"), ("+12125550101", "USA")))
    assert [countries_of_key(key) for _, key in contacts(database)] == [("FR", "US"), ("US",)]


def test_a_column_of_any_name_whose_cells_are_zones_tells_the_zone(database: Database) -> None:
    rows: list[Any] = [("contact", "Where"), *((f"+1212555{number}", "America/Denver") for number in range(1000, 1150))]
    report = load(database, table(*rows))
    assert (report.imported, report.warned) == (150, 0)
    assert set(contacts(database)) == {("America/Denver", "America/Denver")}


def test_an_unknown_state_is_a_remark(database: Database) -> None:
    report = load(database, table(("contact", "state"), ("+12125550100", "Calif0rnia")))
    assert [(one.kind, one.value) for one in report.warnings] == [("unknown_zone", "Calif0rnia")]
    assert contacts(database) == [("", "America/New_York")]


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("State", ["enabled", "disabled"]),
        ("state", ["invited"]),
        ("State", ["ok", "error", "ok"]),
        ("State", ["on", "off"]),
        ("Estado", ["Activo", "Inactivo"]),
        ("\u00c9tat", ["Ferm\u00e9", "En cours"]),
        ("State", ["gold", "silver"] * 5),
    ],
)
def test_a_column_with_the_state_of_an_account_is_none_of_states(
    database: Database, column: str, cells: list[str]
) -> None:
    rows = [(f"+1212555{number}", cell) for number, cell in enumerate(cells, 1000)]
    report = load(database, table(("contact", column), *rows))
    assert (report.imported, report.warned) == (len(cells), 0)
    assert {tz_code for tz_code, _ in contacts(database)} == {""}
    assert guess_columns(["contact", column], rows, None)[1] == "variable"


@pytest.mark.parametrize("cells", [["CA", "Calif0rnia"], ["OK", "OK"], ["ON"], ["California", "Bayern", "new"], [""]])
def test_a_column_with_some_states_is_one(cells: list[str]) -> None:
    rows = [(f"+1212555{number}", cell) for number, cell in enumerate(cells, 1000)]
    assert guess_columns(["contact", "State"], rows, None)[1] == "state"


def test_the_province_counts_where_the_column_state_is_that_of_an_account(database: Database) -> None:
    rows = [("contact", "State", "Province"), ("+12125550100", "enabled", "CA"), ("+12125550101", "disabled", "")]
    report = load(database, table(*rows))
    assert (report.warned, contacts(database)[0][0]) == (0, "America/Los_Angeles@US")
