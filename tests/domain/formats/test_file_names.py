"""Names of downloaded files, for any name of a person and any question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.formats.file_names import answer_file_name, file_name

DEVICES = ("con", "PRN", "aux", "NUL", "com1", "LPT9", "nul.tar", "CON .txt")
RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{digit}" for port in ("com", "lpt") for digit in range(10))}
TEXTS = st.text(max_size=300) | st.sampled_from(
    [*DEVICES, "..", "../../etc/passwd", "a/b\\c", "\u202eexe", "=1+1", "=.=1+1", "\uff1d1", ""]
)


def is_safe(name: str) -> bool:
    """Return whether Windows, macOS and Linux take a name, and take it for no folder and no device."""
    stem = name.split(".", maxsplit=1)[0].strip().casefold()
    return (
        not set(name) & set('/\\:*?"<>|')
        and all(letter.isprintable() for letter in name)
        and stem
        not in {"con", "prn", "aux", "nul", *(f"{port}{digit}" for port in ("com", "lpt") for digit in range(10))}
        and not name.startswith((".", " "))
        and not name.removesuffix(".wav").endswith((".", " "))
        and len(name.encode()) <= 255
    )


@given(TEXTS)
def test_any_label_is_a_safe_name(label: str) -> None:
    assert is_safe(file_name(label))


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=20))
def test_answers_have_safe_names_that_differ_whatever_people_are_called(asked: list[tuple[str, str]]) -> None:
    names = [answer_file_name(*texts, "2026-11-18", place) for place, texts in enumerate(asked)]
    assert all(map(is_safe, names))
    assert not any(name.startswith(tuple("=+-@\uff1d\uff0b\uff0d\uff20")) for name in names)
    assert len({name.casefold() for name in names}) == len(names)


@pytest.mark.parametrize(
    ("person", "question", "name"),
    [
        ("Ada Lovelace", "What else?", "Ada Lovelace - What else_ - 2026-11-18 - 7.wav"),
        ("+12025550100", "", "12025550100 - 2026-11-18 - 7.wav"),
        ("Zoë Ångström", "¿Qué más?", "Zoë Ångström - ¿Qué más_ - 2026-11-18 - 7.wav"),
        ("=.=HYPERLINK(1)", "", "HYPERLINK(1) - 2026-11-18 - 7.wav"),
        ("\uff1d1\uff0b1", "", "1\uff0b1 - 2026-11-18 - 7.wav"),
        ("", "", "2026-11-18 - 7.wav"),
        ("CON", "", "CON - 2026-11-18 - 7.wav"),
        ("nul.x", "", "_nul.x - 2026-11-18 - 7.wav"),
        ("A" * 80, "B" * 80, f"{'A' * 30} - {'B' * 30} - 2026-11-18 - 7.wav"),
    ],
)
def test_a_manager_recognises_the_person_the_question_and_the_day(person: str, question: str, name: str) -> None:
    assert answer_file_name(person, question, "2026-11-18", 7) == name


def test_a_name_of_a_device_is_kept_from_windows() -> None:
    assert [file_name(label) for label in ("con", "Lpt1.wav", "console")] == ["_con.wav", "_Lpt1.wav", "console.wav"]
