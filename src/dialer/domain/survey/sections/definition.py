"""The base of all types of section: a section that plays its prompt and goes on."""

from collections.abc import Iterator
from typing import ClassVar

from dialer.domain.enums import SectionType
from dialer.domain.survey.findings import Remark
from dialer.domain.survey.sections.actions import ActionAfterPrompt, ActionBeforePrompt, CallContext
from dialer.domain.survey.sections.fields import COMMON_FIELDS, SectionField
from dialer.domain.survey.survey import BRANCH_DONE, BRANCH_TIMEOUT, Section


class SectionDefinition:
    """One type of section: all that distinguishes it from the others.

    A new type is a subclass in a module of its own, and one row of `dialer.domain.survey.sections.table`; if clients
    are to know it by name, it is a member of `SectionType` too. All types share one row, so its settings can be fields
    that other types have; then no migration is needed (`dialer.domain.survey.sections.fields`).
    """

    __slots__ = ()

    type: ClassVar[SectionType]
    fields: ClassVar[tuple[SectionField, ...]] = COMMON_FIELDS
    """The fields that it uses; the others of its row mean nothing to it."""
    asks: ClassVar[bool] = False
    """Whether it waits for keys."""
    ends: ClassVar[bool] = False
    """Whether the call is over once it was played."""
    needs_prompt: ClassVar[bool] = False
    """Whether it makes no sense without a prompt."""
    asks_again_without_branch: ClassVar[bool] = False
    """Whether an input that is right but leads nowhere asks again, while `retries` last."""
    transfers: ClassVar[bool] = False
    """Whether it brings the call to a queue or to a number."""
    sends_messages: ClassVar[bool] = False
    """Whether it sends text messages, for which the campaign needs a gateway."""
    has_answers: ClassVar[bool] = True
    """Whether anything is kept of it, to be counted."""
    has_chosen_answers: ClassVar[bool] = False
    """Whether all answers are among a few of the survey's author, so that they say nothing of an erased callee."""
    counted_as: ClassVar[str] = ""
    """The name under which all answers are counted; empty: each by itself."""
    counted_lengths: ClassVar[tuple[tuple[int, str], ...]] = ()
    """Names of recordings that are no longer than so many seconds, the shortest first; others are `counted_as`."""
    reported_as: ClassVar[str] = ""
    """As `counted_as`, in the report of a simulation."""
    acts_before_prompt: ClassVar[bool] = False
    """Whether it has an action before its prompt: set for every class that defines one."""
    acts_after_prompt: ClassVar[bool] = False
    """Whether it has an action after its prompt, which takes time: set for every class that defines one."""

    def __init_subclass__(cls) -> None:
        """Note which actions the class has, as the player asks for them in every section of every call."""
        cls.acts_before_prompt = cls.before_prompt is not SectionDefinition.before_prompt
        cls.acts_after_prompt = cls.after_prompt is not SectionDefinition.after_prompt

    def before_prompt(self, section: Section, context: CallContext) -> ActionBeforePrompt | None:  # noqa: ARG002
        """Return what is done on coming to the section, if anything."""
        return None

    def after_prompt(self, section: Section, context: CallContext) -> ActionAfterPrompt | None:  # noqa: ARG002
        """Return what is done once the prompt was played, if anything. A type that asks for keys has no such action."""
        return None

    def digits_max(self, section: Section) -> int:  # noqa: ARG002 - most types ask for nothing
        """Return how many digits end an input by themselves."""
        return 0

    def response_to(self, section: Section, digits: str) -> str | None:  # noqa: ARG002 - most types ask for nothing
        """Return what is kept of an input as the answer; None for a wrong input or none."""
        return None

    def branches_when_done(self, section: Section) -> tuple[str, ...]:  # noqa: ARG002 - the same for most types
        """Return the keys of branches when the section is over: the call takes the first that is there."""
        return () if self.ends else (BRANCH_DONE, BRANCH_TIMEOUT)

    def branches_when_missed(self, section: Section) -> tuple[str, ...]:
        """Return the keys of branches when a transfer has reached nobody."""
        return self.branches_when_done(section)

    def ways_out(self, section: Section) -> tuple[str, ...]:
        """Return the keys of the branches that a call can take: digits first, in order, then words."""
        return tuple(key for key in self.branches_when_done(section) if key in section.branches)[:1]

    def remarks(self, section: Section) -> Iterator[Remark]:  # noqa: ARG002 - little can be wrong with most types
        """Yield what is wrong with the settings of the section."""
        yield from ()

    def why_never_taken(self, section: Section, key: str) -> str:  # noqa: ARG002 - the same for most types
        """Return why no call takes a branch of the section, which is none of its ways out."""
        if key == BRANCH_TIMEOUT:
            return f"{BRANCH_DONE} goes first"
        return f"only {BRANCH_DONE} and {BRANCH_TIMEOUT} lead on from here"
