"""Remind people of their appointments by telephone, and learn from events who comes."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import httpx

START, MULTI_CHOICE = 1, 2
QUESTION = "Hello {first_name}, you have an appointment tomorrow. Press 1 if you come, and 2 if you do not."


class Reminders:
    """The account of a practice. `api` is a client whose base is the address of the API."""

    def __init__(self, api: httpx.Client, gateway: int) -> None:
        self._api = api
        self._gateway = gateway

    def _create(self, resource: str, **fields: object) -> dict[str, Any]:
        answer = self._api.post(f"{resource}/", json=fields)
        answer.raise_for_status()
        return dict(answer.json())

    def call(self, patients: Mapping[str, str]) -> int:
        """Start to call patients, names by their numbers, and return the id of the campaign."""
        survey = self._create("survey-template", name="Appointment")["id"]
        choices = {"key_1": "comes", "key_2": "does not come"}
        section = {"type": MULTI_CHOICE, "question": "Do you come?", "script": QUESTION, "completed": True}
        self._create("section-template", survey=survey, **section, **choices)
        book = self._create("phonebook", name="Tomorrow")["id"]
        for number, name in patients.items():
            self._create("contact", phonebook=book, contact=number, first_name=name)
        campaign = self._create(
            "campaigns",
            name="Reminders",
            object_id=survey,
            phonebook=[book],
            aleg_gateway=self._gateway,
            callerid="+12025550199",
            maxretry=1,
            intervalretry=1_800,
            daily_start_time="09:00:00",
            daily_stop_time="20:00:00",
        )["id"]
        self._api.patch(f"campaigns/{campaign}/", json={"status": START}).raise_for_status()
        return int(campaign)

    def answers(self, campaign: int) -> Mapping[str, int]:
        """Return how often each answer was given."""
        answer = self._api.get("survey-result/", params={"campaign_id": campaign})
        answer.raise_for_status()
        return Counter(result["response"] for result in answer.json()["results"])


def to_write_to(events: Iterable[Mapping[str, Any]]) -> list[int]:
    """Return the ids of the subscribers whom no call reached, and who get a letter."""
    return [event["data"]["subscriber"] for event in events if event["type"] == "subscriber.failed"]
