"""A survey: its graph, with the form of a section beside it, what its check finds, and a call through it by hand."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from litestar import Response, get
from litestar.params import FromPath
from sqlalchemy import Select, bindparam, select

from dialer.api.service import ApiRequest
from dialer.app.campaigns.placeholders import names_of_survey
from dialer.app.campaigns.survey_changes import ChangeName, changes_offered
from dialer.console.charts.survey_graph import SECTIONS_MAX, draw_survey
from dialer.console.parts.findings import ShownFinding, shown_findings
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.section_form import NEW_QUEUE, SectionForm, form_of
from dialer.console.parts.zones import zone_of
from dialer.console.serving.campaign_way import kept_people
from dialer.console.serving.services import go_to, page
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.record_names import options_of
from dialer.console.words.state_words import words_of
from dialer.console.words.survey_keys import Way, key_in_words, ways_of
from dialer.domain.survey.check import check_survey
from dialer.domain.survey.editing import Branch, branches_to, onward
from dialer.domain.survey.placeholders import KnownNames
from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.domain.survey.survey import Section, Survey
from dialer.domain.words.enums import CampaignStatus, SectionType
from dialer.domain.words.roles import Permission
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import parse_id
from dialer.resources.crud.visibility import query_for, visible
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.surveys import SECTION_TEMPLATES, SURVEY_TEMPLATES
from dialer.resources.words.errors import RecordNotFoundError
from dialer.store.database.service_state import agent_account
from dialer.store.queries.sealed_surveys import read_survey
from dialer.store.tables import VOICE, Campaign

PLACE: Final = "surveys"
BEGUN_MAX: Final = 5
"""Campaigns in progress that the page names."""
START: Final = "start"
"""The place before the first section, in the address of the page."""
CHANGES: Final[Mapping[str, str]] = {
    "added": gettext_noop("Add %(section)s"),
    "changed": gettext_noop("Change %(section)s"),
    "deleted": gettext_noop("Delete %(section)s"),
    "connected": gettext_noop("Connect %(section)s"),
    "ordered": gettext_noop("Order the sections"),
    "applied": gettext_noop("Apply a file"),
}
"""The names of changes that can be undone, by their action."""
_templates = SECTION_TEMPLATES.table


class ShownSection(NamedTuple):
    """A section in the survey's list of sections."""

    section: Section
    title: str
    type: str
    ways: list[tuple[Way, str]]
    """Its ways, each with the title of the section to which it leads; empty: the call ends."""
    audio: int | None
    """The id of its recording."""
    earlier: str
    """The order in which it is one place earlier, as the ids of all sections with commas; empty for the first one."""
    later: str


class Insertion(NamedTuple):
    """The place of a new section: after some keys of a section, or at the start."""

    after: str
    keys: str
    words: str
    """The keys in words; empty if the section goes on in one way."""
    before: str
    """The title of the section that follows; empty if none does."""
    title: str
    """The title of the section before; empty at the start."""

    @property
    def place(self) -> str:
        """Return the section and its keys, as the graph names them."""
        return f"{self.after},{self.keys}" if self.keys else self.after


class Removal(NamedTuple):
    """A section to be deleted, with the branches that lead to it."""

    section: Section
    title: str
    branches: list[tuple[str, str]]
    """The titles of the sections that lead to it, and the keys in words, if there are several."""
    onward: str
    """The title of the section to which they will lead; empty: the call ends."""


class Refused(NamedTuple):
    """A form of the page that was refused: its messages, what was filled in, and the errors by field."""

    messages: Sequence[str]
    status: int
    section_id: int | None = None
    filled: Mapping[str, str] = {}
    errors: Mapping[str, Sequence[str]] = {}


class BegunCampaign(NamedTuple):
    """A campaign in progress, to which the page links."""

    id: int
    name: str


class _Read(NamedTuple):
    name: str
    survey: Survey
    audio: dict[int, int]
    """The ids of the sections' recordings."""
    form: SectionForm | None
    undo: str
    redo: str
    known: KnownNames
    """The names that placeholders can have."""
    begun: list[BegunCampaign]
    """The first campaigns in progress that keep the survey as it was at their start."""
    agent_account: str
    """The name of the installation for programs that talk."""


@get("/sections/{record_id:str}")
async def show_section(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Lead to the page of a section's survey, with the section open."""
    identity = identity_in(record_id, "section")

    def read(unit: Unit) -> int:
        records.require_seen(unit, SECTION_TEMPLATES, identity)
        return int(
            unit.connection.execute(select(_templates.c.survey_id).where(_templates.c.id == identity)).scalar_one()
        )

    return go_to(f"/console/surveys/{await request.service.read(request, read)}/?section={identity}")


@get("/surveys/{record_id:str}", media_type="text/html")
async def show_survey_template(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show a survey; the address names the section that is open, or the place of a new one."""
    return await show_survey_page(request, identity_in(record_id))


async def show_survey_page(request: ApiRequest, identity: int, refused: Refused | None = None) -> Response[Any]:
    """Return the page of a survey, with the messages of a form that was refused."""
    asked = request.query_params
    named = asked.get("section", "") if refused is None else str(refused.section_id or "")
    found = await request.service.read(
        request, lambda unit: _read(request, unit, identity, parse_id(named), refused or Refused((), HTTPStatus.OK))
    )
    survey, titles = found.survey, _titles(found.survey)
    may_edit, book = request.user.may(Permission.CAMPAIGNS), kept_people(request, identity)
    findings = shown_findings(check_survey(survey, found.known), survey)
    insertion = _insertion(survey, asked.get("after", ""), asked.get("keys", "")) if may_edit else None
    if insertion is None and may_edit and not survey.sections:
        insertion = Insertion(START, "", "", "", "")
    return page(
        request,
        "survey.html",
        PLACE,
        HTTPStatus.OK if refused is None else refused.status,
        identity=identity,
        name=found.name,
        graph=draw_survey(survey, {}),
        sections=_shown(found, titles),
        titles=titles,
        findings=findings,
        of_section=_by_section(findings),
        form=found.form,
        agent_account=found.agent_account,
        agent_base=request.service.links(request).base,
        insertion=insertion,
        removal=_removal(survey, parse_id(asked.get("remove", "")), titles) if may_edit else None,
        is_gone=bool(named) and found.form is None,
        kinds=[
            (one.type, one.appearance, words_of(one.type), gettext(one.appearance.sentence))
            for one in SECTION_TYPES.values()
        ],
        begun=found.begun,
        new_queue="" if refused is None else refused.filled.get(NEW_QUEUE, ""),
        undo=found.undo,
        redo=found.redo,
        messages=[] if refused is None else refused.messages,
        is_saved="saved" in asked and refused is None,
        may_edit=may_edit,
        campaign_url=_campaign_url(identity, book),
        is_on_way=book is not None and may_edit,
    )


def _read(request: ApiRequest, unit: Unit, identity: int, section_id: int | None, refused: Refused) -> _Read:
    row = records.load(unit, SURVEY_TEMPLATES, identity)
    survey = read_survey(unit.connection, identity)
    audio: dict[int, int] = {}
    if any(section.prompt.audio_ms is not None for section in survey.sections):
        query = select(_templates.c.id, _templates.c.audiofile_id).where(
            _templates.c.survey_id == identity, _templates.c.audiofile_id.is_not(None)
        )
        audio = dict(map(tuple, unit.connection.execute(query)))
    section = next((section for section in survey.sections if section.id == section_id), None)
    form = None
    if section is not None:
        form = form_of(
            section,
            records.load(unit, SECTION_TEMPLATES, section.id),
            records.tag_of(unit, SECTION_TEMPLATES, section.id).version,
            refused.filled,
            refused.errors,
            lambda path: options_of(unit, path),
            zone_of(request),
        )
    offered = changes_offered(unit.connection, identity)
    return _Read(
        row["name"],
        survey,
        audio,
        form,
        _change_in_words(offered.undo),
        _change_in_words(offered.redo),
        names_of_survey(unit.connection, identity, row["user_id"]),
        _begun(unit, identity),
        agent_account(unit.connection),
    )


def _begun(unit: Unit, identity: int) -> list[BegunCampaign]:
    """Return the campaigns in progress with a survey, as far as the viewer sees them, the newest first."""

    def query() -> Select[*tuple[Any, ...]]:
        is_in_progress = Campaign.status.in_((CampaignStatus.START, CampaignStatus.PAUSE))
        is_with_survey = (Campaign.object_id == bindparam("survey")) & (Campaign.medium == VOICE)
        is_seen = visible(CAMPAIGNS, unit.actor, unit.resources)
        begun = select(Campaign.id, Campaign.name).where(is_with_survey, is_in_progress, is_seen)
        return begun.order_by(Campaign.id.desc()).limit(BEGUN_MAX)

    values = {"survey": identity, "actor_id": unit.actor.sees_as}
    rows = unit.connection.execute(query_for(unit.actor, "campaigns in progress with a survey", query), values)
    return [BegunCampaign(*row) for row in map(tuple, rows)]


def _campaign_url(identity: int, book: int | None) -> str:
    """Return the address of a new campaign with a survey; without people, it begins with them."""
    chosen = {"object_id": identity, **({} if book is None else {"phonebook": book})}
    return f"/console/records/campaigns/new/?{urlencode(chosen)}"


def _change_in_words(change: ChangeName | None) -> str:
    if change is None:
        return ""
    return gettext(CHANGES.get(change.action, CHANGES["changed"])) % {"section": title_of(change.section)}


def title_of(question: str) -> str:
    """Return the title of a section for a sentence or a list."""
    return " ".join(question.split()) or gettext("Without a title")


def _titles(survey: Survey) -> dict[int, str]:
    """Return the titles of the sections by id. Equal ones are numbered."""
    titles = {section.id: title_of(section.question) for section in survey.sections}
    seen: dict[str, int] = {}
    for identity, title in titles.items():
        seen[title] = seen.get(title, 0) + 1
        if seen[title] > 1:
            titles[identity] = f"{title} ({seen[title]})"
    return titles


def _by_section(findings: Sequence[ShownFinding]) -> dict[int | None, list[ShownFinding]]:
    found: dict[int | None, list[ShownFinding]] = {}
    for finding in findings:
        found.setdefault(finding.section_id, []).append(finding)
    return found


def _shown(found: _Read, titles: Mapping[int, str]) -> list[ShownSection]:
    ids = list(titles)
    return [
        ShownSection(
            section,
            titles[section.id],
            words_of(SectionType(section.type)),
            [(way, titles.get(way.target or 0, "")) for way in ways_of(section)],
            found.audio.get(section.id),
            _moved(ids, place, place - 1),
            _moved(ids, place, place + 1),
        )
        for place, section in enumerate(found.survey.sections)
    ]


def _moved(ids: Sequence[int], place: int, target: int) -> str:
    """Return the order in which a section has changed places with the one at `target`; empty if there is none."""
    if not 0 <= target < len(ids) <= SECTIONS_MAX:
        return ""
    moved = list(ids)
    moved[place], moved[target] = moved[target], moved[place]
    return ",".join(map(str, moved))


def _insertion(survey: Survey, after: str, keys: str) -> Insertion | None:
    """Return the place of a new section that an address names; None if there is no such place."""
    titles = _titles(survey)
    if after == START:
        return Insertion(after, "", "", next(iter(titles.values()), ""), "")
    section = next((section for section in survey.sections if str(section.id) == after), None)
    if section is None:
        return None
    way = next((way for way in ways_of(section) if ",".join(way.keys) == keys), None)
    if way is None:
        return None
    words = ", ".join(key_in_words(section, key) for key in way.keys) if way.label else ""
    return Insertion(after, keys, words, titles.get(way.target or 0, ""), titles[section.id])


def _removal(survey: Survey, section_id: int | None, titles: Mapping[int, str]) -> Removal | None:
    section = next((section for section in survey.sections if section.id == section_id), None)
    if section is None:
        return None
    sections = {one.id: one for one in survey.sections}
    leading: list[Branch] = branches_to(survey, section.id)
    return Removal(
        section,
        titles[section.id],
        [(titles[one.section_id], _words(sections[one.section_id], one.key)) for one in leading],
        titles.get(onward(survey, section.id) or 0, ""),
    )


def _words(section: Section, key: str) -> str:
    """Return the words of a key; empty for a section that goes on in one way."""
    return key_in_words(section, key) if len(ways_of(section)) > 1 else ""


def survey_with(unit: Unit, survey_id: int) -> Survey:
    """Return a survey that is visible to the viewer.

    Raises:
        RecordNotFoundError: there is no such survey, or it is not the viewer's.
    """
    records.require_seen(unit, SURVEY_TEMPLATES, survey_id)
    return read_survey(unit.connection, survey_id)


def section_in(survey: Survey, section_id: int | None) -> Section:
    """Return a section of a survey.

    Raises:
        RecordNotFoundError: the survey has no such section.
    """
    section = next((section for section in survey.sections if section.id == section_id), None)
    if section is None:
        raise RecordNotFoundError("There is no such section, or it is not yours.")
    return section
