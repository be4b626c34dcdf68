"""GitHub App installations: sign for hourly access tokens."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Final

import httpx
import msgspec

from crawler.errors import BadCredentials, NetworkDown

_SIGNED_FOR: Final = 540
"""Seconds; GitHub takes at most ten minutes."""
_DRIFT: Final = 60
"""Seconds by which a clock may be wrong, as GitHub's documentation advises."""
_LASTS: Final = 3600


class _Minted(msgspec.Struct, frozen=True):
    token: str


@dataclass(slots=True)
class AppInstallation:
    """Where a GitHub App was installed, with the key that it signs with."""

    app: str
    installation_id: str
    key: Path
    """A private key in PEM."""
    base: str
    """Address of the API."""
    clock: Callable[[], float] = time.time
    _token: str = field(default="", repr=False)
    _ends_at: float = 0.0

    def get_token(self) -> str:
        """Return a token that lasts for some minutes at least; raises `BadCredentials`,
        `NetworkDown`.
        """
        if self.clock() > self._ends_at - 2 * _DRIFT:
            self._token = self._minted()
            self._ends_at = self.clock() + _LASTS
        return self._token

    def _minted(self) -> str:
        try:
            answer = httpx.post(
                f"{self.base}/app/installations/{self.installation_id}/access_tokens",
                headers={
                    "authorization": f"Bearer {self._signed()}",
                    "accept": "application/vnd.github+json",
                },
                timeout=60,
            )
        except httpx.HTTPError as error:
            raise NetworkDown(
                f"{self.base} did not answer ({type(error).__name__}): try again later"
            ) from error
        if answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise NetworkDown(
                f"{self.base} failed (status {answer.status_code}): try again later"
            )
        try:
            return msgspec.json.decode(answer.content, type=_Minted).token
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise BadCredentials(
                f"installation {self.installation_id} of app {self.app} was given no token (status {answer.status_code}): "
                "check the numbers and the key in `github_tokens`"
            ) from error

    def _signed(self) -> str:
        import jwt

        now = int(self.clock())
        claims = {"iat": now - _DRIFT, "exp": now + _SIGNED_FOR, "iss": self.app}
        try:
            return jwt.encode(
                claims, self.key.expanduser().read_text("ascii"), algorithm="RS256"
            )
        except (
            OSError,
            UnicodeDecodeError,
            ValueError,
            TypeError,
            jwt.PyJWTError,
        ) as error:
            raise BadCredentials(
                f"the key {self.key} of app {self.app} is of no use ({type(error).__name__}): name a private key in PEM"
            ) from error
