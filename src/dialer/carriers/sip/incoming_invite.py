"""INVITEs of the other side: who calls which number, and how such a call is named."""

from typing import Final

import msgspec

from dialer.carriers.sip.flows import Address, Flow, Transport
from dialer.carriers.sip.message_bodies import UnsupportedBodyError, description_in
from dialer.carriers.sip.messages import MalformedMessageError, Received, address_in, read_message, split_list
from dialer.carriers.sip.numbers_in_uris import is_telephone_number, number_in
from dialer.carriers.sip.request_answers import bad_extension, unsupported_in
from dialer.carriers.sip.session_timer import MIN_SE, is_too_short
from dialer.carriers.sip.trunk import Trunk
from dialer.domain.calls.identity import leg_key

INVITATION_BYTES_MAX: Final = 8_192
"""Bytes of an INVITE, which is stored until the end of its call."""
_WITHHELD: Final = frozenset({"id", "user"})
"""Values of Privacy with which the caller's number must not be shown (RFC 3323, RFC 3325)."""


class Invitation(msgspec.Struct, frozen=True, omit_defaults=True):
    """An INVITE as it came, and from where. As JSON, it is what answers the call in another process."""

    data: bytes
    source: Address
    tag: str = ""
    """The tag of our end, which nobody can guess. Empty if an earlier version took the call."""
    transport: Transport = Transport.UDP

    @property
    def flow(self) -> Flow:
        """The flow by which the INVITE arrived."""
        return Flow(self.source, self.transport)

    def read(self) -> Received:
        """Return the INVITE as a parsed message."""
        return read_message(self.data)


class InvitationRefusal(msgspec.Struct, frozen=True):
    """The response to an INVITE that is no call."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()


def read_invitation(handle: str) -> Invitation:
    """Return the invitation in a text.

    Raises:
        ValueError: it is none.
    """
    try:
        invitation = msgspec.json.decode(handle, type=Invitation)
        invitation.read()
    except (msgspec.DecodeError, MalformedMessageError) as error:
        raise ValueError(str(error)) from None
    return invitation


def key_of(invite: Received, trunk: Trunk) -> str:
    """Return the name of a call, which is the same each time its INVITE comes."""
    return leg_key(b"", f"{trunk.server.address[0]}\0{invite.call_id}\0{invite.from_tag}\0{invite.cseq}")


def refusal_of(invite: Received, size: int) -> InvitationRefusal | None:
    """Return the response to an INVITE of `size` bytes that cannot be answered; None to one that can."""
    unsupported = unsupported_in(invite)
    if size > INVITATION_BYTES_MAX:
        return InvitationRefusal(513)
    if unsupported:
        return InvitationRefusal(420, bad_extension(unsupported))
    if is_too_short(invite):
        return InvitationRefusal(422, (MIN_SE,))
    try:
        description_in(invite)
    except UnsupportedBodyError as error:
        return InvitationRefusal(415, error.headers)
    return None


def called_in(invite: Received, trunk: Trunk) -> str:
    """Return the number that was called: the user of the request URI, or of To if that only names our account."""
    account = "" if trunk.credentials is None else trunk.credentials.username
    user = number_in(getattr(invite.message, "uri", None))
    if is_telephone_number(user) and user != account:
        return user
    try:
        return number_in(invite.callee) or user
    except ValueError:
        return user


def caller_in(invite: Received) -> str:
    """Return the caller's number: of P-Asserted-Identity, which the trunk vouches for, or else of From.

    It is empty if the caller withholds it.
    """
    privacy = {
        level.strip().lower() for value in invite.message.headers.getlist("Privacy") for level in value.split(";")
    }
    if privacy & _WITHHELD:
        return ""
    values = invite.message.headers.getlist("P-Asserted-Identity")
    # There may be two, one of sip and one of tel, in one header or in two (RFC 3325 9.1).
    for value in (one for several in values for one in split_list(several)):
        try:
            asserted = number_in(address_in(value).uri)
        except ValueError:
            continue
        if is_telephone_number(asserted):
            return asserted
    try:
        return number_in(invite.caller)
    except ValueError:
        return ""
