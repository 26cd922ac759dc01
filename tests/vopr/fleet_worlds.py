"""Worlds for fleets: accounts in different shards, full gateways, and many calls within a few minutes."""

from itertools import chain
from typing import Final

import msgspec

from dialer.runtime.lines.line_reports import LineSettings
from tests.vopr.dice import Dice
from tests.vopr.worlds import CENTS, DAY_MS, Values, World, calling, contact_of, number_of, world_of

USER_IDS: Final = (1, 34, 51)
"""Accounts whose shards soon have different owners."""
_OF_ACCOUNTS: Final = ("contact_rule", "consent")
"""Tables whose rows belong to each account of the world that a fleet changes."""
_OPEN: Final = {
    "daily_start_time": "00:00:00",
    "daily_stop_time": "23:59:59",
    **dict.fromkeys(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"), True),
}


def busy_world_of(seed: int) -> World:
    """Draw a world whose campaigns, of up to three accounts, call all the time over one or two small gateways."""
    dice, drawn = Dice(seed, "busy world"), world_of(seed)
    rows = {name: [dict(row) for row in table] for name, table in drawn.rows.items()}
    rows["user_account"] = [
        {"id": user_id, "username": f"user{user_id}", "password_hash": "-", "call_rate": 137} for user_id in USER_IDS
    ]
    books = len(rows["phonebook"])
    for _ in range(dice.between(20, 80)):
        rows["contact"].append({"phonebook_id": dice.between(1, books), **contact_of(number_of(dice))})
    of_queues = {one["survey_id"] for one in rows["section_template"] if one.get("queue_id")}
    answering = {one["campaign_id"] for one in rows["did"]}
    for campaign_id, campaign in enumerate(rows["campaign"], 1):
        # Queues and inbound numbers belong to the first account, and so must the campaigns that use them.
        is_first = campaign["object_id"] in of_queues or campaign_id in answering
        owner = 1 if is_first else dice.pick(USER_IDS)
        campaign.update(busy(dice, drawn.start_ms), user_id=owner)
    _keep_to_own_lists(rows)
    for row in chain(*(rows.get(name, ()) for name in _OF_ACCOUNTS)):
        row["user_id"] = USER_IDS[row["user_id"] - 1]
    for gateway in rows["gateway"][: calling(rows)]:
        limits = {"max_channels": dice.pick((0, 0, 1, 2, 6)), "max_cps": dice.pick((0, 1, 1, 2, 5))}
        behaviour = LineSettings(gateway["protocol"], gateway["parameters"]).simulated()
        gateway.update(limits, protocol="sim", parameters=behaviour)
    money = {user_id: dice.pick((30, 500, 50_000)) * CENTS for user_id in USER_IDS}
    return msgspec.structs.replace(drawn, rows=_distinct(rows), money=money, calling_hours=None)


def _keep_to_own_lists(rows: dict[str, list[Values]]) -> None:
    """Take the do-not-call lists of others from campaigns. No request can set them."""
    owners = [one["user_id"] for one in rows["dnc_list"]]
    campaigns = [one["user_id"] for one in rows["campaign"]]
    for campaign in rows["campaign"]:
        if campaign["dnc_id"] is not None and owners[campaign["dnc_id"] - 1] != campaign["user_id"]:
            campaign["dnc_id"] = None
    rows["campaign_dnc_list"] = [
        one for one in rows["campaign_dnc_list"] if owners[one["dnc_id"] - 1] == campaigns[one["campaign_id"] - 1]
    ]


def busy(dice: Dice, start_ms: int) -> Values:
    """Draw the columns of a campaign that calls all the time."""
    return {
        "startingdate": start_ms - 1,
        "expirationdate": start_ms + DAY_MS,
        "frequency": dice.pick((60, 300, 600)),
        "max_aleg": dice.pick((0, 0, 0, 3)),
        "maxretry": dice.pick((0, 2)),
        "intervalretry": dice.pick((0, 20)),
        "callmaxduration": dice.pick((20, 60)),
        **_OPEN,
    }


def _distinct(rows: dict[str, list[Values]]) -> dict[str, list[Values]]:
    """Return the rows with each number once in a phonebook."""
    contacts = {(one["phonebook_id"], one["number"]): one for one in rows["contact"]}
    return {**rows, "contact": list(contacts.values())}
