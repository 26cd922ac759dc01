"""Tests of idempotency keys: a repeated POST gets the first response, and is not executed again."""

import pytest

from dialer.api.http.idempotency import Attempts, PostAttempt
from dialer.resources.words.errors import ConflictError
from tests.api.harness import Caller, FakeWorker, Json


def post(caller: Caller, key: str, **fields: Json) -> Json:
    return caller.request("POST", "phonebook/", json=fields, headers={"Idempotency-Key": key})


def test_the_first_answer_is_given_again(alice: Caller) -> None:
    first = post(alice, "k1", name="friends")
    again = post(alice, "k1", name="friends")
    assert (first.status_code, again.status_code) == (201, 201)
    assert (again.content, again.headers["location"]) == (first.content, first.headers["location"])
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    assert alice.get("phonebook/")["count"] == 1


def test_a_key_belongs_to_a_user_and_a_path(alice: Caller, bob: Caller) -> None:
    post(alice, "k1", name="friends")
    assert "idempotent-replayed" not in post(bob, "k1", name="friends").headers
    headers = {"Idempotency-Key": "k1"}
    answer = alice.request("POST", "dnc-list/", json={"name": "friends"}, headers=headers)
    assert (answer.status_code, "idempotent-replayed" in answer.headers) == (201, False)


def test_the_same_key_with_another_body_is_refused(alice: Caller) -> None:
    post(alice, "k1", name="friends")
    answer = post(alice, "k1", name="enemies")
    assert (answer.status_code, answer.json()) == (422, {"detail": "This Idempotency-Key was used with another body."})
    assert alice.get("phonebook/")["count"] == 1


def test_a_refused_request_uses_no_key(alice: Caller) -> None:
    assert post(alice, "k1", name="").status_code == 400
    assert post(alice, "k1", name="friends").status_code == 201


def test_a_key_is_kept_for_a_day(alice: Caller, worker: FakeWorker) -> None:
    post(alice, "k1", name="friends")
    worker.virtual.set(worker.clock.now_ms() + 86_400_000)
    assert "idempotent-replayed" not in post(alice, "k1", name="friends").headers
    assert alice.get("phonebook/")["count"] == 2


@pytest.mark.parametrize("key", ["", "k" * 256])
def test_a_key_has_up_to_255_characters(alice: Caller, key: str) -> None:
    answer = post(alice, key, name="friends")
    assert (answer.status_code, answer.json()) == (
        400,
        {"detail": "An Idempotency-Key has 1 to 255 printable ASCII characters."},
    )
    assert post(alice, "k" * 255, name="friends").status_code == 201


def test_while_the_first_runs_another_is_refused() -> None:
    attempts = Attempts()
    attempt = PostAttempt(2, "phonebook", "k1", b"")
    with attempts.begin(attempt), pytest.raises(ConflictError), attempts.begin(attempt):
        pass
    with attempts.begin(attempt):
        pass
