"""The columns of real exporters, as they document them or as programs that read them know them, and their meanings."""

from typing import Final, NamedTuple

import pytest

from dialer.app.imports.guessed_columns import guess_columns


class Exporter(NamedTuple):
    """The header of an exporter with a first row, where it was read, and the meanings of columns that have one."""

    source: str
    columns: dict[str, str]
    meanings: dict[str, str]


EXPORTERS: Final = {
    "Outlook": Exporter(
        "https://support.microsoft.com/en-us/office/create-or-edit-csv-files-to-import-into-outlook-4518d70d-8fe9-46ad-94fa-1494247193c7",
        {
            "Title": "", "First Name": "Ann", "Middle Name": "", "Last Name": "Example", "Suffix": "", "Company": "X",
            "Business State": "", "Business Country/Region": "", "Home State": "TX", "Home Postal Code": "75001",
            "Home Country/Region": "", "Business Fax": "", "Business Phone": "(202) 555-0143", "Car Phone": "",
            "Home Phone": "", "Mobile Phone": "+1 202 555 0144", "Other Phone": "", "Primary Phone": "", "Notes": "",
        },
        {
            "First Name": "first_name", "Last Name": "last_name", "Mobile Phone": "number",
            "Business Phone": "number_2", "Home State": "state", "Home Postal Code": "postal_code",
            "Home Country/Region": "country",
        },
    ),
    "Outlook.com": Exporter(
        "github.com/michalbe/csv2vcard README.md: the columns of OutlookContacts.csv",
        {
            "First Name": "Ann", "Last Name": "Example", "Home State": "TX", "Home Country": "France",
            "Business Phone 2": "", "Company Main Phone": "", "Home Phone": "(202) 555-0143", "Mobile Phone": "",
        },
        {
            "First Name": "first_name", "Last Name": "last_name", "Home Phone": "number", "Home State": "state",
            "Home Country": "country",
        },
    ),
    "Google Contacts": Exporter(
        "converters of Google's CSV in public repositories, which name these headers; as exported since 2024",
        {
            "First Name": "Ann", "Middle Name": "", "Last Name": "Example", "Nickname": "", "File As": "",
            "E-mail 1 - Value": "a@example.com", "Phone 1 - Label": "Mobile", "Phone 1 - Value": "+1 202 555 0143",
            "Phone 2 - Label": "", "Phone 2 - Value": "", "Address 1 - Region": "TX", "Address 1 - Country": "US",
            "Address 1 - Postal Code": "75001",
        },
        {
            "First Name": "first_name", "Last Name": "last_name", "Phone 1 - Value": "number",
            "Address 1 - Region": "state", "Address 1 - Postal Code": "postal_code", "Address 1 - Country": "country",
        },
    ),
    "HubSpot": Exporter(
        "https://wildandfreetools.com/blog/format-csv-for-hubspot-contact-import: the labels of contact properties",
        {
            "First name": "Ann", "Last name": "Example", "Email address": "a@example.com",
            "Phone number": "(202) 555-0143", "Mobile phone number": "+1 202 555 0144", "City": "Paris",
            "State/Region": "", "Country/Region": "France", "Zip code": "", "Lead status": "New",
        },
        {
            "First name": "first_name", "Last name": "last_name", "Mobile phone number": "number",
            "Phone number": "number_2", "State/Region": "state", "Country/Region": "country", "Zip code": "postal_code",
        },
    ),
    "VICIdial": Exporter(
        "the document of its non-agent API: fields of add_lead, of which phone_code and phone_number are required",
        {"vendor_lead_code": "7", "phone_code": "1", "phone_number": "2025550143",
         "first_name": "Ann", "last_name": ""},
        {"phone_code": "country_code", "phone_number": "number", "first_name": "first_name", "last_name": "last_name"},
    ),
    "Shopify by Matrixify": Exporter(
        "https://matrixify.app/documentation/customers/",
        {"ID": "44920047631", "Email": "a@example.com", "First Name": "Ann", "Last Name": "Example",
         "Phone": "+15417543010", "Note": "", "Tags": ""},
        {"First Name": "first_name", "Last Name": "last_name", "Phone": "number"},
    ),
    "Facebook lead ads": Exporter(
        "https://developers.facebook.com/docs/marketing-api/guides/lead-ads/retrieving: TSV with is_organic",
        {"id": "l:1234567890123456", "created_time": "2026-11-02T10:00:00+01:00", "is_organic": "false",
         "platform": "fb", "full_name": "Ann Example", "phone_number": "p:+12025550143"},
        {"full_name": "full_name", "phone_number": "number"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPORTERS)
def test_the_columns_of_an_exporter_have_their_meanings(name: str) -> None:
    exporter = EXPORTERS[name]
    found = dict(
        zip(
            exporter.columns,
            guess_columns(list(exporter.columns), [list(exporter.columns.values())], "US"),
            strict=True,
        )
    )
    assert {column: meaning for column, meaning in found.items() if meaning != "variable"} == exporter.meanings
