"""Translate git's error messages into crawl errors."""

from __future__ import annotations

import errno
import os
import re
from dataclasses import dataclass
from typing import Final

from crawler.errors import (
    BadArchive,
    CrawlError,
    NetworkDown,
    NotFound,
    RateLimited,
    ToolFailed,
)
from crawler.process import CompletedProcess

# an address in a message of git's
_CREDENTIALS: Final = re.compile(r"(?<=://)[^/@\s]+@")
# a message of git's
_DISK_FULL: Final = re.compile(r"No space left on device|Disk quota exceeded")
_MAX_OUTPUT: Final = 2_000
_MAX_QUOTED: Final = 200
"""Characters of a line of git that a message quotes."""


@dataclass(frozen=True, slots=True)
class _Failure:
    """What lines of git mean, in our words."""

    pattern: re.Pattern[str]
    kind: type[CrawlError]
    code: str
    message: str
    """After the repository's address."""


def _failure(pattern: str, kind: type[CrawlError], code: str, message: str) -> _Failure:
    return _Failure(re.compile(pattern), kind, code, message)


# The first that matches counts: "unable to access …: returned error: 403" matches several.
_FAILURES: Final = (
    _failure(
        r"Host key verification failed",
        ToolFailed,
        "unknown-host-key",
        "is on a host whose key ssh does not know: connect to it once with ssh, then crawl again",
    ),
    _failure(
        r"SSL certificate problem|certificate verification failed|server certificate",
        ToolFailed,
        "untrusted-certificate",
        "has a certificate that is not trusted here: name its authority in GIT_SSL_CAINFO",
    ),
    _failure(
        r"dubious ownership",
        ToolFailed,
        "foreign-owner",
        "belongs to another user: allow it by `safe.directory` in the file that "
        "GIT_CONFIG_GLOBAL names, or copy it",
    ),
    _failure(
        r"Protocol .* (not supported|disabled)|Unsupported (URL scheme|protocol)"
        r"|transport '.*' not allowed",
        ToolFailed,
        "protocol-refused",
        "leads to a protocol that is not used for it: name the address that it leads to",
    ),
    _failure(
        r"returned error: 429",
        RateLimited,
        "rate-limited",
        "asks us to wait: crawl again later",
    ),
    _failure(
        r"could not read (Username|Password)|Authentication failed|Permission denied"
        r"|returned error: 40[13]"
        r"|terminal prompts disabled",
        NotFound,
        "auth-required",
        "does not exist, or is not open to everyone: check its spelling, or give git credentials "
        "as docs/configuration.md says",
    ),
    _failure(
        r"Could not resolve host|Name or service not known|Unable to look up|name resolution",
        NetworkDown,
        "host-not-found",
        "is on a host that has no address here: check its spelling and the network, then "
        "crawl again",
    ),
    _failure(
        r"couldn't find remote ref|not our ref|unadvertised object|no such remote ref"
        r"|mismatched algorithms",
        NotFound,
        "ref-not-found",
        "has no such commit: name another ref after the @, or list it again",
    ),
    _failure(
        r"not found|does not appear to be a git repository"
        r"|not valid: is this a git repository|access denied"
        r"|no such repository|No such file or directory|not a git repository",
        NotFound,
        "not-found",
        "is no git repository: check its spelling",
    ),
    _failure(
        r"fsck error|error in object|index-pack|inflate|bad pack|corrupt|missing blob"
        r"|bad object|unresolved delta"
        r"|did not send all necessary objects|bad tree|bad line length",
        BadArchive,
        "bad-repository",
        "is malformed: report it to its owner",
    ),
    _failure(
        r"[Cc]onnect|timed out|returned error: 5\d\d|early EOF|RPC failed|hung up"
        r"|unreachable|No route to host"
        r"|unable to access|too slow|[Cc]ould not read from remote",
        NetworkDown,
        "network-down",
        "cannot be reached: check the network, then crawl again",
    ),
)


def translate_failure(
    completed: CompletedProcess, address: str, seconds: float
) -> Exception:
    """Return the error for a run of git that failed on the repository at `address`."""
    errors = completed.errors.decode("utf-8", "replace")
    # git repeats the address, with the name and the password of a helper.
    output = _CREDENTIALS.sub("", errors)[-_MAX_OUTPUT:]
    if completed.timed_out:
        return NetworkDown(
            f"{address} did not come within {seconds:.0f} s: crawl again later",
            code="timed-out",
        )

    # A server may print anything: only git's own lines are believed.
    git_lines = [
        line for line in output.splitlines() if not line.lstrip().startswith("remote:")
    ]
    git_output = "\n".join(git_lines)
    if _DISK_FULL.search(git_output):
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for failure in _FAILURES:
        matched = failure.pattern.search(git_output)
        if matched:
            message = f"{address} {failure.message}"
            # an owner can look only for what git found
            if failure.kind is BadArchive:
                message += f" (git says: {_line_around(git_output, matched.start())})"
            return _make_error(failure.kind, failure.code, message, completed, output)

    return _make_error(
        ToolFailed,
        "git-failed",
        f"git failed on {address} (exit code {completed.exit_code}): see its output",
        completed,
        output,
    )


def _line_around(text: str, place: int) -> str:
    start = text.rfind("\n", 0, place) + 1
    line = text[start:].partition("\n")[0]
    return line.strip()[:_MAX_QUOTED]


def _make_error(
    kind: type[CrawlError],
    code: str,
    message: str,
    completed: CompletedProcess,
    output: str,
) -> CrawlError:
    if kind is RateLimited:
        return RateLimited(message)
    if issubclass(kind, ToolFailed):
        return kind(
            message,
            argv=completed.argv,
            exit_code=completed.exit_code,
            output=output,
            code=code,
        )
    return kind(message, code=code)
