"""The import of a list that was looked at: once, however often somebody presses the button."""

import re
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from litestar import Response, post
from litestar.params import FromPath
from msgspec.structs import replace

from dialer.api.crud import records
from dialer.api.crud.resource import Unit
from dialer.api.crud.shapes import Given, Shape, parse_given
from dialer.api.http.errors import InvalidError, MalformedError
from dialer.api.records.imports import CONTACTS, ImportKind
from dialer.api.service import ApiRequest
from dialer.app.accounts.users import change_default_region
from dialer.app.errors import InvalidFieldsError
from dialer.app.imports.headers import CsvError
from dialer.app.imports.report import ImportReport, RowRemark
from dialer.console.forms import read_fields
from dialer.console.language import gettext
from dialer.console.list_choices import REGION_ASKED, ListChoices, read_choices
from dialer.console.list_country import hints_for
from dialer.console.pages.imports import (
    KINDS,
    REMARKS_MAX,
    answer_list,
    check_answers,
    check_meanings,
    check_target,
    kept_list,
    look_at_list,
    messages_in,
    name_of_target,
    report_of,
    why_rejected,
)
from dialer.console.pages.records import shown_page
from dialer.console.services import go_to, page
from dialer.store.media.kept_lists import KeptList

_COLUMN: Final = re.compile(r"m[0-9]{1,2}")
_REFUSED: Final = (CsvError, InvalidError, InvalidFieldsError, MalformedError)


class ImportedList(msgspec.Struct, frozen=True):
    """The result of an import, which is kept for those who press the button again."""

    into: str
    identity: int
    is_new: bool
    """True if the import made the phonebook, for a new campaign."""
    report: ImportReport
    """The report, with its reasons in the language of the one who imported."""


class NobodyImportedError(Exception):
    """An error for a list without a number that can be called, of which no phonebook is made."""


@post("/lists/{token:str}", media_type="text/html")
async def use_list(request: ApiRequest, token: FromPath[str]) -> Response[Any]:
    """Import a list, or show what other choices do."""
    fields = await read_fields(request)
    kept = kept_list(request, token)
    choices = read_choices(fields)
    if "answer" in fields:
        choices = read_choices({**fields, **_answered(fields["answer"])})
    if "import" not in fields:
        return go_to(f"{choices.address(token)}&check=1")
    if await _is_changed(request, kept, choices, fields.get("shown", "")):
        return go_to(f"{choices.address(token)}&check=1&changed=1")
    if fields.get("region") == REGION_ASKED:
        return await answer_list(request, token, choices, [gettext("Choose the country of the numbers without one.")])
    return await _import_list(request, token, kept, choices)


async def _is_changed(request: ApiRequest, kept: KeptList, choices: ListChoices, shown: str) -> bool:
    """Return whether nobody has seen yet what an import with these choices does."""
    try:
        looked = await look_at_list(request, kept.path, choices)
    except (CsvError, FileNotFoundError):  # The import says what is wrong, or shows its earlier result.
        return False
    return looked.asked().mark != shown


def _answered(answer: str) -> dict[str, str]:
    """Return the field that a button with an answer sets, such as `region:FR`."""
    name, _, value = answer.partition(":")
    return {name: value} if name == "region" or _COLUMN.fullmatch(name) else {}


async def _import_list(request: ApiRequest, token: str, kept: KeptList, choices: ListChoices) -> Response[Any]:
    if (earlier := kept.result()) is not None:
        return await _show_result(request, token, kept, msgspec.json.decode(earlier, type=ImportedList))
    check_target(request, choices)
    if not kept.claim():
        return await answer_list(request, token, choices)
    result: ImportedList | None = None
    messages: list[str] = []
    try:
        result = await _import_claimed(request, kept, choices)
    except _REFUSED as error:
        messages = messages_in(error)
    except NobodyImportedError as error:
        messages = [str(error)]
    finally:
        if result is None:
            kept.give_back()
    if result is None:
        return await answer_list(request, token, choices, messages)
    kept.finish(msgspec.json.encode(result))
    return await _show_result(request, token, kept, result)


async def _import_claimed(request: ApiRequest, kept: KeptList, choices: ListChoices) -> ImportedList:
    """Import a list that was claimed.

    Raises:
        NobodyImportedError: no line of it can be stored in a phonebook that is yet to be made.
    """
    kind = KINDS[choices.into]
    looked = await look_at_list(request, kept.taken, choices)
    complete = looked.choices
    check_meanings(complete)
    check_answers(looked)
    into = replace(complete, identity=complete.identity or await _make_phonebook(request, complete))
    report = await report_of(request, kept, kept.taken, into, is_dry=False)
    if not complete.identity and not report.imported:
        await request.service.write(request, lambda unit: records.delete_record(unit, kind.parents, into.identity))
        first = next((why_rejected(kind, one.reason) for one in report.errors), "")
        nobody = gettext("No line of the file has a number that can be called.")
        raise NobodyImportedError(f"{nobody} {first}".strip())
    if into.region and into.region == hints_for(request, ()).zone:
        await request.service.write(request, partial(_remember_region, region=into.region))
    return ImportedList(into.into, into.identity, not complete.identity, _in_words(kind, report))


def _in_words(kind: ImportKind, report: ImportReport) -> ImportReport:
    def worded(remarks: list[RowRemark]) -> list[RowRemark]:
        return [replace(one, reason=why_rejected(kind, one.reason)) for one in remarks[:REMARKS_MAX]]

    # Questions about the file as a whole were answered before the import.
    return replace(report, errors=worded(report.errors), warnings=worded(report.warnings), file_warnings=[])


async def _show_result(request: ApiRequest, token: str, kept: KeptList, result: ImportedList) -> Response[Any]:
    report, kind, found = result.report, KINDS[result.into], shown_page(request, result.into)
    rejected = token if report.rejected and kept.rejected.exists() else ""
    if result.is_new:
        return go_to(_next_step(result, rejected))
    choices = ListChoices(into=result.into, identity=result.identity)
    return page(
        request,
        "list_done.html",
        found.place,
        name=await name_of_target(request, kind, choices),
        choices=choices,
        record=found,
        report=report,
        token=rejected,
        within=found.within[0],
    )


def _next_step(result: ImportedList, token: str) -> str:
    report = result.report
    choices = {"phonebook": result.identity, "imported": report.imported, "rejected": report.rejected}
    return f"/console/new-campaign/survey/?{urlencode({**choices, **({'list': token} if token else {})})}"


def _remember_region(unit: Unit, region: str) -> None:
    """Give an account its country if nobody has: a country that was chosen, and is that of the user's time zone."""
    if not unit.conventions.region:
        change_default_region(unit, unit.actor.id, region)


async def _make_phonebook(request: ApiRequest, choices: ListChoices) -> int:
    name = choices.name or Path(choices.label).stem or gettext("People")
    parsed = parse_given(CONTACTS.parents.write or Shape, Given({"name": name}), request.service.conventions(request))
    created = await request.service.write(request, lambda unit: records.create_record(unit, CONTACTS.parents, parsed))
    return created.record_id
