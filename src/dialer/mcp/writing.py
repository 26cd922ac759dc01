"""The tools that write. They are there only if whoever starts the server allows it."""

from typing import Annotated, Any, Final

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from dialer.mcp.api import Api
from dialer.mcp.reading import Id, Medium

NEW: Final = 0
START: Final = 1
PAUSE: Final = 2
_PENDING: Final = 1
Number = Annotated[str, Field(min_length=3, max_length=40, description="The phone number, with its country code.")]


class WritingTools:
    """The tools of an assistant that change records by the API."""

    def __init__(self, api: Api) -> None:
        self._api: Final = api

    async def count_people(self, campaign: Id, medium: Medium = "campaigns") -> dict[str, int]:
        """Count the people whom a campaign would call, or text, if it were started now."""
        return {"people": await self._people(campaign, medium)}

    async def start_campaign(
        self,
        campaign: Id,
        people: Annotated[
            int, Field(ge=0, description="The number of people it will call, which a person has confirmed.")
        ],
        medium: Medium = "campaigns",
    ) -> dict[str, Any]:
        """Start a campaign, or let a paused one go on: it really calls people and costs money.

        First count them by `count_people`, and ask a person to confirm the number.
        """
        counted = await self._people(campaign, medium)
        if counted != people:
            raise ToolError(f"The campaign would call {counted} people, not {people}. Have a person confirm that.")
        await self._api.send("PATCH", f"{medium}/{campaign}/", status=START)
        return {"campaign": campaign, "status": START, "people": counted}

    async def pause_campaign(self, campaign: Id, medium: Medium = "campaigns") -> dict[str, Any]:
        """Pause a campaign: calls in progress go on, and no others follow."""
        await self._api.send("PATCH", f"{medium}/{campaign}/", status=PAUSE)
        return {"campaign": campaign, "status": PAUSE}

    async def add_contact(
        self,
        phonebook: Annotated[int, Field(ge=1, description="The id of the phonebook.")],
        number: Number,
        name: Annotated[str, Field(max_length=80, description="The name of the person.")] = "",
    ) -> dict[str, Any]:
        """Add a person to a phonebook. A campaign that runs with this phonebook calls them."""
        names = {"last_name": name} if name else {}
        made = await self._api.send("POST", "contact/", phonebook=phonebook_url(phonebook), contact=number, **names)
        return dict(made)

    async def add_to_do_not_call_list(
        self, dnc_list: Annotated[int, Field(ge=1, description="The id of the do-not-call list.")], number: Number
    ) -> dict[str, Any]:
        """Put a number on a do-not-call list, so that no campaign with that list calls it."""
        return dict(await self._api.send("POST", "dnc-contact/", dnc=dnc_list, phone_number=number))

    async def _people(self, campaign: int, medium: str) -> int:
        row = await self._api.get(f"{medium}/{campaign}/")
        if row["status"] != NEW:
            waiting = await self._api.get("subscriber-list/", campaign_id=campaign, status=_PENDING, page_size=1)
            return int(waiting["count"])
        checked = await self._api.get(f"{medium}/{campaign}/check/", forecast="false")
        return int(checked["people"]) - int(checked["do_not_call"])


def phonebook_url(phonebook: int) -> str:
    """Return the reference to a phonebook, as records have it."""
    return f"/rest-api/phonebook/{phonebook}/"
