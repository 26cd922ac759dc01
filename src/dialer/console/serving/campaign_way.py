"""The way to a new campaign over a new survey: the people who were chosen before are kept while one edits it."""

from collections.abc import Mapping
from typing import Final

from litestar.datastructures import Cookie

from dialer.api.service import ApiRequest
from dialer.console.serving.sessions import COOKIE_LENGTH_MAX, cookie, cookie_of, is_secure
from dialer.resources.crud.urls import parse_id

KEPT_S: Final = 7_200
"""Time for which they are kept after the last choice."""
SURVEYS_MAX: Final = 5
"""The newest surveys whose people are kept, so that several can be edited beside each other."""
_NAME: Final = "dialer_new_campaign"


def keep_people(request: ApiRequest, survey_id: int, phonebook_id: int) -> Cookie:
    """Return the cookie that keeps the phonebook of a new campaign whose survey was just made, besides the others."""
    others = {survey: book for survey, book in _kept(request).items() if survey != survey_id}
    return _cookie(request, {**others, survey_id: phonebook_id})


def kept_people(request: ApiRequest, survey_id: int) -> int | None:
    """Return the phonebook of the new campaign that a survey was made for; None if it was made for none."""
    asked = parse_id(request.query_params.get("phonebook", ""))
    return _kept(request).get(survey_id) if asked is None else asked


def release_people(request: ApiRequest, survey_id: int | None) -> list[Cookie]:
    """Return the cookies that keep all but the people for a survey whose campaign is made; none if it has none."""
    kept = _kept(request)
    if survey_id not in kept:
        return []
    return [_cookie(request, {survey: book for survey, book in kept.items() if survey != survey_id})]


def _kept(request: ApiRequest) -> dict[int, int]:
    """Return the phonebooks that the user of a request has chosen, by survey, the oldest first."""
    user, *texts = cookie_of(request, _NAME).split(".")
    if parse_id(user) != request.user.id:
        return {}
    pairs = [text.partition("-") for text in texts[:SURVEYS_MAX]]
    found = [(parse_id(survey), parse_id(book)) for survey, _, book in pairs]
    return {survey: book for survey, book in found if survey is not None and book is not None}


def _cookie(request: ApiRequest, kept: Mapping[int, int]) -> Cookie:
    """Return the cookie with the newest of these phonebooks, as many as fit; one that is deleted without any."""
    texts = [f"{survey}-{book}" for survey, book in kept.items()][-SURVEYS_MAX:]
    while len(value := ".".join((str(request.user.id), *texts))) > COOKIE_LENGTH_MAX:
        del texts[0]
    return cookie(_NAME, value if texts else "", is_secure=is_secure(request), max_age_s=KEPT_S if texts else 0)
