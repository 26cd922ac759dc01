"""The base class of all section types: a section that plays its prompt and continues."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar

from dialer.domain.survey.findings import Remark
from dialer.domain.survey.inputs import InputResult, SectionInput
from dialer.domain.survey.sections.actions import ActionAfterPrompt, ActionBeforePrompt, CallContext
from dialer.domain.survey.sections.appearance import Appearance
from dialer.domain.survey.sections.fields import COMMON_FIELDS, SectionField
from dialer.domain.survey.survey import BRANCH_DONE, BRANCH_TIMEOUT, Prompt, Section
from dialer.domain.words.enums import SectionType
from dialer.domain.words.sentences import Sentence


class SectionDefinition:
    """One type of section: everything that distinguishes this type from the others.

    A new type is a subclass in a module of its own, and one entry in `dialer.domain.survey.sections.table`. If clients
    need its name, add a member to `SectionType` too. All types share one table, so a new type can use the fields of
    other types as its settings. No migration is needed then (`dialer.domain.survey.sections.fields`).
    """

    __slots__ = ()

    type: ClassVar[SectionType]
    appearance: ClassVar[Appearance]
    fields: ClassVar[tuple[SectionField, ...]] = COMMON_FIELDS
    """The fields that this type uses, in the order of its form; it ignores the other fields of the row."""
    hints: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Hints of this type by the names of fields, in place of those of the fields."""
    titles: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Titles of this type by the names of fields, in place of those of the fields."""
    sound_title: ClassVar[str] = ""
    """The title of the prompt on pages, if callees do not always hear it."""
    branch_words: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """The words for branches of this type, if they differ from those of others."""
    asks: ClassVar[bool] = False
    """True for a type that waits for an answer, such as keys."""
    converses: ClassVar[bool] = False
    """True for a type that waits for what a program has to say."""
    default_timeout_s: ClassVar[int] = 5
    """The `timeout` of a section that says nothing of it."""
    ends: ClassVar[bool] = False
    """True for a type that ends the call after its prompt."""
    needs_prompt: ClassVar[bool] = False
    """True for a type that makes no sense without a prompt."""
    transfers: ClassVar[bool] = False
    """True for a type that transfers the call to a queue or to a number."""
    keeps_wishes: ClassVar[bool] = False
    """True for a type that takes the wish not to be called again."""
    sends_messages: ClassVar[bool] = False
    """True for a type that sends text messages, for which the campaign needs a gateway."""
    has_answers: ClassVar[bool] = True
    """True for a type whose results are recorded and counted."""
    pauses_recordings: ClassVar[bool] = False
    """True for a type in whose place recordings of calls keep silence, unless its author wants the sound."""
    records_voices: ClassVar[bool] = False
    """True for a type whose answers are recordings."""
    has_chosen_answers: ClassVar[bool] = False
    """True for a type whose answers all come from a fixed list by the survey's author.

    Such answers tell nothing personal about an erased callee.
    """
    names_answers: ClassVar[bool] = False
    """True for a type whose author chooses the keys, and names the answer of each."""
    counted_as: ClassVar[str] = ""
    """The name under which all answers are counted together; empty: each answer is counted by itself."""
    counted_lengths: ClassVar[tuple[tuple[int, str], ...]] = ()
    """Names for recordings of at most so many seconds, the shortest first; longer ones use `counted_as`."""
    reported_as: ClassVar[str] = ""
    """Replacement for `counted_as` in the report of a simulation."""
    acts_before_prompt: ClassVar[bool] = False
    """True for a type with an action before its prompt; set automatically for every class that defines one."""
    acts_after_prompt: ClassVar[bool] = False
    """True for a type with an action after its prompt, which takes time; set automatically."""

    def __init_subclass__(cls) -> None:
        """Note which actions the class has, because the player asks for them in every section of every call."""
        cls.acts_before_prompt = cls.before_prompt is not SectionDefinition.before_prompt
        cls.acts_after_prompt = cls.after_prompt is not SectionDefinition.after_prompt

    def before_prompt(self, section: Section, context: CallContext) -> ActionBeforePrompt | None:  # noqa: ARG002
        """Return the action to perform on entering the section; None for no action."""
        return None

    def after_prompt(self, section: Section, context: CallContext) -> ActionAfterPrompt | None:  # noqa: ARG002
        """Return the action to perform after the prompt, or None. A type that asks for keys has no such action."""
        return None

    def sentences(
        self,
        section: Section,  # noqa: ARG002 - nothing happens in most types
        context: CallContext,  # noqa: ARG002
        queue_names: Mapping[int, str],  # noqa: ARG002
    ) -> tuple[Sentence, ...]:
        """Return sentences that tell the author what the actions of the section do in a call. Queues have names."""
        return ()

    @property
    def waits(self) -> bool:
        """Return whether the call goes on by an input: keys, the outcome of a transfer, or the word of a program."""
        return self.asks or self.transfers or self.converses

    def heard_prompts(self, section: Section) -> tuple[Prompt, ...]:
        """Return the prompts that each callee hears in a section."""
        return (section.prompt,)

    def digits_max(self, section: Section) -> int:  # noqa: ARG002 - most types do not ask for keys
        """Return the number of digits after which an input ends without `#`."""
        return 0

    def response_to(self, section: Section, digits: str) -> str | None:  # noqa: ARG002 - most types do not ask for keys
        """Return the answer to record for an input; None for an invalid input or none."""
        return None

    def ends_of_scale(self, section: Section) -> tuple[str, str] | None:  # noqa: ARG002 - most answers are no marks
        """Return the lowest and the highest mark; None if the answers are no marks."""
        return None

    def marks(self, section: Section) -> tuple[str, ...]:  # noqa: ARG002 - most answers are no marks
        """Return the marks of a scale in its order; none for a scale of more than `STEPS_MAX`, and for no scale."""
        return ()

    def is_scale(self, section: Section) -> bool:
        """Return whether the answers are marks, which have an order and a mean."""
        return self.ends_of_scale(section) is not None

    def takes(self, taken: SectionInput) -> bool:  # noqa: ARG002 - most types have no input
        """Return whether an input is of the kind for which a section of this type waits."""
        return False

    def result_of(self, section: Section, taken: SectionInput) -> InputResult:  # noqa: ARG002 - most have no input
        """Return the answer to record for an input, and the branches to try."""
        return InputResult(self.branches_when_done(section))

    def branches_when_done(self, section: Section) -> tuple[str, ...]:  # noqa: ARG002 - the same for most types
        """Return the branch keys to try when the section is over: the call takes the first that exists."""
        return () if self.ends else (BRANCH_DONE, BRANCH_TIMEOUT)

    def ways_out(self, section: Section) -> tuple[str, ...]:
        """Return the keys of the branches that a call can take: digits first, in order, then words."""
        return tuple(key for key in self.branches_when_done(section) if key in section.branches)[:1]

    def remarks(self, section: Section) -> Iterator[Remark]:  # noqa: ARG002 - little can be wrong with most types
        """Yield findings about the settings of the section."""
        yield from ()

    def why_never_taken(self, section: Section, key: str) -> str:  # noqa: ARG002 - the same for most types
        """Return the reason why no call takes a branch that is not among the section's ways out."""
        if key == BRANCH_TIMEOUT:
            return Sentence("%(key)s is taken first", key=BRANCH_DONE)
        return Sentence("only %(keys)s and %(last)s can be taken here", keys=BRANCH_DONE, last=BRANCH_TIMEOUT)
