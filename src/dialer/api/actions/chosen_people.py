"""Calls to people of an agent's own choice, as the API and the desk order them."""

from collections.abc import Callable
from typing import TypeVar

from dialer.api.service import ApiRequest
from dialer.app.call_centre.chosen_people import HeldBackError
from dialer.app.call_centre.held_back import keep_refusal
from dialer.resources.crud.resource import Unit

_Result = TypeVar("_Result")


async def order_call(request: ApiRequest, work: Callable[[Unit], _Result]) -> _Result:
    """Return what `work` returns, which orders a call. Of somebody whom contact rules hold back, the wait is kept.

    Raises:
        HeldBackError: they do.
    """
    try:
        return await request.service.write(request, work)
    except HeldBackError as error:
        held = error
        await request.service.write(request, lambda unit: keep_refusal(unit, held, str(unit.conventions.zone)))
        raise
