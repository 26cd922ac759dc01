"""Creation of everything that the campaign needs, over the API."""

from typing import Any, Final

import msgspec

from dialer.demo import phonebook
from dialer.demo.recordings import RECORDINGS, VOICEMAIL
from dialer.demo.survey import DemoSurvey, build_survey
from dialer.domain.words.enums import AmdBehavior, CampaignStatus
from dialer.local_service.client import Client, Record

STARTS: Final = "2026-11-15T22:00:00Z"
"""Sunday night in London is Monday morning in Sydney."""
EXPIRES: Final = "2026-11-16T22:00:00Z"
OWNER: Final = "meridian"
CALL_RATE: Final = "0.045"
PAID_IN: Final = "250"
WINDOW: Final = ("09:00:00", "20:00:00")
"""In the callee's local time."""
POPULATION: Final[dict[str, Any]] = {
    "answer": 0.47,
    "busy": 0.11,
    "rejected": 0.05,
    "invalid": 0.02,
    "congestion": 0.01,
    "machine": 0.27,
    "amd_error": 0.04,
    "post_dial_delay": [1, 4],
    "ring": [3, 27],
    "listen": 0.94,
    "keys": {
        "1": 0.38,
        "2": 0.16,
        "3": 0.11,
        "4": 0.08,
        "5": 0.07,
        "9": 0.03,
        "0": 0.02,
        "12": 0.02,
        "": 0.13,
    },
    "key_delay": [0.5, 4],
}
"""The behaviour of the simulated callees, who sometimes enter wrong keys."""
CAMPAIGN: Final[dict[str, Any]] = {
    "name": "Departures of the week",
    "callerid": "+442079460000",
    "startingdate": STARTS,
    "expirationdate": EXPIRES,
    "daily_start_time": WINDOW[0],
    "daily_stop_time": WINDOW[1],
    "saturday": False,
    "sunday": False,
    "frequency": 10,
    "max_aleg": 12,
    "callmaxduration": 180,
    "calltimeout": 25,
    "maxretry": 2,
    "intervalretry": 4_500,
    "completion_maxretry": 1,
    "completion_intervalretry": 9_000,
    "voicemail": True,
    "amd_behavior": int(AmdBehavior.ALWAYS),
}


class Preparation(msgspec.Struct, frozen=True):
    """Everything that was created: records as the API returned them, ids, and the reports of the imports."""

    user: Record
    payment: Record
    gateway: Record
    campaign: Record
    phonebook_id: int
    dnc_id: int
    survey: DemoSurvey
    contacts: Record
    """The report of the phonebook's import."""
    called_off: Record
    """The report of the do-not-call list's import."""

    @property
    def campaign_id(self) -> int:
        """The id of the demonstration's campaign."""
        return int(self.campaign["id"])


def prepare(admin: Client, owner: Client) -> Preparation:
    """Create the records of the day: the admin's payment and gateway, the owner's campaign and its parts."""
    (user,) = owner.every_page("users")
    payment = admin.create("payment", user=user["url"], amount=PAID_IN, description="Bank transfer 2026-11-13")
    gateway = admin.create(
        "gateway", name="Simulated carrier", protocol="sim", max_channels=30, max_cps=2, parameters=POPULATION
    )
    audio_ids = {recording.name: owner.upload(recording.name, recording.wav())["id"] for recording in RECORDINGS}
    book = owner.create("phonebook", name="Travellers of November")
    contacts = owner.import_csv("phonebook", book["id"], phonebook.PHONEBOOK.read_bytes())
    dnc = owner.create("dnc-list", name="Never call")
    called_off = owner.import_csv("dnc-list", dnc["id"], phonebook.DO_NOT_CALL.read_bytes())
    survey = build_survey(owner, audio_ids)
    campaign = owner.create(
        "campaigns",
        **CAMPAIGN,
        aleg_gateway=gateway["url"],
        object_id=str(survey.id),
        voicemail_audiofile=f"/rest-api/audio-files/{audio_ids[VOICEMAIL.name]}/",
        phonebook=[book["url"]],
        dnc=dnc["id"],
    )
    owner.change("campaigns", campaign["id"], status=int(CampaignStatus.START))
    return Preparation(
        user=user,
        payment=payment,
        gateway=gateway,
        campaign=campaign,
        phonebook_id=book["id"],
        dnc_id=dnc["id"],
        survey=survey,
        contacts=contacts,
        called_off=called_off,
    )
