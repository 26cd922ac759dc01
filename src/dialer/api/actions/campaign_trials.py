"""Trials of campaigns for the API and the console: what is asked for, the order, and what came of it."""

import secrets
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, select

from dialer.api.service import ApiRequest
from dialer.app.accounts.own_telephones import type_code
from dialer.app.campaigns.campaign_trials import CampaignTrial, CodeMessage, begin_trial
from dialer.app.campaigns.trial_calls import TrialRules, wanted_number
from dialer.app.campaigns.trial_progress import TrialView, newest_trial, stop_trials
from dialer.domain.messages.confirmation_codes import CODE_DIGITS, CODE_PLACE
from dialer.domain.words.roles import Permission
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.declaration import writable
from dialer.resources.crud.fields import Boolean, PhoneNumber, Text
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given, parse_whole, request_shape
from dialer.resources.records.campaign_life import new_code
from dialer.resources.words.errors import InvalidError, RecordNotFoundError
from dialer.store.tables import Campaign

Seen = Callable[[Unit], ColumnElement[bool]]
"""Returns the condition that a campaign may be tried, or looked at, by the caller."""

OwnTestAsked: Final = request_shape(
    "OwnTestAsked",
    {
        "number": writable(PhoneNumber(), "Your own telephone, with its country code."),
        "any_hour": writable(
            Boolean(),
            "True if it is your own telephone, as confirmed by a code, and wants the test also outside of the calling"
            " hours. Over a simulated carrier, it is the `telephone` of your settings.",
            default=False,
        ),
        "send_code": writable(
            Boolean(),
            "True to have a code sent to the telephone instead of the test: it is spoken, or sent as a text. Only a"
            " telephone of which its user has given the code gets tests over a real carrier, unless an admin asks.",
            default=False,
        ),
        "code": writable(
            Text(20),
            "The code of six digits that was sent to this number: it confirms that the telephone is your own, and the"
            " test begins. It may be given within 15 minutes, and five times.",
            default="",
            example="042137",
        ),
    },
    "The telephone that a test of a campaign reaches.",
)


class CodeWords(NamedTuple):
    """The words of a message with a code, in the language of whoever gets it."""

    text: str = "Your code is %(code)s. If you did not ask for it, do nothing."
    title: str = "Confirmation code"


IN_ENGLISH: Final = CodeWords()


async def begin(
    request: ApiRequest, campaign_id: int, seen: Seen, given: Given, words: CodeWords = IN_ENGLISH
) -> tuple[str, ...]:
    """Try a campaign with a telephone, or send it a code; return the names of fields that were ignored.

    Raises:
        InvalidError: a field has a wrong value.
        InvalidFieldsError: the number may not be called by a test, or the campaign lacks what a start needs.
        RecordNotFoundError: there is no such campaign, or the caller may not see it.
        RefusedError: the number may not be called, or not now.
    """
    service = request.service
    parsed = parse_whole(OwnTestAsked, given, service.conventions(request))
    if parsed.errors:
        raise InvalidError(parsed.errors)
    values: dict[str, Any] = parsed.values

    message = _code_message(words) if values["send_code"] else None
    if values["code"] and message is None:
        await _confirm(request, campaign_id, seen, values)

    def work(unit: Unit) -> int:
        _check_seen(unit, campaign_id, seen)
        asked = campaign_id, values["number"], values["any_hour"], unit.actor.id, new_code(unit)
        order = CampaignTrial(*asked, reaches_anybody=request.user.may(Permission.ADMIN), message=message)
        return begin_trial(unit, order, rules_of(unit))

    await service.write(request, work)
    return parsed.ignored


async def _confirm(request: ApiRequest, campaign_id: int, seen: Seen, values: Mapping[str, Any]) -> None:
    """Confirm a number by its code. A wrong code is counted, so this is a unit of work of its own.

    Raises:
        InvalidError: it is not the code.
    """

    def work(unit: Unit) -> Sentence | None:
        _check_seen(unit, campaign_id, seen)
        number = wanted_number(values["number"], rules_of(unit).region)
        return type_code(unit, unit.actor.id, number, "".join(filter(str.isdecimal, values["code"])))

    wrong = await request.service.write(request, work)
    if wrong is not None:
        raise InvalidError({"code": [wrong]})


def _code_message(words: CodeWords) -> CodeMessage:
    code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"
    return CodeMessage(code, words.text % {"code": CODE_PLACE}, words.title)


async def look(request: ApiRequest, campaign_id: int, seen: Seen) -> TrialView | None:
    """Return the newest trial of a campaign; None if there was none.

    Raises:
        RecordNotFoundError: there is no such campaign, or the caller may not see it.
    """

    def read(unit: Unit) -> TrialView | None:
        _check_seen(unit, campaign_id, seen)
        return newest_trial(unit.connection, campaign_id, unit.now_ms, rules_of(unit))

    return await request.service.read(request, read)


async def stop(request: ApiRequest, campaign_id: int, seen: Seen) -> None:
    """Hang up the trial of a campaign, or take it back.

    Raises:
        RecordNotFoundError: there is no such campaign, or the caller may not see it.
    """

    def work(unit: Unit) -> None:
        _check_seen(unit, campaign_id, seen)
        stop_trials(unit, Campaign.id == campaign_id)

    await request.service.write(request, work)


def rules_of(unit: Unit) -> TrialRules:
    """Return the rules by which a number is judged."""
    conventions = unit.conventions
    return TrialRules(conventions.region, str(conventions.zone), conventions.hours)


def _check_seen(unit: Unit, campaign_id: int, seen: Seen) -> None:
    if unit.connection.scalar(select(Campaign.id).where(Campaign.id == campaign_id, seen(unit))) is None:
        raise RecordNotFoundError("There is no such campaign, or it is not yours.")
