"""Certificates of SIP over TLS: ours, the carrier's, and what is wrong with either, in words (RFC 5922)."""

import contextlib
import ssl
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import structlog

from dialer.carriers.parameters import is_address
from dialer.carriers.sip.parameters import SipParameters

NAMES_SHOWN_MAX: Final = 4
_UNKNOWN_AUTHORITY: Final = frozenset({2, 18, 19, 20, 21})
"""Codes of OpenSSL for a chain that ends at nobody who is trusted."""
_NOT_YET, _NO_MORE = 9, 10
_ALERT: Final = "ALERT_"
_log: Final = structlog.get_logger(__name__)


class CertificateProblemError(OSError):
    """A certificate of one of the sides is not right. The message is for the person who set the gateway up."""


def context_for_carrier(parameters: SipParameters) -> ssl.SSLContext:
    """Return the settings with which we connect to the carrier.

    The name in its certificate is checked by `check_name`: the library does not read the names of SIP, and takes
    wildcards.

    Raises:
        CertificateProblemError: a file is missing, or holds something else.
    """
    authority = parameters.ca_file
    if authority:
        _check_file("ca_file", authority)
    try:
        context = ssl.create_default_context(cafile=authority or None)
    except ssl.SSLError:
        raise CertificateProblemError("ca_file holds no certificate of an authority") from None
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Newer Pythons refuse chains of private authorities that name no key identifiers. All of them do the same here.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.check_hostname = False
    add_ours(context, parameters)
    return context


def context_for_calls(parameters: SipParameters) -> ssl.SSLContext:
    """Return the settings with which the carrier's connections to us are taken.

    Raises:
        CertificateProblemError: a file is missing, or holds something else.
    """
    if not parameters.certificate:
        raise CertificateProblemError(
            "local_port with transport tls needs certificate and key: the carrier connects there"
        )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    add_ours(context, parameters)
    return context


class CallCertificate:
    """The settings with which the carrier's connections to us are taken, as our files have them now."""

    def __init__(self, parameters: SipParameters) -> None:
        """Prepare it. Nothing is read before `settings`."""
        self._parameters: Final = parameters
        self._read: tuple[tuple[int, ...], ssl.SSLContext] | None = None

    def settings(self) -> ssl.SSLContext:
        """Return the settings. Files that were renewed are read again, and count once both are right.

        Raises:
            CertificateProblemError: a file is missing, or holds something else, and none was right before.
        """
        stamp = self._stamp()
        if self._read is not None and self._read[0] == stamp:
            return self._read[1]
        try:
            context = context_for_calls(self._parameters)
        except CertificateProblemError as error:
            if self._read is None:
                raise
            # Programs that renew certificates write one file after the other.
            _log.warning("certificate_not_renewed", reason=str(error))
            context = self._read[1]
        self._read = stamp, context
        return context

    def _stamp(self) -> tuple[int, ...]:
        stamps: list[int] = []
        for path in (self._parameters.certificate, self._parameters.key):
            with contextlib.suppress(OSError, ValueError):
                status = Path(path).stat()
                stamps += [status.st_mtime_ns, status.st_size, status.st_ino]
        return tuple(stamps)


def add_ours(context: ssl.SSLContext, parameters: SipParameters) -> None:
    """Read our certificate and its key, if there are any.

    Raises:
        CertificateProblemError: a file is missing, or holds something else.
    """
    files = {"certificate": parameters.certificate, "key": parameters.key}
    if not any(files.values()):
        return
    for (name, path), other in zip(files.items(), ("key", "certificate"), strict=True):
        if not path:
            raise CertificateProblemError(f"{other} is set, and {name} is not: set both or none")
        _check_file(name, path)
    try:
        # Without an empty password, an encrypted key would be asked for on the terminal.
        context.load_cert_chain(parameters.certificate, parameters.key, password="")
    except ssl.SSLError as error:
        raise CertificateProblemError(_pair_in_words(error)) from None


def _pair_in_words(error: ssl.SSLError) -> str:
    if error.reason == "KEY_VALUES_MISMATCH":
        return "key is not the key of certificate"
    return "certificate or key is no PEM file of its kind, or the key is encrypted"


def _check_file(name: str, path: str) -> None:
    try:
        with Path(path).open("rb") as file:
            file.read(1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise CertificateProblemError(f"{name} cannot be read: {reason}") from None


def check_name(certificate: Mapping[str, Any], name: str) -> None:
    """Check that a certificate is for a SIP domain, which stands in it as `sip:` URI or as host, without wildcards.

    Raises:
        CertificateProblemError: it is for others.
    """
    names = tuple(_names_in(certificate))
    if name.lower() not in names:
        shown = ", ".join(names[:NAMES_SHOWN_MAX]) or "nobody"
        raise CertificateProblemError(
            f"the certificate of the carrier is for {shown}, and not for the name {name}."
            " If it is the right one, set server_name"
        )


def _names_in(certificate: Mapping[str, Any]) -> Iterator[str]:
    for kind, value in certificate.get("subjectAltName", ()):
        if kind == "URI" and value.lower().startswith("sip:") and "@" not in value:
            yield value[len("sip:") :].lower()
        elif kind == "DNS" or (kind == "IP Address" and is_address(value)):
            yield value.lower()


def in_words(error: BaseException | None) -> str:
    """Return why a connection to the carrier failed or was lost."""
    if isinstance(error, CertificateProblemError):
        return str(error)
    if isinstance(error, ssl.SSLCertVerificationError):
        return _verification_in_words(error)
    if isinstance(error, ssl.SSLError):
        return _refusal_in_words(error.reason or str(error))
    if isinstance(error, TimeoutError):
        return "the carrier does not answer in time"
    if error is None or isinstance(error, ConnectionAbortedError | ConnectionResetError):
        return "the carrier closed the connection"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _verification_in_words(error: ssl.SSLCertVerificationError) -> str:
    if error.verify_code in _UNKNOWN_AUTHORITY:
        return (
            "the certificate of the carrier is signed by an authority that is not known here"
            f" ({error.verify_message}). Set ca_file to the certificate of the authority"
        )
    if error.verify_code == _NO_MORE:
        return "the certificate of the carrier has expired"
    if error.verify_code == _NOT_YET:
        return "the certificate of the carrier is not valid yet"
    return f"the certificate of the carrier is not valid: {error.verify_message}"


def _refusal_in_words(reason: str) -> str:
    """Return an error of OpenSSL in words: what the carrier objects to, if it says so."""
    before, alert, what = reason.partition(_ALERT)
    words = (what if alert else reason).replace("_", " ").lower()
    if alert:
        return f"the carrier refuses the connection: {words}"
    if before == "WRONG_VERSION_NUMBER":
        return "the carrier does not speak TLS at this port"
    return f"TLS with the carrier failed: {words}"
