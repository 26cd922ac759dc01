"""Names of files that people download: readable, and safe on Windows, macOS, Linux, and in ZIP files."""

import re
import unicodedata
from datetime import datetime
from typing import Final

FILE_NAME_MAX: Final = 100
"""Characters of a file name that a client is offered, without the suffix."""
NAME_BYTES_MAX: Final = 200
"""Bytes of such a name in UTF-8. File systems take 255, and downloads that repeat get a number in addition."""
PART_MAX: Final = 30
"""Characters of a person and of a question in the name of a recording, which leave room for the rest."""
PART_BYTES_MAX: Final = 75
WAV_SUFFIX: Final = ".wav"
_BEGIN_FORMULAS: Final = "=+-@\uff1d\uff0b\uff0d\uff20. "
"""Their wide forms, too, which some spreadsheets take for them; and what is stripped from the beginning of a name."""
_UNSAFE: Final = frozenset('/\\:*?"<>|%')
_VARIABLE: Final = re.compile(r"\$\{([^{}]*)\}")
_STRFTIME: Final = re.compile(r"strftime\((.*)\)")
_DIRECTIVE: Final = re.compile("%(.?)")
_DIRECTIVES: Final = frozenset("YmdHMSyj")
FOLDERS_MAX: Final = 8
"""Folders in the name of a recording; further ones are left out."""
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\.|\Z)", re.IGNORECASE)
"""The names that Windows keeps for devices, with any suffix."""


def file_name(label: str) -> str:
    """Return a safe name of a WAV file for a label, which may be any text."""
    stem = safe_text(label)
    if stem.lower().endswith(WAV_SUFFIX):
        stem = stem[: -len(WAV_SUFFIX)]
    stem = _cut(stem, FILE_NAME_MAX, NAME_BYTES_MAX) or "recording"
    return f"{'_' if _RESERVED.match(stem) else ''}{stem}{WAV_SUFFIX}"


def answer_file_name(person: str, question: str, day: str, result_id: int) -> str:
    """Return the name of the recording of a spoken answer, such as `Ada Lovelace - What else - 2026-11-18 - 7.wav`.

    The id of the survey result makes it unique, also among names that differ only in case. A name begins with no letter
    that begins a formula, so an index that spreadsheets open has the same name.
    """
    parts = [_cut(safe_text(part), PART_MAX, PART_BYTES_MAX) for part in (person, question)]
    return file_name(" - ".join([*filter(None, parts), day, str(result_id)]).lstrip(_BEGIN_FORMULAS))


def recording_path(template: str, callid: str, number: str, began: datetime) -> str:
    """Return the name of the recording of a call by the template of its queue, in folders if the template has any.

    `${uuid}`, `${caller_id_number}` and `${strftime(%Y-%m-%d)}` are replaced, other variables are empty. The name leads
    nowhere else: a folder above, or the root, is no part of it.
    """
    values = {"uuid": callid, "caller_id_number": "".join(filter(str.isdigit, number))}

    def value(found: re.Match[str]) -> str:
        moment = _STRFTIME.fullmatch(found[1].strip())
        return values.get(found[1].strip(), "") if moment is None else _moment(moment[1], began)

    filled = _VARIABLE.sub(value, template)
    folders, _, last = filled.rpartition("/")
    parts = [_cut(safe_text(part), FILE_NAME_MAX, NAME_BYTES_MAX) for part in folders.split("/")[:FOLDERS_MAX]]
    named = [f"_{one}" if _RESERVED.match(one) else one for one in parts if one]
    return "/".join([*named, file_name(last or callid)])


def _moment(form: str, at: datetime) -> str:
    """Return the parts of a moment that a form names; those that depend on a language or a system are left out."""
    return _DIRECTIVE.sub(lambda found: at.strftime(found[0]) if found[1] in _DIRECTIVES else "", form)


def safe_text(text: str) -> str:
    """Return a text without letters that have a meaning in paths or headers, or that cannot be seen."""
    composed = unicodedata.normalize("NFC", text)
    return "".join("_" if _is_unsafe(letter) else letter for letter in composed).strip(". ")


def _is_unsafe(letter: str) -> bool:
    return letter in _UNSAFE or (letter != " " and unicodedata.category(letter)[0] in "CZ")


def _cut(text: str, most: int, bytes_max: int) -> str:
    """Return the beginning of a text that is no longer than some characters and some bytes."""
    short = text[:most].encode(errors="ignore")[:bytes_max].decode(errors="ignore")
    return short.strip(". ")
