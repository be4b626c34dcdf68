"""Address and options of the bucket that holds blobs."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from crawler.errors import Misconfigured


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A bucket and how to write to it; boto3 finds the credentials by its own chain."""

    name: str
    prefix: str = ""
    endpoint: str = ""
    """Address of a server that is not Amazon's."""
    region: str = ""
    encryption: str = ""
    """Server-side: `AES256`, `aws:kms` or `aws:kms:KEY`."""
    attempts: int = 6
    """Tries of a request before it fails with `StoreUnavailable`."""

    @property
    def upload_arguments(self) -> dict[str, str]:
        """Encryption arguments of every upload."""
        if self.encryption.startswith("aws:kms:"):
            return {
                "ServerSideEncryption": "aws:kms",
                "SSEKMSKeyId": self.encryption.removeprefix("aws:kms:"),
            }

        if self.encryption:
            return {"ServerSideEncryption": self.encryption}

        return {}


def parse_bucket_address(
    address: str, *, endpoint: str = "", region: str = "", encryption: str = ""
) -> Bucket:
    """Return the bucket that `s3://NAME[/PREFIX]` names.

    Raises `Misconfigured` for any other address.
    """
    parts = urlsplit(address)
    is_bucket = parts.scheme == "s3" and bool(parts.netloc)
    if not is_bucket or parts.query or parts.fragment:
        raise Misconfigured(
            "the setting `blobs` names no bucket:"
            " write s3://BUCKET or s3://BUCKET/PREFIX"
        )

    prefix = parts.path.strip("/")

    return Bucket(
        name=parts.netloc,
        prefix=f"{prefix}/" if prefix else "",
        endpoint=endpoint,
        region=region,
        encryption=encryption,
    )
