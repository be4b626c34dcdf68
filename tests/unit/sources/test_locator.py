from __future__ import annotations

import pytest

from crawler.errors import Misconfigured, NotFound
from crawler.sources.locator import find_source, get_source_by_name
from crawler.sources.options import InMemoryAnswers


@pytest.mark.parametrize(
    ("locator", "name"),
    [
        ("pypi:torch_scatter==2.1.2", "pypi"),
        ("github:owner", "github"),
        ("github:owner/name@v1", "github"),
        ("https://example.org/owner/name.git", "git"),
        ("git@example.org:owner/name.git", "git"),
        ("ssh://git@example.org/owner/name", "git"),
        ("git+file:///srv/name", "git"),
        ("./waves", "local"),
        ("~/waves.zip", "local"),
        ("local:waves", "local"),
    ],
)
def test_a_locator_is_of_one_source(locator: str, name: str) -> None:
    assert find_source(locator).name == name


def test_an_unknown_locator_is_answered_with_an_example_of_each_source() -> None:
    with pytest.raises(NotFound) as caught:
        find_source("svn:waves")
    assert caught.value.code == "unknown-locator"
    for name in ("git", "github", "local", "pypi"):
        assert get_source_by_name(name).example in str(caught.value)


@pytest.mark.parametrize(
    "locator",
    [
        "github:a/..",
        "github:a/.",
        "github:owner@v1",
        "github:owner/name/more",
        "pypi:",
        "pypi:a b",
        "git+https://example.org/",
        "git+https://example.org/a/../b",
    ],
)
def test_what_can_name_nothing_is_refused_before_it_is_asked_for(locator: str) -> None:
    with pytest.raises(NotFound) as caught:
        find_source(locator)
    assert caught.value.code == "bad-locator"


def test_a_name_that_may_be_a_secret_is_not_repeated() -> None:
    with pytest.raises(NotFound) as caught:
        find_source("waves+ssh://reader@example.org/x")
    assert "reader" not in str(caught.value)


@pytest.mark.parametrize(
    "locator",
    ["https://token@example.org/o/n", "ssh://name:word@example.org/o/n", "a:b@c:d"],
)
def test_credentials_are_refused(locator: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        find_source(locator)
    assert caught.value.code == "credentials-in-locator"


def test_a_port_is_no_password() -> None:
    assert find_source("ssh://git@example.org:22/o/n").name == "git"
    assert find_source("https://example.org:8443/o/n@v1").name == "git"


def test_a_source_that_is_not_installed_is_a_fault_of_the_configuration() -> None:
    with pytest.raises(Misconfigured, match="install the version"):
        get_source_by_name("svn")


def test_answers_are_remembered_until_they_are_replaced() -> None:
    memory = InMemoryAnswers()
    assert memory.recall("key") is None
    memory.remember("key", b"first")
    memory.remember("key", b"second")
    assert memory.recall("key") == b"second"
