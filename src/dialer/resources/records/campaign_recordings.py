"""The fields of a campaign that say which of its calls are recorded, and what callees are told of it."""

from typing import Final

from dialer.app.campaigns.line_check import recording_errors
from dialer.domain.calls.call_recording import REFUSE_KEYS
from dialer.domain.words.enums import CampaignStatus
from dialer.resources.crud.declaration import optional, writable
from dialer.resources.crud.fields import Boolean, Conventions, Integer, Json, Text, wrong_choice
from dialer.resources.crud.references import Reference
from dialer.resources.crud.resource import Change, FieldRule
from dialer.resources.records.call_recordings import RECORD_DAYS_MAX, WhichCalls
from dialer.resources.words.errors import Errors

NOTICE_MAX: Final = 1_000
"""Characters of `record_notice_script`."""


class RefuseKey(Text, frozen=True):
    """A kind of field: a key of a telephone, or nothing."""

    def parse(self, value: Json, conventions: Conventions) -> str:
        """Return the key, if it is one."""
        text = super().parse(value, conventions).strip()
        if text not in {"", *REFUSE_KEYS}:
            raise wrong_choice(text, REFUSE_KEYS)
        return text


RECORDED: Final = {
    "record": writable(
        WhichCalls(),
        "The calls that are recorded as a whole, from the answer on: `no`, `all`, `share:N` for each N-th call (N:"
        " 2 to 1000), or from `recording/start/` on: `on_demand`. A call keeps what held at its dial. Over SIP and"
        " simulated carriers only.",
        example="share:5",
        title="Record calls",
        hint="no, all, on_demand, or share:5 for each fifth call. The law may ask for the consent of all.",
    ),
    "record_notice": optional(
        Reference("audio-files"),
        "The recording that callees hear before all else, if their call is, or may be, recorded. Answering machines"
        " that get a message of their own do not. Null: `record_notice_script`.",
        title="Notice of recording",
        hint="A recording such as: this call is recorded. It is heard first, in calls that are recorded.",
    ),
    "record_notice_script": writable(
        Text(NOTICE_MAX),
        "The text that is spoken if there is no `record_notice`, with placeholders as in sections. Empty: callees are"
        " told nothing. Default: empty.",
        example="This call is recorded. Press 9 if you do not want that.",
        title="Notice as a text",
        hint="Spoken if there is no recording for it. Name the key with which callees refuse.",
    ),
    "record_refuse_key": writable(
        RefuseKey(1),
        "The key with which callees refuse, from the start of the notice until 2 seconds after its end. Then the survey"
        " begins at once, and the recording of the call is deleted; answers that the survey itself records are kept."
        " Any other key begins the notice again, up to two times. Empty: there is none. Default: empty.",
        example="9",
        title="Key to refuse",
        hint="Whoever presses it while the notice is heard is not recorded, and the call goes on.",
    ),
    "record_days": writable(
        Integer(0, RECORD_DAYS_MAX),
        "Days for which recordings of calls are kept, from the end of the call. A change holds for calls that end"
        " later. 0: for ever.",
        example=90,
        title="Days to keep recordings",
        hint="0: for ever.",
    ),
    "transcribe": writable(
        Boolean(),
        "True has what is said in recordings of whole calls written down, by the server or the program that the service"
        " has for it (`DIALER_TRANSCRIPTION_URL`). It holds for calls whose recordings are stored later. Default:"
        " false.",
        example=False,
        title="Write down calls",
        hint="What is said in recorded calls becomes a text, if the service has a program for it.",
    ),
}


def _recorded_line(change: Change) -> Errors:
    """Return an error if a started campaign is to record calls that cannot be recorded. The check says so before."""
    is_moved = change.moves("record") or change.moves("aleg_gateway")
    if change.is_new or not is_moved or change.stored["status"] == CampaignStatus.NEW:
        return {}
    gateway = {"aleg_gateway_id": change.values["aleg_gateway"]}
    return recording_errors(change.unit.connection, {**change.stored, **change.values, **gateway})


RECORDING_RULES: Final = (FieldRule(("record", "aleg_gateway"), _recorded_line),)
