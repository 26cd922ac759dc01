"""The matrix in the guide is that of the tests: it has each of their peers and cases, and nothing else."""

from tests.peers.matrix import YES, cells, shown


def test_the_guide_shows_each_peer_and_each_case_that_is_played() -> None:
    """`python -m tests.peers` writes it."""
    assert {(name, case) for name, case, word in shown() if word} == cells()
    assert {word for _, _, word in shown()} <= {YES, ""}
