"""The parameters of gateways whose carriers take text messages over HTTP: `http` and `kannel`."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal
from urllib.parse import SplitResult, urlsplit

import msgspec

from dialer.carriers.parameters import Parameters, ParametersError, read_parameters, words
from dialer.carriers.texts.forbidden_hosts import is_internal
from dialer.carriers.texts.templates import PLACEHOLDERS, placeholders_of, texts_of
from dialer.domain.calls.plans import KANNEL

SECRET_MIN: Final = 16
"""Fewest characters of the secret of callbacks: nobody guesses so many."""
SECRET_MAX: Final = 200
FIELDS_MAX: Final = 64
"""Headers, query fields or body fields of a request."""
KANNEL_REPORTS: Final = "19"
"""Kannel's `dlr-mask` for a delivery, a failure, and a refusal by the carrier behind it (1 + 2 + 16)."""
_SENDS_KANNEL: Final = {
    "username": "{username}",
    "password": "{password}",
    "from": "{sender}",
    "to": "{number}",
    "text": "{text}",
    "charset": "UTF-8",
    "coding": "{coding}",
}
_PRINTABLE: Final = r"\A[!-~]*\Z"
_SECRET: Final = re.compile(rf"[A-Za-z0-9_-]{{{SECRET_MIN},{SECRET_MAX}}}", re.ASCII)
"""It stands in addresses, of which Kannel replaces percent signs."""
_HEADER: Final = re.compile(r"[A-Za-z0-9-]{1,64}", re.ASCII)
_HEADER_VALUE: Final = re.compile(r"[ -~]{0,1024}", re.ASCII)
_NAMES_A_SECRET: Final = re.compile(r"auth|cookie|key|pass|pwd|secret|token", re.IGNORECASE)
_IN_HEADERS: Final = frozenset({"key", "password", "username"})
"""Placeholders of headers. Numbers and texts could break a header into two."""
_OWN_HEADERS: Final = frozenset({"connection", "content-length", "host", "transfer-encoding"})

_NO_RECEIPTS: Final = "Without a tick, a message is final once it was accepted."
_CALLBACK_URL: Final = "The address of this service as the carrier reaches it, for receipts and texts that come in."
_ABOUT_SECRETS: Final = (
    "A text that you make up, of 16 to 200 letters, digits, hyphens and underscores. It shows that a receipt is real."
)

Web = Annotated[str, msgspec.Meta(max_length=1_024, pattern=_PRINTABLE)]
Plain = Annotated[str, msgspec.Meta(max_length=255, pattern=r"\A[^\x00-\x1f]*\Z")]
Path = Annotated[str, msgspec.Meta(max_length=255)]
Words = Annotated[tuple[str, ...], msgspec.Meta(max_length=100)]
Fields = Annotated[dict[str, str], msgspec.Meta(max_length=FIELDS_MAX)]


class ReceiptFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The names of the fields of a receipt, and the words of its statuses. A dot leads into an object or a list."""

    id: Annotated[Path, words("Receipts: field with the name of the message", "For receipts without our key.")] = "id"
    status: Annotated[Path, words("Receipts: field with the status")] = "status"
    delivered: Annotated[Words, words("Receipts: statuses of a delivery", "One a line.")] = ("delivered", "DELIVRD")
    failed: Annotated[Words, words("Receipts: statuses of a failure", "One a line.")] = (
        *("failed", "undelivered", "rejected", "expired"),
        *("UNDELIV", "REJECTD", "EXPIRED", "DELETED"),
    )


class ReceivedFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The names of the fields of a text message that came in."""

    number: Annotated[Path, words("Texts that come in: field with the sender's number")] = "from"
    to: Annotated[Path, words("Texts that come in: field with the number written to")] = "to"
    text: Annotated[Path, words("Texts that come in: field with the text")] = "text"


class HttpParameters(Parameters, frozen=True, kw_only=True):
    """The way to a carrier over HTTP, in its own words.

    Values of `headers`, `query` and `body` may hold placeholders in braces (`dialer.carriers.texts.templates`).
    """

    url: Annotated[
        Web,
        words(
            "Address",
            "Where the carrier takes messages, without anything after a question mark. Your provider may"
            " call it endpoint or API URL.",
            example="https://api.carrier.example/messages",
        ),
    ]
    method: Annotated[
        Literal["GET", "POST"], words("Method", "The carrier's description says which one.", is_main=True)
    ] = "POST"
    username: Annotated[
        Plain, words("User name", "Your provider may call it account, API key or client ID.", is_main=True)
    ] = ""
    password: Annotated[
        Plain,
        words(
            "Password",
            "Your provider may call it API secret or token. It is sent with the user name by HTTP Basic,"
            " unless {password} stands in the fields below.",
            is_main=True,
            is_secret=True,
        ),
    ] = ""
    headers: Annotated[
        Fields,
        words(
            "Headers",
            "One a line: name, colon, value. {password} stands for the password, so that nobody can read it here.",
            example="Authorization: Bearer {password}",
            is_main=True,
        ),
    ] = msgspec.field(default_factory=dict)
    body: Annotated[
        dict[str, Any],
        msgspec.Meta(max_length=FIELDS_MAX),
        words(
            "Body",
            "The message as the carrier wants it, a JSON object. {number}, {text}, {sender}, {key} and"
            " {callback} are replaced.",
            example='{"to": "{number}", "from": "{sender}", "text": "{text}"}',
            is_main=True,
        ),
    ] = msgspec.field(default_factory=dict)
    encoding: Annotated[
        Literal["json", "form"],
        words("Encoding of the body", choices={"json": "JSON", "form": "Fields of a form"}, is_main=True),
    ] = "json"
    query: Annotated[
        Fields,
        words(
            "Fields of the address",
            "One a line: name, colon, value. They are put after a question mark. {number},"
            " {text} and {sender} are replaced.",
            example="to: {number}",
            is_main=True,
        ),
    ] = msgspec.field(default_factory=dict)
    id: Annotated[
        Path,
        words(
            "Answer: place of the name of the message",
            "In the JSON of the carrier's answer. Dots lead into objects and lists.",
            example="messages.0.id",
        ),
    ] = ""
    status: Annotated[
        Path,
        words(
            "Answer: place of the status",
            "Empty: the HTTP status alone tells whether the carrier has taken it.",
            example="messages.0.status",
        ),
    ] = ""
    accepted: Annotated[Words, words("Answer: statuses of an accepted message", "One a line.", example="queued")] = ()
    receipts: Annotated[bool, words("The carrier reports deliveries", _NO_RECEIPTS)] = False
    callback_url: Annotated[Web, words("Our address", _CALLBACK_URL, example="https://dialer.example.com")] = ""
    secret: Annotated[Plain, words("Secret of receipts", _ABOUT_SECRETS, is_secret=True)] = ""
    """Write-only. It is part of every callback."""
    receipt: ReceiptFields = ReceiptFields()
    received: ReceivedFields = ReceivedFields()

    @property
    def has_basic(self) -> bool:
        """True if user name and password are sent by HTTP Basic."""
        return bool(self.username) and "password" not in placeholders_of(self.headers, self.query, self.body)


class KannelParameters(Parameters, frozen=True, kw_only=True):
    """The parameters of a Kannel gateway. `url` is the address of its `sendsms`."""

    url: Annotated[
        Web, words("Address", "That of Kannel's sendsms.", example="http://kannel.lan:13013/cgi-bin/sendsms")
    ]
    username: Annotated[Plain, words("User name", "The username of Kannel's group sendsms-user.", example="shop")]
    password: Annotated[Plain, words("Password", is_main=True, is_secret=True)] = ""
    smsc: Annotated[
        Plain, words("Connection", "The name of the smsc that Kannel is to use. Empty: it chooses.", example="carrier")
    ] = ""
    receipts: Annotated[bool, words("Kannel reports deliveries", _NO_RECEIPTS, is_main=True)] = True
    callback_url: Annotated[
        Web, words("Our address", _CALLBACK_URL, example="https://dialer.example.com", is_main=True)
    ] = ""
    secret: Annotated[Plain, words("Secret of receipts", _ABOUT_SECRETS, is_main=True, is_secret=True)] = ""

    def as_http(self) -> HttpParameters:
        """Return the parameters of a carrier over HTTP that works as Kannel does."""
        query = dict(_SENDS_KANNEL)
        if self.smsc:
            query["smsc"] = self.smsc
        if self.receipts:
            query |= {"dlr-mask": KANNEL_REPORTS, "dlr-url": "{callback}&status=%d"}
        return HttpParameters(
            url=self.url,
            method="GET",
            username=self.username,
            password=self.password,
            query=query,
            receipts=self.receipts,
            callback_url=self.callback_url,
            secret=self.secret,
            receipt=ReceiptFields(delivered=("1",), failed=("2", "16")),
        )


def read_http_parameters(protocol: str, parameters: str) -> HttpParameters:
    """Return the parameters in a JSON text, of the protocol `http` or `kannel`.

    Raises:
        ParametersError: one is missing, unknown or wrong.
    """
    if protocol == KANNEL:
        values = read_parameters(parameters, KannelParameters).as_http()
    else:
        values = read_parameters(parameters, HttpParameters)
    for problem in _problems(values):
        raise ParametersError(problem)
    return values


def _problems(values: HttpParameters) -> Iterator[str]:
    url = _address("url", values.url)
    if url.query or url.fragment:
        yield "url ends with a query or a fragment. Use the parameter query."
    yield from _placeholder_problems(values)
    yield from _header_problems(values.headers)
    yield from _open_secrets("headers", values.headers)
    yield from _open_secrets("query", values.query)
    for fields in _objects_of(values.body):
        yield from _open_secrets("body", {name: text for name, text in fields.items() if isinstance(text, str)})
    if values.encoding == "form" and not all(isinstance(value, str) for value in values.body.values()):
        yield "body holds something other than texts. Use the encoding json."
    if values.method == "GET" and values.body:
        yield "body is not sent with GET. Use query, or the method POST."
    if values.accepted and not values.status:
        yield "accepted needs status: the place of the status in the answer."
    yield from _callback_problems(values)


def _address(name: str, text: str) -> SplitResult:
    wrong = ParametersError(f"{name} {text!r} is not an address such as https://carrier.example/messages.")
    try:
        url = urlsplit(text)
        is_web = url.scheme in {"http", "https"} and bool(url.hostname) and url.port != 0
    except ValueError:
        raise wrong from None
    if not is_web:
        raise wrong
    if url.username or url.password:
        raise ParametersError(f"{name} holds a user name. Use the parameters username and password.")
    if is_internal(url.hostname or ""):
        raise ParametersError(f"{name} {text!r} is an address of this machine's own network. Use the carrier's.")
    return url


def _placeholder_problems(values: HttpParameters) -> Iterator[str]:
    unknown = placeholders_of(values.headers, values.query, values.body) - PLACEHOLDERS
    if unknown:
        yield f"{{{min(unknown)}}} is not a placeholder. Use one of {', '.join(sorted(PLACEHOLDERS))}."
    used = placeholders_of(values.query, values.body)
    if not {"number", "text"} <= used:
        yield "query and body do not hold both {number} and {text}."


def _header_problems(headers: Mapping[str, str]) -> Iterator[str]:
    for name, value in headers.items():
        if _HEADER.fullmatch(name) is None or name.lower() in _OWN_HEADERS:
            yield f"headers: {name[:64]!r} cannot be set."
        if _HEADER_VALUE.fullmatch(value) is None:
            yield f"headers: the value of {name!r} has other characters than printable ASCII."
        if placeholders_of(value) - _IN_HEADERS:
            yield f"headers: {name!r} may hold {{key}}, {{username}} and {{password}} only."


def _objects_of(value: object) -> Iterator[dict[str, Any]]:
    """Yield an object and all objects within it."""
    if isinstance(value, dict):
        yield value
    for member in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects_of(member)


def _open_secrets(place: str, fields: Mapping[str, str]) -> Iterator[str]:
    """Yield fields that seem to hold a secret, which every user could read in these parameters."""
    for name, value in fields.items():
        if _NAMES_A_SECRET.search(name) and not placeholders_of(value):
            yield f"{place}: {name!r} may hold a secret, that all users can read. Set password, and use {{password}}."


def _callback_problems(values: HttpParameters) -> Iterator[str]:
    if values.callback_url:
        _address("callback_url", values.callback_url)
    if values.secret and _SECRET.fullmatch(values.secret) is None:
        yield f"secret is not a text of {SECRET_MIN} to {SECRET_MAX} letters, digits, hyphens and underscores."
    if values.receipts and not values.secret:
        yield "receipts need secret: a text that the carrier sends back, and nobody else knows."
    uses_callback = "callback" in placeholders_of(values.headers, values.query, values.body)
    if uses_callback and not values.callback_url:
        yield "{callback} needs callback_url: the address of this service as the carrier reaches it."
    if values.receipts and not uses_callback and not values.id:
        yield "receipts need {callback} in query or body, or id: the carrier's name of the message in its answer."
    if any(len(text) > FIELDS_MAX * 1_024 for text in texts_of(values.body)):
        yield "body is too long."
