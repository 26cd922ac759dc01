"""A wish in memory holds for its number with the country and without, and says whether the number is only held."""

import pytest

from dialer.domain.calls.effects import KeepWish
from dialer.domain.calls.plans import Subscriber
from dialer.domain.engine.called_off import CalledOff, lists_of_wish
from dialer.domain.words.proof import Proof, WishSource
from dialer.runtime.steps.guard_own_wishes import UtteredWishes
from dialer.store.queries.do_not_call import NumberOnList
from tests.domain.workers import plan

IN_FULL, BARE = "+12025551000", "2025551000"
PAIRS = [(IN_FULL, IN_FULL), (IN_FULL, BARE), (BARE, IN_FULL), (BARE, f"0{BARE}")]
PLAN = plan()


def wish_of(number: str, *, is_held: bool = False) -> KeepWish:
    return KeepWish(PLAN.user_id, None, number, Proof(WishSource.KEY), is_held=is_held)


@pytest.mark.parametrize(("wished", "number"), PAIRS)
@pytest.mark.parametrize("is_held", [False, True])
def test_a_wish_holds_with_the_country_and_without(wished: str, number: str, *, is_held: bool) -> None:
    called_off, person = CalledOff(), Subscriber(id=1, number=number, zone="")
    called_off.add(wish_of(wished, is_held=is_held))
    assert called_off.has(PLAN, number, 0)
    assert called_off.is_held(PLAN, person, 0) is is_held
    assert not called_off.has(PLAN, "+12025551001", 0)


@pytest.mark.parametrize(("wished", "number"), PAIRS)
def test_the_guard_knows_the_same_wishes(wished: str, number: str) -> None:
    """A number that was listed before its dial is not explained by a wish of somebody else."""
    wishes, wish = UtteredWishes(), wish_of(wished)
    assert not wishes.hold_for(PLAN, number)
    wishes.add(wish)
    listed = {NumberOnList(7, one, number) for one in lists_of_wish(wish)}
    assert wishes.hold_for(PLAN, number)
    assert wishes.explain(listed)
    assert not wishes.hold_for(PLAN, "+12025551001")
    assert not wishes.explain(listed | {NumberOnList(7, 1, "+12025551001")})


def test_a_wish_kept_on_the_own_list_of_another_account_explains_why_its_number_is_there() -> None:
    """A campaign may name such a list. Its wishes have the id of the list, and the list has the account's name."""
    wishes = UtteredWishes()
    wishes.add(KeepWish(PLAN.user_id, 7, IN_FULL, Proof(WishSource.TEXT)))
    own_of_another = lists_of_wish(KeepWish(PLAN.user_id + 1, None, IN_FULL, Proof(WishSource.TEXT)))[0]
    assert wishes.explain({NumberOnList(7, own_of_another, IN_FULL)})
    assert not wishes.explain({NumberOnList(8, own_of_another, IN_FULL)})
