"""Tests of character sets that a file tells by itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.app.imports.charsets import as_utf8, charset_of

TEXT = st.text(st.characters(codec="cp1252", exclude_categories=["Cc"]), max_size=60)


def read(content: bytes, size: int = 5, charset: str | None = None) -> str:
    pieces = [content[:4_096], *(content[at : at + size] for at in range(4_096, len(content), size))]
    return b"".join(as_utf8(pieces, charset)).decode()


@pytest.mark.parametrize(
    ("codec", "charset"),
    [
        ("utf-8", "utf-8"),
        ("cp1252", "windows-1252"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16le"),
        ("utf-16-be", "utf-16be"),
    ],
)
@pytest.mark.parametrize("before", [0, 5_000])
def test_a_file_tells_its_charset(codec: str, charset: str, before: int) -> None:
    text = "Name;Telefon\n" + "a;1\n" * before + "J\u00f6rg Gro\u00df;030\nZo\u00eb;\u20ac\n"
    content = text.encode(codec)
    assert (charset_of([content]), read(content)) == (charset, text)


@given(st.lists(TEXT, max_size=20), st.integers(1, 60))
def test_western_text_is_read_in_either_charset(lines: list[str], size: int) -> None:
    text = "\n".join(["Name", *lines])
    content = text.encode()
    assert b"".join(as_utf8([content[at : at + size] for at in range(0, len(content), size)], None)) == content
    assert read(text.encode("cp1252"), charset="windows-1252") == text


def test_a_wrong_line_among_many_in_utf8_stays_by_itself() -> None:
    content = "J\u00f6rg\nZo\u00eb\n".encode() + b"Jos\xe9\n"
    assert b"".join(as_utf8([content], None)) == content


@pytest.mark.parametrize(
    ("text", "codec", "charset"),
    [
        ("Vorname;Nachname\nJ\u00f6rg;M\u00fcller\nZo\u00eb;Gro\u00df\n", "mac-roman", "macintosh"),
        ("Pr\u00e9nom;Nom\nFran\u00e7ois;Lef\u00e8vre\n", "mac-roman", "macintosh"),
        ("Pr\u00e9nom;Nom\nFran\u00e7ois;Lef\u00e8vre\n", "cp1252", "windows-1252"),
        ("Jm\u00e9no\nTom\u00e1\u0161\nDu\u0161an\n\u017dofie\n", "cp1252", "windows-1252"),
        ("Note\nIt\u2019s Ann\u2019s\u2026 \u2013 20 \u20ac\n", "cp1252", "windows-1252"),
        ("D\u2019Arcy\nO\u2019Neill\n", "cp1252", "windows-1252"),
        ("Nombre\nMart\u00edn\nPe\u00f1a\nJos\u00e9\n", "mac-roman", "macintosh"),
    ],
)
def test_letters_tell_an_old_mac_from_windows(text: str, codec: str, charset: str) -> None:
    assert (charset_of([text.encode(codec)]), read(text.encode(codec))) == (charset, text)
