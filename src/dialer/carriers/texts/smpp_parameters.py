"""The parameters of a gateway whose protocol is `smpp`."""

from typing import Annotated, Literal

import msgspec

from dialer.carriers.parameters import Parameters, read_parameters

_WORD = r"\A[!-~]*\Z"
Host = Annotated[str, msgspec.Meta(min_length=1, max_length=253, pattern=_WORD)]
Identity = Annotated[str, msgspec.Meta(max_length=64, pattern=_WORD)]
Kind = Annotated[int, msgspec.Meta(ge=0, le=255)]


class SmppParameters(Parameters, frozen=True, kw_only=True):
    """The way to a carrier over SMPP 3.4."""

    host: Host
    port: Annotated[int, msgspec.Meta(ge=1, le=65_535)] = 2_775
    system_id: Identity
    password: Identity = ""
    """Write-only: it is stored, and never shown."""
    system_type: Identity = ""
    tls: bool = False
    window: Annotated[int, msgspec.Meta(ge=1, le=500)] = 10
    """Messages without an answer that the carrier allows."""
    enquire_seconds: Annotated[int, msgspec.Meta(ge=5, le=600)] = 30
    """Time between two signs of life on a connection."""
    receipts: bool = True
    """True if the carrier reports deliveries. Otherwise a message is final once it was accepted."""
    ids: Literal["same", "decimal", "hex"] = "same"
    """`hex`: the carrier names messages in hexadecimal digits, and in receipts in decimal ones. `decimal`: both are
    decimal. Leading zeros do not count in either. `same`: the names in receipts are the same texts."""
    source_ton: Kind | None = None
    source_npi: Kind | None = None
    """Kinds of the sender's address. Default: by its form."""
    dest_ton: Kind | None = None
    dest_npi: Kind | None = None


def read_smpp_parameters(parameters: str) -> SmppParameters:
    """Return the parameters in a JSON text.

    Raises:
        ParametersError: one is missing, unknown or wrong.
    """
    return read_parameters(parameters, SmppParameters)
