"""Places for streams that are open for long: a number for all, and a share of it for each account and each user."""

import weakref
from collections import Counter
from http import HTTPStatus
from typing import Final, Self

from dialer.resources.words.errors import AnsweredError


class StreamPlace:
    """One of the limited places for streams, free again when released or when nobody refers to it.

    So the place of an answer that never begins is not lost.
    """

    def __init__(self, taken: Counter[object], keys: tuple[object, ...]) -> None:
        taken.update(keys)
        self.release: Final = weakref.finalize(self, taken.subtract, keys)
        """Free the place; a second time does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


class StreamPlaces:
    """The places of one kind of streams in a process. Looking for a free one and taking it are one step."""

    def __init__(self, most: int, of_account_most: int, of_user_most: int, refusal: str) -> None:
        self._most: Final = most
        self._of_account_most: Final = of_account_most
        self._of_user_most: Final = of_user_most
        self._refusal: Final = refusal
        self._taken: Final[Counter[object]] = Counter()

    def take(self, account_id: int, user_id: int) -> StreamPlace:
        """Take a place for a user of an account.

        Raises:
            AnsweredError: 429; all places, or those of the account or the user, are taken.
        """
        account, user = ("account", account_id), ("user", user_id)
        most = {"all": self._most, account: self._of_account_most, user: self._of_user_most}
        if any(self._taken[key] >= limit for key, limit in most.items()):
            raise AnsweredError(HTTPStatus.TOO_MANY_REQUESTS, self._refusal)
        return StreamPlace(self._taken, tuple(most))
