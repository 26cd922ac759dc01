"""Contacts of telephones become lists: vCards 2.1, 3.0 and 4.0, as programs write them, and broken ones."""

from collections.abc import Mapping
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.app.imports.headers import CsvError
from dialer.app.imports.list_files import open_list
from dialer.app.imports.vcards import COLUMNS, PROPERTIES_OF_A_CARD_MAX

OUTLOOK = """BEGIN:VCARD\r
VERSION:2.1\r
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg;;Dr.\r
FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Dr. J=C3=B6rg =\r
M=C3=BCller\r
ORG:Example\\; Sons;Sales\r
TEL;WORK;VOICE:+1 202 555 0100\r
TEL;WORK;FAX:+1 202 555 0199\r
TEL;CELL;VOICE:+1 202 555 0101\r
EMAIL;PREF;INTERNET:joerg@example.com\r
END:VCARD\r
"""
ICLOUD = """BEGIN:VCARD
VERSION:3.0
PRODID:-//Apple Inc.//macOS//EN
N:Weiß;Anna;;;
FN:Anna
  Weiß
item1.TEL;type=pref:+12025550110
item1.X-ABLabel:_$!<HomeFAX>!$_
item2.TEL:+12025550111
item2.X-ABLabel:Handy
TEL;type=HOME;type=VOICE;type=pref:+12025550112
PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAA
 AQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB
NOTE:TEL:+12025550199\\, not hers\\nBEGIN:VCARD
END:VCARD
begin:vcard
version:3.0
fn:
n:;;;;
org:Taxi Example;
tel;type=main:+12025550113
end:vcard
"""
GOOGLE = """BEGIN:VCARD
VERSION:4.0
FN;PREF=2:Second
FN;PREF=1:山田 太郎
N:山田;太郎;;;
TEL;VALUE=uri;TYPE="home,voice":tel:863-1234;phone-context=+1-202-555
TEL;VALUE=uri;TYPE="voice,cell":tel:+1-202-555-0120;ext=12
TEL;VALUE=uri;PREF=1;TYPE=work:tel:+1-202-555-0121
TEL;TYPE=work:+1-202-555-0121
TEL;TYPE=work:+1-202-555-0122
EMAIL:
EMAIL;PREF=1:taro@example.com
AGENT:
BEGIN:VCARD
TEL:+12025550199
END:VCARD
END:VCARD
"""
EMPTY = ["", ""]
TARO = ["山田 太郎", "太郎", "山田"]
MAIL = "taro@example.com"
MUELLER = ["+1 202 555 0101", "+1 202 555 0100", "", "Dr. Jörg Müller", "Jörg", "Müller"]


def read(
    content: bytes, required: str | None = "contact", renamed: Mapping[str, str] | None = None
) -> list[tuple[int, list[str]]]:
    pieces = [content[at : at + 7] for at in range(0, len(content), 7)]
    with open_list(pieces, required=required, renamed=renamed) as file:
        assert len(file.columns) == len(COLUMNS)
        return [(record.line, record.cells) for record in islice(file, 100)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (OUTLOOK, [(1, [*MUELLER, "joerg@example.com", "Example; Sons"])]),
        (
            ICLOUD,
            [
                (1, ["+12025550111", "+12025550110", "+12025550112", "Anna Weiß", "Anna", "Weiß", *EMPTY]),
                (16, ["+12025550113", *EMPTY, "Taxi Example", *EMPTY, "", "Taxi Example"]),
            ],
        ),
        (
            GOOGLE,
            [(1, ["+1-202-555-0120 ext. 12", "+1-202-555-0121", "+1-202-555-863-1234", *TARO, MAIL, ""])],
        ),
    ],
)
def test_the_contacts_of_usual_programs_are_people_with_the_mobile_number_first(
    text: str, expected: list[tuple[int, list[str]]]
) -> None:
    for line_end in ("\r\n", "\n", "\r"):
        written = text.replace("\r\n", "\n").replace("\n", line_end)
        for charset in ("utf-8", "utf-8-sig", "utf-16"):
            assert read(written.encode(charset)) == expected


def test_a_do_not_call_list_has_every_number_of_a_person() -> None:
    numbers = [cells[0] for _, cells in read((OUTLOOK + ICLOUD).encode(), "phone_number")]
    assert numbers[:3] == ["+1 202 555 0101", "+1 202 555 0100", "+1 202 555 0199"]
    assert numbers[3:] == ["+12025550111", "+12025550110", "+12025550112", "+12025550113"]


@pytest.mark.parametrize("charset", ["ISO-8859-1", "windows-1252", "UTF-8"])
def test_old_telephones_name_the_character_set_of_each_value(charset: str) -> None:
    name = "".join(f"={byte:02X}" for byte in "Müller;Jörg".encode(charset))
    card = (
        f"BEGIN:VCARD\nVERSION:2.1\nN;ENCODING=QUOTED-PRINTABLE;CHARSET={charset}:{name}\nTEL;CELL:5550100\nEND:VCARD"
    )
    assert read(card.encode())[0][1][3:6] == ["Jörg Müller", "Jörg", "Müller"]
    plain = "BEGIN:VCARD\nVERSION:2.1\nN:Müller;Jörg\nTEL;CELL:5550100\nEND:VCARD\n".encode("cp1252")
    assert read(plain)[0][1][3] == "Jörg Müller"


def test_other_names_can_be_given_to_the_columns() -> None:
    card = OUTLOOK.encode()
    with open_list([card], required="contact", renamed={"number_2": "contact", "contact": "mobile"}) as file:
        assert file.columns[:2] == ("mobile", "contact")
    with pytest.raises(CsvError, match="No column is read as phone_number"):
        read(card, "phone_number", renamed={"contact": "x"})
    with pytest.raises(CsvError, match="The header has no column 'tel'"):
        read(card, renamed={"tel": "x"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("BEGIN:VCARD", [""]),
        ("BEGIN:VCARD\nTEL:1\nBEGIN:VCARD\nTEL:2\nEND:VCARD\nTEL:3\nEND:VCARD", ["1", "2"]),
        ('BEGIN:VCARD\n;;;:::\n=\n\0TEL:1\nTEL;TYPE="CELL:1\nTEL:\0 +12 \n 3\nEND:VCARD', ["+12 3"]),
        ("BEGIN:VCARD\nPHOTO:" + "A" * 300_000 + "\nTEL:1\nEND:VCARD", ["1"]),
        ("BEGIN:VCARD\nPHOTO:" + "AAAA\n " * 50_000 + "\nTEL:1\nEND:VCARD", ["1"]),
        ("BEGIN:VCARD\n" + "ORG:x\n" * PROPERTIES_OF_A_CARD_MAX + "TEL:1\nEND:VCARD", [""]),
        ("BEGIN:VCARD\nTEL;ENCODING=BASE64:KzEyMDI1NTUwMTAw\nTEL;ENCODING=B:=\nEND:VCARD", ["+12025550100"]),
    ],
)  # fmt: skip
def test_a_broken_card_harms_no_other_one(text: str, expected: list[str]) -> None:
    assert [cells[0] for _, cells in read(text.encode())] == expected


@given(st.lists(st.sampled_from([*'\n\r\t :;=,.\\"\0A', "BEGIN:VCARD", "END:VCARD", "TEL", "ENCODING=Q", "tel:", "é"])))
def test_no_file_of_vcards_is_an_error(pieces: list[str]) -> None:
    for _, cells in read(("BEGIN:VCARD\n" + "".join(pieces)).encode()):
        assert len(cells) == len(COLUMNS)
        assert not any("\n" in cell or "\0" in cell for cell in cells)
