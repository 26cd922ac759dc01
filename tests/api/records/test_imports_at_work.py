"""Tests of imports that work at the same time: each user has a share."""

from threading import Thread

from dialer.api.actions.imports import IMPORTS_MAX, IMPORTS_OF_A_USER_AT_WORK, ImportsAtWork


def test_imports_of_one_user_leave_a_place_to_another() -> None:
    working, order = ImportsAtWork(), list[int]()

    def take(user_id: int) -> None:
        working.acquire(user_id)
        order.append(user_id)

    for _ in range(IMPORTS_OF_A_USER_AT_WORK):
        take(1)
    further = Thread(target=take, args=(1,))
    further.start()
    for user_id in range(2, 2 + IMPORTS_MAX - IMPORTS_OF_A_USER_AT_WORK):
        take(user_id)
    assert order == [1, 2]
    working.release(2)
    working.release(1)
    further.join(20)
    assert order == [1, 2, 1]
