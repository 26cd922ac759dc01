"""Conversation: a program of the user's talks with the callee, and gives the call back."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from dialer.domain.survey.agent_urls import agent_url_fault
from dialer.domain.survey.findings import FindingCode, FindingLevel, Remark
from dialer.domain.survey.inputs import CONNECTED, MISSED, InputResult, SectionInput
from dialer.domain.survey.sections.actions import CallContext, ProgramTalk
from dialer.domain.survey.sections.agent_fields import AGENT_FIELDS, HANGUP, names_in
from dialer.domain.survey.sections.appearance import Appearance, Colour
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.sections.fields import CLOSING_FIELDS, SectionField
from dialer.domain.survey.survey import BRANCH_ANY, BRANCH_DONE, BRANCH_INVALID, BRANCH_TIMEOUT, Prompt, Section
from dialer.domain.words.enums import SectionType
from dialer.domain.words.sentences import FieldName, Sentence, template

LONGEST_S: Final = 600
"""The longest conversation of a section that says nothing of it, in seconds."""
_WORDS: Final = (BRANCH_ANY, BRANCH_TIMEOUT, BRANCH_INVALID)


class Conversation(SectionDefinition):
    """A section that hands the call's sound to a program, which chooses the branch by which the call goes on.

    The answer is the program's result, or else the branch. `script` is heard if no program answers.
    """

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.CONVERSATION
    appearance: ClassVar[Appearance] = Appearance(
        template("Program that talks"),
        template("Lets a program of yours talk with the callee, and goes on as it says."),
        "M3 5.5h10v6.5H3zM8 5.500V3M6 8.200h.01M10 8.200h.01M6.2 10.200h3.6M1.500 7.5v2.500M14.500 7.5v2.500",
        Colour.GOOD,
    )
    fields: ClassVar[tuple[SectionField, ...]] = (*AGENT_FIELDS, *CLOSING_FIELDS)
    titles: ClassVar[Mapping[str, str]] = {"timeout": template("Longest conversation")}
    hints: ClassVar[Mapping[str, str]] = {
        "timeout": template("Then the program is stopped, and the call goes on."),
        "script": template("Heard if no program answers, or if it fails."),
    }
    sound_title: ClassVar[str] = template("If no program answers, callees hear")
    branch_words: ClassVar[Mapping[str, str]] = {
        BRANCH_DONE: template("the program is done"),
        BRANCH_ANY: template("any other branch that the program names"),
        BRANCH_TIMEOUT: template("it talks for too long"),
        BRANCH_INVALID: template("no program answers, or it fails"),
        HANGUP: template("the program hangs up"),
    }
    converses: ClassVar[bool] = True
    default_timeout_s: ClassVar[int] = LONGEST_S

    def heard_prompts(self, section: Section) -> tuple[Prompt, ...]:
        """Return the disclosure: the section's own prompt is heard only if no program answers."""
        return () if section.disclosure_prompt is None else (section.disclosure_prompt,)

    def after_prompt(self, section: Section, context: CallContext) -> ProgramTalk:  # noqa: ARG002 - the same for all
        """Return the talk with the program."""
        return ProgramTalk(
            section.agent_url, names_in(section.agent_parameters), section.patience_ms, section.timeout_ms
        )

    def sentences(
        self,
        section: Section,
        context: CallContext,  # noqa: ARG002 - the same for all callees
        queue_names: Mapping[int, str],  # noqa: ARG002 - it has no queue
    ) -> tuple[Sentence, ...]:
        """Return a sentence that tells which program talks."""
        return (Sentence("The program at %(address)s talks with the callee.", address=section.agent_url),)

    def takes(self, taken: SectionInput) -> bool:
        """Return whether an input is the end of a conversation."""
        return taken.branch not in {"", CONNECTED, MISSED}

    def result_of(self, section: Section, taken: SectionInput) -> InputResult:  # noqa: ARG002 - the same for all
        """Return the program's result, or else the branch, and the branches to try: its own, else `any`."""
        response = taken.answer or taken.branch
        if taken.branch == HANGUP:
            return InputResult((), response)
        if taken.branch in {BRANCH_INVALID, BRANCH_TIMEOUT}:
            return InputResult((taken.branch,), response)
        return InputResult((taken.branch, BRANCH_ANY), response)

    def ways_out(self, section: Section) -> tuple[str, ...]:
        """Return the keys of the branches that a call can take: digits first, in order, then words."""
        named = sorted((key for key in section.branches if key not in _WORDS), key=lambda key: (len(key), key))
        return (*named, *(key for key in _WORDS if key in section.branches))

    def remarks(self, section: Section) -> Iterator[Remark]:
        """Yield an error if there is no program to talk with, and a warning if the callee is not told of it."""
        url = section.agent_url.strip()
        fault = agent_url_fault(url) if url else None
        if not url:
            message = Sentence(
                "There is no program to talk with the callee: set %(field)s.", field=FieldName("agent_url")
            )
            yield Remark(FindingLevel.ERROR, FindingCode.NO_PROGRAM, message)
        elif fault is not None:
            message = Sentence(
                "%(field)s %(address)r: %(fault)s", field=FieldName("agent_url"), address=url, fault=fault
            )
            yield Remark(FindingLevel.ERROR, FindingCode.WRONG_PROGRAM, message)
        disclosure = section.disclosure_prompt
        if disclosure is None or (disclosure.audio_ms is None and not disclosure.script.strip()):
            message = Sentence(
                "Callees are not told that a computer program talks with them. In the European Union the law asks for"
                " it (Regulation 2024/1689, Article 50), and in other places too. Set %(field)s, or let an earlier"
                " section say it.",
                field=FieldName("disclosure"),
            )
            yield Remark(FindingLevel.WARNING, FindingCode.NO_DISCLOSURE, message)

    def why_never_taken(self, section: Section, key: str) -> str:  # noqa: ARG002 - all can be taken
        """Return an empty text: the program may choose every branch."""
        return ""
