"""Blueprints of surveys, which the pages call templates: sections with texts and keys, from which a survey is made."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from dialer.console.words.language import gettext, gettext_noop
from dialer.domain.survey.editing import FALLBACKS
from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.domain.words.enums import SectionType
from dialer.resources.crud import records
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.shapes import Given, Shape, parse_given
from dialer.resources.records.surveys import BRANCHING_TEMPLATES, SECTION_TEMPLATES, SURVEY_TEMPLATES

ELSE: Final = "else"
"""The key that stands for every other answer, a wrong input and none."""
THEN: Final = "0"
THE_END: Final = "end"
"""The step that stands for the end of the call."""


class BlueprintStep(NamedTuple):
    """A section of a blueprint: its texts, its answers by key, its fields, and the step to which each key leads."""

    name: str
    type: SectionType
    title: str
    text: str
    answers: Mapping[str, str] = {}
    fields: Mapping[str, Any] = {}
    leads: Mapping[str, str] = {}


class Blueprint(NamedTuple):
    """The sections of a new survey; with `has_queue`, its transfers need a queue."""

    key: str
    title: str
    about: str
    steps: tuple[BlueprintStep, ...]
    has_queue: bool = False


_GOODBYE: Final = BlueprintStep(
    "goodbye", SectionType.HANG_UP, gettext_noop("Goodbye"), gettext_noop("Thank you for your time. Goodbye.")
)
_NEVER: Final = BlueprintStep(
    "never",
    SectionType.DNC,
    gettext_noop("Do not call again"),
    gettext_noop("We will not call you again. Goodbye."),
)
ASKING: Final[Mapping[str, Any]] = {"retries": 1, "timeout": 6}
"""The fields of a question: it is asked twice, and waits for six seconds."""
MARK: Final = BlueprintStep(
    "mark",
    SectionType.RATING,
    gettext_noop("How satisfied are you?"),
    gettext_noop("How satisfied are you with us? Press a key from 1, not at all, to 5, very much."),
    fields={**ASKING, "rating_laps": 5},
    leads={ELSE: "again"},
)
"""A question for a mark, with `RECOMMENDING` behind it."""
RECOMMENDING: Final = BlueprintStep(
    "again",
    SectionType.MULTI_CHOICE,
    gettext_noop("Would you recommend us?"),
    gettext_noop("Would you recommend us to a friend? For yes, press 1. For no, press 2."),
    {"1": gettext_noop("Yes"), "2": gettext_noop("No")},
    ASKING,
)
"""A question of which each survey says to where its answers lead."""
_GOAL: Final[Mapping[str, Any]] = {"completed": True}
_TO_AGENT: Final = BlueprintStep(
    "agent",
    SectionType.CALL_TRANSFER,
    gettext_noop("To an agent"),
    gettext_noop("One moment, please. We connect you."),
    fields=_GOAL,
    leads={THEN: THE_END, "timeout": "busy"},
)
"""A transfer to a queue. Where it begins a call it says nothing: people who are called hear an agent at once."""
_NOBODY_FREE: Final = BlueprintStep(
    "busy",
    SectionType.HANG_UP,
    gettext_noop("Nobody is free"),
    gettext_noop("All of us are talking just now. We will call you again. Goodbye."),
)
BLUEPRINTS: Final = (
    Blueprint(
        "reminder",
        gettext_noop("Reminder with confirmation"),
        gettext_noop("Reminds people of an appointment. They confirm it, call it off, or hear it again."),
        (
            BlueprintStep(
                "ask",
                SectionType.MULTI_CHOICE,
                gettext_noop("Will you come?"),
                gettext_noop(
                    "Hello {first_name}. We remind you of your appointment tomorrow. To confirm it, press 1. To call it"
                    " off, press 2. To hear this again, press 3."
                ),
                {
                    "1": gettext_noop("Confirmed"),
                    "2": gettext_noop("Called off"),
                    "3": gettext_noop("Hear it again"),
                },
                ASKING,
                {"1": "confirmed", "2": "off", "3": "ask", ELSE: "goodbye"},
            ),
            BlueprintStep(
                "confirmed",
                SectionType.PLAY_MESSAGE,
                gettext_noop("Confirmed"),
                gettext_noop("Thank you. We look forward to seeing you."),
                fields=_GOAL,
                leads={THEN: "goodbye"},
            ),
            BlueprintStep(
                "off",
                SectionType.PLAY_MESSAGE,
                gettext_noop("Called off"),
                gettext_noop("Your appointment is called off. We will get in touch for another day."),
                fields=_GOAL,
                leads={THEN: "goodbye"},
            ),
            _GOODBYE,
        ),
    ),
    Blueprint(
        "satisfaction",
        gettext_noop("Satisfaction survey"),
        gettext_noop("Asks for a mark, a yes or no, and a few words in the callee's own voice."),
        (
            BlueprintStep(
                "hello",
                SectionType.PLAY_MESSAGE,
                gettext_noop("Greeting"),
                gettext_noop("Hello {first_name}. You have been with us lately. May we ask you two short questions?"),
                leads={THEN: "mark"},
            ),
            MARK,
            RECOMMENDING._replace(leads={"1": "thanks", "2": "words", ELSE: "thanks"}),
            BlueprintStep(
                "words",
                SectionType.RECORD_MESSAGE,
                gettext_noop("What can we do better?"),
                gettext_noop(
                    "What can we do better? Please tell us after the tone, and then hang up or press any key."
                ),
                leads={THEN: "thanks"},
            ),
            BlueprintStep(
                "thanks",
                SectionType.HANG_UP,
                gettext_noop("Thanks"),
                gettext_noop("Thank you. You have helped us a lot. Goodbye."),
                fields=_GOAL,
            ),
        ),
    ),
    Blueprint(
        "alert",
        gettext_noop("Alert with acknowledgement"),
        gettext_noop("Tells people of something urgent until they press a key, so that you know who has heard it."),
        (
            BlueprintStep(
                "alert",
                SectionType.MULTI_CHOICE,
                gettext_noop("Alert"),
                gettext_noop(
                    "This is an urgent message. Please stay away from the building until further notice. To say that"
                    " you have heard this, press 1."
                ),
                {"1": gettext_noop("Heard")},
                {"retries": 3, "timeout": 6},
                {"1": "thanks", ELSE: "missed"},
            ),
            BlueprintStep(
                "thanks",
                SectionType.HANG_UP,
                gettext_noop("Acknowledged"),
                gettext_noop("Thank you. Please take care. Goodbye."),
                fields=_GOAL,
            ),
            BlueprintStep(
                "missed",
                SectionType.HANG_UP,
                gettext_noop("Not acknowledged"),
                gettext_noop("We will call you again. Goodbye."),
            ),
        ),
    ),
    Blueprint(
        "donation",
        gettext_noop("Fund-raising"),
        gettext_noop("Asks for a gift and its amount, and takes the wish not to be called again."),
        (
            BlueprintStep(
                "hello",
                SectionType.MULTI_CHOICE,
                gettext_noop("Would you like to give?"),
                gettext_noop(
                    "Hello {first_name}. We are raising money for a good cause. To give something, press 1. If not"
                    " today, press 2. If we should not call you again, press 9."
                ),
                {
                    "1": gettext_noop("Gives"),
                    "2": gettext_noop("Not today"),
                    "9": gettext_noop("Never call again"),
                },
                ASKING,
                {"1": "amount", "2": "goodbye", "9": "never", ELSE: "goodbye"},
            ),
            BlueprintStep(
                "amount",
                SectionType.CAPTURE_DIGITS,
                gettext_noop("How much?"),
                gettext_noop("How much would you like to give? Enter the amount, and press the hash key."),
                fields={**ASKING, "number_digits": 5, "min_number": 1, "max_number": 99_999},
                leads={ELSE: "thanks"},
            ),
            BlueprintStep(
                "thanks",
                SectionType.HANG_UP,
                gettext_noop("Thanks"),
                gettext_noop("Thank you very much. We will send you a letter with all you need. Goodbye."),
                fields=_GOAL,
            ),
            _GOODBYE,
            _NEVER,
        ),
    ),
    Blueprint(
        "queue",
        gettext_noop("Call centre"),
        gettext_noop("Connects everybody who answers with your agents, who wait in a queue."),
        (_TO_AGENT._replace(text=""), _NOBODY_FREE),
        has_queue=True,
    ),
    Blueprint(
        "press",
        gettext_noop("Agents for those who press a key"),
        gettext_noop("Connects those who want it with your agents, who wait in a queue."),
        (
            BlueprintStep(
                "hello",
                SectionType.MULTI_CHOICE,
                gettext_noop("Talk to us?"),
                gettext_noop(
                    "Hello {first_name}. We have an offer for you. To talk with one of us, press 1. If we should not"
                    " call you again, press 9."
                ),
                {"1": gettext_noop("Wants to talk"), "9": gettext_noop("Never call again")},
                ASKING,
                {"1": "agent", "9": "never", ELSE: "goodbye"},
            ),
            _TO_AGENT,
            _NOBODY_FREE,
            _GOODBYE,
            _NEVER,
        ),
        has_queue=True,
    ),
    Blueprint("empty", gettext_noop("Empty"), gettext_noop("Begin with nothing, and add one section at a time."), ()),
)


def members_of(step: BlueprintStep) -> dict[str, Any]:
    """Return the fields of a step's section, with its texts in the viewer's language."""
    return {
        "type": step.type.value,
        "question": gettext(step.title),
        "script": gettext(step.text) if step.text else "",
        **{f"key_{key}": gettext(label) for key, label in step.answers.items()},
        **step.fields,
    }


def branches_of(step: BlueprintStep) -> dict[str, str]:
    """Return the branches of a step: the next step by key, or `THE_END`."""
    leads = dict(step.leads)
    target = leads.pop(ELSE, None)
    if target is None:
        return leads
    is_whole = bool(step.answers) and step.answers.keys() <= leads.keys()
    return leads | {key: target for key in FALLBACKS if key != "any" or not is_whole}


def survey_of(blueprint: Blueprint) -> Survey:
    """Return the survey that a blueprint makes, for its picture."""
    ids = {step.name: number for number, step in enumerate(blueprint.steps, 1)}
    return Survey(
        tuple(
            Section(
                ids[step.name],
                step.type,
                gettext(step.title),
                Prompt(),
                key_labels={key: gettext(label) for key, label in step.answers.items()},
                branches={key: ids.get(name) for key, name in branches_of(step).items()},
                completed="completed" in step.fields,
            )
            for step in blueprint.steps
        )
    )


def create_survey_of(unit: Unit, blueprint: Blueprint, name: str, queue: int | None = None) -> int:
    """Create the survey of a blueprint, whose transfers lead to a queue, and return its id."""
    survey = create_record_of(unit, SURVEY_TEMPLATES, name=name)
    ids = {
        step.name: create_record_of(
            unit,
            SECTION_TEMPLATES,
            survey=survey,
            order=place,
            **members_of(step),
            **({"queue": queue} if SECTION_TYPES[step.type].transfers else {}),
        )
        for place, step in enumerate(blueprint.steps, 1)
    }
    for step in blueprint.steps:
        for key, target in branches_of(step).items():
            create_record_of(unit, BRANCHING_TEMPLATES, section=ids[step.name], keys=key, goto=ids.get(target))
    return survey


def create_record_of(unit: Unit, resource: Resource, **fields: Any) -> int:  # noqa: ANN401 - members of a request
    """Create a record with the fields that a request would have, and return its id."""
    parsed = parse_given(resource.write or Shape, Given(fields), unit.conventions)
    return records.create_record(unit, resource, parsed).record_id
