"""Exception hierarchy, split by how callers must react."""

from __future__ import annotations


class CrawlError(Exception):
    """The root of every expected error: a stable `code`, and a message that ends with the next
    action.
    """

    code = "crawl-error"

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        if code:
            self.code = code


class Transient(CrawlError):
    """It may work later: retry."""

    code = "transient"


class RateLimited(Transient):
    """A server asked to wait `retry_after` seconds."""

    code = "rate-limited"

    def __init__(self, message: str, *, retry_after: float = 60.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class NetworkDown(Transient):
    """A server could not be reached, or broke off."""

    code = "network-down"


class DeviceBusy(Transient):
    """A device is in use."""

    code = "device-busy"


class Rejected(CrawlError):
    """An expected end: recorded, not retried, and not an error of the run."""

    code = "rejected"


class NoBuildSystem(Rejected):
    """Nothing here says how the project is built."""

    code = "no-build-system"


class NoKernels(Rejected):
    """There is no CUDA or HIP kernel here."""

    code = "no-kernels"


class LicenceRefused(Rejected):
    """The licence does not allow what was asked for."""

    code = "licence-refused"


class TooLarge(Rejected):
    """It is over a limit on size or count."""

    code = "too-large"


class OptedOut(Rejected):
    """The owner does not want it in the dataset."""

    code = "opted-out"


class NotFound(CrawlError):
    """What a locator names does not exist: permanent, and an error of the run."""

    code = "not-found"


class BadArchive(CrawlError):
    """An archive is corrupt or hostile: permanent."""

    code = "bad-archive"


class BadDatabase(CrawlError):
    """A compile database cannot be used; `code` says which way."""

    code = "bad-database"


class ToolFailed(CrawlError):
    """A tool failed for good: its command line, exit code, and the end of its output."""

    code = "tool-failed"

    def __init__(
        self,
        message: str,
        *,
        argv: tuple[str, ...] = (),
        exit_code: int = -1,
        output: str = "",
        code: str = "",
    ) -> None:
        super().__init__(message, code=code)
        self.argv = argv
        self.exit_code = exit_code
        self.output = output


class ConfigureFailed(ToolFailed):
    """A build system did not configure."""

    code = "configure-failed"


class ParseFailed(ToolFailed):
    """A translation unit could not be parsed."""

    code = "parse-failed"


class PortFailed(ToolFailed):
    """A unit could not be rewritten."""

    code = "port-failed"


class Misconfigured(CrawlError):
    """The operator's to mend: the worker stops."""

    code = "misconfigured"


class MissingTool(Misconfigured):
    """A program or a header is not installed."""

    code = "missing-tool"


class BadCredentials(Misconfigured):
    """A server refused our credentials."""

    code = "bad-credentials"


class DiskFull(Misconfigured):
    """There is no room left where state is kept."""

    code = "disk-full"
