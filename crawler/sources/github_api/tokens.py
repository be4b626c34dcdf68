"""Read API tokens and app keys from a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from crawler.errors import BadCredentials
from crawler.sources.github_api.app_installation import AppInstallation
from crawler.sources.github_api.rate_limits import Budget

_APP: Final = re.compile(
    r"app:(?P<app>[\w.-]+):(?P<number>[0-9]+):(?P<key>.+)", re.ASCII
)
_TOKEN: Final = re.compile(r"[\x21-\x7e]{1,1024}")


def load_budgets(
    file: Path | None, base_url: str, identify_user: Callable[[str], str]
) -> list[Budget]:
    """Return an allowance for each user and installation in `file`, or the anonymous one
    without a file.

    `identify_user` names a token's user: tokens of one user share what they are allowed. Raises
    `BadCredentials`.
    """
    if file is None:
        return [Budget(owner="")]
    lines = read_tokens(file)
    if len(lines) == 1:
        return [_budget(lines[0], "token 1", base_url)]
    by_owner: dict[str, Budget] = {}
    for number, line in enumerate(lines, 1):
        owner = (
            f"token {number}"
            if _APP.fullmatch(line)
            else identify_user(line) or f"token {number}"
        )
        by_owner.setdefault(owner, _budget(line, owner, base_url))
    return list(by_owner.values())


def _budget(line: str, owner: str, base: str) -> Budget:
    if match := _APP.fullmatch(line):
        installation = AppInstallation(
            match["app"], match["number"], Path(match["key"]), base
        )
        return Budget(
            owner=f"installation {match['number']}", token=installation.get_token
        )
    return Budget(owner=owner, token=lambda: line)


def read_tokens(file: Path) -> tuple[str, ...]:
    """Return the lines of a file, `#` and empty ones aside; raises `BadCredentials`.

    Each is a token, or `app:APP:INSTALLATION:KEY` with the file of a private key.
    """
    try:
        text = file.expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadCredentials(
            f"{file} cannot be read ({type(error).__name__}): set `github_tokens` anew"
        ) from error
    lines = [line.strip() for line in text.splitlines()]
    tokens = tuple(
        dict.fromkeys(line for line in lines if line and not line.startswith("#"))
    )
    if not tokens or not all(
        _TOKEN.fullmatch(token) or _APP.fullmatch(token) for token in tokens
    ):
        raise BadCredentials(
            f"{file} holds no tokens, a line each: write them there, or unset `github_tokens`"
        )
    return tokens
