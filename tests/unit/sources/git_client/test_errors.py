from __future__ import annotations

import pytest

from crawler.errors import (
    BadArchive,
    CrawlError,
    NetworkDown,
    NotFound,
    RateLimited,
    ToolFailed,
)
from crawler.process import CompletedProcess
from crawler.sources.git_client.errors import translate_failure

ADDRESS = "https://example.org/o/n.git"


def translate(errors: str, *, timed_out: bool = False) -> Exception:
    completed = CompletedProcess(
        argv=("git", "fetch"),
        exit_code=128,
        output=b"",
        errors=errors.encode(),
        timed_out=timed_out,
    )
    return translate_failure(completed, ADDRESS, 60.0)


@pytest.mark.parametrize(
    ("errors", "kind", "code"),
    [
        ("Host key verification failed.", ToolFailed, "unknown-host-key"),
        ("SSL certificate problem: expired", ToolFailed, "untrusted-certificate"),
        ("fatal: detected dubious ownership", ToolFailed, "foreign-owner"),
        ("transport 'ext' not allowed", ToolFailed, "protocol-refused"),
        ("The requested URL returned error: 429", RateLimited, "rate-limited"),
        ("fatal: could not read Username for 'x'", NotFound, "auth-required"),
        ("unable to access 'x': returned error: 403", NotFound, "auth-required"),
        ("Could not resolve host: example.org", NetworkDown, "host-not-found"),
        ("fatal: couldn't find remote ref v9", NotFound, "ref-not-found"),
        ("fatal: repository 'x' not found", NotFound, "not-found"),
        ("fatal: fsck error in packed object", BadArchive, "bad-repository"),
        ("unable to access 'x': returned error: 503", NetworkDown, "network-down"),
        ("fatal: the remote end hung up", NetworkDown, "network-down"),
        ("fatal: something new", ToolFailed, "git-failed"),
        ("", ToolFailed, "git-failed"),
    ],
)
def test_a_failure_has_the_meaning_of_gits_own_words(
    errors: str, kind: type[CrawlError], code: str
) -> None:
    error = translate(errors)
    assert isinstance(error, kind)
    assert error.code == code
    assert ADDRESS in str(error)


def test_a_malformed_repository_is_told_in_gits_own_words() -> None:
    error = translate("Cloning\nerror: bad object 4b825dc\nfatal: exiting")
    assert isinstance(error, BadArchive)
    assert str(error) == (
        f"{ADDRESS} is malformed: report it to its owner (git says: error: bad object 4b825dc)"
    )


def test_what_a_server_prints_is_not_believed() -> None:
    error = translate("remote: Host key verification failed\nfatal: early EOF")
    assert isinstance(error, NetworkDown)


def test_a_run_that_took_too_long_says_how_long() -> None:
    error = translate("fatal: early EOF", timed_out=True)
    assert isinstance(error, NetworkDown)
    assert (error.code, "60 s" in str(error)) == ("timed-out", True)


def test_a_full_disk_is_no_fault_of_the_repository() -> None:
    error = translate("fatal: write error: No space left on device")
    assert isinstance(error, OSError)


def test_credentials_are_not_in_the_output() -> None:
    error = translate("fatal: unable to use https://reader:secret@example.org/o/n")
    assert isinstance(error, ToolFailed)
    assert error.output
    assert "secret" not in error.output
