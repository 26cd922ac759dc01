"""Lists of exporters in other scripts: their columns are known by name."""

# ruff: noqa: RUF001 - the letters of these scripts

from pathlib import Path

import pytest

from dialer.app.imports.csv_records import TableForm
from dialer.app.imports.guessed_columns import guess_columns
from dialer.app.imports.preview import look_at
from tests.console.workbooks import table, workbook

LAYOUTS = {
    "1C": (
        ["Наименование", "Телефон", "ИНН"],
        ["Иванова Анна", "+7 495 123-45-67", "7701234567"],
        "full_name number",
    ),
    "Bitrix24": (
        ["ID", "Имя", "Фамилия", "Рабочий телефон"],
        ["7", "Анна", "Иванова", "+74951234567"],
        "x first_name last_name number",
    ),
    "amoCRM": (
        ["ФИО", "Мобильный телефон", "Тег"],
        ["Иванова Анна", "+79121234567", "a"],
        "full_name number",
    ),
    "Greek office": (
        ["Επώνυμο", "Όνομα", "Κινητό"],
        ["Παππά", "Άννα", "+306912345678"],
        "last_name first_name number",
    ),
    "Arabic orders": (
        ["الاسم", "رقم الجوال", "المدينة"],
        ["ليلى", "+966512345678", "x"],
        "full_name number",
    ),
    "Hebrew school": (
        ["שם פרטי", "שם משפחה", "טלפון נייד"],
        ["נועה", "לוי", "+972502345678"],
        "first_name last_name number",
    ),
    "Hindi clinic": (
        ["नाम", "मोबाइल नंबर"],
        ["आशा", "+918123456789"],
        "full_name number",
    ),
    "WeChat Work": (
        ["姓名", "手机号", "部门"],
        ["王芳", "+8613123456789", "x"],
        "full_name number",
    ),
    "Taiwan shop": (
        ["客戶姓名", "手機號碼"],
        ["陳美", "+886912345678"],
        "full_name number",
    ),
    "Japan, CRM": (
        ["氏名", "電話番号", "メール"],
        ["山田 花子", "+819012345678", "a@example.com"],
        "full_name number",
    ),
    "Kakao": (
        ["이름", "휴대폰번호"],
        ["김하나", "+821020000000"],
        "full_name number",
    ),
    "LINE, Thailand": (
        ["ชื่อ", "นามสกุล", "เบอร์โทร"],
        ["มานี", "ใจดี", "+66812345678"],
        "first_name last_name number",
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", ["csv", "utf-16", "xlsx"])
def test_the_columns_of_a_list_in_another_script_are_known(tmp_path: Path, layout: str, kind: str) -> None:
    names, row, expected = LAYOUTS[layout]
    if kind == "xlsx" and layout not in {"Kakao", "Arabic orders"}:
        kind = "csv"  # One workbook of each direction is enough.
    charset = "utf-16" if kind == "utf-16" else "utf-8"
    path = tmp_path / "list"
    path.write_bytes(workbook(names, row) if kind == "xlsx" else table(names, row, delimiter=";", charset=charset))
    view = look_at(path, TableForm(), None)
    assert view.columns == tuple(names)
    found = guess_columns(view.columns, [cells for _, cells in view.rows], None)
    wanted = expected.replace("x ", "variable ").split()
    assert found[: len(wanted)] == wanted
