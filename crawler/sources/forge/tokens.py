"""The tokens that an operator gave: from a file, never from a locator, and never told to anybody."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from crawler.errors import BadCredentials
from crawler.sources.forge.budgets import Budget

_TOKEN: Final = re.compile(r"[\x21-\x7e]{1,1024}")


def budgets(file: Path | None, who: Callable[[str], str]) -> list[Budget]:
    """Return an allowance for each user whose token is in `file`, or the anonymous one without a file.

    `who` names a token's user: tokens of one user share what they are allowed. Raises `BadCredentials`.
    """
    if file is None:
        return [Budget(owner="")]
    tokens = read(file)
    if len(tokens) == 1:
        return [Budget(owner="token 1", token=tokens[0])]
    by_owner: dict[str, Budget] = {}
    for number, token in enumerate(tokens, 1):
        owner = who(token) or f"token {number}"
        by_owner.setdefault(owner, Budget(owner=owner, token=token))
    return list(by_owner.values())


def read(file: Path) -> tuple[str, ...]:
    """Return the tokens of a file, a line each, `#` and empty lines aside; raises `BadCredentials`."""
    try:
        text = file.expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadCredentials(f"{file} cannot be read ({type(error).__name__}): set `github_tokens` anew") from error
    lines = [line.strip() for line in text.splitlines()]
    tokens = tuple(dict.fromkeys(line for line in lines if line and not line.startswith("#")))
    if not tokens or not all(_TOKEN.fullmatch(token) for token in tokens):
        raise BadCredentials(f"{file} holds no tokens, a line each: write them there, or unset `github_tokens`")
    return tokens
