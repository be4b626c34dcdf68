"""An authority of our own, and a certificate of it for loopback."""

from __future__ import annotations

import datetime
import ipaddress
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NAME = "an authority of tests"
DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Certificates:
    """Files in PEM."""

    authority: Path
    certificate: Path
    key: Path


def make(folder: Path) -> Certificates:
    """Make an authority and let it sign for 127.0.0.1 and localhost."""
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = _sign(
        "an authority of tests",
        authority_key,
        "an authority of tests",
        authority_key,
        is_authority=True,
    )
    certificate = _sign(
        "localhost", key, "an authority of tests", authority_key, is_authority=False
    )
    files = Certificates(
        folder / "authority.pem", folder / "server.pem", folder / "server.key"
    )
    files.authority.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    files.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    files.key.touch(mode=0o600)
    files.key.write_bytes(key.private_bytes(serialization.Encoding.PEM, *plain))
    return files


def _sign(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    issuer_key: ec.EllipticCurvePrivateKey,
    *,
    is_authority: bool,
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    local = [
        x509.DNSName("localhost"),
        x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
    ]
    building = (
        x509.CertificateBuilder()
        .subject_name(_make_name(name))
        .issuer_name(_make_name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - DAY)
        .not_valid_after(now + DAY)
        .add_extension(
            x509.BasicConstraints(ca=is_authority, path_length=None), critical=True
        )
        .add_extension(x509.SubjectAlternativeName(local), critical=False)
    )
    return building.sign(issuer_key, hashes.SHA256())


def _make_name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
