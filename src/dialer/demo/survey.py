"""The survey of the demonstration: a travel agency calls its customers before their journeys."""

from typing import Any, Final

import msgspec

from dialer.demo import recordings
from dialer.demo.recordings import MadeRecording
from dialer.domain.words.enums import SectionType
from dialer.local_service.client import Client


class Step(msgspec.Struct, frozen=True):
    """A section: its recording, its answers, and the name of the step to which each answer leads."""

    name: str
    type: SectionType
    question: str
    recording: MadeRecording
    fields: dict[str, Any] = {}
    branches: dict[str, str] = {}
    complains: bool = False
    """True if a message about a wrong input is played before the section is repeated."""


SURVEY_NAME: Final = "Before you leave"
_LABELS: Final = {
    "key_1": "leaves as booked",
    "key_2": "wants another day",
    "key_3": "has cancelled",
    "key_9": "never call again",
}
STEPS: Final = (
    Step(
        name="welcome",
        type=SectionType.PLAY_MESSAGE,
        question="Hello {first_name}, this is Meridian Travel",
        recording=recordings.WELCOME,
        branches={"0": "departure"},
    ),
    Step(
        name="departure",
        type=SectionType.MULTI_CHOICE,
        question="Do you leave as booked?",
        recording=recordings.DEPARTURE,
        fields={**_LABELS, "retries": 1, "timeout": 6},
        branches={
            "1": "rating",
            "2": "rating",
            "3": "cancelled",
            "9": "called off",
        },
        complains=True,
    ),
    Step(
        name="rating",
        type=SectionType.RATING,
        question="How was it to book with us? 1 is very good, 5 is bad",
        recording=recordings.RATING,
        fields={"rating_laps": 5, "retries": 1, "timeout": 5},
        branches={"any": "travellers", "invalid": "travellers", "timeout": "travellers"},
        complains=True,
    ),
    Step(
        name="travellers",
        type=SectionType.CAPTURE_DIGITS,
        question="How many of you travel?",
        recording=recordings.TRAVELLERS,
        fields={"number_digits": 2, "min_number": 1, "max_number": 12, "retries": 1, "timeout": 4},
        branches={"any": "thanks", "invalid": "thanks", "timeout": "thanks"},
        complains=True,
    ),
    Step(
        name="thanks",
        type=SectionType.PLAY_MESSAGE,
        question="Thank you, and a good journey",
        recording=recordings.THANKS,
        fields={"completed": True},
    ),
    Step(
        name="cancelled",
        type=SectionType.HANG_UP,
        question="We are sorry to hear that; nothing is left for you to do",
        recording=recordings.CANCELLED,
        fields={"completed": True},
    ),
    Step(
        name="called off",
        type=SectionType.DNC,
        question="Asked not to be called again",
        recording=recordings.CALLED_OFF,
    ),
)
"""The steps in order; a call begins with the first."""


class DemoSurvey(msgspec.Struct, frozen=True):
    """The survey on the server: the id of the template, the ids of the sections by step, and the number of branches."""

    id: int
    sections: dict[str, int]
    branches: int


def build_survey(client: Client, audio_ids: dict[str, int]) -> DemoSurvey:
    """Create the template, its sections and their branches; `audio_ids` are those of the recordings, by name."""
    survey_id = client.create("survey-template", name=SURVEY_NAME)["id"]
    sections = {
        step.name: client.create("section-template", **_section(step, survey_id, order, audio_ids))["id"]
        for order, step in enumerate(STEPS, 1)
    }
    branches = [
        client.create("branching-template", section=sections[step.name], keys=keys, goto=sections[target])
        for step in STEPS
        for keys, target in step.branches.items()
    ]
    return DemoSurvey(survey_id, sections, len(branches))


def _section(step: Step, survey_id: int, order: int, audio_ids: dict[str, int]) -> dict[str, Any]:
    return {
        "survey": f"/rest-api/survey-template/{survey_id}/",
        "order": order,
        "type": int(step.type),
        "question": step.question,
        "audiofile": f"/rest-api/audio-files/{audio_ids[step.recording.name]}/",
        "invalid_audiofile": audio_ids[recordings.INVALID.name] if step.complains else None,
        **step.fields,
    }
