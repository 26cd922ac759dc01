"""The rules of calls over a connection that is lost: they go on, they end at both sides, and each side is heard."""

from collections.abc import Iterator
from typing import Final

import pytest
from msgspec.structs import replace

from dialer.carriers.sip import dialog_requests, inbound_leg, leg, transactions
from dialer.carriers.sip.dialog_requests import InDialog
from dialer.carriers.sip.sdp import AgreedSound
from dialer.carriers.sip.user_agent import UserAgent
from tests.vopr.connections import LostWorld

ENDS: Final = frozenset({"the other side hung up", "it talked for as long as it may"})
"""Why calls end that nobody here has ended."""


def broken_connection_rules(world: LostWorld) -> Iterator[str]:
    """Yield the rules that a world has broken."""
    yield from world.settled
    yield from _ends(world)
    yield from _keys(world)
    yield from _refreshes(world)


def _ends(world: LostWorld) -> Iterator[str]:
    """Check that a call ends because one of its sides wants that, and then at both."""
    for key, phone in world.phones.items():
        because = world.ends.get(key)
        if because is None:
            yield f"{key} is never over here"
        elif key in world.handles and key not in world.cleared and because not in ENDS and not phone.has_hung_up:
            yield f"{key} is over, and nobody has ended it: {because}"
        if not phone.is_over:
            yield f"{key} is never over at the carrier"
    if len(world.agent):
        yield f"{len(world.agent)} legs are never forgotten"


def _keys(world: LostWorld) -> Iterator[str]:
    """Sound is always encrypted, and our key is the same to the end of a call."""
    for key, sounds in world.sounds.items():
        ours = {None if one.sound.keys is None else one.sound.keys.ours for one in sounds}
        if len(ours) > 1 or None in ours:
            yield f"{key} has {len(ours)} keys of ours, or none"


def _refreshes(world: LostWorld) -> Iterator[str]:
    """No call is refreshed twice at once."""
    for key, phone in world.phones.items():
        if any(later - earlier < 40 for earlier, later in zip(phone.refreshes, phone.refreshes[1:], strict=False)):
            yield f"{key} is refreshed twice within an instant"


def connection_findings(seed: int) -> str:
    """Run a seed, and return the first rule that it broke; empty if it broke none."""
    world = LostWorld(seed)
    try:
        world.run()
    except AssertionError as error:
        return str(error)
    return next(broken_connection_rules(world), "")


# --- bugs that some seed has to find -------------------------------------------------------------------------------


def _silence_means_something(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(UserAgent, "cut", lambda *_: [])


def _no_byes_wait(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(transactions, "ASKED_ANEW", frozenset({"BYE", "REGISTER", "OPTIONS"}))


def _the_first_key_for_ever(patch: pytest.MonkeyPatch) -> None:
    agree = InDialog._agree  # noqa: SLF001 - the bug is planted there

    def keep(self: InDialog, sound: AgreedSound) -> None:
        agree(self, replace(sound, keys=self.sound.keys))

    patch.setattr(InDialog, "_agree", keep)


def _a_refusal_is_the_last_word(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(dialog_requests, "NEWS_TRIES_MAX", 0)


def _not_told_of_connections(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(InDialog, "refresh_anew", lambda _: None)


def _numbers_begin_again(patch: pytest.MonkeyPatch) -> None:
    for module in (leg, inbound_leg):
        patch.setattr(module, "first_number", lambda _: 1_000)


CONNECTIONS_PLANTED: Final = {
    "the silence of a lost connection ends calls": _silence_means_something,
    "a call that ends without a connection goes on at the carrier": _no_byes_wait,
    "a new key of the other side is not taken": _the_first_key_for_ever,
    "a process that took up a call gives up at a refusal": _a_refusal_is_the_last_word,
    "the other side is not told of a new connection": _not_told_of_connections,
    "a second process has the numbers of the first": _numbers_begin_again,
}
"""Bugs that some seed has to find."""
