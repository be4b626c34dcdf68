"""What the listings of owners showed: what is wanted, what was passed over and what is gone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.errors import Misconfigured
from crawler.model import Repo
from tests.unit.workers.cli.conftest import CommandLine
from workers.cli.exit_codes import DONE, NOTHING

TIDE = Repo(
    source="github",
    owner="waves",
    name="tide",
    url="u",
    ref="main",
    commit="",
    id="1",
    pushed_at="2026-01-02",
)
FORK = replace(TIDE, name="fork", id="2")
GONE = replace(TIDE, name="gone", id="3")
OTHER = replace(TIDE, owner="hills", name="slope\x1b", id="4")


@pytest.fixture
def home_with_listings(kernelset: CommandLine) -> CommandLine:
    """A home in which two owners were listed, one of them twice."""
    with kernelset.open() as storage:
        memory = storage.source_memory
        memory.put_listing("github", "waves", [TIDE, GONE], [(FORK, "fork")])
        assert memory.put_listing("github", "waves", [TIDE], [(FORK, "fork")]) == 1
        memory.put_listing("github", "hills", [OTHER], [])
    return kernelset


def test_each_repository_has_a_line_with_what_became_of_it(
    home_with_listings: CommandLine,
) -> None:
    answer = home_with_listings.run("repositories")
    assert answer.code == DONE
    assert answer.out.splitlines() == [
        r"github:hills/slope\x1b  wanted  2026-01-02",
        "github:waves/fork  passed-over (fork)  2026-01-02",
        "github:waves/gone  vanished  2026-01-02",
        "github:waves/tide  wanted  2026-01-02",
    ]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("waves",), ["fork", "gone", "tide"]),
        # as GitHub has it, an owner's name may be written in either case
        (("WAVES", "--state", "wanted"), ["tide"]),
        (("--state", "passed-over"), ["fork"]),
        (("--state", "vanished"), ["gone"]),
        (("hills", "--state", "vanished"), []),
        (("wave",), []),
        (("%",), []),
    ],
)
def test_they_are_chosen_by_owner_and_state(
    home_with_listings: CommandLine, words: tuple[str, ...], names: list[str]
) -> None:
    answer = home_with_listings.run("repositories", *words, "--json")
    assert [row["repo"]["name"] for row in answer.rows] == names
    assert answer.code == (DONE if names else NOTHING)


def test_what_vanished_says_since_when(home_with_listings: CommandLine) -> None:
    rows = home_with_listings.run("repositories", "waves", "--json").rows
    vanished = {row["repo"]["name"]: row["vanished_at"] > 0 for row in rows}
    assert vanished == {"fork": False, "gone": True, "tide": False}


@pytest.mark.parametrize("state", ["gone", "Wanted", "wanted,vanished"])
def test_a_state_that_is_none_is_refused_with_those_that_there_are(
    home_with_listings: CommandLine, state: str
) -> None:
    with pytest.raises(
        Misconfigured, match="give one of wanted, passed-over, vanished"
    ) as raised:
        home_with_listings.run("repositories", "--state", state)
    assert raised.value.code == "bad-state"
