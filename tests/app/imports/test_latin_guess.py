"""The Latin character sets of Central Europe, Turkey and the Baltic, told by names of people there."""

# ruff: noqa: RUF001 - the letters of these names

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.app.imports.charsets import as_utf8, charset_of
from dialer.app.imports.latin_guess import doubtful_readings

NAMES: Final = {
    "windows-1250": {
        "Czech": "Jiří Dvořák|Tomáš Černý|Lucie Procházková|Kateřina Veselá|Zdeněk Němec|Růžena Kučerová|Jan Šťastný",
        "Slovak": "Ľubomír Kováč|Zuzana Horváthová|Štefan Baláž|Katarína Šimková|Tomáš Ďurica|Mária Kŕčová",
        "Hungarian": "Nagy László|Kovács Győző|Szűcs Erzsébet|Horváth Ödön|Kőszegi Ágnes|Tóth Gergő",
        "Polish": "Łukasz Wójcik|Małgorzata Kowalczyk|Paweł Zieliński|Żaneta Dąbrowska|Józef Świątek",
        "Croatian": "Ljubiša Đorđević|Željko Marić|Ivana Kovačević|Božidar Čolić",
        "Romanian": "Ştefan Ionescu|Mădălina Ţurcanu|Răzvan Bălan",
        "Czech beside German": "Müller Jürgen|Jiří Novák",
        "one Pole": "Zając",
    },
    "windows-1254": {
        "Turkish": "Ayşe Yılmaz|Mehmet Öztürk|Çağla Şahin|Gökhan Işık|İbrahim Doğan|Tuğba Kılıç|Ümit Güneş",
        "two Turks": "İbrahim Çelik|Hans",
        "Turkish beside German": "Doğan Müller",
    },
    "windows-1257": {
        "Latvian": "Jānis Bērziņš|Līga Kalniņa|Žanis Ozoliņš|Kārlis Šķēle",
        "Lithuanian": "Jonas Kazlauskas|Rūta Šimkutė|Žydrūnas Žukauskas|Giedrė Čepaitė|Vytautas Šaltenis",
    },
    "windows-1253": {"Greek": "Γιώργος Παπαδόπουλος|Μαρία Νικολάου|Ελένη Δημητρίου"},
    "windows-1252": {
        "German": "Jörg Müller|Jürgen Groß|Anja Schäfer",
        "French": "François Lefèvre|Benoît Crépin|Loïc Lemaître|Jérôme Noël",
        "Spanish": "José Muñoz|Íñigo Ibáñez|Begoña Núñez",
        "one Spaniard": "Peña",
        "Portuguese": "João Conceição|Inês Simões|Mário Gonçalves",
        "Danish": "Søren Kjær|Bjørn Ødegård|Håkon Åsen",
        "Icelandic": "Þóra Guðmundsdóttir|Sigurður Jónsson|Ólafur Þór",
        "Estonian": "Jüri Tõnisson|Õnne Pärn|Külli Mägi",
        "mixed": "Jörg Müller|François Lefèvre|Núria Peña|João Conceição|Åse Sørensen",
        "two of the west": "Søren Lefèvre|Peña",
    },
}
CASES: Final = [(charset, people) for charset, lists in NAMES.items() for people in lists.values()]
CODECS: Final = {charset: f"cp{charset[-4:]}" for charset in NAMES}


@pytest.mark.parametrize(("charset", "people"), CASES, ids=[one for lists in NAMES.values() for one in lists])
def test_the_names_of_a_list_tell_its_character_set(charset: str, people: str) -> None:
    lines = [f"+4930123{place:04d};{name}" for place, name in enumerate(people.split("|"))]
    text = "\n".join(["Telefon;Name", *lines, ""])
    content = text.encode(CODECS[charset])
    assert charset_of([content]) == charset
    assert b"".join(as_utf8([content], None)).decode() == text


@pytest.mark.parametrize("people", [people for charset, people in CASES if charset != "windows-1253"])
def test_a_list_in_utf8_stays_so(people: str) -> None:
    assert charset_of([people.encode()]) == "utf-8"


@pytest.mark.parametrize(("charset", "people"), CASES, ids=[one for lists in NAMES.values() for one in lists])
def test_a_list_whose_names_tell_its_set_leaves_no_doubt(charset: str, people: str) -> None:
    content = people.replace("|", "\n").encode(CODECS[charset])
    assert doubtful_readings(content, charset, "") == []


@pytest.mark.parametrize(
    ("name", "charset", "region", "readings"),
    [
        ("Şahin", "cp1254", "", "1254 Şahin, 1250 Ţahin, 1257 Žahin, 1252 Þahin"),
        ("Şahin", "cp1254", "DE", "1254 Şahin, 1250 Ţahin, 1257 Žahin, 1252 Þahin"),
        ("Şahin", "cp1254", "TR", "1254 Şahin, 1252 Þahin"),
        ("Þorsteinn", "cp1252", "IS", ""),
        ("Žukas", "cp1257", "LT", "1257 Žukas, 1252 Þukas"),
        ("Šimkus", "cp1257", "", "1250 Đimkus, 1257 Šimkus"),
        ("Šimkus", "cp1257", "LT", "1257 Šimkus, 1250 Đimkus"),
        ("Đukić", "cp1250", "RS", ""),
        ("Peña", "cp1252", "US", ""),
        ("Peńa", "cp1250", "PL", "1250 Peńa, 1252 Peña"),
        ("Søren\nLefèvre", "cp1252", "", ""),
        ("Jørgensen", "cp1252", "NO", ""),
        ("Ann", "cp1252", "TR", ""),
    ],
)
def test_the_sets_that_a_short_list_may_have_are_named_with_its_words(
    name: str, charset: str, region: str, readings: str
) -> None:
    content = f"Phone,Name\n+4930123456,{name}\n".encode(charset)
    found = doubtful_readings(content, charset_of([content]), region)
    assert ", ".join(f"{one.charset[-4:]} {' '.join(one.examples)}" for one in found) == readings


@given(st.binary(max_size=300), st.sampled_from(["", "TR", "XX", "\u00df", "PL"]))
def test_no_bytes_are_too_strange(content: bytes, region: str) -> None:
    readings = doubtful_readings(content, "windows-1252", region)
    assert len({one.charset for one in readings}) == len(readings) != 1
