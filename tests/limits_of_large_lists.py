"""Limits of large lists and of columns that agents fill in, as `docs/reference/limits.md` must have them."""

from typing import Final

from dialer.app.call_centre import drafts
from dialer.console.lists import list_readers, list_reading, list_tasks
from dialer.domain.calls import agent_fields
from dialer.domain.numbers import several_numbers
from dialer.store.media import kept_lists

LIMITS_OF_LARGE_LISTS: Final = {
    "Columns that the agents of a campaign fill in (`agent_fields`); values to choose from; a value": (
        f"{agent_fields.FIELDS_MAX}; {agent_fields.CHOICES_MAX}; {agent_fields.VALUE_MAX} characters"
    ),
    "Columns of the contact in the draft of a call, with those that the campaign names no longer": str(
        drafts.COLUMNS_MAX
    ),
    "A cell of a list that is searched for numbers": f"{several_numbers.TEXT_MAX:,} characters",
    "A list that the console reads while the browser waits": f"{list_reading.IN_REQUEST_BYTES_MAX // 1024**2} MiB",
    "Lists that the console reads at the same time; of one user": (
        f"{list_readers.READINGS_MAX}; {list_readers.READINGS_OF_A_USER_MAX}"
    ),
    "Large lists that the console reads; of one user": f"{list_tasks.TASKS_MAX}; {list_tasks.TASKS_OF_A_USER_MAX}",
    "Time for which nobody asks for the progress of a check": f"{list_tasks.UNWATCHED_S_MAX} s",
    "Large lists whose outcome is kept in memory": str(list_tasks.KEPT_MAX),
    "Lists that one user has uploaded and not imported yet": (
        f"{kept_lists.KEPT_OF_A_USER_MAX} for {kept_lists.KEPT_S // 3_600} hours,"
        f" {kept_lists.KEPT_BYTES_OF_A_USER_MAX // 1024**2} MiB"
    ),
}
