"""The server: which tools an assistant gets."""

from typing import Final

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

from dialer import __version__
from dialer.mcp.api import Api
from dialer.mcp.reading import ReadingTools
from dialer.mcp.writing import WritingTools

INSTRUCTIONS: Final = (
    "Campaigns of calls and text messages of a dialer service. Times are in UTC unless they say otherwise, amounts are"
    " decimal texts. Before anything is dialled, a person must confirm the number of people."
)


def create_server(api: Api, *, allow_writes: bool) -> MCPServer:
    """Return an MCP server whose tools call an API. Tools that write are registered only if writes are allowed."""
    server = MCPServer("dialer", instructions=INSTRUCTIONS, version=__version__)
    reading = ReadingTools(api)
    for read in (
        *(reading.list_campaigns, reading.read_campaign, reading.read_statistics, reading.check_campaign),
        *(reading.forecast_campaign, reading.explain_number, reading.list_calls, reading.read_answers),
        reading.list_promised_call_backs,
    ):
        server.add_tool(read, annotations=ToolAnnotations(read_only_hint=True))
    if allow_writes:
        writing = WritingTools(api)
        server.add_tool(writing.count_people, annotations=ToolAnnotations(read_only_hint=True))
        for write in (
            *(writing.start_campaign, writing.pause_campaign, writing.add_contact, writing.add_to_do_not_call_list),
        ):
            server.add_tool(write, annotations=ToolAnnotations(read_only_hint=False, destructive_hint=True))
    return server
