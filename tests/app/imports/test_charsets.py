"""Tests of character sets that a file tells by itself."""

# ruff: noqa: RUF001 - the letters of other scripts

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


OTHER_SCRIPTS = {
    "windows-1251": ("cp1251", "ФИО;Телефон;Город\nИванова Анна;1;Казань\nПетров Пётр;2;Уфа\nЮ Ян;3;Орёл\n"),
    "windows-1253": ("cp1253", "Επώνυμο;Όνομα;Κινητό\nΠαπαδόπουλος;Γιώργος;1\nΝικολάου;Ελένη;2\n"),
    "windows-1255": ("cp1255", "שם פרטי;שם משפחה;טלפון נייד\nנועה;לוי;1\nדוד;כהן;2\n"),
    "windows-1256": ("cp1256", "الاسم;رقم الجوال;المدينة\nليلى حسن;1;جدة\nأحمد علي;2;الرياض\n"),
    "tis-620": ("cp874", "ชื่อ;นามสกุล;เบอร์โทร\nมานี;ใจดี;1\nสมชาย;รักไทย;2\n"),
    "shift_jis": ("cp932", "氏名,フリガナ,電話番号\n山田 花子,ヤマダ ハナコ,1\n佐藤 健,サトウ ケン,2\n"),
    "gbk": ("gbk", "姓名,手机号,部门\n王芳,1,销售部\n李伟,2,市场部\n张敏,3,客服\n"),
    "big5": ("big5", "客戶姓名,手機號碼,城市\n陳美玲,1,台北市\n林志明,2,高雄市\n"),
    "euc-kr": ("euc-kr", "이름,휴대폰번호,부서\n김하나,1,영업부\n박민수,2,총무부\n"),
}


@pytest.mark.parametrize("charset", OTHER_SCRIPTS)
@pytest.mark.parametrize("before", [0, 5_000])
def test_letters_tell_the_charset_of_another_script(charset: str, before: int) -> None:
    codec, text = OTHER_SCRIPTS[charset]
    content = ("a;1\n" * before + text + text.lower() + text.upper()).encode(codec)
    assert (charset_of([content]), read(content)) == (charset, content.decode(codec))
    assert read(content, charset=charset) == content.decode(codec)


@pytest.mark.parametrize("charset", OTHER_SCRIPTS)
def test_a_few_words_tell_the_charset_of_another_script(charset: str) -> None:
    codec, text = OTHER_SCRIPTS[charset]
    content = text.encode(codec)
    lines = content.splitlines(keepends=True)
    assert charset_of([b"".join(lines[:2])]) == charset
    later = b"x;9\n" * 2_000 + lines[1]
    assert b"".join(as_utf8([content, later], None)).decode() == (content + later).decode(codec)


@pytest.mark.parametrize(
    "text",
    [
        "Ángel;1\nÁlvaro;2\nÓscar;3\n",
        "Ärzte;1\nÅgren;2\nÖzil;3\n",
        "à la carte;1\nÉlise;2\nà côté;3\n",
        "MÜLLER;1\nGÖTZ;2\nCAFÉ;3\n",
        "Ça va\nÀ bientôt\n",
        "Ł;1\n".replace("Ł", "ß"),
    ],
)
def test_western_letters_are_no_other_script(text: str) -> None:
    assert charset_of([text.encode("cp1252")]) == "windows-1252"
