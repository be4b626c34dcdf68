"""What `.gitmodules` says, and which addresses of a stranger are taken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.sources.git_client.submodules import read_submodules

GITMODULES = b"""
# third parties
[submodule "glm"]
	path = third_party/glm
	url = https://example.org/g-truc/glm.git
	branch = master
[submodule "a b"]
path=lib/own
URL = ../own.git
[submodule "keys"]
	path = keys
	url = git@example.org:team/keys.git
[submodule "host"]
	path = host
	url = file:///etc
[submodule "untold"]
	url = https://example.org/x.git
"""
ORIGIN = "https://example.org/team/project.git"


def urls(origin: str = ORIGIN, gitmodules: bytes = GITMODULES) -> dict[str, str]:
    commits = dict.fromkeys(
        ("third_party/glm", "lib/own", "keys", "host", "lost"), "c" * 40
    )
    return {
        submodule.path: submodule.url
        for submodule in read_submodules(commits, gitmodules, origin)
    }


def test_each_submodule_has_its_address() -> None:
    assert urls() == {
        "host": "",
        "keys": "https://example.org/team/keys.git",
        "lib/own": "https://example.org/team/own.git",
        "lost": "",
        "third_party/glm": "https://example.org/g-truc/glm.git",
    }


@pytest.mark.parametrize(
    "url",
    [
        "git+file:///etc",
        "/etc",
        "ext::sh -c id",
        "git://example.org/a/b",
        "http://example.org/a/b",
        "-oProxyCommand=id@example.org:a/b",
    ],
)
def test_only_https_is_followed_from_a_stranger(url: str) -> None:
    gitmodules = f'[submodule "x"]\n path = lost\n url = {url}\n'.encode()
    assert urls(gitmodules=gitmodules)["lost"] == ""


def test_plain_http_is_followed_from_where_it_was_used() -> None:
    gitmodules = b'[submodule "x"]\n path = lost\n url = http://example.org/a/b\n'
    assert (
        urls("http://example.org/c/d", gitmodules)["lost"] == "http://example.org/a/b"
    )
    assert (
        urls("user@example.org:c/d", b'[submodule "x"]\n path = lost\n url = ../b\n')[
            "lost"
        ]
        == ""
    )


@given(
    st.binary(max_size=400),
    st.sampled_from([ORIGIN, "http://h/a", "git@h:a/b", "", "file:///a"]),
)
def test_no_text_breaks_it(gitmodules: bytes, origin: str) -> None:
    for submodule in read_submodules(
        {"a": "c" * 40}, b'[submodule "a"]\npath=a\nurl=' + gitmodules, origin
    ):
        assert submodule.url == "" or submodule.url.startswith(("https://", "http://"))
