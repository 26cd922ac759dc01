"""Certificates that tests make: an authority, and what it signs."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY: Final = timedelta(days=1)


class Authority:
    """An authority that signs certificates, whose files are in a folder. Its own is `NAME.pem`."""

    def __init__(self, folder: Path, name: str = "ca") -> None:
        self._folder: Final = folder
        self._key: Final = ec.generate_private_key(ec.SECP256R1())
        self._name: Final = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Authority {name}")])
        usage = x509.BasicConstraints(ca=True, path_length=None)
        self.file: Final = str(folder / f"{name}.pem")
        Path(self.file).write_bytes(self._signed(self._name, self._key, usage, _now() + 10 * DAY))

    def sign(self, file: str, *names: x509.GeneralName, until: datetime | None = None) -> tuple[str, str]:
        """Return the paths of a new certificate for names, and of its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, file)])
        for_names = x509.SubjectAlternativeName(names or [x509.DNSName("nobody.example")])
        certificate, secret = self._folder / f"{file}.pem", self._folder / f"{file}.key"
        certificate.write_bytes(self._signed(subject, key, for_names, until or _now() + DAY))
        form = serialization.PrivateFormat.PKCS8
        secret.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))
        return str(certificate), str(secret)

    def _signed(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, extension: x509.ExtensionType, until: datetime
    ) -> bytes:
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(self._name).public_key(key.public_key())
        builder = builder.serial_number(x509.random_serial_number()).add_extension(extension, critical=False)
        signed = builder.not_valid_before(until - 20 * DAY).not_valid_after(until).sign(self._key, hashes.SHA256())
        return signed.public_bytes(serialization.Encoding.PEM)


def uri(domain: str) -> x509.GeneralName:
    """Return the name of a SIP domain, as RFC 5922 wants it."""
    return x509.UniformResourceIdentifier(f"sip:{domain}")


def dns(host: str) -> x509.GeneralName:
    """Return the name of a host."""
    return x509.DNSName(host)


def _now() -> datetime:
    return datetime.now(UTC)
