"""The import of a list that was looked at: once, however often somebody presses the button."""

import re
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import anyio.to_thread
import msgspec
from litestar import Response, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec.structs import replace

from dialer.api.actions.imports import CONTACTS, ImportKind
from dialer.api.service import ApiRequest
from dialer.app.accounts.users import change_default_region
from dialer.app.imports.headers import CsvError
from dialer.app.imports.imports import ImportStoppedError
from dialer.app.imports.report import ImportReport, RowRemark
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.console.lists.cut_off_imports import note_begin
from dialer.console.lists.list_choices import REGION_ASKED, ListChoices, read_choices
from dialer.console.lists.list_country import hints_for
from dialer.console.lists.list_reading import (
    KINDS,
    REMARKS_MAX,
    Hear,
    NobodyImportedError,
    check_answers,
    check_meanings,
    is_large,
    look_at_list,
    report_of,
    why_rejected,
)
from dialer.console.lists.list_tasks import ListTask, ListTasks
from dialer.console.pages.imports import (
    TASK,
    answer_list,
    check_target,
    kept_list,
    messages_in,
    name_of_target,
    report_words,
)
from dialer.console.parts.record_rights import shown_page
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import ConsoleServices, go_to, page
from dialer.console.words.language import gettext
from dialer.domain.calls.plans import SMS
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given, Shape, parse_given
from dialer.resources.words.errors import AnsweredError, InvalidError
from dialer.store.media.kept_lists import KeptList

CALLS_NEXT: Final = "/console/new-campaign/survey/"
"""The step after the people of a new campaign of calls."""
TEXTS_NEXT: Final = "/console/records/sms-campaigns/new/"
"""The step after the people of a new campaign of text messages."""
_COLUMN: Final = re.compile(r"m[0-9]{1,2}")
_REFUSED: Final = (
    AnsweredError,
    CsvError,
    InvalidError,
    InvalidFieldsError,
    NobodyImportedError,
    RefusedError,
)


class ImportedList(msgspec.Struct, frozen=True):
    """The result of an import, which is kept for those who press the button again."""

    into: str
    identity: int
    is_new: bool
    """True if the import made the phonebook, for a new campaign."""
    report: ImportReport
    """The report, with its reasons in the language of the one who imported."""
    medium: str = ""
    """The medium of the new campaign, as in `ListChoices`."""
    is_stopped: bool = False
    """True if the viewer has stopped it: the report is of the rows until then."""


@post("/lists/{token:str}", media_type="text/html")
async def use_list(
    request: ApiRequest, console: NamedDependency[ConsoleServices], token: FromPath[str]
) -> Response[Any]:
    """Import a list, or show what other choices do."""
    tasks = console.list_tasks
    fields = await read_fields(request)
    kept = kept_list(request, token)
    choices = read_choices(fields)
    if "answer" in fields:
        choices = read_choices({**fields, **_answered(fields["answer"])})
    if "import" not in fields:
        tasks.forget(request.user.id, token)
        return go_to(f"{choices.address(token)}&check=1")
    if await _is_changed(request, kept, choices, fields.get("shown", "")):
        return go_to(f"{choices.address(token)}&check=1&changed=1")
    if fields.get("region") == REGION_ASKED:
        problem = gettext("Choose the country of the numbers without one.")
        return await answer_list(request, tasks, token, choices, [problem])
    return await _import_list(request, tasks, kept, choices)


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
    return {name: value} if name in {"region", "charset"} or _COLUMN.fullmatch(name) else {}


async def _import_list(request: ApiRequest, tasks: ListTasks, kept: KeptList, choices: ListChoices) -> Response[Any]:
    token = kept.token
    if (earlier := result_of(kept)) is not None:
        return await show_result(request, kept, earlier)
    check_target(request, choices)
    await anyio.to_thread.run_sync(kept.recover)
    if not kept.claim():
        return await answer_list(request, tasks, token, choices)
    try:
        if not await anyio.to_thread.run_sync(is_large, kept.taken):
            return await show_result(request, kept, await _import_claimed(request, kept, choices))
        task = await _import_in_background(request, tasks, kept, choices)
        if task.failure is not None:
            raise task.failure
    except _REFUSED as error:
        return await answer_list(request, tasks, token, choices, messages_in(error))
    if task.is_under_way or task.outcome is None or task.outcome.is_stopped:
        return go_to(choices.address(token, TASK))
    return await show_result(request, kept, task.outcome)


async def _import_in_background(
    request: ApiRequest, tasks: ListTasks, kept: KeptList, choices: ListChoices
) -> ListTask:
    """Begin the import of a large list that was claimed; give it back if too many are under way."""

    async def work(_: ListTask, hear: Hear) -> ImportedList:
        return await _import_claimed(request, kept, choices, hear)

    try:
        return await tasks.begin(request.user.id, kept.token, choices, work, is_import=True)
    except AnsweredError:
        kept.give_back(is_cut_off=False)
        raise


def result_of(kept: KeptList) -> ImportedList | None:
    """Return the result of the import of a list; None before its end, and when it is gone."""
    result = kept.result()
    return None if result is None else msgspec.json.decode(result, type=ImportedList)


async def _import_claimed(
    request: ApiRequest, kept: KeptList, choices: ListChoices, hear: Hear | None = None
) -> ImportedList:
    """Import a list that was claimed, and keep the result. Without one, and if it is stopped, it can be imported again.

    Raises:
        NobodyImportedError: no line of it can be stored in a phonebook that is yet to be made.
    """
    result: ImportedList | None = None
    try:
        result = await _imported(request, kept, choices, hear)
    finally:
        if result is None or result.is_stopped:
            kept.give_back(is_cut_off=result is None)
    if not result.is_stopped:
        kept.finish(msgspec.json.encode(result))
    return result


async def _imported(request: ApiRequest, kept: KeptList, choices: ListChoices, hear: Hear | None) -> ImportedList:
    kind = KINDS[choices.into]
    looked = await look_at_list(request, kept.taken, choices)
    complete = looked.choices
    check_meanings(complete)
    check_answers(looked)
    into = replace(complete, identity=complete.identity or await _make_phonebook(request, complete))
    await note_begin(request, kept, into.into, into.identity, is_new=not complete.identity)
    is_stopped = False
    try:
        report = await report_of(request, kept, kept.taken, into, is_dry=False, hear=hear)
    except ImportStoppedError as stopped:
        report, is_stopped = stopped.report or ImportReport(), True
    result = ImportedList(
        into.into,
        into.identity,
        not complete.identity,
        _in_words(kind, report),
        medium=complete.medium,
        is_stopped=is_stopped,
    )
    if not complete.identity and not report.imported:
        await request.service.write(request, lambda unit: records.delete_record(unit, kind.parents, into.identity))
        if is_stopped:
            return replace(result, identity=0)
        first = next((why_rejected(kind, one.reason) for one in report.errors), "")
        nobody = gettext("No line of the file has a number that can be called.")
        raise NobodyImportedError(f"{nobody} {first}".strip())
    if into.region and into.region == hints_for(request, ()).zone:
        await request.service.write(request, partial(_remember_region, region=into.region))
    return result


def _in_words(kind: ImportKind, report: ImportReport) -> ImportReport:
    def worded(remarks: list[RowRemark]) -> list[RowRemark]:
        return [replace(one, reason=why_rejected(kind, one.reason)) for one in remarks[:REMARKS_MAX]]

    # Questions about the file as a whole were answered before the import.
    return replace(report, errors=worded(report.errors), warnings=worded(report.warnings), file_warnings=[])


async def show_result(request: ApiRequest, kept: KeptList, result: ImportedList) -> Response[Any]:
    """Show the result of an import. For a new campaign, continue with its next step."""
    report, kind, found = result.report, KINDS[result.into], shown_page(request, result.into)
    rejected = kept.token if report.rejected and kept.rejected.exists() else ""
    if result.is_new:
        return go_to(next_step(result, rejected))
    choices = ListChoices(into=result.into, identity=result.identity)
    return page(
        request,
        "list_done.html",
        found.place,
        name=await name_of_target(request, kind, choices),
        choices=choices,
        record=found,
        report=report,
        words=report_words(report, is_list=kind.rows.is_list),
        token=rejected,
        within=found.within[0],
    )


def next_step(result: ImportedList, token: str) -> str:
    """Return the address of the next step of a new campaign. `token` is that of a list with refused lines."""
    report = result.report
    choices = {"phonebook": result.identity, "imported": report.imported, "rejected": report.rejected}
    page = TEXTS_NEXT if result.medium == SMS else CALLS_NEXT
    return f"{page}?{urlencode({**choices, **({'list': token} if token else {})})}"


def _remember_region(unit: Unit, region: str) -> None:
    """Give an account its country if nobody has: a country that was chosen, and is that of the user's time zone."""
    if not unit.conventions.region:
        change_default_region(unit, unit.actor.id, region)


async def _make_phonebook(request: ApiRequest, choices: ListChoices) -> int:
    name = choices.name or Path(choices.label).stem or gettext("People")
    parsed = parse_given(CONTACTS.parents.write or Shape, Given({"name": name}), request.service.conventions(request))
    created = await request.service.write(request, lambda unit: records.create_record(unit, CONTACTS.parents, parsed))
    return created.record_id
