"""Lists as managers bring them, each with what its pages must say in Chromium and the people whom it becomes."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from tests.console.workbooks import workbook


class Walk(NamedTuple):
    """A list that is uploaded in a browser in Berlin, and what becomes of it."""

    file: str
    content: bytes
    people: Mapping[str, str]
    """The names of those who are stored, by number."""
    before: tuple[str, ...] = ()
    """Texts of the page that shows how the file is read."""
    after: tuple[str, ...] = ()
    """Texts of the page of the result."""
    not_called: tuple[str, ...] = ()
    """Numbers that go on the do-not-call list of the account."""


def _lines(*lines: str, charset: str = "utf-8") -> bytes:
    return "\r\n".join([*lines, ""]).encode(charset)


FRENCH_MEMBERS = Walk(
    "adherents.csv",
    _lines(
        "Nom;Prénom;Portable;Ville",
        "Lefèvre;Aline;06 12 34 50 01;Lille",
        "Garnier;Théo;+33 6 12 34 50 02;Tours",
        "Chauvin;Maud;0033 6 12 34 50 03;Metz",
        "Perrot;Léon;06.12.34.50.04;Brest",
        "Morel;Inès;06-12-34-50-05;Nîmes",
        "Roche;Zoé;+33 (0)6 12 34 50 06;Sète",
        charset="windows-1252",
    ),
    {
        "+33612345001": "Aline Lefèvre",
        "+33612345002": "Théo Garnier",
        "+33612345003": "Maud Chauvin",
        "+33612345004": "Léon Perrot",
        "+33612345005": "Inès Morel",
        "+33612345006": "Zoé Roche",
    },
    before=("→ +33612345001", "Will be stored 6", "Number looks wrong 0"),
    after=("Stored 6", "Refused 0"),
)
REFUSED_IN_A_REPORT = Walk(
    "report1764.csv",
    _lines(
        '"First Name","Last Name","Phone","Mobile","Do Not Call"',
        '"Nora","Quill","(201) 555-0161","","0"',
        '"Omar","Reed","(201) 555-0162","(201) 555-0172","1"',
        '"Pia","Stone","(201) 555-0163","","1"',
        '"Quin","Tate","","(201) 555-0174","0"',
        '"Rhea","Usher","+1 201 555 0165","","0"',
    ),
    {"+12015550161": "Nora Quill", "+12015550174": "Quin Tate", "+12015550165": "Rhea Usher"},
    before=("Must not be called, left out 2", "Will be stored 3"),
    after=("Stored 3", "Must not be called, left out 2"),
    not_called=("+12015550163", "+12015550172"),
)
AUDIENCE = Walk(
    "subscribed_segment_export.csv",
    _lines(
        '"Email Address","First Name","Last Name","Phone Number",MEMBER_RATING,OPTIN_TIME,TAGS,NOTES',
        'vera@example.com,Vera,Wood,201.555.0181,2,"2026-11-03 10:12:00","""vip""",',
        "walt@example.com,Walt,York,1-201-555-0182,3,,,likes tea",
        "xena@example.com,Xena,Zane,+1 (201) 555-0183,2,,,",
        "yann@example.com,Yann,Abel,(201) 555-0184,4,,,",
    ),
    {
        "+12015550181": "Vera Wood",
        "+12015550182": "Walt York",
        "+12015550183": "Xena Zane",
        "+12015550184": "Yann Abel",
    },
    before=("→ +12015550181", "→ +12015550182", "Will be stored 4"),
    after=("Stored 4", "Refused 0"),
)
INDIAN_DONORS = Walk(
    "donors.csv",
    _lines(
        "Name,Mobile No.,City",
        "Asha Rao,919876543210,Pune",
        "Dev Nair,9876543211,Kochi",
        "Ila Sen,098765 43212,Kolkata",
        "Jai Shah,+91 98765 43213,Surat",
        "Kiran Das,91-9876543214,Cuttack",
    ),
    {
        "+919876543210": "Asha Rao",
        "+919876543211": "Dev Nair",
        "+919876543212": "Ila Sen",
        "+919876543213": "Jai Shah",
        "+919876543214": "Kiran Das",
    },
    before=("→ +919876543210", "Will be stored 5", "Number looks wrong 0"),
    after=("Stored 5", "Refused 0"),
)
SPREADSHEET_ENDINGS = Walk(
    "kunden.csv",
    _lines(
        "Kundennummer;Nachname;Vorname;Telefon",
        "70012;Adler;Ute;493023125092,0",
        "70013;Brandt;Jens;1713920021,00",
        "70014;Conrad;Lea;030 23125093",
        "70015;Dorn;Max;4,91713920022E+11",
    ),
    {"+493023125092": "Ute Adler", "+491713920021": "Jens Brandt", "+493023125093": "Lea Conrad"},
    before=("→ +493023125092", "→ +491713920021", "Will be stored 3", "Refused 1"),
    after=("Stored 3", "Refused 1", "4,91713920022E+11"),
)
TITLE_ABOVE = Walk(
    "auswertung.csv",
    _lines(
        "Mitgliederliste;;;",
        "Stand: 26.11.2026;;;",
        ";;;",
        "Person;;Erreichbar;",
        "Name;Ort;Telefon;Bemerkung",
        "Eva Ernst;Mainz;06131 2345601;",
        "Finn Falk;Trier;0651 2345602;neu",
        "Gesa Graf;Worms;06241 234560;",
    ),
    {"+4961312345601": "Eva Ernst", "+496512345602": "Finn Falk", "+496241234560": "Gesa Graf"},
    before=("→ +4961312345601", "Will be stored 3", "Refused 0"),
    after=("Stored 3",),
)
TELEPHONE_CONTACTS = Walk(
    "contacts.vcf",
    _lines(
        "BEGIN:VCARD",
        "VERSION:2.1",
        "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;Heidi;;;",
        "FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Heidi=20M=C3=BCller",
        "TEL;HOME:030 23125094",
        "TEL;CELL:0171 3920023",
        "END:VCARD",
        "BEGIN:VCARD",
        "VERSION:3.0",
        "FN:Ivo Jung",
        "item1.TEL;type=CELL;type=pref:+49 171 3920024",
        "item1.X-ABLabel:Mobil",
        "END:VCARD",
        "BEGIN:VCARD",
        "VERSION:4.0",
        "FN:Kai Lang",
        "TEL;VALUE=uri;TYPE=cell:tel:+49-171-3920025",
        "END:VCARD",
        "BEGIN:VCARD",
        "VERSION:3.0",
        "FN:Ohne Nummer",
        "EMAIL:ohne@example.com",
        "END:VCARD",
    ),
    {"+491713920023": "Heidi Müller", "+491713920024": "Ivo Jung", "+491713920025": "Kai Lang"},
    before=("→ +491713920023", "Heidi Müller", "Will be stored 3"),
    after=("Stored 3",),
)
WALKS: Final = {
    "03, French members": FRENCH_MEMBERS,
    "10, a report with Do Not Call": REFUSED_IN_A_REPORT,
    "12, an audience": AUDIENCE,
    "14, Indian donors": INDIAN_DONORS,
    "15, endings of a spreadsheet": SPREADSHEET_ENDINGS,
    "19, a title above the header": TITLE_ABOVE,
    "30, contacts of a telephone": TELEPHONE_CONTACTS,
}
ROWS_OF_LARGE: Final = 10_000
COLUMNS_OF_LARGE: Final = 15


def large_workbook() -> bytes:
    """Return a workbook that is small as it is packed and many times as large when it is unpacked."""
    notes = [f"Note {place}" for place in range(COLUMNS_OF_LARGE)]
    filler = ["Member of the society since the founding year, with all the usual benefits"] * COLUMNS_OF_LARGE
    rows = ([f"+4930{20_000_000 + row}", f"Person {row}", *filler] for row in range(ROWS_OF_LARGE))
    return workbook(["Telefon", "Name", *notes], *rows)
