"""A new campaign, step by step: people, survey, settings. The address of each step has the choices so far."""

import time
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

import anyio.to_thread
from litestar import Response, get, post
from msgspec.structs import replace
from sqlalchemy import func, select

from dialer.api.service import ApiRequest
from dialer.app.imports.imports import IMPORT_BYTES_MAX
from dialer.console.lists.list_choices import ListChoices, read_choices
from dialer.console.pages.campaigns import PLACE
from dialer.console.pages.imports import keep_list
from dialer.console.pages.list_import import TEXTS_NEXT
from dialer.console.pages.record_page import CAMPAIGNS as VOICE_CAMPAIGNS
from dialer.console.pages.record_page import IMPORTED
from dialer.console.parts.record_fields import fields_in_forms
from dialer.console.parts.survey_blueprints import create_record_of
from dialer.console.serving.errors import messages_of
from dialer.console.serving.forms import FORM_BYTES_MAX, read_fields
from dialer.console.serving.services import go_to, page
from dialer.console.words.language import gettext
from dialer.console.words.record_names import Option, options_of
from dialer.domain.calls.plans import SIMULATED, SMS
from dialer.domain.messages.sms_parts import MESSAGE_CHARACTERS_MAX
from dialer.domain.words.enums import SectionType
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import parse_id
from dialer.resources.records.carriers import GATEWAYS, SMS_GATEWAYS
from dialer.resources.records.contacts import PHONEBOOKS
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.resources.records.surveys import BRANCHING_TEMPLATES, SECTION_TEMPLATES, SURVEY_TEMPLATES
from dialer.resources.words.errors import InvalidError, MalformedError
from dialer.store.media.kept_lists import KeptLists, is_token
from dialer.store.tables import Contact

PEOPLE: Final = "/console/new-campaign/"
SURVEY: Final = "/console/new-campaign/survey/"
SETTINGS: Final = "/console/records/campaigns/new/"
CHOSEN: Final = ("phonebook", "object_id", "name")
"""The choices of the first steps, as the address of the settings has them."""
PASTED_MAX: Final = 100_000
"""Characters that can be pasted; more cells come as a file."""
PASTED_BYTES_MAX: Final = 9 * PASTED_MAX + FORM_BYTES_MAX // 4
"""Bytes of a form with pasted cells: a character of any script, such as `%E4%B8%AD`, takes at most 9."""
SIMULATOR: Final = "Simulator"
GOODBYE: Final = "Thank you. Goodbye."
KEYS: Final = tuple("123456789")


class Book(NamedTuple):
    """A phonebook, with the number of its contacts."""

    option: Option
    contacts: int


@get("/new-campaign", media_type="text/html")
async def show_people(request: ApiRequest) -> Response[Any]:
    """Show the first step of a new campaign: the choice of its people."""
    return await _show_people(request, request.query_params)


@post("/new-campaign", media_type="text/html", request_max_body_size=IMPORT_BYTES_MAX)
async def upload_people(request: ApiRequest) -> Response[Any]:
    """Keep a file, and go on to the page that shows how it is read."""
    texts: dict[str, str] = {}
    try:
        token, texts = await keep_list(request, texts)
    except (InvalidError, MalformedError) as error:
        return await _show_people(request, texts, " ".join(messages_of(error)))
    return go_to(replace(read_choices(texts), label=texts["label"]).address(token))


@post("/new-campaign/paste", media_type="text/html")
async def paste_people(request: ApiRequest) -> Response[Any]:
    """Keep cells that were pasted as a file, and go on to the page that shows how it is read."""
    filled = await read_fields(request, PASTED_BYTES_MAX)
    pasted = filled.get("pasted", "").strip("\r\n")
    if not pasted.strip():
        return await _show_people(request, filled, gettext("Paste at least one row."))
    if len(pasted) > PASTED_MAX:
        return await _show_people(request, filled, gettext("These are too many cells. Save them as a file."))
    token = await anyio.to_thread.run_sync(_keep_text, request, pasted)
    return go_to(ListChoices(name=gettext("Pasted cells"), medium=read_choices(filled).medium).address(token))


@get("/new-campaign/survey", media_type="text/html")
async def show_survey(request: ApiRequest) -> Response[Any]:
    """Show the second step: what callees hear."""
    return await _show_survey(request, {})


@post("/new-campaign/survey", media_type="text/html")
async def make_survey(request: ApiRequest) -> Response[Any]:
    """Make a survey of a message and a question, and go on to the settings."""
    filled = await read_fields(request)
    try:
        survey = await request.service.write(request, lambda unit: _make_survey(unit, filled))
    except InvalidError as error:
        return await _show_survey(request, filled, " ".join(messages_of(error)))
    chosen = {**filled, "object_id": str(survey)}
    return go_to(f"{SETTINGS}?{urlencode({name: chosen[name] for name in CHOSEN if chosen.get(name)})}")


@post("/new-campaign/gateway", media_type="text/html")
async def make_simulator(request: ApiRequest) -> Response[Any]:
    """Make a simulated carrier, and go back to the settings of the campaign as they were filled in."""
    filled = await read_fields(request)
    is_sms = filled.get("medium") == SMS
    kind = SMS_GATEWAYS if is_sms else GATEWAYS
    await request.service.write(request, lambda unit: create_record_of(unit, kind, name=SIMULATOR, protocol=SIMULATED))
    found = request.service.resources[SMS_CAMPAIGNS.path if is_sms else VOICE_CAMPAIGNS]
    kept = {*fields_in_forms(request, found), *IMPORTED}
    typed = {
        name: value
        for name, value in filled.items()
        if name.partition(".")[0] in kept and len(value) <= MESSAGE_CHARACTERS_MAX
    }
    return go_to(f"{TEXTS_NEXT if is_sms else SETTINGS}?{urlencode(typed)}")


def _keep_text(request: ApiRequest, text: str) -> str:
    """Keep cells as a file, and return its token."""
    kept = KeptLists(request.service.media)
    token = kept.begin(request.user.id, time.time())
    kept.find(request.user.id, token).path.write_bytes(text.encode("utf-8", "replace"))
    return token


async def _show_people(request: ApiRequest, filled: Mapping[str, str], message: str = "") -> Response[Any]:
    def read(unit: Unit) -> list[Book] | None:
        options = options_of(unit, PHONEBOOKS.path)
        if options is None:
            return None
        ids = [one.id for one in options]
        query = select(Contact.phonebook_id, func.count()).where(Contact.phonebook_id.in_(ids))
        counts: dict[int, int] = dict(unit.connection.execute(query.group_by(Contact.phonebook_id)).all())
        return [Book(one, counts.get(one.id, 0)) for one in options]

    books = await request.service.read(request, read, is_long=True)
    status = HTTPStatus.BAD_REQUEST if message else HTTPStatus.OK
    token, is_sms = filled.get("list", ""), filled.get("medium") == SMS
    return page(
        request,
        "new_people.html",
        PLACE,
        status,
        books=books,
        message=message,
        name=filled.get("name", ""),
        kept=read_choices(filled).address(token) if is_token(token) else "",
        step=1,
        is_sms=is_sms,
        medium=SMS if is_sms else "",
        next=TEXTS_NEXT if is_sms else SURVEY,
        pasted=filled.get("pasted", "")[:PASTED_MAX],
        pasted_max=PASTED_MAX,
    )


async def _show_survey(request: ApiRequest, filled: dict[str, str], message: str = "") -> Response[Any]:
    surveys = await request.service.read(request, lambda unit: options_of(unit, SURVEY_TEMPLATES.path))
    given = {**request.query_params, **filled}
    return page(
        request,
        "new_survey.html",
        PLACE,
        HTTPStatus.BAD_REQUEST if message else HTTPStatus.OK,
        surveys=surveys,
        phonebook=given.get("phonebook", ""),
        imported=parse_id(given.get("imported", "")),
        rejected=parse_id(given.get("rejected", "")),
        list=given["list"] if is_token(given.get("list", "")) else "",
        filled=filled,
        keys=KEYS,
        message=message,
        step=2,
    )


def _make_survey(unit: Unit, filled: dict[str, str]) -> int:
    """Create a survey: a message, a question with answers if there is one, and a goodbye. Return its id."""
    survey = create_record_of(unit, SURVEY_TEMPLATES, name=filled.get("name", ""))
    message = filled.get("message", "")
    answers = {f"key_{key}": filled[f"key_{key}"] for key in KEYS if filled.get(f"key_{key}", "").strip()}
    question = filled.get("question", "").strip()
    if answers and not question:
        raise InvalidError({"question": ["Write the question to these answers."]})
    if question and not answers:
        raise InvalidError({"question": ["Give at least one answer to the question."]})
    told = _section(unit, survey, SectionType.PLAY_MESSAGE, message, completed=not question)
    if question:
        asked = _section(unit, survey, SectionType.MULTI_CHOICE, question, retries="1", **answers)
        goodbye = _section(unit, survey, SectionType.PLAY_MESSAGE, GOODBYE, completed=True)
        create_record_of(unit, BRANCHING_TEMPLATES, keys="0", section=told, goto=asked)
        create_record_of(unit, BRANCHING_TEMPLATES, keys="any", section=asked, goto=goodbye)
    return survey


def _section(unit: Unit, survey: int, kind: SectionType, text: str, **fields: Any) -> int:  # noqa: ANN401 - fields
    shown = {"question": text, "script": text, "type": kind.value, "survey": survey}
    return create_record_of(unit, SECTION_TEMPLATES, **shown, **fields)
