"""Find secrets and e-mail addresses in a text, and put a mark in their place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Final

# any text, in any language: addresses of people
_EMAIL: Final = re.compile(
    r"(?<![\w.%+-])[A-Za-z0-9][\w.%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b",
    re.ASCII,
)
# Behind the first line the key itself follows, of which a detector of lines says nothing.
_PRIVATE_KEY: Final = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----"
    r"(?:(?!-----).){0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?",
    re.DOTALL,
)
_DETECTORS: Final = {
    "aws-key": "aws.AWSKeyDetector",
    "azure-key": "azure_storage_key.AzureStorageKeyDetector",
    "basic-auth": "basic_auth.BasicAuthDetector",
    "discord-token": "discord.DiscordBotTokenDetector",
    "github-token": "github_token.GitHubTokenDetector",
    "gitlab-token": "gitlab_token.GitLabTokenDetector",
    "json-web-token": "jwt.JwtTokenDetector",
    "mailchimp-key": "mailchimp.MailchimpDetector",
    "npm-token": "npm.NpmDetector",
    "openai-token": "openai.OpenAIDetector",
    "pypi-token": "pypi_token.PypiTokenDetector",
    "sendgrid-key": "sendgrid.SendGridDetector",
    "slack-token": "slack.SlackDetector",
    "square-secret": "square_oauth.SquareOAuthDetector",
    "stripe-key": "stripe.StripeDetector",
    "telegram-token": "telegram_token.TelegramBotTokenDetector",
    "twilio-key": "twilio.TwilioKeyDetector",
}
"""Class of a secret to the detector of detect-secrets that knows its form. Those that guess by a
variable's name or by entropy are left out: constants of kernels look like secrets to them.
"""
_SIGNS: Final = re.compile(r"[A-Za-z0-9_\-]{16}|@|://|-----BEGIN")
"""Stand in every secret and address: most texts of kernels hold none."""
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
"""Names a text of ours: a record has many, and no secret has this form alone."""


# Of some detectors the time grows with the square of a line: `sk-sk-sk-…` of a megabyte would
# take hours. Long lines are cut, between words where there are any.
_LONG_LINE: Final = re.compile(r"[^\n]{1001}")
_PIECE: Final = re.compile(r"""[^\n]{0,999}[\s"';,)]|[^\n]{1,1000}|\n""")


def redact_text(text: str, counts: Counter[str]) -> str:
    """Return a text with `<redacted:CLASS>` in place of what is sensitive, and count it."""
    if not _SIGNS.search(text) or _DIGEST.fullmatch(text):
        return text

    text = _replace(_PRIVATE_KEY, "private-key", text, counts)
    pieces = [text]
    if _LONG_LINE.search(text):
        pieces = _PIECE.findall(text)

    return "".join(_redact_piece(piece, counts) for piece in pieces)


def _redact_piece(piece: str, counts: Counter[str]) -> str:
    for name, pattern in _list_patterns():
        piece = _replace(pattern, name, piece, counts)
    return piece


def _replace(
    pattern: re.Pattern[str], name: str, text: str, counts: Counter[str]
) -> str:
    text, number = pattern.subn(f"<redacted:{name}>", text)
    if number:
        counts[name] += number
    return text


@cache
def _list_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(_iter_patterns())


def _extend(name: str, pattern: re.Pattern[str]) -> re.Pattern[str]:
    # the detector of these tokens stops before their last part, the signature
    if name != "json-web-token":
        return pattern
    return re.compile(rf"(?:{pattern.pattern})[\w.=-]*", pattern.flags)


def _iter_patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield (class, pattern); a secret may hold an `@`, so addresses come last."""
    # takes a tenth of a second to import, and is of no use to other verbs
    from importlib import import_module

    for name, place in _DETECTORS.items():
        module, _, detector = place.partition(".")
        plugin = import_module(f"detect_secrets.plugins.{module}")
        for pattern in getattr(plugin, detector)().denylist:
            yield name, _extend(name, pattern)

    yield "email", _EMAIL
