"""The scene of a storm: accounts with a campaign each, over gateways that are too small for them."""

from typing import Any, Final, NamedTuple

from tests.api.harness import PASSWORD, Caller
from tests.end_to_end.killing import survey_of_transfers
from tests.fleet.processes import SharedService

GATEWAYS: Final = ((20, 8), (60, 4), (6, 3))
"""Channels and calls per second of each gateway. Of the second, calls per second are what workers compete for."""
_TURNS: Final = (0, 1, 1, 2, 0, 1)
"""The gateways of the first accounts, whose workers are rarely the same."""
ACCOUNTS: Final = 6
PERSON: Final = "+1202{:03d}{:04d}"
BEHAVIOUR: Final = {
    "answer": 0.7,
    "busy": 0.2,
    "machine": 0,
    "ring": [1, 3],
    "talk": [1, 5],
    "patience": [2, 4],
    "keys": {"1": 0.2, "2": 0.4, "3": 0.1},
}
_AGENTS: Final = 3


class Place(NamedTuple):
    """An account, as its user knows it."""

    username: str
    user_id: int
    campaign_id: int
    list_id: int
    """The do-not-call list of its campaign."""
    book_id: int
    """A phonebook of no campaign, for imports."""


def furnish(service: SharedService, *, accounts: int = ACCOUNTS, people: int = 400) -> list[Place]:
    """Create accounts with a campaign each, in turns over the gateways, and start the campaigns."""
    with service.client() as root:
        gateways = [
            root.create("gateway", name=f"g{channels}", parameters=BEHAVIOUR, max_channels=channels, max_cps=cps)
            for channels, cps in GATEWAYS
        ]
        return [
            _account(service, root, place, gateways[_TURNS[place % len(_TURNS)]]["url"], people)
            for place in range(accounts)
        ]


def _account(service: SharedService, root: Caller, place: int, gateway: str, people: int) -> Place:
    name = f"user{place}"
    user = root.create("users", username=name, password=PASSWORD)
    root.create("payment", amount=1_000, user=user["id"], description="first")
    root.create("rate-card", user=user["id"], prefix="", rate="0.02", first_increment=1, next_increment=1)
    with service.client(name) as own:
        never = own.create("dnc-list", name="never")
        campaign = _campaign(own, gateway, never["url"], [PERSON.format(200 + place, one) for one in range(people)])
        spare = own.create("phonebook", name="spare")
    return Place(name, int(user["id"]), campaign, int(never["id"]), int(spare["id"]))


def _campaign(own: Caller, gateway: str, never: str, people: list[str]) -> int:
    book = own.create("phonebook", name="people")
    path = f"{book['url'].rstrip('/')}/import/"
    answer = own.request("POST", path, content="\n".join(["contact", *people]), headers={"Content-Type": "text/csv"})
    assert answer.status_code < 300, answer.text
    campaign = own.create(
        "campaigns",
        name="storm",
        aleg_gateway=gateway,
        object_id=str(survey_of_transfers(own, _queue(own))),
        phonebook=[book["url"]],
        dnc=never,
        frequency=600,
        callmaxduration=20,
        maxretry=2,
        intervalretry=5,
        daily_start_time="00:00:00",
        daily_stop_time="23:59:59",
        **dict.fromkeys(("saturday", "sunday"), True),
    )
    own.change(campaign["url"], status=1)
    return int(campaign["id"])


def _queue(own: Caller) -> str:
    parameters: dict[str, Any] = {"talk": [1, 5], "answer": [0, 2]}
    queue = own.create("queue", name="desk", max_wait_time=5)
    for place in range(_AGENTS):
        agent = own.create("agent", name=f"agent {place}", status=2, parameters=parameters)
        own.create("tier", queue=queue["url"], agent=agent["url"])
    return str(queue["url"])
