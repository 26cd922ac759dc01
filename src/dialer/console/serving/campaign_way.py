"""The way to a new campaign over a new survey: the people who were chosen before are kept while one edits it."""

from typing import Final

from litestar.datastructures import Cookie

from dialer.api.service import ApiRequest
from dialer.console.serving.sessions import cookie, cookie_of, is_secure
from dialer.resources.crud.urls import parse_id

KEPT_S: Final = 7_200
"""Time for which they are kept."""
_NAME: Final = "dialer_new_campaign"


def keep_people(request: ApiRequest, survey_id: int, phonebook_id: int) -> Cookie:
    """Return the cookie that keeps the phonebook of a new campaign whose survey was just made."""
    value = f"{survey_id}.{phonebook_id}"
    return cookie(_NAME, value, is_secure=is_secure(request), max_age_s=KEPT_S)


def kept_people(request: ApiRequest, survey_id: int) -> int | None:
    """Return the phonebook of the new campaign that a survey was made for; None if it was made for none."""
    asked = parse_id(request.query_params.get("phonebook", ""))
    survey, _, phonebook = cookie_of(request, _NAME).partition(".")
    kept = parse_id(phonebook) if parse_id(survey) == survey_id else None
    return kept if asked is None else asked
