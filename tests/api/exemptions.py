"""Rules of the service that no JSON schema can state, and spellings that it accepts beside those of its schemas."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import jsonschema_rs
from schemathesis.core.jsonschema import make_validator
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.transport import Response

from tests.api.documented import AnyCase
from tests.api.harness import Json


class Exemption(NamedTuple):
    """An error that a request may get although the document allows it: its field, its message, and the reason."""

    field: str
    """A regular expression of names of fields; the whole name matches."""
    message: str
    """A regular expression of the start of the message."""
    reason: str


ROW: Final = "It depends on other records."
FIELDS: Final = "It is a rule across fields."
TEXT: Final = "It is about the syntax or the meaning of a text, beyond regular expressions."
NOW: Final = "It depends on the time."
STATE: Final = "It depends on the state of the record."
EXEMPTIONS: Final = (
    Exemption(r".*", r"Invalid hyperlink - Object does not exist\.", ROW),
    Exemption(r"keys", r"The section has a branch for ", ROW),
    Exemption(r"agent", r"The agent is in the queue already", ROW),
    Exemption(r"prefix", r"The user has a rate for the prefix ", ROW),
    Exemption(r"username", r"There is a user ", ROW),
    Exemption(r"duplicate_contact", r"The campaign has a subscriber with the number ", ROW),
    Exemption(r"phone_number", r".* is on the list already\.", ROW),
    Exemption(r"did_number", r".* is a DID already\.", ROW),
    Exemption(r"manager|user", r"Still used by ", ROW),
    Exemption(r"dial_method", r".* need a survey that transfers calls to a queue\.", ROW),
    Exemption(r"code", r"No code is awaited for this number|This is not the code", ROW),
    Exemption(r"volumes", r"Give the calls that you expect, or a campaign: not both\.", FIELDS),
    Exemption(r"volumes", r".*", TEXT),
    Exemption(r"talk_time", r"Agents took no call of the queue yet", ROW),
    Exemption(r"campaign", r"There is no such campaign, or|The campaign does not lead to|No forecast with calls", ROW),
    Exemption(r".*_(after|before|min|max)", r"This is (above|below) ", FIELDS),
    Exemption(r"limit", r"This field is required\.|Ensure this value is greater than or equal to 1\.", FIELDS),
    Exemption(r"country", r".* is no ISO 3166 code of a country\.", TEXT),
    Exemption(r"state", r"A state needs a country\.|.* is no state that is known there\.", FIELDS),
    Exemption(r"until_date", r"It is before from_date\.", FIELDS),
    Exemption(r"max_number", r"Ensure this value is greater than or equal to min_number\.", FIELDS),
    Exemption(r"expirationdate", r".* is not after startingdate", FIELDS),
    Exemption(r"first_day|last_day", r".* is before .*\. Choose a later day\.|Ask for at most 92 days\.", FIELDS),
    Exemption(r"recipients", r"Give at least one address of mail, or tell webhooks\.", FIELDS),
    Exemption(r"campaign", r"Choose a campaign: ", FIELDS),
    Exemption(r"sent_as", r"Rows of people do not stand in mails\.|A link cannot open this report\.", FIELDS),
    Exemption(r"monday", r"Choose at least one day of the week\.", FIELDS),
    Exemption(r"duplicate_contact", r"This field is required\.", FIELDS),
    Exemption(r"default_region", r"This field is required\.", "A change of own settings names at least one of them."),
    Exemption(r"non_field_errors", r"Give at least one filter\.", FIELDS),
    Exemption(r"non_field_errors", r"Give either seconds, to or next\.", FIELDS),
    Exemption(r"next", r"Nothing is due: ", STATE),
    Exemption(r"password", r"This password is too easy to guess", TEXT),
    Exemption(r"target_url", r"Use an address such as https://example\.com/events\.", TEXT),
    Exemption(r"target_url", r"The address must not hold a password\.", TEXT),
    Exemption(
        r"target_url",
        r"The name .* has no address\.|.* leads to no public address of another machine\.|The addresses of the name ",
        TEXT,
    ),
    Exemption(r"campaign_id", r"The agent serves no queue of this|The campaign does not let agents dial", STATE),
    Exemption(r"types", r"\".*\" is not a type of events\.", TEXT),
    Exemption(r"parameters", r".*: Unknown key\.", "The protocol of the gateway decides which keys there are."),
    Exemption(
        r"username|scopes|user|contact|survey|campaign|expirationdate", r"This field may not be changed\.", STATE
    ),
    Exemption(r"status", r"A new subscriber cannot have status ", "A change may set it, depending on the old one."),
    Exemption(r"manager", r"A user cannot be their own manager\.", STATE),
    Exemption(r"user", r"The campaign has been started, so its user may not be changed\.", STATE),
    Exemption(r"text_message", r"The text is empty\. Set the text to send\.", STATE),
    Exemption(r"expirationdate", r".* is in the past\.|The campaign has expired\.", NOW),
    Exemption(r"to", r".* is before the time of the clock|One request advances the clock", NOW),
    Exemption(
        r"search", r'".*" has neither a letter nor a digit\.', "Patterns cannot name the letters of all scripts."
    ),
    Exemption(r"additional_vars|parameters|fields", r"JSON parse error", "The text must be JSON."),
    Exemption(r"fields", r"Agents of the campaign fill in no column", "It depends on the campaign of the call."),
    Exemption(
        r"tz_code|timezone|time_zone", r".* is not a time zone\.", "The zones are those of the installed database."
    ),
    Exemption(r"allowed_callerids|number|callerid", r".* is not a possible phone number\.", "Numbering plans decide."),
    Exemption(r".*", r".* is an emergency number\.", "Numbering plans decide."),
    Exemption(r"ordering", r"A field is given twice\.", TEXT),
    Exemption(r"detail", r"The form has two parts of the same name\.", "A JSON schema of a form has unique names."),
    Exemption(r"columns", r".*(is no pair|cannot be read|is named twice|are read as)", TEXT),
    Exemption(r"detail", r"The first line must name the columns", TEXT),
    Exemption(r"detail", r"The header (cannot be read|has no column )", TEXT),
    Exemption(
        r"audio_file", r"(An MP3, WAV .* is needed|This is a.* without sound)", "It is about the bytes of a file."
    ),
    Exemption(
        r".*", r"(This field is unknown or read-only|Unknown parameter)\.", "The header `Prefer` asks for this check."
    ),
    Exemption(
        r".*",
        r"Ensure that there are no more than 5 decimal places\.|A valid number of seconds is required",
        "`multipleOf: 0.00001` refuses 1.1 in clients that divide binary fractions.",
    ),
)
_OTHERS: Final = (ParameterLocation.PATH, ParameterLocation.QUERY, ParameterLocation.HEADER)


def unexcused(answer: Response) -> list[tuple[str, str]]:
    """Return the problems of a 400 that no exemption excuses, each with its field."""
    return [
        (field, message)
        for field, message in _problems(answer.json())
        if not any(re.fullmatch(one.field, field) and re.match(one.message, message) for one in EXEMPTIONS)
    ]


def _problems(body: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """Yield each field with each of its messages. `detail` holds one text."""
    for field, messages in body.items():
        for message in [messages] if isinstance(messages, str) else messages:
            yield field, message


def is_accepted_spelling(case: AnyCase, answer: Response) -> bool:
    """Return whether an accepted body is invalid only in spellings that clients of this family send.

    These are numbers and truth values as texts, numbers for texts, empty texts for null, one value for a list.
    """
    alternative = case.operation.get_body_for_media_type(case.media_type) if case.media_type else None
    if answer.status_code >= 300 or alternative is None or not isinstance(case.body, dict):
        return False
    meta = case.meta
    if meta is None or any(meta.is_negative_at(place) for place in _OTHERS):
        return False
    validator = make_validator(alternative.optimized_schema, case.operation.schema.adapter.jsonschema_validator_cls)
    body = dict(case.body)
    for name, value in case.body.items():
        body[name] = next((one for one in _readings(value) if _fits(validator, body, name, one)), value)
    return validator.is_valid(body)


def _fits(validator: jsonschema_rs.Validator, body: dict[str, Json], name: str, value: Json) -> bool:
    return all(error.instance_path[:1] != [name] for error in validator.iter_errors({**body, name: value}))


def _readings(value: Json) -> Iterator[Json]:
    """Yield a value as it is, and as the service may read it."""
    yield value
    if value in ("", 0, 1):
        yield {"": None, 0: False, 1: True}[value]
    if isinstance(value, str):
        yield from _parsed(value)
        yield [part.strip() for part in value.split(",")] if value.strip() else []
    elif isinstance(value, (int, float)):
        yield str(value)
    yield [value]


def _parsed(text: str) -> Iterator[Json]:
    """Yield the number or the truth value that a text holds."""
    try:
        yield json.loads(text.strip().removeprefix("+").lower())
    except ValueError:
        return
