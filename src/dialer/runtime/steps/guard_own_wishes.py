"""The wishes not to be called that the guard has seen, and the numbers for which they hold."""

from collections.abc import Iterable

from dialer.domain.calls.effects import KeepWish
from dialer.domain.calls.plans import CampaignPlan
from dialer.domain.engine.called_off import lists_of_wish, lists_over
from dialer.domain.numbers.listed_forms import has_no_country, listed_forms
from dialer.store.queries.do_not_call import NumberOnList


class UtteredWishes:
    """Numbers with the lists that keep their wishes. A wish holds for its number with its country and without."""

    def __init__(self) -> None:
        self._numbers: set[tuple[int, str]] = set()
        self._has_national = False

    def add(self, wish: KeepWish) -> None:
        """Add a wish not to be called to the numbers that no dial may reach."""
        self._numbers.update((dnc_id, wish.number) for dnc_id in lists_of_wish(wish))
        self._has_national = self._has_national or has_no_country(wish.number)

    def hold_for(self, plan: CampaignPlan, number: str) -> bool:
        """Return whether a wish keeps a campaign from calling a number."""
        is_plain = number[:1] == "+" and not self._has_national
        forms = (number,) if is_plain else listed_forms(number)
        return any((dnc_id, form) in self._numbers for dnc_id in lists_over(plan) for form in forms)

    def explain(self, listed: Iterable[NumberOnList]) -> bool:
        """Return whether wishes put each number on its list: they may have been uttered after it was dialled.

        A campaign of another account may name an account's own list, whose wishes then have its id.
        """
        return all(self._has_put(one) for one in listed)

    def _has_put(self, listed: NumberOnList) -> bool:
        forms = (listed.number, *listed_forms(listed.number))
        return any((name, form) in self._numbers for name in (listed.name, listed.dnc_id) for form in forms)
