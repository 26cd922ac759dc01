"""Planted bugs of manual dials, which the fault simulator must find: of the request, and of the dial that follows."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from dialer.app.call_centre import chosen_people
from dialer.domain.engine.dialling import CampaignDialling
from dialer.domain.engine.hopper import Hopper
from dialer.domain.engine.person_verdicts import PersonVerdicts
from dialer.domain.rules.dial_rules import ALLOWED, Never
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.moments import NEVER_MS
from dialer.domain.words.reasons import SubscriberReason, WaitsFor
from tests.runtime.broken import Wrapped, wrap
from tests.vopr.planted import Planted

Patch = pytest.MonkeyPatch


def _is_accepted(reason: WaitsFor) -> Callable[[Patch], None]:
    """Return a function that lets agents order a dial which must be refused for this reason."""

    def plant(patch: Patch) -> None:
        patch.setattr(chosen_people, "_GOES_ON", chosen_people._GOES_ON | {reason})  # noqa: SLF001 - as all below

    return plant


def _is_dialled(reason: SubscriberReason) -> Callable[[Patch], None]:
    """Return a function that dials whom an agent wants to call, whatever has forbidden it since."""

    def plant(patch: Patch) -> None:
        def around(verdict: Wrapped) -> Wrapped:
            def judged(self: PersonVerdicts, campaign: Any, person: Any, *rest: Any) -> Any:  # noqa: ANN401 - as `of`
                found = verdict(self, campaign, person, *rest)
                return ALLOWED if found == Never(reason) and person.id in campaign.offered else found

            return judged

        wrap(patch, PersonVerdicts, "of", around)

    return plant


def _windows_are_not_judged_again(patch: Patch) -> None:
    def around(dial: Wrapped) -> Wrapped:
        def at_any_hour(*arguments: Any) -> bool:  # noqa: ANN401 - as `_dial_wanted`
            with pytest.MonkeyPatch.context() as once:
                once.setattr(Hopper, "is_open", lambda *_: True)
                is_dialled: bool = dial(*arguments)
            return is_dialled

        return at_any_hour

    wrap(patch, CampaignDialling, "_dial_wanted", around)


def _money_is_not_counted_again(patch: Patch) -> None:
    def around(dial: Wrapped) -> Wrapped:
        def rich(self: CampaignDialling, campaign: Any, *rest: Any) -> bool:  # noqa: ANN401 - as `_dial_wanted`
            account = self._accounts[campaign.plan.user_id]
            balance, account.balance = account.balance, 10**12
            is_dialled: bool = dial(self, campaign, *rest)
            account.balance = balance
            return is_dialled

        return rich

    wrap(patch, CampaignDialling, "_dial_wanted", around)


def _at_once(is_stopped: Callable[[Any, int], bool]) -> Callable[[Patch], None]:
    """Return a function that dials whom an agent wants to call, although the gateway is stopped in this way."""

    def plant(patch: Patch) -> None:
        def around(consider: Wrapped) -> Wrapped:
            def considered(self: CampaignDialling, campaign: Any, now_ms: int) -> None:  # noqa: ANN401 - as `consider`
                gateway = self._gateways[campaign.plan.gateway_id]
                is_full = 0 < campaign.plan.max_aleg <= campaign.places_taken
                may_dial = campaign.status is CampaignStatus.START and not is_full
                wanted = self._previews.wanted(campaign) if campaign.wanted else None
                if wanted is not None and may_dial and is_stopped(gateway, now_ms):
                    self._dial_wanted(campaign, gateway, wanted, now_ms)
                consider(self, campaign, now_ms)

            return considered

        wrap(patch, CampaignDialling, "consider", around)

    return plant


def _has_no_channel(gateway: Any, _now_ms: int) -> bool:  # noqa: ANN401 - the load of a gateway
    return bool(gateway.channels <= gateway.in_progress)


def _has_no_turn(gateway: Any, now_ms: int) -> bool:  # noqa: ANN401 - the load of a gateway
    return bool(now_ms < gateway.free_at_ms(now_ms) < NEVER_MS)


MANUAL_PLANTED: Final = (
    Planted("agents may order dials outside of the window", _is_accepted(WaitsFor.WINDOW), 27),
    Planted("agents may order dials to numbers on a list", _is_accepted(WaitsFor.DNC), 84),
    Planted("agents may order dials without money", _is_accepted(WaitsFor.NO_CREDIT), 84),
    Planted("agents may order dials to forbidden destinations", _is_accepted(WaitsFor.DESTINATION), 27),
    Planted("a window that closes does not stop a manual dial", _windows_are_not_judged_again, 27),
    Planted("a new entry of a list does not stop a manual dial", _is_dialled(SubscriberReason.DNC), 29),
    Planted("money that is gone does not stop a manual dial", _money_is_not_counted_again, 84),
    Planted("manual dials ignore max_channels", _at_once(_has_no_channel), 81),
    Planted("manual dials ignore max_cps", _at_once(_has_no_turn), 84),
    Planted("a new limit of destinations does not stop a manual dial", _is_dialled(SubscriberReason.DESTINATION), 27),
)
"""Bugs that only worlds find in which agents dial by hand."""
