"""The tools that read. Each returns what the REST API says, with the fields that matter."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from dialer.mcp.api import Api

PAGE_MAX: Final = 50
SEEDS_MAX: Final = 50
AGENTS_MAX: Final = 20
_CAMPAIGN: Final = (
    *("id", "name", "campaign_code", "status", "status_reason", "startingdate", "expirationdate", "totalcontact"),
    *("calls", "answered", "machine_answered", "completed", "abandoned", "cost", "frequency", "dial_method"),
    *("daily_start_time", "daily_stop_time", "maxretry"),
)
_SUBSCRIBER: Final = (
    *("id", "campaign", "full_name", "count_attempt", "last_attempt", "status", "status_reason", "waits_for"),
    "waits_until",
)
_CALL: Final = (
    *("id", "callid", "starting_date", "phone_number", "duration", "billsec", "hangup_cause_q850", "call_cost"),
    *("amd_status", "campaign"),
)
Id = Annotated[int, Field(ge=1, description="The id of the campaign.")]
Limit = Annotated[int, Field(ge=1, le=PAGE_MAX, description="The most records to return.")]
Medium = Annotated[
    Literal["campaigns", "sms-campaigns"], Field(description="`campaigns` for calls, `sms-campaigns` for texts.")
]


class ReadingTools:
    """The tools of an assistant that read from the API."""

    def __init__(self, api: Api) -> None:
        self._api: Final = api

    async def list_campaigns(
        self,
        search: Annotated[str, Field(description="A part of the name; empty for all.")] = "",
        medium: Medium = "campaigns",
        limit: Limit = 20,
    ) -> dict[str, Any]:
        """List campaigns, the newest first, with their state and counts."""
        page = await self._api.get(f"{medium}/", search=search, page_size=limit, ordering="-id")
        return _page(page, _CAMPAIGN)

    async def read_campaign(self, campaign: Id, medium: Medium = "campaigns") -> dict[str, Any]:
        """Read all settings and counts of a campaign, and `warnings`.

        Status 1: runs, 2: paused, 3: aborted, 4: ended, 0: new. `warnings` say which numbers on its
        do-not-call lists may protect nobody.
        """
        row = dict(await self._api.get(f"{medium}/{campaign}/"))
        figures = await self._api.get(f"{medium}/{campaign}/statistics/")
        return {**row, "warnings": figures["do_not_call"]["warnings"]}

    async def read_statistics(
        self,
        campaign: Id,
        group_by: Annotated[str, Field(description="`cause`, `attempt`, `zone`, … as the API names them.")] = "",
        interval: Annotated[str, Field(description="`hour`, `day`; empty for one row.")] = "",
        medium: Medium = "campaigns",
    ) -> dict[str, Any]:
        """Read the figures of a campaign: calls, answers by people and machines, talk time, cost, abandoned calls."""
        found = await self._api.get(f"{medium}/{campaign}/statistics/", group_by=group_by, interval=interval)
        return dict(found)

    async def check_campaign(self, campaign: Id, medium: Medium = "campaigns") -> dict[str, Any]:
        """Find what would keep a campaign from starting, or go wrong, before it runs."""
        return dict(await self._api.get(f"{medium}/{campaign}/check/"))

    async def forecast_campaign(
        self,
        campaign: Id,
        seeds: Annotated[int, Field(ge=1, le=SEEDS_MAX, description="The number of simulated runs.")] = 10,
        medium: Medium = "campaigns",
    ) -> dict[str, Any]:
        """Forecast the end, the cost, the calls and the waits of a campaign. Nobody is called, and nothing changes."""
        found = await self._api.send("POST", f"{medium}/{campaign}/forecast/", seeds=seeds)
        return {name: value for name, value in found.items() if name not in {"per_seed", "per_hour"}}

    async def explain_number(
        self, number: Annotated[str, Field(min_length=3, max_length=40, description="The number, in any spelling.")]
    ) -> dict[str, Any]:
        """Say what happened to a number: its place in each campaign, for what it waits, and its latest calls."""
        people = await self._api.get("subscriber-list/", search=number, page_size=PAGE_MAX)
        calls = await self._api.get("cdr/", search=number, page_size=20, ordering="-id")
        return {"subscribers": _page(people, _SUBSCRIBER), "calls": _page(calls, _CALL)}

    async def list_calls(self, campaign: Id, limit: Limit = 20) -> dict[str, Any]:
        """List the latest calls of a campaign."""
        found = await self._api.get("cdr/", campaign_id=campaign, page_size=limit, ordering="-id")
        return _page(found, _CALL)

    async def read_answers(self, campaign: Id) -> dict[str, Any]:
        """Count the answers that callees gave to each section of a campaign's survey."""
        return dict(await self._api.get(f"surveyaggregate/{campaign}/"))

    async def list_promised_call_backs(self) -> dict[str, Any]:
        """List the call-backs that agents have promised and that have not come yet."""
        return dict(await self._api.get("promised-call-backs/"))


def _page(page: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    kept = [{name: row[name] for name in names if name in row} for row in page["results"]]
    return {"count": page["count"], "results": kept}
