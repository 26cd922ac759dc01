"""Tests of the streaming CSV reader: an error in one record affects that record alone."""

import csv
import io
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.app.imports import csv_records
from dialer.app.imports.csv_records import (
    LINE_BYTES_MAX,
    RECORD_LINES_MAX,
    CsvFile,
    CsvRecord,
    TableForm,
)
from dialer.app.imports.headers import COLUMNS_MAX, CsvError


def read(content: bytes, size: int = 7) -> CsvFile:
    """Read a file that arrives in pieces of `size` bytes."""
    return CsvFile([content[at : at + size] for at in range(0, len(content), size)], required="contact")


def records(content: bytes) -> list[CsvRecord]:
    return list(read(b"contact,name\n" + content))


@pytest.mark.parametrize(
    "content",
    [
        b"contact,name\n1,A\n",
        b"contact;name\r\n1;A\r\n",
        b"\xef\xbb\xbfcontact\tname\n1\tA",
        b'"contact" , name\n\n1,"A"\n\r\n',
        b"contact|name\n1|A\n",
        b"sep=;\r\ncontact;name\r\n1;A\r\n",
        b'"sep=\t"\ncontact\tname\n1\tA',
    ],
)
def test_the_header_tells_the_delimiter(content: bytes) -> None:
    file = read(content)
    cells = [record.cells for record in file]
    assert (file.columns, cells) == (("contact", "name"), [["1", "A"]])


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        (b"", "The first line must name the columns"),
        (b"\n1,A\n", "The first line must name the columns"),
        (b"phone,name\n", "The first line must name the columns"),
        (b"contact/name\n", "The first line must name the columns"),
        ("contact,name\n".encode("utf-16"), "The header cannot be read: NUL characters"),
        (b"contact,\xff\n", "The header cannot be read: not UTF-8"),
        (b"contact,name\r1,A\r", "The header cannot be read: a carriage return that ends no line"),
        (b"contact,name,Contact\n", "The header names Contact twice."),
        (b"contact," + b"n" * 256 + b"\n", "The name of column 2 has more than 255 characters."),
        (b"contact" + b",n" * COLUMNS_MAX + b"\n", "The header has 101 columns. Use at most 100."),
        (b"contact," + b"n" * LINE_BYTES_MAX, "The header cannot be read: the line has more than 131,072 bytes"),
    ],
)
def test_a_file_without_a_usable_header_is_refused(header: bytes, reason: str) -> None:
    with pytest.raises(CsvError) as error:
        read(header, size=4096)
    assert str(error.value).startswith(reason)


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        (b"contact,,name\n", ("contact", "column_2", "name")),
        (b"contact,Name,name,name 2\n", ("contact", "Name", "name 3", "name 2")),
        (b'contact,"City\nor town"\n', ("contact", "City or town")),
        (b'contact,5" screen\n', ("contact", '5" screen')),
    ],
)
def test_every_column_has_a_name_of_its_own(content: bytes, columns: tuple[str, ...]) -> None:
    row = b",".join([b"1"] * len(columns))
    file = read(content + row + b"\n")
    assert (file.columns, [record.cells for record in file]) == (columns, [["1"] * len(columns)])


def test_a_table_without_a_header_or_with_a_title_before_it() -> None:
    def read_as(content: bytes, line: int, renamed: dict[str, str]) -> list[tuple[int, list[str]]]:
        file = CsvFile([content], required="contact", renamed=renamed, form=TableForm(header_line=line))
        return [(record.line, record.cells) for record in file]

    assert read_as(b"\n1,A\n2,B\n", 0, {"column_1": "contact"}) == [(2, ["1", "A"]), (3, ["2", "B"])]
    assert read_as(b"Customers\n\ncontact,name\n1,A\n", 3, {}) == [(4, ["1", "A"])]
    with pytest.raises(CsvError, match="No column is read as contact"):
        read_as(b"1,A\n", 0, {})


def test_empty_cells_at_the_end_of_a_row_may_be_more_or_be_missing() -> None:
    content = b"contact,name,city\n1,A,B,,\n2\n"
    assert [record.problem for record in read(content)] == [None, "1 cell, but the header has 3 columns"]
    padded = CsvFile([content], required="contact", form=TableForm(pads_rows=True))
    assert [record.cells for record in padded] == [["1", "A", "B"], ["2", "", ""]]


def test_lines_are_counted_through_quoted_line_ends_and_empty_lines() -> None:
    assert records(b'1,"A\nB"\n\n\n2,"say ""hi"""\n') == [
        CsvRecord(2, ["1", "A\nB"], None),
        CsvRecord(6, ["2", 'say "hi"'], None),
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"1", "1 cell, but the header has 2 columns"),
        (b"1,A,x", "3 cells, but the header has 2 columns"),
        (b"1,\xff", "not UTF-8"),
        (b"1,\0", "NUL characters"),
        (b"1,A\rB", "a carriage return that ends no line"),
        (b'1,"A', "a quote is opened and not closed"),
        (b"1," + b"x" * LINE_BYTES_MAX, "the line has more than 131,072 bytes"),
        (b'1,"' + (b"x" * 60_000 + b"\n") * 3 + b'"', "a cell has more than 131,072 characters"),
    ],
)
def test_a_broken_record_leaves_its_neighbours_alone(line: bytes, problem: str) -> None:
    first, broken, *_, last = records(b"0,A\n" + line + b"\n9,Z\n")
    assert (first, last.cells, last.problem) == (CsvRecord(2, ["0", "A"], None), ["9", "Z"], None)
    assert (broken.line, broken.problem) == (3, problem)


def test_a_quote_that_is_never_closed_costs_one_line() -> None:
    rows = b"".join(b"%d,A\n" % number for number in range(3 * RECORD_LINES_MAX))
    found = records(b'x,"A\n' + rows)
    assert found[0] == CsvRecord(2, [], "a quote is opened and not closed")
    assert [record.line for record in found] == list(range(2, 3 * RECORD_LINES_MAX + 3))
    assert all(record.problem is None for record in found[1:])


def test_a_cell_of_as_many_lines_as_allowed_is_kept() -> None:
    (record,) = records(b'1,"' + b"\n" * (RECORD_LINES_MAX - 1) + b'"\n')
    assert record == CsvRecord(2, ["1", "\n" * (RECORD_LINES_MAX - 1)], None)


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=12)
TABLE = st.lists(st.tuples(TEXT, TEXT), max_size=12)


@given(
    table=TABLE,
    delimiter=st.sampled_from(",;\t"),
    size=st.integers(1, 40),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
)
def test_a_written_file_is_read_however_it_arrives(
    table: list[tuple[str, str]],
    delimiter: str,
    size: int,
    quoting: Literal[0, 1],
) -> None:
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, quoting=quoting)
    writer.writerows([("contact", "name"), *table])
    found = [tuple(record.cells) for record in read(buffer.getvalue().encode(), size)]
    assert found == table


ODD = st.sampled_from(["\n", "\r\n", "\r", ",", '"', "a", "é", "\0", "\ud800", "\n\n", 'b,"c\n"\n'])


@given(st.lists(ODD, max_size=40).map("".join), st.integers(1, 60))
def test_many_lines_at_once_are_read_as_each_by_itself(odd: str, size: int) -> None:
    content = b"contact,name\n" + odd.encode(errors="surrogatepass")
    at_once = list(read(content, size))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_records, "_plain_end", lambda _block, _start: 0)
        assert at_once == list(read(content, size))


@given(st.binary(max_size=300), st.integers(1, 50))
def test_no_bytes_at_all_break_the_reader(noise: bytes, size: int) -> None:
    lines = [record.line for record in read(b"contact,name\n" + noise, size)]
    assert lines == sorted(set(lines))
