from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from crawler.sources.git_client.commands import _make_argv, _make_environment, run_git
from crawler.sources.git_client.remote import parse_git_locator
from crawler.sources.interface import Limits

REMOTE = parse_git_locator("git+https://example.org/o/n.git@main")


def read_settings(argv: list[str]) -> dict[str, str]:
    return dict(
        value.split("=", 1) for option, value in pairwise(argv) if option == "-c"
    )


def test_git_runs_no_hook_and_asks_no_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    argv = _make_argv(["fetch"], REMOTE, Path("/work/git"))
    settings = read_settings(argv)
    assert argv[0] == "git"
    assert argv[-2:] == ["--git-dir=/work/git", "fetch"]
    assert settings["core.hooksPath"] == "/dev/null"
    assert settings["credential.helper"] == ""
    assert settings["fetch.fsckObjects"] == "true"
    assert settings["fetch.fsck.badTimezone"] == "ignore"
    assert settings["remote.origin.url"] == REMOTE.url


def test_git_sees_nothing_of_the_users_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    environment = _make_environment(REMOTE, "https")
    assert "secret" not in environment.values()
    assert "GIT_DIR" not in environment
    assert environment["HOME"] == "/nonexistent"
    assert environment["GIT_CONFIG_GLOBAL"] == "/dev/null"
    assert environment["GIT_ALLOW_PROTOCOL"] == "https"
    assert environment["HTTPS_PROXY"] == "http://proxy:3128"
    assert environment["GIT_TERMINAL_PROMPT"] == "0"


def test_the_operators_own_configuration_is_used_where_it_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "gitconfig")
    monkeypatch.setenv("HOME", "/home/operator")
    environment = _make_environment(REMOTE, "ssh")
    assert environment["GIT_CONFIG_GLOBAL"] == str(tmp_path / "gitconfig")
    assert environment["HOME"] == "/home/operator"
    assert "credential.helper" not in read_settings(_make_argv([], REMOTE, None))


def test_an_address_that_a_project_declares_gets_nothing_of_the_operator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/home/operator/gitconfig")
    monkeypatch.setenv("HOME", "/home/operator")
    declared = replace(REMOTE, is_declared=True)
    environment = _make_environment(declared, "https")
    assert environment["GIT_CONFIG_GLOBAL"] == "/dev/null"
    # where git looks for `.netrc`
    assert environment["HOME"] == "/nonexistent"
    assert read_settings(_make_argv([], declared, None))["credential.helper"] == ""


@pytest.mark.apt("git")
def test_an_offline_run_cannot_use_any_protocol(tmp_path: Path) -> None:
    remote = parse_git_locator(f"git+file://{tmp_path}/n")
    argv = ["ls-remote", "--", remote.url]
    completed = run_git(argv, remote, Limits(seconds=30), offline=True)
    assert completed.exit_code != 0
    assert b"not allowed" in completed.errors
