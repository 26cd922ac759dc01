"""Pages of agents' days: the table of a period, its file, and one day of an agent.

Their modules are imported when somebody asks, as few people do.
"""

from typing import Any

from litestar import Response, get
from litestar.params import FromPath

from dialer.api.service import ApiRequest


@get("/agent-days", media_type="text/html")
async def show_agent_days(request: ApiRequest) -> Response[Any]:
    """Show the days of the agents of the account; to admins, those of all accounts."""
    from dialer.console.pages.agent_day_views import answer_days  # noqa: PLC0415 - see above

    return await answer_days(request)


@get("/agent-days/export")
async def export_agent_days(request: ApiRequest) -> Response[Any]:
    """Send the table of the page as a file."""
    from dialer.console.pages.agent_day_views import answer_export  # noqa: PLC0415 - see above

    return await answer_export(request)


@get("/agents/{record_id:str}/day", media_type="text/html")
async def show_day_of_agent(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show one day of an agent."""
    from dialer.console.pages.agent_day_views import answer_day  # noqa: PLC0415 - see above

    return await answer_day(request, record_id)
