"""Tables of `dialer top`."""

from rich.console import Group
from rich.table import Table

from dialer.commands.tables import add_row, stacked, table
from dialer.commands.top_document import Top
from dialer.store.tables import SMS


def top_tables(found: Top) -> Group:
    """Return the situation as tables."""
    agents = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in found.agents.items() if count)
    head = (
        f"{found.now.replace('T', ' ').partition('.')[0].removesuffix('Z')} UTC: {found.calls} calls,"
        f" {found.waiting} waiting, {found.talking} with an agent, {found.calls_a_minute} dialled in the last minute"
    )
    tables = [_campaigns(found)]
    if found.gateways:
        tables.append(_gateways(found))
    if found.balances:
        tables.append(_balances(found))
    return stacked(f"{head}\nAgents: {agents or 'none'}", tables)


def _campaigns(found: Top) -> Table:
    more = found.campaigns_open - len(found.campaigns)
    title = f"Campaigns in progress: {found.campaigns_open}" + (f", {more} of them not shown" if more else "")
    figures = ("calls", "waiting", "agents", "a minute", "over", "answered %", "abandoned %")
    made = table(title, "id", "campaign", "user", "status", *figures, texts=4)
    for one in found.campaigns:
        status = f"{one.status} ({one.status_reason})" if one.status_reason else one.status
        # Texts on their way stand where calls in progress do, as a campaign has only one of them to itself.
        calls = one.messages if one.medium == SMS else one.calls
        percents = (one.answered_percent, one.abandoned_percent)
        now = (calls, one.waiting, one.talking, one.calls_a_minute)
        add_row(made, str(one.id), one.name, one.username, status, *now, one.calls_over, *percents)
    return made


def _gateways(found: Top) -> Table:
    made = table("Gateways", "gateway", "medium", "rests until", "in use", "channels", texts=3)
    for one in found.gateways:
        rests = "" if one.rests_until is None else one.rests_until.replace("T", " ").removesuffix("Z")
        add_row(made, one.name, one.medium, rests, one.in_use, one.max_channels or "any")
    return made


def _balances(found: Top) -> Table:
    made = table("Balances that run low", "user", "free", "spent in the last two hours")
    for one in found.balances:
        add_row(made, one.username, one.free, one.spent)
    return made
