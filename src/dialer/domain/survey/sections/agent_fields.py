"""The fields of a section that lets a program talk."""

from typing import Final

from dialer.domain.survey.agent_urls import AGENT_URL_MAX
from dialer.domain.survey.sections.fields import (
    PROMPT_FIELDS,
    SCRIPT_MAX,
    TIMEOUT,
    ReferenceField,
    SecondsField,
    SectionField,
    TextField,
)
from dialer.domain.words.sentences import template

SECRET_MAX: Final = 255
NAMES_MAX: Final = 1_600
"""Characters of all names of columns together."""
PATIENCE_MAX: Final = 60
HANGUP: Final = "hangup"


class AgentUrlField(TextField, frozen=True):
    """The address of a program."""


class SecretField(TextField, frozen=True):
    """A secret, which no answer shows, and which a sealed section does not hold."""


class NamesField(TextField, frozen=True):
    """Names of values of contacts; a column and a sealed section hold them with commas between them."""

    def sealed(self, value: str | tuple[str, ...] | None) -> str:
        """Return the names with commas between them."""
        return names_text(value if isinstance(value, tuple) else (value or "").split(","))


class ChoiceField(TextField, frozen=True):
    """One of a few words, or none."""

    choices: tuple[tuple[str, str], ...]
    """The words, with their meanings."""
    choices_title: str
    """The name of the words together in the OpenAPI document."""


def names_text(names: list[str] | tuple[str, ...]) -> str:
    """Return names as a text: each once, with commas between them."""
    return ", ".join(dict.fromkeys(name.strip() for name in names if name.strip()))


def names_in(text: str) -> tuple[str, ...]:
    """Return the names of a text that `names_text` makes."""
    return tuple(text.split(", ")) if text else ()


AGENT_FIELDS: Final[tuple[SectionField, ...]] = (
    AgentUrlField(
        "agent_url",
        AGENT_URL_MAX,
        description=(
            "The address of the program that talks with the callee (type 12): a WebSocket, `wss://`, or `ws://` on the"
            " service's own machine, without a query. It must be on the public internet, or in a network that the"
            " service's admin has listed (DIALER_WEBHOOK_NETWORKS)."
        ),
        example="wss://agent.example.com/calls",
        title=template("Address of the program"),
        hint=template("A WebSocket, wss://…, that speaks the telephony side of Twilio's media streams."),
        is_main=True,
    ),
    SecretField(
        "agent_secret",
        SECRET_MAX,
        description=(
            "The secret that signs connections to `agent_url` (type 12), as Twilio's auth token does. No answer shows"
            " it. Null: connections are not signed."
        ),
        example="b3c1f0a9d2",
        title=template("Secret"),
        hint=template("Signs each connection, as Twilio's auth token does. It is not shown again."),
        is_main=True,
    ),
    NamesField(
        "agent_parameters",
        NAMES_MAX,
        description=(
            "The names of the contact's values that the program gets (type 12): a list, or a text with commas. Nothing"
            " else of the contact is handed over but the number."
        ),
        example="first_name, order_id",
        title=template("Values that the program gets"),
        hint=template("Names of columns of your list, with commas. Nothing else of the person is handed over."),
        is_main=True,
    ),
    TextField(
        "disclosure",
        SCRIPT_MAX,
        description=(
            "The text that the callee hears to its end before the program is heard (type 12), unless"
            " `disclosure_audiofile` is set, with variables as in `script`. Null: none."
        ),
        example="You are about to talk with a computer program.",
        title=template("Heard before the program"),
        hint=template("Says that a computer program talks. The program cannot cut it."),
        is_main=True,
    ),
    ReferenceField(
        "disclosure_audiofile",
        "recording",
        description="The recording that the callee hears instead of `disclosure` (type 12). Null: `disclosure`.",
        title=template("Recording heard before the program"),
        hint=template("Instead of that text."),
        is_main=True,
    ),
    *PROMPT_FIELDS,
    TIMEOUT,
    SecondsField(
        "patience",
        1,
        PATIENCE_MAX,
        description="Seconds until the program's first message at the latest (type 12). Then `invalid` is taken.",
        example=20,
        title=template("Patience"),
        hint=template("The longest time until the program's first message."),
    ),
    ChoiceField(
        "on_completed",
        len(HANGUP),
        description=(
            "What follows when the program ends the call over the REST resource of the call (type 12). Null: `0` if the"
            " section has that branch, else `hangup`."
        ),
        example=HANGUP,
        title=template("When the program ends the call"),
        hint=template("Empty: the call goes on with the branch 0 if there is one."),
        choices=(("0", "The call goes on with the branch `0`."), (HANGUP, "The call is hung up.")),
        choices_title="OnCompleted",
    ),
)
"""The fields of the type, without those of every type."""
