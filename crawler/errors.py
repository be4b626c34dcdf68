"""Exception hierarchy, split by how callers must react."""

from __future__ import annotations


class CrawlError(Exception):
    """Root of every expected error: a stable `code`, and a message that ends with what to do."""

    code = "crawl-error"

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        if code:
            self.code = code


class Transient(CrawlError):
    """An error that may go away by itself: retry."""

    code = "transient"


class RateLimited(Transient):
    """A server asked to wait `retry_after` seconds."""

    code = "rate-limited"

    def __init__(self, message: str, *, retry_after: float = 60.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class NetworkDown(Transient):
    """A server could not be reached, or closed the connection."""

    code = "network-down"


class DeviceBusy(Transient):
    """A device is in use."""

    code = "device-busy"


class Rejected(CrawlError):
    """An expected end: recorded, not retried, and not an error of the run."""

    code = "rejected"


class NoBuildSystem(Rejected):
    """No file says how the project is built."""

    code = "no-build-system"


class NoKernels(Rejected):
    """The project has no CUDA or HIP kernel."""

    code = "no-kernels"


class LicenceRefused(Rejected):
    """The licence does not allow what was asked for."""

    code = "licence-refused"


class TooLarge(Rejected):
    """Something exceeds a limit on size or count."""

    code = "too-large"


class OptedOut(Rejected):
    """The owner asked for exclusion from the dataset."""

    code = "opted-out"


class NotFound(CrawlError):
    """What a locator names does not exist: a permanent error of the run."""

    code = "not-found"


class BadArchive(CrawlError):
    """An archive is corrupt or hostile: permanent."""

    code = "bad-archive"


class BadDatabase(CrawlError):
    """A compile database cannot be used; `code` says why."""

    code = "bad-database"


class ToolFailed(CrawlError):
    """A tool failed for good; it has its command line, exit code, and the end of its output."""

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
    """A unit could not be ported."""

    code = "port-failed"


class Misconfigured(CrawlError):
    """The operator has to change something: the worker stops."""

    code = "misconfigured"


class MissingTool(Misconfigured):
    """A program or a header is not installed."""

    code = "missing-tool"


class BadCredentials(Misconfigured):
    """A server refused our credentials."""

    code = "bad-credentials"


class DiskFull(Misconfigured):
    """The disk that holds the state is full."""

    code = "disk-full"
