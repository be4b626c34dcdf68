"""Whoever opted out is left out under every name that they go by, and nobody else is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.errors import Misconfigured, OptedOut
from crawler.model import Repo
from crawler.optouts import OptOuts, parse_optouts, read_optouts

TIDE = Repo(
    source="github",
    owner="Waves",
    name="tide",
    url="https://github.com/Waves/tide.git",
    ref="",
    commit="c" * 40,
    id="17",
)
SDIST = Repo(
    source="pypi",
    owner="",
    name="waves",
    url="https://example.org/w.tar.gz",
    ref="1",
    commit="sha256:" + "d" * 64,
)


@pytest.mark.parametrize(
    "line",
    [
        "github:waves",
        "github:WAVES/Tide  # asked on 2026-01-31",
        "github:#17",
        "https://github.com/waves",
        "https://github.com/waves/tide.git/",
        "git+https://github.com/Waves/tide",
    ],
)
def test_a_repository_is_left_out_by_each_of_its_names(line: str) -> None:
    left_out = parse_optouts(["# who asked", "", line])
    assert left_out.covers_repository(TIDE)
    assert not left_out.covers_repository(SDIST)
    with pytest.raises(OptedOut, match=r": nothing"):
        left_out.reject_if_covered(TIDE)


@pytest.mark.parametrize(
    "line",
    [
        "github:wave",
        "github:waves/tid",
        "github:#1",
        "https://github.com/wave",
        "https://github.com/waves/tid",
        "git:waves",
    ],
)
def test_what_only_looks_alike_stays(line: str) -> None:
    assert not parse_optouts([line]).covers_repository(TIDE)
    parse_optouts([line]).reject_if_covered(TIDE)


def test_a_package_and_a_content_are_left_out_by_name_and_digest() -> None:
    assert parse_optouts(["pypi:Waves"]).covers_repository(SDIST)
    by_digest = parse_optouts(["sha256:" + "D" * 64])
    assert by_digest.covers_repository(SDIST)
    assert not by_digest.covers_repository(replace(SDIST, commit="sha256:" + "e" * 64))
    assert by_digest.covers_unit("d" * 64)
    assert not by_digest.covers_unit("e" * 64)


@pytest.mark.parametrize(
    "line",
    ["waves", "github:", "github:a/b/c", "sha256:12", "github: waves", "owner/name"],
)
def test_a_line_that_is_not_understood_is_an_error_and_never_ignored(
    line: str, tmp_path: Path
) -> None:
    (tmp_path / "optouts").write_text(f"github:waves\n{line}\n")
    with pytest.raises(Misconfigured, match="line 2"):
        read_optouts(tmp_path / "optouts")
    with pytest.raises(Misconfigured):
        read_optouts(tmp_path / "absent")
    assert read_optouts(None) == OptOuts()


# each is refused by `urllib.parse`: a bracket that never closes, no IPv6, and a character that
# turns into a slash when a host is normalised
MALFORMED_ADDRESSES = [
    "https://[/waves/tide",
    "https://[github.com]/waves/tide",
    "https://github.com\u2100/waves/tide",
]


@pytest.mark.parametrize("address", MALFORMED_ADDRESSES)
def test_a_repository_with_a_malformed_address_is_compared_by_its_other_names(
    address: str,
) -> None:
    repo = replace(TIDE, url=address)

    assert parse_optouts(["github:waves/tide"]).covers_repository(repo)
    assert parse_optouts(["github:#17"]).covers_repository(repo)
    assert not parse_optouts(["https://github.com/waves"]).covers_repository(repo)
    assert not parse_optouts([]).covers_repository(repo)


@pytest.mark.parametrize("address", MALFORMED_ADDRESSES)
def test_a_malformed_address_in_the_list_is_an_error_that_names_its_line(
    address: str,
) -> None:
    with pytest.raises(Misconfigured, match=r"line 2 of the opt-outs") as raised:
        parse_optouts(["github:waves", address])
    assert raised.value.code == "bad-optouts"


def test_an_address_without_a_host_opts_nobody_out() -> None:
    with pytest.raises(Misconfigured, match=r"line 1"):
        parse_optouts(["https:///"])


@given(st.text(max_size=40))
def test_any_address_of_a_repository_is_compared_without_an_exception(
    text: str,
) -> None:
    left_out = parse_optouts(["github:other", "https://example.org/waves"])
    assert not left_out.covers_repository(replace(TIDE, url=f"https://{text}"))


@given(
    st.from_regex(r"[A-Za-z0-9-]{1,12}", fullmatch=True),
    st.from_regex(r"[A-Za-z0-9._-]{1,12}", fullmatch=True),
)
def test_any_owner_and_any_repository_can_be_left_out(owner: str, name: str) -> None:
    repo = replace(
        TIDE, owner=owner, name=name, url=f"https://github.com/{owner}/{name}.git"
    )
    assert parse_optouts([f"github:{owner}"]).covers_repository(repo)
    assert parse_optouts([f"github:{owner}/{name}"]).covers_repository(repo)
    assert not parse_optouts(
        [f"github:{owner}x", f"github:{owner}/{name}x"]
    ).covers_repository(repo)
