"""Run git with safe settings: no hooks, prompts, filters or configuration of the user."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final

from crawler import process
from crawler.process import CompletedProcess
from crawler.sources.git_client.errors import translate_failure
from crawler.sources.git_client.remote import Remote
from crawler.sources.interface import Limits

_SAFE_SETTINGS: Final = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.symlinks": "false",
    "core.bigFileThreshold": "64m",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "fetch.fsckObjects": "true",
    # One pack, so that the limit on a file bounds all that is fetched.
    "fetch.unpackLimit": "1",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "pack.threads": "2",
    "http.lowSpeedLimit": "1",
    "http.lowSpeedTime": "60",
    "advice.detachedHead": "false",
}
# Harmless faults that old tools left in the newest commit of honest projects.
_IGNORED_FAULTS: Final = (
    "zeroPaddedFilemode",
    "zeroPaddedDate",
    "badTimezone",
    "missingSpaceBeforeDate",
    "badFilemode",
)
_INHERITED_VARIABLES: Final = (
    "PATH",
    "SSH_AUTH_SOCK",
    "GIT_SSH_COMMAND",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
)
_QUIET_VARIABLES: Final = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "SSH_ASKPASS_REQUIRE": "never",
}
_SSH_COMMAND: Final = (
    "ssh -oBatchMode=yes -oConnectTimeout=30"
    " -oForwardAgent=no -oClearAllForwardings=yes"
)
_OPERATOR_CONFIG: Final = "GIT_CONFIG_GLOBAL"
_NO_PROTOCOL: Final = "none"
_MEMORY_BYTES: Final = 4 << 30
MAX_ANSWER_BYTES: Final = 4 << 20


def run_git(
    argv: Sequence[str],
    remote: Remote,
    limits: Limits,
    *,
    folder: Path | None = None,
    offline: bool = False,
    stdin: bytes = b"",
    keep: int = MAX_ANSWER_BYTES,
) -> CompletedProcess:
    """Run git to its end, in the repository `folder` where one is given.

    It may only use the protocol of `remote`, and none where it is `offline`.
    """
    protocol = _NO_PROTOCOL if offline else remote.protocol
    return process.run(
        _make_argv(argv, remote, folder),
        cwd=Path("/"),
        env=_make_environment(remote, protocol),
        stdin=stdin,
        limits=process.Limits(
            seconds=limits.seconds,
            memory_bytes=_MEMORY_BYTES,
            file_bytes=limits.download_bytes,
        ),
        keep=keep,
    )


def start_git(
    argv: Sequence[str],
    remote: Remote,
    limits: Limits,
    *,
    folder: Path,
    stdin: IO[bytes],
    stderr: IO[bytes],
) -> subprocess.Popen[bytes]:
    """Start git in the repository `folder`, offline, and return it with its output to read."""
    return process.start(
        _make_argv(argv, remote, folder),
        env=_make_environment(remote, _NO_PROTOCOL),
        stdin=stdin,
        stderr=stderr,
        limits=process.Limits(
            memory_bytes=_MEMORY_BYTES,
            cpu_seconds=int(limits.seconds),
        ),
    )


def check_output(completed: CompletedProcess, remote: Remote, limits: Limits) -> bytes:
    """Return what git printed; raises the error that its failure means."""
    if completed.timed_out or completed.exit_code != 0:
        raise translate_failure(completed, remote.url, limits.seconds)
    return completed.output


def _make_argv(argv: Sequence[str], remote: Remote, folder: Path | None) -> list[str]:
    settings = dict(_SAFE_SETTINGS)
    for fault in _IGNORED_FAULTS:
        settings[f"fetch.fsck.{fault}"] = "ignore"

    # Given on the command line, so that no file of the repository holds it.
    settings["remote.origin.url"] = remote.url
    # An empty helper removes those of every configuration that git reads.
    if not _uses_operator_config(remote):
        settings["credential.helper"] = ""

    command = ["git", "--no-pager"]
    for name, value in settings.items():
        command += ["-c", f"{name}={value}"]

    if folder is not None:
        command.append(f"--git-dir={folder}")
    return [*command, *argv]


def _uses_operator_config(remote: Remote) -> bool:
    """Tell whether git may read the operator's configuration: never for a stranger's address."""
    return _OPERATOR_CONFIG in os.environ and not remote.is_declared


def _make_environment(remote: Remote, protocol: str) -> dict[str, str]:
    """Return git's whole environment: of the operator's, only what is meant for it."""
    environment = {
        name: os.environ[name] for name in _INHERITED_VARIABLES if name in os.environ
    }
    home = "/nonexistent"
    config = "/dev/null"

    # The operator's file may name helpers that look for keys at home.
    if _uses_operator_config(remote):
        home = os.environ.get("HOME", "/")
        config = str(Path(os.environ[_OPERATOR_CONFIG]).absolute())

    environment["HOME"] = home
    environment["LC_ALL"] = "C"
    environment["GIT_ALLOW_PROTOCOL"] = protocol
    environment["GIT_CONFIG_GLOBAL"] = config
    environment["GIT_SSH_COMMAND"] = os.environ.get("GIT_SSH_COMMAND", _SSH_COMMAND)
    environment.update(_QUIET_VARIABLES)

    return environment
