"""The time for which a registrar has taken our registration, among those of others (RFC 3261 10.2.4, 10.3)."""

from sipmessage import URI, Address

from dialer.carriers.sip.messages import Received, address_in, split_list
from dialer.carriers.sip.uri_comparison import is_same_uri


def granted_s(response: Received, ours: URI, asked_s: int) -> int:
    """Return the seconds for which a 2xx to REGISTER binds our Contact.

    The Contact that is ours says it, or else Expires, or else it is what was asked for. Some registrars write the
    address that they see into our Contact. If none is ours, the shortest time is right: ours is one of them.
    """
    expires_s = response.number_in("Expires")
    default_s = asked_s if expires_s is None else expires_s
    bindings = _bindings(response)
    times = [default_s if time_s is None else time_s for _, time_s in bindings]
    for (uri, _), time_s in zip(bindings, times, strict=True):
        if is_same_uri(uri, ours):
            return time_s
    return min(times, default=default_s)


def _bindings(response: Received) -> list[tuple[URI, int | None]]:
    """Return the Contacts of a response that can be read, each with its time if it names one."""
    found: list[tuple[URI, int | None]] = []
    for value in response.message.headers.getlist("Contact"):
        for one in split_list(value):
            try:
                contact = address_in(one)
            except ValueError:
                continue
            found.append((contact.uri, _time_s(contact)))
    return found


def _time_s(contact: Address) -> int | None:
    """Return the seconds of the parameter `expires`, in digits, with or without quotes."""
    for name, value in contact.parameters.items():
        digits = (value or "").strip('"')
        if name.lower() == "expires" and digits.isascii() and digits.isdigit():
            return min(int(digits[:9]), 2**31)
    return None
