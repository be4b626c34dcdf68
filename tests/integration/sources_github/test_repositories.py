"""Repositories of a GitHub: pages, conditional requests, names that change, and what goes away."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crawler.errors import NoKernels, NotFound, Rejected
from crawler.model import Repo
from crawler.sources.options import RepositoryFilter, SourceOptions
from crawler.sources.providers.github import PLUGIN
from tests.integration.sources_github.listing import KERNEL, names
from tests.servers.github.state import GitHub

pytestmark = pytest.mark.apt("git")


def test_every_page_is_read_and_asking_again_costs_next_to_nothing(
    github: GitHub, terms: SourceOptions
) -> None:
    for number in range(1050):
        github.add("waves", f"r{number:04}")
    first = list(PLUGIN.list("github:waves", terms))
    assert [repo.name for repo in first] == [f"r{number:04}" for number in range(1050)]
    assert all(
        (repo.owner, repo.commit, repo.source) == ("waves", "", "github")
        for repo in first
    )
    assert github.charged == 1 + 11
    assert list(PLUGIN.list("github:waves", terms)) == first
    assert github.charged == 1 + 11
    assert [request.status for request in github.requests[12:]] == [304] * 12


def test_a_push_is_seen_and_costs_one_page(
    github: GitHub, terms: SourceOptions
) -> None:
    made = [github.add("waves", f"r{number:03}") for number in range(250)]
    before = list(PLUGIN.list("github:waves", terms))
    made[7].pushed_at = "2026-02-02T00:00:00Z"
    charged = github.charged
    after = list(PLUGIN.list("github:waves", terms))
    assert [
        (old.name, new.pushed_at)
        for old, new in zip(before, after, strict=True)
        if old != new
    ] == [("r007", "2026-02-02T00:00:00Z")]
    assert github.charged == charged + 1


def test_a_user_is_listed_as_an_organisation_is_and_in_any_case(
    github: GitHub, terms: SourceOptions
) -> None:
    github.owners["Somebody"] = "User"
    github.add("Somebody", "mine")
    assert names(terms, "github:somebody") == ["mine"]


def test_what_is_not_wanted_is_told_with_its_reason(
    github: GitHub, terms: SourceOptions
) -> None:
    github.add("waves", "a")
    github.add("waves", "b", fork=True)
    github.add("waves", "c", archived=True)
    github.add("waves", "d", language="Python")
    github.add("waves", "e", license=None)
    github.add("waves", "f", stargazers_count=1)
    github.add("waves", "g", size=10_000)
    github.add("waves", "h", topics=["GPU"], pushed_at="2025-01-01T00:00:00Z")
    github.add("waves", "i", is_template=True)
    github.add("waves", "j", pushed_at=None)
    heard: dict[str, str] = {}

    def wanting(**wishes: object) -> list[str]:
        heard.clear()
        repository_filter = RepositoryFilter(**wishes)  # type: ignore[arg-type]
        return names(
            replace(
                terms,
                wanted=repository_filter,
                report_skipped=lambda repo, reason: heard.update({repo.name: reason}),
            )
        )

    assert wanting() == ["a", "c", "d", "e", "f", "g", "h", "i"]
    assert heard == {"b": "fork", "j": "never-pushed"}
    assert wanting(
        forks=True, archived=False, languages=("cuda",), licences=("mit",)
    ) == ["a", "b", "f", "g", "h", "i"]
    assert heard == {
        "c": "archived",
        "d": "other-language",
        "e": "other-licence",
        "j": "never-pushed",
    }
    assert wanting(
        min_stars=2, max_kilobytes=9_999, pushed_since="2025-06-01", templates=False
    ) == ["a", "c", "d", "e"]
    assert heard == {
        "b": "fork",
        "f": "few-stars",
        "g": "too-large",
        "h": "not-pushed-since",
        "i": "template",
        "j": "never-pushed",
    }
    assert wanting(topics=("gpu",)) == ["h"]


def test_one_repository_is_pinned_by_git_at_the_cost_of_one_question(
    github: GitHub, terms: SourceOptions, tmp_path: Path
) -> None:
    made = github.add("waves", "tide", {"a.cu": KERNEL, "README": "x"})
    newest = github.push(made, {"b.cuh": "// nothing"})
    (repo,) = PLUGIN.list("github:waves/tide", terms)
    (same,) = PLUGIN.list("github:waves/tide@main", terms)
    assert repo == Repo(
        source="github",
        owner="waves",
        name="tide",
        url=f"{github.web}/waves/tide.git",
        ref="",
        commit=newest,
        id=str(made.id),
    )
    assert same == replace(repo, ref="main")
    assert github.charged == 1
    (tmp_path / "out").mkdir()
    PLUGIN.fetch(repo, tmp_path / "out", terms)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "README",
        "a.cu",
        "b.cuh",
    ]
    assert github.charged == 1


def test_a_renamed_repository_is_followed_and_keeps_its_number(
    github: GitHub, terms: SourceOptions
) -> None:
    made = github.add("waves", "tide", {"a.cu": KERNEL})
    (before,) = PLUGIN.list("github:waves/tide", terms)
    github.rename(made, "swell")
    (after,) = PLUGIN.list("github:waves/tide", terms)
    assert (after.name, after.id, after.commit) == ("swell", before.id, before.commit)
    assert PLUGIN.pin(replace(before, commit=""), terms).commit == before.commit


def test_what_goes_away_between_two_looks_is_an_expected_end(
    github: GitHub, terms: SourceOptions, tmp_path: Path
) -> None:
    made = github.add("waves", "tide", {"a.cu": KERNEL})
    (listed,) = PLUGIN.list("github:waves", terms)
    pinned = PLUGIN.pin(listed, terms)
    github.remove(made)
    (tmp_path / "out").mkdir()
    for look in (
        lambda: PLUGIN.pin(listed, terms),
        lambda: PLUGIN.fetch(pinned, tmp_path / "out", terms),
    ):
        with pytest.raises(Rejected) as caught:
            look()
        assert caught.value.code == "vanished"
    assert list((tmp_path / "out").iterdir()) == []
    with pytest.raises(NotFound):
        list(PLUGIN.list("github:waves/tide", terms))
    with pytest.raises(NotFound):
        list(PLUGIN.list("github:nobody", terms))


def test_a_repository_without_device_code_costs_no_more_than_its_tree(
    github: GitHub, terms: SourceOptions, tmp_path: Path
) -> None:
    text = "".join(f"int f{number}();\n" for number in range(5_000))
    github.add(
        "waves",
        "plain",
        {f"src/{number}.cpp": text + str(number) for number in range(4)},
    )
    github.add(
        "waves", "hidden", {"src/gpu/impl.h": KERNEL, "main.cpp": "int main() {}"}
    )
    github.add(
        "waves", "empty-promise", {"src/gpu/impl.h": "// no kernel", "main.cpp": text}
    )
    repositories = {
        repo.name: PLUGIN.pin(repo, terms)
        for repo in PLUGIN.list("github:waves", terms)
    }
    github.sent = 0
    for name in ("plain", "empty-promise"):
        folder = tmp_path / name
        folder.mkdir()
        with pytest.raises(NoKernels):
            PLUGIN.fetch(repositories[name], folder, terms)
        assert list(folder.iterdir()) == []
    assert github.sent < 10_000
    (tmp_path / "hidden").mkdir()
    PLUGIN.fetch(repositories["hidden"], tmp_path / "hidden", terms)
    assert (tmp_path / "hidden/src/gpu/impl.h").read_text() == KERNEL


def test_a_server_that_cannot_leave_out_blobs_is_served_all_the_same(
    github: GitHub, terms: SourceOptions, tmp_path: Path
) -> None:
    github.no_filter = True
    github.add("waves", "tide", {"a.cu": KERNEL})
    (repo,) = PLUGIN.list("github:waves/tide", terms)
    (tmp_path / "out").mkdir()
    PLUGIN.fetch(repo, tmp_path / "out", terms)
    assert (tmp_path / "out/a.cu").read_text() == KERNEL


def with_submodules(github: GitHub) -> str:
    """Make `tide`, which has `lib` at one commit, which has `inner`; and what cannot be had."""
    inner = github.push(github.add("waves", "inner"), {"inner.h": "#pragma once\n"})
    lib = github.add("waves", "lib")
    github.push(
        lib,
        {".gitmodules": '[submodule "i"]\n path = deep/inner\n url = ../inner.git\n'},
    )
    pinned = github.push(lib, {"lib.h": "#pragma once\n"}, {"deep/inner": inner})
    github.push(lib, {"lib.h": "#error newer\n"})
    gitmodules = '[submodule "l"]\n path = third/lib\n url = ../lib\n[submodule "g"]\n path = gone\n url = ../gone.git\n'
    tide = github.add("waves", "tide")
    return github.push(
        tide,
        {".gitmodules": gitmodules, "a.cu": KERNEL},
        {"third/lib": pinned, "gone": "0" * 39 + "1"},
    )


def test_submodules_are_only_recorded_unless_they_are_asked_for(
    github: GitHub, terms: SourceOptions, tmp_path: Path
) -> None:
    with_submodules(github)
    (repo,) = PLUGIN.list("github:waves/tide", terms)
    for folder in ("without", "with"):
        (tmp_path / folder).mkdir()
    without = PLUGIN.fetch(repo, tmp_path / "without", terms)
    assert [submodule.partition("@")[0] for submodule in without.submodules] == [
        "gone",
        "third/lib",
    ]
    assert not (tmp_path / "without/third").exists()
    checkout = PLUGIN.fetch(repo, tmp_path / "with", replace(terms, submodules=True))
    assert [submodule.partition("@")[0] for submodule in checkout.submodules] == [
        "gone"
    ]
    assert (tmp_path / "with/third/lib/lib.h").read_text() == "#pragma once\n"
    assert (tmp_path / "with/third/lib/deep/inner/inner.h").is_file()
    assert not (tmp_path / "with/gone").exists()
    assert checkout.downloaded_bytes > without.downloaded_bytes > 0
