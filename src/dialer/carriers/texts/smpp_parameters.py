"""The parameters of a gateway whose protocol is `smpp`."""

from typing import Annotated, Literal

import msgspec

from dialer.carriers.parameters import Parameters, read_parameters, words

_WORD = r"\A[!-~]*\Z"
Host = Annotated[str, msgspec.Meta(min_length=1, max_length=253, pattern=_WORD)]
Identity = Annotated[str, msgspec.Meta(max_length=64, pattern=_WORD)]
Kind = Annotated[int, msgspec.Meta(ge=0, le=255)]


class SmppParameters(Parameters, frozen=True, kw_only=True):
    """The way to a carrier over SMPP 3.4."""

    host: Annotated[
        Host,
        words(
            "Server",
            "Host name or address of the carrier. Your provider may call it SMSC.",
            example="smpp.carrier.example",
        ),
    ]
    port: Annotated[int, msgspec.Meta(ge=1, le=65_535), words("Port", is_main=True)] = 2_775
    tls: Annotated[
        bool, words("Encrypted connection (TLS)", "Tick it if the carrier offers a port for TLS.", is_main=True)
    ] = False
    system_id: Annotated[Identity, words("User name", "Your provider may call it system ID.", example="shop")]
    password: Annotated[Identity, words("Password", is_main=True, is_secret=True)] = ""
    """Write-only: it is stored, and never shown."""
    system_type: Annotated[Identity, words("System type", "Only if the carrier has given you one.", example="VMA")] = ""
    receipts: Annotated[
        bool,
        words("The carrier reports deliveries", "Without a tick, a message is final once the carrier has accepted it."),
    ] = True
    window: Annotated[
        int,
        msgspec.Meta(ge=1, le=500),
        words(
            "Messages without an answer",
            "The most that the carrier allows. It may be called window size.",
            unit="messages",
        ),
    ] = 10
    enquire_seconds: Annotated[
        int,
        msgspec.Meta(ge=5, le=600),
        words("Sign of life every", "Time between two signs of life on a connection (enquire_link).", unit="seconds"),
    ] = 30
    ids: Annotated[
        Literal["same", "decimal", "hex"],
        words(
            "Names of messages in receipts",
            "Choose another one if deliveries are never reported, although the carrier sends receipts.",
            choices={
                "same": "The same as in the answer",
                "decimal": "Decimal numbers, leading zeros aside",
                "hex": "Hexadecimal in the answer, decimal in receipts",
            },
        ),
    ] = "same"
    """`hex`: the carrier names messages in hexadecimal digits, and in receipts in decimal ones. `decimal`: both are
    decimal. Leading zeros do not count in either. `same`: the names in receipts are the same texts."""
    source_ton: Annotated[
        Kind | None,
        words(
            "Type of the sender (TON)", "A number from the carrier's description. Empty: by the form of the address."
        ),
    ] = None
    source_npi: Annotated[
        Kind | None,
        words(
            "Numbering plan of the sender (NPI)",
            "A number from the carrier's description. Empty: by the form of the address.",
        ),
    ] = None
    dest_ton: Annotated[
        Kind | None,
        words(
            "Type of the receiver (TON)", "A number from the carrier's description. Empty: by the form of the address."
        ),
    ] = None
    dest_npi: Annotated[
        Kind | None,
        words(
            "Numbering plan of the receiver (NPI)",
            "A number from the carrier's description. Empty: by the form of the address.",
        ),
    ] = None


def read_smpp_parameters(parameters: str) -> SmppParameters:
    """Return the parameters in a JSON text.

    Raises:
        ParametersError: one is missing, unknown or wrong.
    """
    return read_parameters(parameters, SmppParameters)
