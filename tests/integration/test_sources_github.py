"""A GitHub with a state: pages, conditional requests, both kinds of limit, names that change,
and what goes away.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from crawler.errors import (
    BadCredentials,
    NetworkDown,
    NoKernels,
    NotFound,
    RateLimited,
    Rejected,
    ToolFailed,
)
from crawler.model import Repo
from crawler.sources.options import (
    InMemoryAnswers,
    Limits,
    RepositoryFilter,
    SourceOptions,
)
from crawler.sources.providers.github import PLUGIN
from tests.servers.github.state import GitHub

pytestmark = pytest.mark.apt("git")
KERNEL = "__global__ void k(float* x) { x[0] = 1; }\n"


@pytest.fixture
def terms(github: GitHub) -> SourceOptions:
    return SourceOptions(limits=Limits(seconds=30), github=github.api)


def tokens(folder: Path, *words: str) -> Path:
    file = folder / "tokens"
    file.write_text("# mine\n" + "\n".join(words) + "\n")
    return file


def names(terms: SourceOptions, locator: str = "github:waves") -> list[str]:
    return [repo.name for repo in PLUGIN.list(locator, terms)]


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
        wanted = RepositoryFilter(**wishes)  # type: ignore[arg-type]
        return names(
            replace(
                terms,
                wanted=wanted,
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


def test_a_spent_allowance_says_when_it_comes_back_by_the_servers_clock(
    github: GitHub, terms: SourceOptions
) -> None:
    github.add("waves", "tide")
    github.allowance, github.skew = 1, 5_000.0
    github.resets_at = time.time() + 100
    with pytest.raises(RateLimited) as caught:
        names(terms)
    assert 90 < caught.value.retry_after <= 101
    assert len(github.requests) == 1


def test_whoever_comes_later_waits_without_asking(
    github: GitHub, terms: SourceOptions
) -> None:
    github.add("waves", "tide")
    github.secondary, github.retry_after = 1, 30
    for _ in range(3):
        with pytest.raises(RateLimited) as caught:
            names(terms)
        assert 20 < caught.value.retry_after <= 30
    assert len(github.requests) == 1
    assert names(replace(terms, memory=InMemoryAnswers())) == ["tide"]


@pytest.mark.parametrize("status", [403, 429])
def test_a_secondary_limit_without_a_time_rests_a_minute(
    github: GitHub, terms: SourceOptions, status: int
) -> None:
    github.add("waves", "tide")
    github.secondary, github.retry_after, github.secondary_status = 1, None, status
    with pytest.raises(RateLimited) as caught:
        names(terms)
    assert 50 < caught.value.retry_after <= 60


@pytest.mark.parametrize("after", [10**11, 10**30])
def test_a_server_is_not_believed_that_asks_for_ever(
    github: GitHub, terms: SourceOptions, after: int
) -> None:
    sys.set_int_max_str_digits(0)
    github.add("waves", "tide")
    github.secondary, github.retry_after = 1, after
    with pytest.raises(RateLimited) as caught:
        names(terms)
    assert caught.value.retry_after <= 7200


def test_tokens_of_one_user_share_an_allowance_and_another_users_goes_on(
    github: GitHub, terms: SourceOptions, tmp_path: Path
) -> None:
    for number in range(450):
        github.add("waves", f"r{number:03}")
    github.users = {"tok-a": "ann", "tok-b": "ann", "tok-c": "bob"}
    # each user is asked for twice at most to know who it is: ann has 4 of her 6 left, bob 5
    github.allowance = 6
    terms = replace(terms, github_tokens=tokens(tmp_path, "tok-a", "tok-b", "tok-c"))
    assert len(names(terms)) == 450
    users = [
        request.user
        for request in github.requests
        if request.path.endswith("/user") is False
    ]
    assert set(users) == {"ann", "bob"}
    assert all(github.spent[user] <= 6 for user in ("ann", "bob"))


def test_a_refused_token_is_dropped_and_the_last_one_stops_the_worker(
    github: GitHub, terms: SourceOptions, tmp_path: Path
) -> None:
    github.add("waves", "tide")
    github.users = {"good": "ann"}
    assert names(replace(terms, github_tokens=tokens(tmp_path, "expired", "good"))) == [
        "tide"
    ]
    with pytest.raises(BadCredentials) as caught:
        names(replace(terms, github_tokens=tokens(tmp_path, "expired-too")))
    assert "expired-too" not in str(caught.value)
    for content in ("", "two words\n"):
        with pytest.raises(BadCredentials) as caught:
            names(replace(terms, github_tokens=tokens(tmp_path, content)))
        assert "words" not in str(caught.value)


def test_an_installation_of_an_app_signs_for_its_own_allowance(
    github: GitHub, terms: SourceOptions, tmp_path: Path
) -> None:
    key = signing_key()
    (tmp_path / "app.pem").write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    (tmp_path / "other.pem").write_text("no key\n")
    github.app, github.users = "4711", {"tok-a": "ann"}
    github.app_key = (
        key.public_key()
        .public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        .decode()
    )
    for number in range(150):
        github.add("waves", f"r{number:03}")
    github.allowance = 3
    lines = f"app:4711:9:{tmp_path / 'app.pem'}", "tok-a"
    assert len(names(replace(terms, github_tokens=tokens(tmp_path, *lines)))) == 150
    assert {request.user for request in github.requests} == {"ann", "installation-9"}
    for wrong in (
        f"app:4712:9:{tmp_path / 'app.pem'}",
        f"app:4711:9:{tmp_path / 'other.pem'}",
        "app:4711:9:/absent",
    ):
        with pytest.raises(BadCredentials):
            names(replace(terms, github_tokens=tokens(tmp_path, wrong)))


def signing_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def test_a_token_goes_to_its_own_server_only(
    github: GitHub, terms: SourceOptions, tmp_path: Path
) -> None:
    made = github.add("waves", "tide", {"a.cu": KERNEL})
    github.users = {"secret-token": "ann"}
    terms = replace(terms, github_tokens=tokens(tmp_path, "secret-token"))
    github.rename(made, "swell")
    github.port, port = 1, github.port
    try:
        with pytest.raises(ToolFailed) as caught:
            list(PLUGIN.list("github:waves/tide", terms))
    finally:
        github.port = port
    assert caught.value.code == "led-away"
    assert "secret-token" not in str(caught.value)


def test_a_server_that_fails_is_a_passing_fault(
    github: GitHub, terms: SourceOptions
) -> None:
    github.add("waves", "tide")
    github.broken = 1
    with pytest.raises(NetworkDown):
        names(terms)
    assert names(terms) == ["tide"]
    with pytest.raises(NetworkDown):
        names(replace(terms, github="http://127.0.0.1:9"))


@pytest.mark.parametrize(
    "facts",
    [
        {"clone_url": "ext::sh -c touch% /tmp/x"},
        {"clone_url": "file:///etc"},
        {"name": "../../etc"},
        {"name": "a\nb"},
        {"clone_url": "https://user:word@example.org/a/b.git"},
    ],
)
def test_an_answer_with_hostile_names_is_refused(
    github: GitHub, terms: SourceOptions, facts: dict[str, str]
) -> None:
    github.add("waves", "tide", **facts)
    with pytest.raises(NotFound):
        names(terms)


def test_an_answer_of_another_shape_is_an_error_of_its_own(
    github: GitHub, terms: SourceOptions
) -> None:
    github.add("waves", "tide", id="one")
    with pytest.raises(ToolFailed) as caught:
        names(terms)
    assert caught.value.code == "bad-answer"


@pytest.mark.parametrize(
    "locator",
    [
        "github:",
        "github:a b",
        "github:a/b/c",
        "github:a@main",
        "github:-a",
        "github:a/b@",
    ],
)
def test_a_locator_that_names_nothing_is_told_so(
    terms: SourceOptions, locator: str
) -> None:
    with pytest.raises(NotFound) as caught:
        list(PLUGIN.list(locator, terms))
    assert caught.value.code == "bad-locator"


def test_the_stand_in_answers_as_github_describes(github: GitHub) -> None:
    models = pytest.importorskip(
        "githubkit_schemas.latest.models", exc_type=ImportError
    )
    made = github.add("waves", "tide")
    assert models.MinimalRepository.model_validate(github.shown(made)).name == "tide"
    assert models.FullRepository.model_validate(github.shown(made)).id == made.id
    assert models.SimpleUser.model_validate(github.user("waves")).login == "waves"


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
