from dialer.api.http.throttle import FAILURES_MAX, SUBJECTS_MAX, Throttle


def test_the_table_of_failures_is_bounded() -> None:
    throttle = Throttle(lambda: 0.0)
    for _ in range(FAILURES_MAX):
        throttle.failed("user first")
    assert throttle.retry_after_s("user first") == 300
    for number in range(SUBJECTS_MAX):
        throttle.failed(f"user {number}")
    assert throttle.retry_after_s("user first") == 0


def test_one_subject_of_several_is_enough() -> None:
    throttle = Throttle(lambda: 0.0)
    for _ in range(FAILURES_MAX):
        throttle.failed("address 10.0.0.1")
    assert throttle.retry_after_s("user alice", "address 10.0.0.1") == 300
    assert throttle.retry_after_s("user alice", "address 10.0.0.2") == 0
