"""What a locator may look like, and what becomes of one that nobody meant."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crawler.errors import CrawlError, NotFound
from crawler.plugins import load_plugins
from crawler.sources.git_client.remote import is_git_locator, parse_git_locator
from crawler.sources.locator import find_source

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("locator", "url", "protocol", "owner", "name", "ref"),
    [
        (
            "git+https://h.org/o/n.git@main",
            "https://h.org/o/n.git",
            "https",
            "o",
            "n",
            "main",
        ),
        ("https://h.org/o/n", "https://h.org/o/n", "https", "o", "n", ""),
        (
            "https://h.org:8443/o/n.git",
            "https://h.org:8443/o/n.git",
            "https",
            "o",
            "n",
            "",
        ),
        (
            "https://h.org/g/sub/n@feature/x",
            "https://h.org/g/sub/n",
            "https",
            "g/sub",
            "n",
            "feature/x",
        ),
        (
            "https://h.org/o/n@pkg@1.0",
            "https://h.org/o/n",
            "https",
            "o",
            "n",
            "pkg@1.0",
        ),
        (
            f"git+https://h.org/o/n@{COMMIT}",
            "https://h.org/o/n",
            "https",
            "o",
            "n",
            COMMIT,
        ),
        (
            "git+http://127.0.0.1:80/o/n",
            "http://127.0.0.1:80/o/n",
            "http",
            "o",
            "n",
            "",
        ),
        (
            "git+ssh://git@h.org/o/n.git@v1",
            "ssh://git@h.org/o/n.git",
            "ssh",
            "o",
            "n",
            "v1",
        ),
        (
            "ssh://git@h.org:22/o/n.git",
            "ssh://git@h.org:22/o/n.git",
            "ssh",
            "o",
            "n",
            "",
        ),
        ("git@h.org:o/n.git", "git@h.org:o/n.git", "ssh", "o", "n", ""),
        ("git@h.org:o/n.git@v1.0", "git@h.org:o/n.git", "ssh", "o", "n", "v1.0"),
        ("git://[::1]:9418/n.git", "git://[::1]:9418/n.git", "git", "", "n", ""),
        ("git+file:///srv/work/n", "file:///srv/work/n", "file", "", "n", ""),
        (
            "git+file:///srv/work/n/.git@dev",
            "file:///srv/work/n/.git",
            "file",
            "",
            "n",
            "dev",
        ),
        ("git+file:///srv/a%40b/n", "file:///srv/a%40b/n", "file", "", "n", ""),
    ],
)
def test_a_locator_is_taken_apart(
    locator: str, url: str, protocol: str, owner: str, name: str, ref: str
) -> None:
    remote = parse_git_locator(locator)
    assert (remote.url, remote.protocol, remote.owner, remote.name, remote.ref) == (
        url,
        protocol,
        owner,
        name,
        ref,
    )
    assert is_git_locator(locator)


@pytest.mark.parametrize(
    "locator",
    [
        "git+ext::sh -c touch% /tmp/x",
        "git+ext://h.org/o/n",
        "git+fd://17/o/n",
        "file:///srv/n",
        "git+file://host/srv/n",
        "git+https://-oProxyCommand=x/o/n",
        "ssh://-oProxyCommand=x/o/n",
        "ssh://-x@h.org/o/n",
        "git@h.org:-upload-pack=x",
        "https://h.org/o/n@--upload-pack=x",
        "https://h.org/o/n@-x",
        "https://h.org/o/n@a..b",
        "https://h.org/o/n@refs/heads/*",
        "https://h.org/o/n@main:evil",
        "https://h.org/o/n@a\nb",
        "https://h.org/o/n@",
        "https://h.org/o/n?token=x",
        "https://h.org/o/n#egg=x",
        "https://h.org/",
        "https://h.org",
        "https:///o/n",
        "https://h.org/o/%0a",
        "https://h.org/o/..",
        "https://h.org:port/o/n",
        "git+https://h.org/o/n\nfetch",
        "https://h.org/" + "n" * 3000,
    ],
)
def test_what_could_be_no_repository_is_refused(locator: str) -> None:
    with pytest.raises(NotFound, match="write it like") as caught:
        parse_git_locator(locator)
    assert caught.value.code == "bad-locator"


@pytest.mark.parametrize(
    "locator",
    ["./a", "/srv/n", "pypi:name", "local:n", "github:owner/name@ref", "n", ""],
)
def test_what_belongs_to_others_is_left_to_them(locator: str) -> None:
    assert not is_git_locator(locator)


WORDS = "git+ https ssh file ext : // / @ - .. %2e %00 u h.org o .git pypi local ==1 refs/heads/x é ? # [ --upload-pack=x"
PARTS = st.lists(
    st.sampled_from([*WORDS.split(), " ", "\n", "\udcff"]), max_size=12
).map("".join)


def refusal(ask: Callable[[str], object], locator: str) -> str:
    try:
        ask(locator)
    except CrawlError as error:
        return error.code
    return ""


@settings(deadline=None)
@given(PARTS | st.text(max_size=60))
@example("git+https://h.org/o/n@-x")
def test_any_text_is_claimed_by_one_source_at_most_or_clearly_refused(
    locator: str,
) -> None:
    assert (
        sum(
            source.claims(locator)
            for source in load_plugins("crawler.sources.providers")
        )
        <= 1
    )
    assert refusal(find_source, locator) in (
        "",
        "unknown-locator",
        "bad-locator",
        "credentials-in-locator",
    )


URLS = st.tuples(
    st.sampled_from(
        ["git+https://h.org/o/n", "ssh://u@h.org/", "git+file:///", "u@h.org:"]
    ),
    PARTS,
)


@settings(deadline=None)
@given(PARTS | URLS.map("".join))
def test_what_is_taken_apart_gives_git_no_option_and_no_credentials(
    locator: str,
) -> None:
    if code := refusal(parse_git_locator, locator):
        assert code == "bad-locator"
        return
    remote = parse_git_locator(locator)
    assert not remote.ref.startswith("-")
    assert not remote.url.startswith("-")
    assert remote.protocol in ("https", "http", "ssh", "git", "file")
    assert remote.name
    assert remote.name not in (".", "..")
    assert (remote.owner + remote.name).isprintable()
    again = parse_git_locator(
        f"git+{remote.url}" if remote.protocol == "file" else remote.url
    )
    assert (again.url, again.name, again.ref) == (remote.url, remote.name, "")
