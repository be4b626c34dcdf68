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

_SIGNATURE_SECONDS: Final = 540
"""GitHub accepts at most ten minutes."""
_CLOCK_DRIFT_SECONDS: Final = 60
"""By which a clock may be wrong, as GitHub's documentation advises."""
_TOKEN_SECONDS: Final = 3600


class _TokenAnswer(msgspec.Struct, frozen=True):
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
    _expires_at: float = 0.0

    def get_token(self) -> str:
        """Return a token that lasts for at least two more minutes.

        Raises `BadCredentials`, `NetworkDown`.
        """
        if self.clock() > self._expires_at - 2 * _CLOCK_DRIFT_SECONDS:
            self._token = self._request_token()
            self._expires_at = self.clock() + _TOKEN_SECONDS
        return self._token

    def _request_token(self) -> str:
        url = f"{self.base}/app/installations/{self.installation_id}/access_tokens"
        headers = {
            "authorization": f"Bearer {self._sign_request()}",
            "accept": "application/vnd.github+json",
        }

        try:
            answer = httpx.post(
                url,
                headers=headers,
                timeout=60,
            )
        except httpx.HTTPError as error:
            raise NetworkDown(
                f"{self.base} did not answer ({type(error).__name__}): try again later"
            ) from error

        status = answer.status_code
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise NetworkDown(f"{self.base} failed (status {status}): try again later")

        try:
            return msgspec.json.decode(answer.content, type=_TokenAnswer).token
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise BadCredentials(
                f"installation {self.installation_id} of app {self.app} "
                f"was given no token (status {status}): "
                "check the numbers and the key in `github_tokens`"
            ) from error

    def _sign_request(self) -> str:
        """Return a JSON Web Token that shows GitHub that we hold the app's key."""
        import jwt

        now = int(self.clock())
        # GitHub refuses a token that was signed in its future.
        claims = {
            "iat": now - _CLOCK_DRIFT_SECONDS,
            "exp": now + _SIGNATURE_SECONDS,
            "iss": self.app,
        }

        try:
            key = self.key.expanduser().read_text("ascii")
            return jwt.encode(claims, key, algorithm="RS256")
        except (
            OSError,
            UnicodeDecodeError,
            ValueError,
            TypeError,
            jwt.PyJWTError,
        ) as error:
            raise BadCredentials(
                f"the key {self.key} of app {self.app} is of no use "
                f"({type(error).__name__}): name a private key in PEM"
            ) from error
