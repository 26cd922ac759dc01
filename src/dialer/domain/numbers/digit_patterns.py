"""Patterns of digits: what they say of all numbers that begin alike, and not of one number only.

The patterns are those of numbering plans: regular expressions of digits, sets of digits, alternatives and counts.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

_Sequence = tuple["_Part", ...]
_Part = str | tuple[_Sequence, ...]
"""A set of digits, or alternatives."""
_PIECE: Final = re.compile(r"\(\?:|\\d|\[[0-9-]+\]|\{[0-9,]+\}|[0-9()|?$]")
_DIGITS: Final = "0123456789"
_NOTHING: Final[_Sequence] = ()
PATTERNS_KEPT_MAX: Final = 4_096
"""The plans of all countries have fewer patterns."""


class UnknownPatternError(ValueError):
    """Raised for a regular expression with syntax that phonenumbers' metadata does not use today."""


class _State:
    """A state of an automaton: the sequences that may follow. Its successors are worked out when they are first needed.

    Two threads may work out the same, which makes no difference.
    """

    __slots__ = ("is_end", "next", "sequences", "verdicts")

    def __init__(self, sequences: frozenset[_Sequence]) -> None:
        self.sequences: Final = sequences
        self.is_end: Final = any(map(_may_be_empty, sequences))
        self.next: Final[dict[str, _State]] = {}
        self.verdicts: Final[dict[int, bool | None]] = {}


class DigitPattern:
    """A pattern of digits, as an automaton.

    A `$` is ignored, so a pattern with one matches more texts than its regular expression does.
    """

    def __init__(self, text: str) -> None:
        """Read a pattern, or raise UnknownPatternError."""
        pieces = _PIECE.findall(text)
        if "".join(pieces) != text:
            raise UnknownPatternError(text)
        pieces.reverse()
        self._states: Final[dict[frozenset[_Sequence], _State]] = {}
        self._start: Final = self._state(frozenset(_alternatives(pieces)))

    def matches(self, start: str, length: int) -> bool | None:
        """Return whether all numbers of a length that begin with `start` match, or none of them; None if some do."""
        *_, state = self._walk(start)
        return self._verdict(state, length - len(start))

    def ends(self, start: str, length: int) -> frozenset[int] | None:
        """Return the places where a match of the start of a number can end; None if they are not all in `start`.

        They hold for all numbers of a length that begin with `start`.
        """
        states = list(self._walk(start))
        if any(self._verdict(states[-1], more) is not False for more in range(1, length - len(start) + 1)):
            return None
        return frozenset(place for place, state in enumerate(states) if state.is_end)

    def _walk(self, start: str) -> Iterator[_State]:
        """Yield the states before and after each digit, up to one from which no match is possible."""
        state = self._start
        yield state
        for digit in start:
            if not state.sequences:
                return
            state = self._after(state, digit)
            yield state

    def _verdict(self, state: _State, left: int) -> bool | None:
        if left == 0 or not state.sequences:
            return state.is_end
        if left not in state.verdicts:
            found = {self._verdict(self._after(state, digit), left - 1) for digit in _DIGITS}
            state.verdicts[left] = found.pop() if len(found) == 1 else None
        return state.verdicts[left]

    def _after(self, state: _State, digit: str) -> _State:
        following = state.next.get(digit)
        if following is None:
            rests = (rest for sequence in state.sequences for rest in _rests(sequence, digit))
            following = state.next[digit] = self._state(frozenset(rests))
        return following

    def _state(self, sequences: frozenset[_Sequence]) -> _State:
        return self._states.setdefault(sequences, _State(sequences))


@lru_cache(maxsize=PATTERNS_KEPT_MAX)
def digit_pattern(text: str) -> DigitPattern:
    """Return the pattern of a regular expression, which has only what the metadata of phonenumbers use."""
    return DigitPattern(text)


def _alternatives(pieces: list[str]) -> tuple[_Sequence, ...]:
    """Read alternatives up to the bracket that closes them; `pieces` are in reverse, and what was read is removed."""
    found: list[_Sequence] = []
    sequence: list[_Part] = []
    while pieces and pieces[-1] != ")":
        piece = pieces.pop()
        if piece == "|":
            found.append(tuple(sequence))
            sequence = []
        elif piece == "?":
            sequence.append(((sequence.pop(),), _NOTHING))
        elif piece.startswith("{"):
            sequence += _counted(sequence.pop(), piece)
        elif piece != "$":
            sequence.append(_part(piece, pieces))
    return (*found, tuple(sequence))


def _part(piece: str, pieces: list[str]) -> _Part:
    if piece in {"(", "(?:"}:
        inner = _alternatives(pieces)
        pieces.pop()
        return inner
    return "".join(filter(re.compile(piece).match, _DIGITS))


def _counted(part: _Part, count: str) -> Iterator[_Part]:
    """Yield a part as often as a count such as `{2,4}` says."""
    least, _, most = count.strip("{}").partition(",")
    yield from [part] * int(least)
    further: _Sequence = _NOTHING
    for _ in range(int(most or least) - int(least)):
        further = (((part, *further), _NOTHING),)
    yield from further


def _rests(sequence: _Sequence, digit: str) -> Iterator[_Sequence]:
    """Yield what may follow a digit at the start of a sequence."""
    if not sequence:
        return
    first, *others = sequence
    if isinstance(first, str):
        if digit in first:
            yield tuple(others)
    else:
        for alternative in first:
            yield from _rests((*alternative, *others), digit)


def _may_be_empty(sequence: _Sequence) -> bool:
    return all(not isinstance(part, str) and any(map(_may_be_empty, part)) for part in sequence)
