"""People whose numbers are on do-not-call lists of an account, before any campaign is there that would call them."""

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import Connection, exists, select

from dialer.domain.numbers.listed_forms import has_no_country
from dialer.store.queries.do_not_call import FORMS_ASKED_MAX, entries_against, is_in_another_form
from dialer.store.tables import ACCOUNT, HELD, DncContact, DncList


class ListedNumbers(NamedTuple):
    """Numbers on do-not-call lists: on lists for all campaigns of the account, or only on others."""

    for_all: frozenset[str] = frozenset()
    for_some: frozenset[str] = frozenset()


def listed_of_account(connection: Connection, user_id: int, numbers: Collection[str]) -> ListedNumbers:
    """Return which of the numbers, in normal form, are on do-not-call lists of an account or of the service.

    The list of simulated people counts for nobody, and lists that people made hold only for campaigns that name them.
    """
    for_all = (DncList.user_id == user_id) & DncList.keeps_wishes_of.in_((ACCOUNT, HELD)) | DncList.is_global
    for_some = (DncList.user_id == user_id) & (DncList.keeps_wishes_of == "")
    rows = connection.execute(select(DncList.id, for_all).where(for_all | for_some)).all()
    if not rows or not numbers:
        return ListedNumbers()
    holds = {dnc_id: bool(is_for_all) for dnc_id, is_for_all in rows}
    pairs = _pairs(connection, list(holds), numbers)
    never = frozenset(number for dnc_id, number in pairs if holds[dnc_id])
    return ListedNumbers(never, frozenset(number for _, number in pairs) - never)


def _pairs(connection: Connection, dnc_ids: Collection[int], numbers: Collection[str]) -> set[tuple[int, str]]:
    """Return the lists that have some of the numbers, as pairs of list and number.

    Other forms of the numbers are worked out only if a list has such entries, as that takes most of the time.
    """
    of_lists = DncContact.dnc_id.in_(dnc_ids)
    has_forms = connection.scalar(select(exists().where(of_lists, is_in_another_form(DncContact.number))))
    in_full = [number for number in numbers if not has_no_country(number)]
    if has_forms or len(in_full) < len(numbers):
        return set(entries_against(connection, dnc_ids, numbers))
    found: set[tuple[int, str]] = set()
    for start in range(0, len(in_full), FORMS_ASKED_MAX):
        asked = DncContact.number.in_(in_full[start : start + FORMS_ASKED_MAX])
        found.update((row.dnc_id, row.number) for row in connection.execute(_ENTRIES.where(of_lists, asked)))
    return found


_ENTRIES = select(DncContact.dnc_id, DncContact.number)
