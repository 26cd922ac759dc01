"""Tables of `dialer top`."""

from rich.console import Group
from rich.table import Table

from dialer.commands.tables import add_row, stacked, table
from dialer.commands.top_document import Top
from dialer.store.tables import SMS


def top_tables(document: Top) -> Group:
    """Return the situation as tables."""
    agents = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in document.agents.items() if count)
    head = (
        f"{document.now.replace('T', ' ').partition('.')[0].removesuffix('Z')} UTC: {document.calls} calls,"
        f" {document.waiting} waiting, {document.talking} with an agent,"
        f" {document.calls_a_minute} dialled in the last minute"
    )
    tables = [_campaigns(document)]
    if document.gateways:
        tables.append(_gateways(document))
    if document.balances:
        tables.append(_balances(document))
    return stacked(f"{head}\nAgents: {agents or 'none'}", tables)


def _campaigns(document: Top) -> Table:
    more = document.campaigns_open - len(document.campaigns)
    title = f"Campaigns in progress: {document.campaigns_open}" + (f", {more} of them not shown" if more else "")
    figures = ("calls", "waiting", "agents", "a minute", "over", "answered %", "machines", "abandoned %")
    made = table(title, "id", "campaign", "user", "status", *figures, texts=4)
    for campaign in document.campaigns:
        status = f"{campaign.status} ({campaign.status_reason})" if campaign.status_reason else campaign.status
        # Texts on their way stand where calls in progress do, as a campaign has only one of them to itself.
        calls = campaign.messages if campaign.medium == SMS else campaign.calls
        over = (campaign.calls_over, campaign.answered_percent, campaign.machine_answered, campaign.abandoned_percent)
        now = (calls, campaign.waiting, campaign.talking, campaign.calls_a_minute)
        add_row(made, str(campaign.id), campaign.name, campaign.username, status, *now, *over)
    return made


def _gateways(document: Top) -> Table:
    made = table("Gateways", "gateway", "medium", "rests until", "in use", "channels", texts=3)
    for gateway in document.gateways:
        rests = "" if gateway.rests_until is None else gateway.rests_until.replace("T", " ").removesuffix("Z")
        add_row(made, gateway.name, gateway.medium, rests, gateway.in_use, gateway.max_channels or "any")
    return made


def _balances(document: Top) -> Table:
    made = table("Balances that run low", "user", "currency", "free", "spent in the last two hours", texts=2)
    for balance in document.balances:
        add_row(made, balance.username, balance.currency, balance.free, balance.spent)
    return made
