"""Limits that keep accounts apart, as the page of limits must have them."""

from typing import Final

from dialer.api import service
from dialer.api.actions import forecast, imports
from dialer.api.actions import webhook_sender as sender
from dialer.api.http import event_streams, refusal_pace, request_shares
from dialer.app.accounts import own_telephones
from dialer.app.campaigns import campaign_trials, delete
from dialer.app.contacts import consents
from dialer.console.serving import live_parts
from dialer.domain.credentials import webhook_secrets
from dialer.forecast import what_if_queue
from dialer.resources.crud import preparing
from dialer.webhooks import checked_session, deliverer, names

_HOUR_MS: Final = 3_600_000

LIMITS_OF_ACCOUNTS: Final = {
    "Consents of one number that an account has": str(consents.CONSENTS_OF_NUMBER_MAX),
    "Requests that are worked on at a time; those of one account": (
        f"{request_shares.REQUESTS_AT_ONCE}; {request_shares.REQUESTS_OF_ACCOUNT}"
    ),
    "Such requests that wait, each up to 20 s; those of one account": (
        f"{request_shares.REQUESTS_WAITING:,}; {request_shares.REQUESTS_WAITING_OF_ACCOUNT}"
    ),
    "Requests with bodies over 64 KiB, beside the others: at a time; of one account; that wait; of one account": (
        f"{request_shares.REQUESTS_AT_ONCE}; {request_shares.REQUESTS_OF_ACCOUNT};"
        f" {request_shares.UPLOADS_WAITING}; {request_shares.UPLOADS_WAITING_OF_ACCOUNT}"
    ),
    "Refusals of one account or address that are answered at once": (
        f"{refusal_pace.PROMPT_REFUSALS}, and one more each {refusal_pace.REFUSAL_EVERY_S} s"
    ),
    "Answers to refused requests that wait": f"{request_shares.DELAYED_MAX:,}",
    "Requests of one account to `POST /rest-api/apply/` at the same time": "1",
    "Such requests that are worked on at the same time; those of further accounts that wait": (
        f"{service.APPLIED_AT_ONCE}; {service.APPLIES_WAITING_MAX}"
    ),
    "Imports that work at the same time; of one user": f"{imports.IMPORTS_MAX}; {imports.IMPORTS_OF_A_USER_AT_WORK}",
    "Forecasts of one user at the same time; of the users of one account": f"1; {forecast.OF_ACCOUNT_MAX}",
    "Forecasts that run at the same time; those of one account": (
        f"{forecast.RUNNING_MAX}; {forecast.RUNNING_OF_ACCOUNT_MAX}"
    ),
    "Comparisons at the same time; those that wait for their turn; both of one account": (
        f"{what_if_queue.RUNNING_MAX}; {what_if_queue.WAITING_MAX}; {what_if_queue.OF_ACCOUNT_MAX}"
    ),
    "Users who wait for a forecast, each up to 50 s": str(forecast.WAITING_MAX),
    "Requests to receivers of webhooks at a time; those of one account": (
        f"{deliverer.REQUESTS_MAX}; {deliverer.REQUESTS_OF_ACCOUNT_MAX}"
    ),
    "Test events of one account at a time": str(sender.TESTS_OF_ACCOUNT_MAX),
    "Test events at a time; those that wait": f"{sender.TESTS_AT_ONCE}; {sender.TESTS_WAITING_MAX}",
    "Time for the addresses of a receiver's name": (
        f"{names.NAME_S:.0f} s; then the name is slow for {names.SLOW_S:.0f} s"
    ),
    "Names that are looked up at a time; those of one account": (
        f"{checked_session.NAMES_AT_ONCE}; {checked_session.NAMES_OF_ACCOUNT_AT_ONCE}"
    ),
    "Webhooks, or users, of one account that are saved at a time; those that wait": (
        f"{preparing.PREPARED_OF_ACCOUNT_AT_ONCE}; {preparing.WAITING_OF_ACCOUNT_MAX}"
    ),
    "Older secrets of a webhook that still sign": (
        f"{webhook_secrets.OLD_SECRETS_MAX}, each for {webhook_secrets.OLD_SECRET_MS // _HOUR_MS} hours"
    ),
    "Streams of events; those of one account": f"{event_streams.STREAMS_MAX}; {event_streams.STREAMS_OF_ACCOUNT_MAX}",
    "Streams of desks; those of one account": (
        f"{live_parts.DESK_STREAMS_MAX}; {live_parts.DESK_STREAMS_OF_ACCOUNT_MAX}"
    ),
    "Streams of the console, but desks; those of one account; of one user": (
        f"{live_parts.STREAMS_MAX}; {live_parts.STREAMS_OF_ACCOUNT_MAX}; {live_parts.STREAMS_OF_USER_MAX}"
    ),
    "Codes that confirm a telephone": (
        f"{own_telephones.CODES_AN_HOUR_MAX} of a user in an hour, {own_telephones.CODES_A_DAY_MAX} to a number in a"
        f" day; each for {own_telephones.CODE_LIFE_MS // 60_000} min and {own_telephones.TRIES_MAX} tries"
    ),
    "Tests of campaigns with one's own telephone": (
        f"1 of an account at a time, {campaign_trials.TRIALS_AN_HOUR_MAX} in an hour;"
        f" each waits for {campaign_trials.TRIAL_LIFE_MS // 60_000} min at most;"
        f" {campaign_trials.TRIALS_KEPT_MAX} of a campaign are kept; {delete.TRIALS_AT_ONCE} are deleted at once"
    ),
}
