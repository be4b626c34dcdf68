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

_CREDENTIALS: Final = re.compile(r"(?<=://)[^/@\s]+@")
_FULL: Final = re.compile(r"No space left on device|Disk quota exceeded")
_KEPT: Final = 2_000


@dataclass(frozen=True, slots=True)
class _Meaning:
    words: re.Pattern[str]
    kind: type[CrawlError]
    code: str
    message: str
    """After the repository's address."""


def _meaning(words: str, kind: type[CrawlError], code: str, message: str) -> _Meaning:
    return _Meaning(re.compile(words), kind, code, message)


# the first that matches counts
_MEANINGS: Final = (
    _meaning(
        r"Host key verification failed",
        ToolFailed,
        "unknown-host-key",
        "is on a host whose key ssh does not know: connect to it once with ssh, then crawl again",
    ),
    _meaning(
        r"SSL certificate problem|certificate verification failed|server certificate",
        ToolFailed,
        "untrusted-certificate",
        "has a certificate that is not trusted here: name its authority in GIT_SSL_CAINFO",
    ),
    _meaning(
        r"dubious ownership",
        ToolFailed,
        "foreign-owner",
        "belongs to another user: allow it by `safe.directory` in the file that GIT_CONFIG_GLOBAL names, or copy it",
    ),
    _meaning(
        r"Protocol .* (not supported|disabled)|Unsupported (URL scheme|protocol)|transport '.*' not allowed",
        ToolFailed,
        "protocol-refused",
        "leads to a protocol that is not used for it: name the address that it leads to",
    ),
    _meaning(
        r"returned error: 429",
        RateLimited,
        "rate-limited",
        "asks us to wait: crawl again later",
    ),
    _meaning(
        r"could not read (Username|Password)|Authentication failed|Permission denied|returned error: 40[13]"
        r"|terminal prompts disabled",
        NotFound,
        "auth-required",
        "does not exist, or is not open to everyone: check its spelling, or give git credentials "
        "as docs/configuration.md says",
    ),
    _meaning(
        r"Could not resolve host|Name or service not known|Unable to look up|name resolution",
        NetworkDown,
        "host-not-found",
        "is on a host that has no address here: check its spelling and the network, then crawl again",
    ),
    _meaning(
        r"couldn't find remote ref|not our ref|unadvertised object|no such remote ref"
        r"|mismatched algorithms",
        NotFound,
        "ref-not-found",
        "has no such commit: name another ref after the @, or list it again",
    ),
    _meaning(
        r"not found|does not appear to be a git repository|not valid: is this a git repository|access denied"
        r"|no such repository|No such file or directory|not a git repository",
        NotFound,
        "not-found",
        "is no git repository: check its spelling",
    ),
    _meaning(
        r"fsck error|error in object|index-pack|inflate|bad pack|corrupt|missing blob|bad object|unresolved delta"
        r"|did not send all necessary objects|bad tree|bad line length",
        BadArchive,
        "bad-repository",
        "is malformed: report it to its owner",
    ),
    _meaning(
        r"[Cc]onnect|timed out|returned error: 5\d\d|early EOF|RPC failed|hung up|unreachable|No route to host"
        r"|unable to access|too slow|[Cc]ould not read from remote",
        NetworkDown,
        "network-down",
        "cannot be reached: check the network, then crawl again",
    ),
)


def translate_failure(
    completed: CompletedProcess, address: str, seconds: float
) -> Exception:
    """Return the error for a run of git that failed; `address` is the repository's address."""
    told = _CREDENTIALS.sub("", completed.errors.decode("utf-8", "replace"))[-_KEPT:]
    # a server may say anything; only git's own lines tell what happened
    own = "\n".join(
        line for line in told.splitlines() if not line.lstrip().startswith("remote:")
    )
    if completed.timed_out:
        return NetworkDown(
            f"{address} did not come within {seconds:.0f} s: crawl again later",
            code="timed-out",
        )
    if _FULL.search(own):
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    for meaning in _MEANINGS:
        if meaning.words.search(own):
            return _error(
                meaning.kind,
                meaning.code,
                f"{address} {meaning.message}",
                completed,
                told,
            )
    message = (
        f"git failed on {address} (exit code {completed.exit_code}): see its output"
    )
    return _error(ToolFailed, "git-failed", message, completed, told)


def _error(
    kind: type[CrawlError],
    code: str,
    message: str,
    finished: CompletedProcess,
    told: str,
) -> CrawlError:
    if issubclass(kind, ToolFailed):
        return kind(
            message,
            argv=finished.argv,
            exit_code=finished.exit_code,
            output=told,
            code=code,
        )
    return RateLimited(message) if kind is RateLimited else kind(message, code=code)
