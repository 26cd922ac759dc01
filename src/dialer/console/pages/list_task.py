"""The page of a large list that is checked or imported: how far it is, and a button that stops it."""

from http import HTTPStatus
from typing import Any

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec.structs import replace

from dialer.api.service import ApiRequest
from dialer.console.lists.cut_off_imports import CutOffImport, cut_off_import
from dialer.console.lists.list_choices import ListChoices, read_choices
from dialer.console.lists.list_reading import KINDS
from dialer.console.lists.list_tasks import ListTask
from dialer.console.pages.imports import TASK, back_from, check_target, kept_list, messages_in, name_of_target
from dialer.console.pages.list_import import (
    ImportedList,
    next_step,
    result_of,
    show_result,
)
from dialer.console.parts.record_rights import shown_page
from dialer.console.parts.rendering import render
from dialer.console.serving.forms import read_fields
from dialer.console.serving.live_parts import EVENT_STREAM, answer_live
from dialer.console.serving.services import ConsoleServices, go_to, page
from dialer.store.media.kept_lists import KeptList


@get("/lists/{token:str}/task", media_type="text/html")
async def show_task(
    request: ApiRequest, console: NamedDependency[ConsoleServices], token: FromPath[str]
) -> Response[Any]:
    """Show the progress of a check or an import, and its result at the end. The address has the choices."""
    kept, choices = kept_list(request, token), read_choices(request.query_params)
    kind = check_target(request, choices)
    if (result := result_of(kept)) is not None:
        return await show_result(request, kept, result)
    task = console.list_tasks.find(request.user.id, token)
    if task is not None and not task.is_import and task.outcome is not None:
        return go_to(f"{choices.address(token)}&check=1")
    found = shown_page(request, choices.into)
    return page(
        request,
        "list_task.html",
        found.place if choices.identity else "campaigns",
        HTTPStatus.OK,
        name=await name_of_target(request, kind, choices),
        choices=choices,
        record=found,
        address=choices.address(token, TASK),
        live_address=choices.address(token, f"{TASK}live/"),
        live=_live(kept, choices, task, await _cut_off(request, kept, task)),
    )


@get("/lists/{token:str}/task/live", media_type=EVENT_STREAM)
async def stream_task(
    request: ApiRequest, console: NamedDependency[ConsoleServices], token: FromPath[str]
) -> Response[Any]:
    """Stream the progress of a check or an import."""
    kept, choices = kept_list(request, token), read_choices(request.query_params)
    check_target(request, choices)
    user_id = request.user.id

    async def make() -> str:
        task = console.list_tasks.find(user_id, token)
        return _live(kept, choices, task, await _cut_off(request, kept, task))

    return await answer_live(request, console.snapshots, console.sessions, _key(request, token, choices), make)


@post("/lists/{token:str}/task", media_type="text/html")
async def stop_task(
    request: ApiRequest, console: NamedDependency[ConsoleServices], token: FromPath[str]
) -> Response[Any]:
    """Stop a check or an import. The rows that an import has stored stay."""
    await read_fields(request)
    kept_list(request, token)
    choices = read_choices(request.query_params)
    check_target(request, choices)
    await console.list_tasks.stop(request.user.id, token)
    console.snapshots.forget(_key(request, token, choices))
    return go_to(choices.address(token, TASK))


def _key(request: ApiRequest, token: str, choices: ListChoices) -> tuple[object, ...]:
    return ("list", request.user.id, token, choices.mark)


async def _cut_off(request: ApiRequest, kept: KeptList, task: ListTask | None) -> CutOffImport | None:
    """Return an import that was cut off, of which this process has no task."""
    return await cut_off_import(request, kept) if task is None else None


def _live(kept: KeptList, choices: ListChoices, task: ListTask | None, cut_off: CutOffImport | None) -> str:
    """Return how far a task is, for a list whose task may be gone."""
    token = kept.token
    begun = None if cut_off is None else cut_off.begun
    outcome = None if task is None else task.outcome
    stopped = outcome if isinstance(outcome, ImportedList) and outcome.is_stopped else None
    is_done = outcome is not None and stopped is None
    return render(
        "list_task_live.html",
        task=task,
        record=KINDS[choices.into].parents,
        next=choices.address(token, TASK) if is_done or kept.result() is not None else "",
        stopped=stopped,
        messages=[] if task is None or task.failure is None else messages_in(task.failure),
        list_address=choices.address(token),
        back=back_from(choices, token),
        is_there=kept.path.exists(),
        is_taken=kept.taken.exists(),
        cut_off=cut_off,
        **({} if stopped is None else _of_stopped(kept, choices, stopped)),
        **({} if begun is None else {"rest": replace(choices, identity=begun.identity).address(token)}),
    )


def _of_stopped(kept: KeptList, choices: ListChoices, stopped: ImportedList) -> dict[str, Any]:
    """Return what the page of a stopped import offers: its refused lines, and the rest of the file."""
    token = kept.token
    rejected = token if stopped.report.rejected and kept.rejected.exists() else ""
    rest = replace(choices, identity=stopped.identity or choices.identity)
    return {
        "go_on": next_step(stopped, rejected) if stopped.is_new and stopped.identity else "",
        "rest": rest.address(token),
        "rejected": f"/console/lists/{token}/rejected/?kept=1&" if rejected else "",
    }
