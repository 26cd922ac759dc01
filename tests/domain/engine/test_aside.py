"""Tests of the people who wait for skills: nobody's line keeps others from being called."""

from typing import Final

from dialer.domain.calls.plans import Subscriber
from dialer.domain.engine.aside import ASIDE_MAX, SETS_MAX, Aside, SkillWish

SPANISH: Final = SkillWish(((1, frozenset({"spanish"})),))


def basque(dialect: int = 0) -> SkillWish:
    """Return one of many wishes."""
    return SkillWish(((1, frozenset({f"basque {dialect}"})),))


def test_the_line_of_one_set_of_skills_takes_no_place_of_another() -> None:
    aside = Aside()
    for one in range(ASIDE_MAX):
        aside.add(Subscriber(one, f"+{one}", ""), basque())
    another = Subscriber(ASIDE_MAX, "+1", "")
    assert not aside.has_room(another, basque(), is_served=True)
    assert aside.has_room(another, SPANISH, is_served=True)


def test_skills_that_nobody_has_leave_half_of_the_lines_to_others() -> None:
    aside = Aside()
    for one in range(SETS_MAX // 2):
        assert aside.has_room(Subscriber(one, f"+{one}", ""), basque(one), is_served=False)
        aside.add(Subscriber(one, f"+{one}", ""), basque(one))
    another = Subscriber(SETS_MAX, "+1", "")
    assert not aside.has_room(another, basque(SETS_MAX), is_served=False)
    assert aside.has_room(another, basque(0), is_served=False)
    assert aside.has_room(another, SPANISH, is_served=True)


def test_a_person_whom_an_agent_has_promised_to_call_has_room_in_a_full_line() -> None:
    aside = Aside()
    for one in range(ASIDE_MAX):
        aside.add(Subscriber(one, f"+{one}", ""), SPANISH)
    late = Subscriber(ASIDE_MAX, "+1", "", due_ms=5, promised_agent_id=7, promised_until_ms=10)
    assert aside.has_room(late, SPANISH, is_served=False)
    aside.add(late, SPANISH)
    assert aside.first({""}, lambda wish: wish == SPANISH) is late


def test_people_come_in_the_order_of_the_hopper_and_one_whom_nobody_calls_is_gone() -> None:
    aside = Aside()
    fresh, retry, other = Subscriber(1, "+1", ""), Subscriber(2, "+2", "", due_ms=9), Subscriber(3, "+3", "", due_ms=8)
    for person, wish in ((fresh, SPANISH), (retry, SPANISH), (other, basque())):
        aside.add(person, wish)
    assert aside.first({""}, lambda _: True) is other
    assert aside.first({""}, lambda wish: wish == SPANISH) is retry
    assert aside.first({"Europe/Paris"}, lambda _: True) is None
    aside.discard_number("+2")
    aside.discard(3)
    assert aside.first({""}, lambda _: True) is fresh
    assert (list(aside.people), aside.zones()) == ([1], {""})
