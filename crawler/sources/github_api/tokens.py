"""Read API tokens and app keys from a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from crawler.errors import BadCredentials
from crawler.sources.github_api.app_installation import AppInstallation
from crawler.sources.github_api.rate_limits import Budget

# `app:APP:INSTALLATION:KEY`
_APP_LINE: Final = re.compile(
    r"app:(?P<app>[\w.-]+):(?P<number>[0-9]+):(?P<key>.+)", re.ASCII
)
_TOKEN_LINE: Final = re.compile(r"[\x21-\x7e]{1,1024}")


def load_budgets(
    file: Path | None, base_url: str, identify_user: Callable[[str], str]
) -> list[Budget]:
    """Return a budget for each user and installation in `file`.

    Without a file there is one for an anonymous visitor. `identify_user` returns the user of a
    token, since tokens of one user share a budget. Raises `BadCredentials`.
    """
    if file is None:
        return [Budget(owner="")]

    lines = read_tokens(file)
    # A lone token shares its budget with no other, so its user need not be known.
    if len(lines) == 1:
        return [_make_budget(lines[0], "token 1", base_url)]

    budget_by_owner: dict[str, Budget] = {}
    for number, line in enumerate(lines, 1):
        owner = f"token {number}"
        if not _APP_LINE.fullmatch(line):
            owner = identify_user(line) or owner
        budget_by_owner.setdefault(owner, _make_budget(line, owner, base_url))

    return list(budget_by_owner.values())


def _make_budget(line: str, owner: str, base_url: str) -> Budget:
    app = _APP_LINE.fullmatch(line)
    if app is None:
        return Budget(
            owner=owner,
            token=lambda: line,
        )

    installation = AppInstallation(
        app["app"], app["number"], Path(app["key"]), base_url
    )

    return Budget(
        owner=f"installation {app['number']}",
        token=installation.get_token,
    )


def read_tokens(file: Path) -> tuple[str, ...]:
    """Return the lines of a file, but for empty ones and those that begin with `#`.

    Each is a token, or `app:APP:INSTALLATION:KEY` with the file of a private key. Raises
    `BadCredentials`.
    """
    try:
        text = file.expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadCredentials(
            f"{file} cannot be read ({type(error).__name__}): set `github_tokens` anew"
        ) from error

    stripped_lines = [line.strip() for line in text.splitlines()]
    distinct_lines = dict.fromkeys(
        line for line in stripped_lines if line and not line.startswith("#")
    )
    tokens = tuple(distinct_lines)
    if not tokens or not all(map(_is_token_line, tokens)):
        raise BadCredentials(
            f"{file} holds no tokens, a line each: "
            "write them there, or unset `github_tokens`"
        )
    return tokens


def _is_token_line(line: str) -> bool:
    return bool(_TOKEN_LINE.fullmatch(line) or _APP_LINE.fullmatch(line))
