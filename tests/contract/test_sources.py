"""The contract of sources: pinned, the same twice, nothing half-written, no credentials.

A new source is one file in `crawler/sources/providers/`, and one of the same name in
`tests/contract/sources/`. The latter ends with `PROJECTS`: generator functions that take a
`pytest.FixtureRequest` and yield a `SourceProject`.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.codec import encode
from crawler.errors import CrawlError, Misconfigured, NotFound, TooLarge
from crawler.model import Repo
from crawler.plugins import load_plugins
from crawler.sources.interface import Limits, Source, SourceOptions
from crawler.sources.locator import find_source
from tests.contract.source_project import CHANGED_FILES, FILES, SourceProject

pytestmark = pytest.mark.apt("git")

LIMITS = Limits(seconds=60)
SOURCES: tuple[Source, ...] = load_plugins("crawler.sources.providers")
PROJECT_FOLDER = Path(__file__).with_name("sources")
MakeProject = Callable[[pytest.FixtureRequest], Iterator[SourceProject]]


def load_project_makers() -> dict[str, tuple[MakeProject, ...]]:
    makers: dict[str, tuple[MakeProject, ...]] = {}
    for path in sorted(PROJECT_FOLDER.glob("*.py")):
        module = importlib.import_module(f"tests.contract.sources.{path.stem}")
        makers[path.stem] = module.PROJECTS
    return makers


MAKERS = load_project_makers()
PROJECT_PARAMETERS = [
    pytest.param(maker, id=f"{name}-{maker.__name__.removeprefix('make_')}")
    for name, makers in MAKERS.items()
    for maker in makers
]


@pytest.fixture(params=PROJECT_PARAMETERS)
def project(request: pytest.FixtureRequest) -> Iterator[SourceProject]:
    with contextmanager(request.param)(request) as made_project:
        yield made_project


@pytest.fixture
def source(project: SourceProject) -> Source:
    return find_source(project.locator)


def list_one(source: Source, project: SourceProject, limits: Limits = LIMITS) -> Repo:
    options = SourceOptions(limits=limits, github=project.github)
    (repo,) = source.list(project.locator, options)
    return repo


def fetch_files(
    source: Source, repo: Repo, folder: Path, limits: Limits = LIMITS
) -> dict[str, bytes]:
    folder.mkdir()
    root = source.fetch(repo, folder, SourceOptions(limits=limits)).root
    for path in folder.rglob("*"):
        assert path.is_dir() or path.is_file()
        assert path.is_dir() or not path.is_symlink()
    assert root.is_relative_to(folder)
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def fetch_error(
    source: Source, repo: Repo, folder: Path, limits: Limits = LIMITS
) -> CrawlError:
    folder.mkdir()
    with pytest.raises(CrawlError) as caught:
        source.fetch(repo, folder, SourceOptions(limits=limits))
    assert list(folder.iterdir()) == []
    assert re.search(r": \w", str(caught.value)), "it ends with the next action"
    return caught.value


def find_claiming_sources(locator: str) -> list[str]:
    return [source.name for source in SOURCES if source.claims(locator)]


def test_every_source_has_a_project_here() -> None:
    assert set(MAKERS) == {source.name for source in SOURCES}
    assert all(MAKERS.values())


def test_a_project_is_of_the_source_that_its_file_is_named_for(
    project: SourceProject, request: pytest.FixtureRequest
) -> None:
    maker_id = request.node.callspec.id
    assert find_source(project.locator).name == maker_id.partition("-")[0]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_its_example_is_its_own(source: Source) -> None:
    assert find_claiming_sources(source.example) == [source.name]


def test_one_source_alone_claims_a_locator(project: SourceProject) -> None:
    assert len(find_claiming_sources(project.locator)) == 1


def test_a_listing_pins_and_says_the_same_twice(
    source: Source, project: SourceProject
) -> None:
    repo = list_one(source, project)
    assert (repo.source, repo.name) == (source.name, project.name)
    assert re.fullmatch(r"[0-9a-f]{40}|sha256:[0-9a-f]{64}", repo.commit)
    assert list_one(source, project) == repo


def test_a_fetch_gives_the_same_files_twice(
    source: Source, project: SourceProject, tmp_path: Path
) -> None:
    repo = list_one(source, project)
    assert fetch_files(source, repo, tmp_path / "one") == FILES
    assert fetch_files(source, repo, tmp_path / "two") == FILES


def test_what_changed_is_listed_anew_and_never_fetched_under_the_old_pin(
    source: Source, project: SourceProject, tmp_path: Path
) -> None:
    repo_before = list_one(source, project)
    project.change()
    repo_after = list_one(source, project)
    assert repo_after.commit != repo_before.commit
    assert fetch_files(source, repo_after, tmp_path / "new") == CHANGED_FILES

    if project.keeps_history:
        assert fetch_files(source, repo_before, tmp_path / "old") == FILES
        return
    error = fetch_error(source, repo_before, tmp_path / "old")
    assert error.code in ("changed", "bad-archive")


def test_what_does_not_exist_is_not_found(
    source: Source, project: SourceProject
) -> None:
    missing_project = replace(project, locator=project.missing_locator)
    with pytest.raises(NotFound, match=r": \w") as caught:
        list_one(source, missing_project)
    assert caught.value.code == "not-found"


def test_what_went_away_leaves_nothing(
    source: Source, project: SourceProject, tmp_path: Path
) -> None:
    repo = list_one(source, project)
    project.remove()
    error = fetch_error(source, repo, tmp_path / "gone")
    assert error.code in ("not-found", "vanished")


@pytest.mark.parametrize(
    "limits",
    [replace(LIMITS, files=2), replace(LIMITS, unpacked_bytes=60)],
    ids=["files", "bytes"],
)
def test_what_is_too_large_leaves_nothing(
    source: Source, project: SourceProject, tmp_path: Path, limits: Limits
) -> None:
    repo = list_one(source, project)
    error = fetch_error(source, repo, tmp_path / "large", limits)
    assert isinstance(error, TooLarge)
    assert error.code == "too-large"


def test_a_file_that_is_too_large_is_left_out(
    source: Source, project: SourceProject, tmp_path: Path
) -> None:
    limits = replace(LIMITS, file_bytes=20)
    listing_limits = limits if project.pins_fetched_files else LIMITS
    repo = list_one(source, project, listing_limits)
    small_files = {
        name: content
        for name, content in FILES.items()
        if len(content) <= limits.file_bytes
    }
    assert fetch_files(source, repo, tmp_path / "small", limits) == small_files


def test_nothing_that_is_kept_holds_credentials(
    source: Source, project: SourceProject
) -> None:
    repo = list_one(source, project)
    assert b"secret" not in encode(repo)
    assert "@" not in repo.url


@pytest.mark.parametrize(
    "locator",
    [
        "git+https://reader:secret@example.org/owner/name.git@main",
        "https://secret@example.org/owner/name",
        "git+http://reader:s@secret@example.org/owner/name",
        "git+https://reader:pass/secret@example.org/owner/name",
        "ssh://reader:secret@example.org/owner/name",
        "reader:secret@example.org:owner/name",
        "HTTPS://reader:secret@example.org/owner/name",
        "pypi:waves @ https://reader:secret@example.org/waves-1.0.tar.gz",
        "nonsense://reader:secret@example.org/owner/name",
    ],
)
def test_a_locator_with_credentials_is_refused_and_not_repeated(locator: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        find_source(locator)
    assert caught.value.code == "credentials-in-locator"
    assert "secret" not in str(caught.value)
