"""Which declared addresses are asked, and which never."""

from __future__ import annotations

import pytest

from crawler.sources.dependencies.addresses import find_remote, strip_address
from crawler.sources.dependencies.interface import DeclaredDependency

HOSTS = ("github.com", "gitlab.com")


@pytest.mark.parametrize(
    ("url", "ref", "asked", "asked_ref"),
    [
        ("https://github.com/o/lib.git", "v1", "https://github.com/o/lib.git", "v1"),
        ("https://GitHub.com/o/lib", "", "https://github.com/o/lib", ""),
        # archives are asked as the repositories that they are made of
        (
            "https://github.com/o/lib/archive/refs/tags/v1.2.tar.gz",
            "",
            "https://github.com/o/lib",
            "v1.2",
        ),
        (
            "https://github.com/o/lib/archive/0a1b.zip",
            "",
            "https://github.com/o/lib",
            "0a1b",
        ),
        (
            "https://github.com/o/lib/releases/download/v3/lib.tar.xz",
            "",
            "https://github.com/o/lib",
            "v3",
        ),
        (
            "https://gitlab.com/g/lib/-/archive/3.4.0/lib-3.4.0.tar.gz",
            "",
            "https://gitlab.com/g/lib",
            "3.4.0",
        ),
        # a ref that git might take for something else is left out
        ("https://github.com/o/lib", "--upload-pack=x", "https://github.com/o/lib", ""),
        ("https://github.com/o/lib", "a..b", "https://github.com/o/lib", ""),
    ],
)
def test_an_address_of_a_named_host_is_asked(
    url: str, ref: str, asked: str, asked_ref: str
) -> None:
    remote = find_remote(DeclaredDependency(name="lib", url=url, ref=ref), HOSTS)
    assert remote is not None
    assert (remote.url, remote.ref) == (asked, asked_ref)
    assert remote.protocol == "https"
    assert remote.is_declared


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/o/lib",
        "https://github.com.example.org/o/lib",
        "https://github.com:8443/o/lib",
        "https://me:word@github.com/o/lib",
        "https://github.com@example.org/o/lib",
        "http://github.com/o/lib",
        "http://169.254.169.254/latest/meta-data",
        "https://localhost/o/lib",
        "https://[::1]/o/lib",
        "file:///etc",
        "ssh://git@github.com/o/lib",
        "git://github.com/o/lib",
        "ext::sh -c touch% x",
        "https://github.com/o/lib?x=1",
        "https://github.com/../../x",
        "https://github.com/",
        "https://[",
        "${LIB_URL}",
    ],
)
def test_any_other_address_is_not(url: str) -> None:
    assert find_remote(DeclaredDependency(name="lib", url=url), HOSTS) is None


def test_plain_http_takes_a_host_that_is_named_with_it() -> None:
    declared = DeclaredDependency(name="lib", url="http://127.0.0.1:8000/o/lib")
    assert find_remote(declared, ["127.0.0.1:8000"]) is None
    assert find_remote(declared, ["http://127.0.0.1:8000"]) is not None


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://github.com/o/lib.git", "https://github.com/o/lib.git"),
        ("https://me:word@github.com/o/lib", "https://github.com/o/lib"),
        ("https://me:w@rd@github.com/o/lib", "https://github.com/o/lib"),
        ("https://token@github.com/o/lib", "https://github.com/o/lib"),
        ("https://github.com/o/lib?token=x", "https://github.com/o/lib"),
        ("https://github.com/o/lib#a@b", "https://github.com/o/lib"),
        ("https://github.com/o/\x1b[31mlib\n", "https://github.com/o/?[31mlib?"),
        ("https://github.com/" + "x" * 900, "https://github.com/" + "x" * 481),
    ],
)
def test_an_address_is_shown_without_secrets(url: str, shown: str) -> None:
    assert strip_address(url) == shown
